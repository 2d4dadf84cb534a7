// SPDX-License-Identifier: MIT
// Variables of FMI 3.0, as the file has them.
#ifndef TAKT_DESCRIPTION_FMI3_VARIABLES_H
#define TAKT_DESCRIPTION_FMI3_VARIABLES_H

#include "description/fmi3_reader.h"

/// Reads a variable of a type: the present element.
takt_status takt_fmi3_read_variable(takt_description_reader *reader, takt_type type,
                                    takt_error *err);

/// Does a type have the attributes min and max?
bool takt_fmi3_has_limits(takt_type type);

/// Reads the attributes of a clock. What is missing keeps what `clock` has, which comes from its type, or
/// from takt_fmi3_unknown_clock, which has not even an intervalVariability.
void takt_fmi3_read_clock(takt_description_reader *reader, takt_fmi3_clock *clock);
extern const takt_fmi3_clock takt_fmi3_unknown_clock;

/// Reads a value reference out of the attribute `name`; false after an error.
bool takt_fmi3_read_reference(takt_description_reader *reader, const char *name, const char *begin,
                              const char *end, uint32_t *out);

/// Reads one start value. Enumerations have 64 bits in FMI 3.0.
bool takt_fmi3_read_value(takt_description_reader *reader, takt_type type, const char *text,
                          takt_value *out);

#endif
