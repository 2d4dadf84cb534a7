// SPDX-License-Identifier: MIT
// Texts that FMUs of FMI 1.0 and 2.0 pass like arguments of printf, which nobody can check: the format
// may be no format at all, arguments may be missing or of another type.
#ifndef TAKT_FMU_FORMAT_H
#define TAKT_FMU_FORMAT_H

#include "fmu/abi.h"

/// Writes at most `size` bytes with the final 0. A text with anything that printf could do harm with ("%n",
/// unknown conversions, enormous widths) is copied as it is. NULL becomes "(null)", another pointer that leads nowhere
/// "(no text)".
void takt_fmu_format(char *out, size_t size, const char *format, takt_fmu_arguments arguments);

#endif
