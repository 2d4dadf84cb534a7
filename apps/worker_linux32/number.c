// SPDX-License-Identifier: MIT
// Numbers as text and back, in place of src/base/number.cpp, which needs the C++ library. The C library's functions are exact, too; that they
// look at the locale does not matter in a process that never sets one, and an FMU that does can only mislead itself.
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The shortest of the texts with so many digits that is read as the same number.
size_t takt_number_write(char out[TAKT_NUMBER_SIZE], double value)
{
    int n = 0;
    if (isnan(value)) return (size_t)snprintf(out, TAKT_NUMBER_SIZE, "nan");
    for (int digits = 1; digits <= 17; digits++) {
        n = snprintf(out, TAKT_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    return (size_t)n;
}

size_t takt_number_write_integer(char out[TAKT_NUMBER_SIZE], int64_t value)
{
    return (size_t)snprintf(out, TAKT_NUMBER_SIZE, "%lld", (long long)value);
}

// A copy with a final 0, of what can be a number at all. Returns false if it is too long, or empty.
static bool copy(const char *begin, const char *end, char out[512])
{
    size_t n = (size_t)(end - begin);
    if (n == 0 || n >= 512 || strspn(begin, "+-0123456789.eEinfatyINFATY") < n) return false;
    memcpy(out, begin, n);
    out[n] = 0;
    return true;
}

int takt_number_read(const char *begin, const char *end, double *out)
{
    char text[512], *rest;
    if (!copy(begin, end, text)) return 0;
    double value = strtod(text, &rest);
    if (rest == text || *rest) return 0;
    *out = value;
    return 1;
}

const char *takt_number_scan(const char *begin, const char *end, double *out)
{
    size_t n = strspn(begin, "-0123456789.eE");
    const char *stop = begin + n < end ? begin + n : end;
    return takt_number_read(begin, stop, out) && isfinite(*out) ? stop : NULL;
}

bool takt_number_read_integer(const char *begin, const char *end, int64_t *out)
{
    char text[512], *rest;
    if (!copy(begin, end, text) || text[0] == '+') return false;
    errno = 0;
    long long value = strtoll(text, &rest, 10);
    if (rest == text || *rest || errno) return false;
    *out = value;
    return true;
}

bool takt_number_read_unsigned(const char *begin, const char *end, uint64_t *out)
{
    char text[512], *rest;
    if (!copy(begin, end, text) || text[0] == '+' || text[0] == '-') return false;
    errno = 0;
    unsigned long long value = strtoull(text, &rest, 10);
    if (rest == text || *rest || errno) return false;
    *out = value;
    return true;
}
