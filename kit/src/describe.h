// SPDX-License-Identifier: MIT
// modelDescription.xml: one writer per version of FMI, and the pieces that several of them share.
#ifndef FMUKIT_DESCRIBE_H
#define FMUKIT_DESCRIBE_H

#include "model.h"

#include <stdio.h>

/// Writes the XML for a description that has passed fmukit_check() for that version.
typedef void fmukit_describe_fn(const fmukit_model *model, FILE *out);
fmukit_describe_fn fmukit_describe_fmi1, fmukit_describe_fmi1_me, fmukit_describe_fmi2,
    fmukit_describe_fmi3;

// ---- attributes: each writes ' name="value"' ---------------------------------------------------------

void fmukit_write_escaped(FILE *out, const char *text); ///< only the text
void fmukit_put_text(FILE *out, const char *name, const char *value); ///< nothing if NULL
/// Short where possible, and always reads back as the same number.
void fmukit_put_real(FILE *out, const char *name, double value);
void fmukit_put_integer(FILE *out, const char *name, int value);
void fmukit_put_true(FILE *out, const char *name, bool value); ///< nothing if false, the default
/// Items of the variable's C type, separated by blanks; numbers and booleans only.
void fmukit_put_items(FILE *out, const fmukit_variable *variable, const char *name,
                      const void *items, size_t n);
/// The scalar start value, of any type but binary.
void fmukit_put_start(FILE *out, const fmukit_variable *variable);
void fmukit_put_limits(FILE *out, const fmukit_variable *variable); ///< unit, min, max, nominal
void fmukit_put_head(FILE *out, const fmukit_model *model); ///< description ... generationTool

// ---- elements ------------------------------------------------------------------------------------------

/// Calls `write` for every different unit: a defined one, or just a name (all else is 0, and
/// `is_defined` false); all inside of <UnitDefinitions>, if there are any.
typedef void fmukit_unit_fn(FILE *out, const fmukit_unit *unit, bool is_defined);
void fmukit_write_units(FILE *out, const fmukit_model *model, fmukit_unit_fn *write);
fmukit_unit_fn fmukit_write_unit; ///< of FMI 2.0 and 3.0

/// The same for enumerations in <TypeDefinitions>.
typedef void fmukit_enumeration_fn(FILE *out, const fmukit_enumeration *enumeration);
void fmukit_write_enumerations(FILE *out, const fmukit_model *model, fmukit_enumeration_fn *write);
void fmukit_write_items(FILE *out, const fmukit_enumeration *enumeration, bool has_values);

void fmukit_write_categories(FILE *out, const fmukit_model *model, int version);
void fmukit_write_experiment(FILE *out, const fmukit_model *model, bool has_step_size);

// ---- structure -------------------------------------------------------------------------------------------

/// Lists of unknowns in the model structure.
typedef enum fmukit_unknowns {
    FMUKIT_OUTPUTS,
    FMUKIT_DERIVATIVES,
    FMUKIT_INDICATORS,
    FMUKIT_INITIAL_UNKNOWNS,
} fmukit_unknowns;

/// Does the variable belong into the list?
bool fmukit_is_unknown(const fmukit_model *model, const fmukit_variable *variable,
                       fmukit_unknowns kind);
/// Writes ' dependencies="..."' of an unknown: numbers that begin at `first` for the first variable.
void fmukit_put_dependencies(FILE *out, const fmukit_model *model, size_t unknown, bool initially,
                             size_t first);

#endif
