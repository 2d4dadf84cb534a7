// SPDX-License-Identifier: MIT
// The shortest decimals of numbers of everyday size, written without an exponent.
#ifndef TAKT_BASE_DECIMAL_H
#define TAKT_BASE_DECIMAL_H

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the shortest decimal that is read as `value`, and of several the nearest one: exactly what
/// std::to_chars writes, several times as fast. Needs room for 24 characters, and adds no terminating 0.
/// Returns where the text ends; NULL: the number is none of those that this function knows (from 0.001 to
/// 10^9 and back, besides large whole ones), and nothing was written.
char *takt_decimal_write(char *out, double value);

#ifdef __cplusplus
}
#endif

#endif
