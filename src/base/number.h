// SPDX-License-Identifier: MIT
// Numbers as text and back, independent of the locale and exact: what is written reads back as the
// same bits. Written in C++ only because its library has the shortest and fastest conversion.
#ifndef TAKT_BASE_NUMBER_H
#define TAKT_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TAKT_NUMBER_SIZE = 32 }; ///< room for any number, with a terminating 0

/// Writes the shortest text that reads back as `value` ("0.1", "1e-300", "nan", "-inf"), followed
/// by a 0. Returns its length.
size_t takt_number_write(char out[TAKT_NUMBER_SIZE], double value);
size_t takt_number_write_integer(char out[TAKT_NUMBER_SIZE], int64_t value);

/// Reads the whole of [begin, end) as a number; blanks are not skipped, a leading '+' is allowed.
/// Too large a number becomes an infinity, too small a one zero. Returns false for anything else.
bool takt_number_read(const char *begin, const char *end, double *out);

/// Reads the number that [begin, end) starts with and returns where it ends. NULL: there is none, or
/// it is one that only takt_number_read() judges (a sign '+', a word, too large, too small).
const char *takt_number_scan(const char *begin, const char *end, double *out);

/// Reads the whole of [begin, end) as a decimal integer. Returns false for anything else, also
/// when it does not fit.
bool takt_number_read_integer(const char *begin, const char *end, int64_t *out);

/// The same for whole numbers from 0 to UINT64_MAX.
bool takt_number_read_unsigned(const char *begin, const char *end, uint64_t *out);

/// Reads a duration in seconds: a number, perhaps with one of the units ms, s, min, h, d, a (a year
/// of 365 days), as in "0.1", "10min", "1 h".
bool takt_number_read_duration(const char *text, double *out);

#ifdef __cplusplus
}
#endif
#endif
