// SPDX-License-Identifier: MIT
// Facts that follow from the author's description: usual values filled in, names in FMI's spelling,
// and the identity. Used by the FMU itself and by the generator of its XML.
#ifndef FMUKIT_MODEL_H
#define FMUKIT_MODEL_H

#include "fmukit/fmukit.h"

#define FMUKIT_VERSION "0.1.0"

/// What is known about a type.
typedef struct fmukit_type_facts {
    const char *name; ///< in FMI 3.0: "Float64", ...
    const char *old_name; ///< in FMI 1.0 and 2.0: "Real", ...; NULL: they do not have it
    const char *c_type;
    size_t size; ///< of a field, bytes
    bool is_real, is_number;
    double min, max; ///< of integers
} fmukit_type_facts;

const fmukit_type_facts *fmukit_facts(fmukit_type type);
/// The name in a version of FMI (1, 2 or 3); if it does not have the type, that of FMI 3.0.
const char *fmukit_type_name(fmukit_type type, int version);
const char *fmukit_causality_name(fmukit_causality causality); ///< "local", ...
const char *fmukit_variability_name(fmukit_variability variability);
const char *fmukit_initial_name(fmukit_initial initial);

/// With the usual values filled in (FMI 2.0, section 2.2.7). Inputs and clocks have no `initial`: for
/// them the answer is FMUKIT_USUAL_INITIAL.
fmukit_variability fmukit_variability_of(const fmukit_variable *variable);
fmukit_initial fmukit_initial_of(const fmukit_variable *variable);
bool fmukit_has_start(const fmukit_variable *variable);

/// Is `input` among the inputs that the variable depends on?
bool fmukit_depends_on(const fmukit_variable *variable, const fmukit_variable *input,
                       bool initially);
/// Is the value one of the enumeration's items?
bool fmukit_is_item(const fmukit_enumeration *enumeration, int64_t value);
bool fmukit_is_in_range(const fmukit_range *range, double value);

/// The number that an item of this C type holds.
double fmukit_number(fmukit_type type, const void *item);
/// Writes the scalar start value as an item of the variable's C type.
void fmukit_start_item(const fmukit_variable *variable, void *item);

bool fmukit_is_array(const fmukit_variable *variable);
/// The number of elements that the field has room for; 1 for scalars.
size_t fmukit_capacity(const fmukit_variable *variable);
/// The index of the variable with this name; the number of variables: there is none.
size_t fmukit_find_variable(const fmukit_model *model, const char *name);
/// The size of one dimension at first.
size_t fmukit_start_size(const fmukit_model *model, const fmukit_dimension *dimension);
/// Has the model a variable with this causality and (unless FMUKIT_USUAL_VARIABILITY) variability?
bool fmukit_has(const fmukit_model *model, fmukit_causality causality,
                fmukit_variability variability);

bool fmukit_has_clocks(const fmukit_model *model);
double fmukit_clock_interval(const fmukit_clock *clock); ///< s; of fractions, too
double fmukit_clock_shift(const fmukit_clock *clock);
/// Can inputs change within a step?
bool fmukit_interpolates(const fmukit_model *model);
/// Is the variable one that does?
bool fmukit_can_move(const fmukit_model *model, const fmukit_variable *variable);

/// With the usual value filled in.
unsigned fmukit_interfaces(const fmukit_model *model);
bool fmukit_is_state(const fmukit_model *model, const fmukit_variable *variable);
/// Elements at first; of states or of event indicators.
size_t fmukit_count_states(const fmukit_model *model);
size_t fmukit_count_indicators(const fmukit_model *model);
/// Is `state` among the states that the variable depends on? A state depends on itself alone.
bool fmukit_depends_on_state(const fmukit_model *model, const fmukit_variable *variable,
                             const fmukit_variable *state);

enum { FMUKIT_IDENTITY_SIZE = 16, FMUKIT_GUID_SIZE = 39 };

/// 16 bytes computed from all that the description says. An FMU whose library and XML were made from
/// different descriptions shows different identities. Not meant against deliberate forgery.
void fmukit_identity(const fmukit_model *model, unsigned char identity[FMUKIT_IDENTITY_SIZE]);
/// The identity as text, "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}".
void fmukit_guid(const fmukit_model *model, char guid[FMUKIT_GUID_SIZE]);

#endif
