// SPDX-License-Identifier: MIT
// Facts that follow from the author's description: usual values filled in, names in FMI's spelling,
// and the identity. Used by the FMU itself and by the generator of its XML.
#ifndef FMUKIT_MODEL_H
#define FMUKIT_MODEL_H

#include "fmukit/fmukit.h"

#define FMUKIT_VERSION "0.1.0"

const char *fmukit_type_name(fmukit_type type); ///< "Real", ...
const char *fmukit_causality_name(fmukit_causality causality); ///< "local", ...
const char *fmukit_variability_name(fmukit_variability variability);
const char *fmukit_initial_name(fmukit_initial initial);

/// With the usual values filled in (FMI 2.0, section 2.2.7). Inputs have no `initial`: for them the
/// answer is FMUKIT_USUAL_INITIAL.
fmukit_variability fmukit_variability_of(const fmukit_variable *variable);
fmukit_initial fmukit_initial_of(const fmukit_variable *variable);
bool fmukit_has_start(const fmukit_variable *variable);

/// Is `input` among the inputs that the variable depends on?
bool fmukit_depends_on(const fmukit_variable *variable, const fmukit_variable *input,
                       bool initially);
/// Is the value one of the enumeration's items?
bool fmukit_is_item(const fmukit_enumeration *enumeration, int value);
bool fmukit_is_in_range(const fmukit_range *range, double value);

enum { FMUKIT_IDENTITY_SIZE = 16, FMUKIT_GUID_SIZE = 39 };

/// 16 bytes computed from all that the description says. An FMU whose library and XML were made from
/// different descriptions shows different identities. Not meant against deliberate forgery.
void fmukit_identity(const fmukit_model *model, unsigned char identity[FMUKIT_IDENTITY_SIZE]);
/// The identity as text, "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}".
void fmukit_guid(const fmukit_model *model, char guid[FMUKIT_GUID_SIZE]);

#endif
