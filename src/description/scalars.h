// SPDX-License-Identifier: MIT
// What descriptions of FMI 1.0 and 2.0 have in common: ScalarVariable with one element for the type.
#ifndef TAKT_DESCRIPTION_SCALARS_H
#define TAKT_DESCRIPTION_SCALARS_H

#include "description/visit.h"

/// The types and the names of their elements: X(name, type).
#define TAKT_SCALAR_TYPE_LIST(X)                                                                   \
    X(Real, TAKT_FLOAT64)                                                                          \
    X(Integer, TAKT_INT32)                                                                         \
    X(Boolean, TAKT_BOOLEAN)                                                                       \
    X(String, TAKT_STRING)                                                                         \
    X(Enumeration, TAKT_ENUMERATION)

/// Reads the type of a type definition; `rules` are for its items.
takt_status takt_scalar_read_type(takt_description_reader *reader, takt_type type,
                                  const takt_element_rule *rules, takt_error *err);

/// Reads the attributes of the type of reader->variable.
void takt_scalar_read_variable(takt_description_reader *reader, takt_type type);

/// A variable without type is an error; it becomes a Real.
void takt_scalar_settle_type(takt_description_reader *reader, takt_variable *variable);

#endif
