// SPDX-License-Identifier: MIT
// Numbers and names as Takt reads and writes them, for programs that talk to users as it does. Numbers do not
// depend on the locale and are exact: what is written reads back as the same bits.
#ifndef TAKT_TEXT_H
#define TAKT_TEXT_H

#include <stddef.h>

#include "takt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room for any number as text, with its final 0.
enum { TAKT_NUMBER_SIZE = 32 };

/// Writes the shortest text that reads back as `value` ("0.1", "1e-300", "nan", "-inf"), followed by a 0.
/// Returns its length.
TAKT_API size_t takt_number_write(char out[TAKT_NUMBER_SIZE], double value);

/// Reads the whole of [begin, end) as a number; blanks are not skipped, a leading '+' is allowed. Too large a
/// number becomes an infinity, too small a one zero. Returns 0 for anything else.
TAKT_API int takt_number_read(const char *begin, const char *end, double *out);

/// Reads a duration in seconds: a number, perhaps with one of the units ms, s, min, h, d, a (a year of 365
/// days), as in "0.1", "10min", "1 h". Returns 0 for anything else.
TAKT_API int takt_number_read_duration(const char *text, double *out);

/// Of `n` candidates the one most like `name`, for "did you mean"; NULL when none is near. `candidate` returns
/// the i-th one.
TAKT_API const char *takt_text_nearest(const char *name, int n,
                                       const char *(*candidate)(void *context, int i),
                                       void *context);

#ifdef __cplusplus
}
#endif
#endif
