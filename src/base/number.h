// SPDX-License-Identifier: MIT
// Numbers as text and back, independent of the locale and exact: what is written reads back as the
// same bits. Written in C++ only because its library has the shortest and fastest conversion.
#ifndef TAKT_BASE_NUMBER_H
#define TAKT_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "takt/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes a whole number like takt_number_write() of takt/text.h.
size_t takt_number_write_integer(char out[TAKT_NUMBER_SIZE], int64_t value);

/// Reads the number that [begin, end) starts with and returns where it ends. NULL: there is none, or
/// it is one that only takt_number_read() judges (a sign '+', a word, too large, too small).
const char *takt_number_scan(const char *begin, const char *end, double *out);

/// Reads the whole of [begin, end) as a decimal integer. Returns false for anything else, also
/// when it does not fit.
bool takt_number_read_integer(const char *begin, const char *end, int64_t *out);

/// The same for whole numbers from 0 to UINT64_MAX.
bool takt_number_read_unsigned(const char *begin, const char *end, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
