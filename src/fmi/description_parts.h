// SPDX-License-Identifier: MIT
// Parts of a model description that FMI 1.0 and 2.0 have in common. Only for src/fmi.
#ifndef TAKT_FMI_DESCRIPTION_PARTS_H
#define TAKT_FMI_DESCRIPTION_PARTS_H

#include "fmi/description_reader.h"

/// The names of types in FMI 1.0 and 2.0: X(name, type).
#define TAKT_SCALAR_TYPE_LIST(X)                                                                   \
    X(Real, TAKT_FLOAT64)                                                                          \
    X(Integer, TAKT_INT32)                                                                         \
    X(Boolean, TAKT_BOOLEAN)                                                                       \
    X(String, TAKT_STRING)                                                                         \
    X(Enumeration, TAKT_ENUMERATION)
const char *takt_description_type_name(takt_type type);

/// The attribute modelIdentifier; an error where it cannot be the name of a library.
const char *takt_description_identifier(takt_description_reader *reader);

/// Reads an element DefaultExperiment.
takt_status takt_description_experiment(takt_description_reader *reader, takt_error *err);

/// The attributes min, max and nominal (may be NULL). Limits that are not given are NaN until all is
/// read; then they are inherited or get their default.
void takt_description_limits(takt_description_reader *reader, double *min, double *max,
                             double *nominal);

/// Begins a type definition with the attribute name; NULL when memory is exhausted.
takt_type_definition *takt_description_add_type(takt_description_reader *reader);

/// Begins a variable with its name, description and value reference; its type is still missing.
void takt_description_begin_variable(takt_description_reader *reader, takt_variable *variable);

/// The attribute start.
void takt_description_start(takt_description_reader *reader, takt_variable *variable);

/// Gives a variable without type (TAKT_N_TYPES, an error) or variability (-1) its default.
void takt_description_settle_type(takt_description_reader *reader, takt_variable *variable);

/// Enters the latest variable under its name. The same name twice is an error, or a warning where both
/// mean the same.
void takt_description_add_name(takt_description_reader *reader, const takt_variable *variable);

/// After reading: what variables inherit from their types, defaults, and all lists into the model.
takt_status takt_description_finish(takt_description_reader *reader, takt_error *err);

#endif
