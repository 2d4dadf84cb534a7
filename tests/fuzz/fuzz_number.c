// SPDX-License-Identifier: MIT
// Compares the readers of numbers with strtod, bit for bit, on any text: what they accept strtod reads the
// same way, and a decimal number that strtod accepts they read. What is written reads back.
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

// Has the text only what a decimal number is made of? strtod accepts blanks, hexadecimal numbers and
// words as well.
static bool is_decimal(const char *text)
{
    return *text && strspn(text, "0123456789.eE+-") == strlen(text);
}

static void check_read(const char *text, size_t length)
{
    char *end;
    double value = 0, expected = strtod(text, &end);
    bool is_whole = end == text + length && length > 0;
    if (takt_number_read(text, text + length, &value)) {
        if (!is_whole || !is_same(value, expected)) abort();
    } else if (is_whole && is_decimal(text)) {
        abort();
    }
}

// Here more may follow: the text goes on behind the number. The number must be the longest one that is
// there, unless that is one of those which are left to takt_number_read().
static void check_scan(const char *text, size_t length)
{
    char *end;
    double value = 0, expected = strtod(text, &end);
    const char *after = takt_number_scan(text, text + length, &value);
    bool is_hexadecimal = tolower((unsigned char)text[text[0] == '-']) == '0' &&
                          tolower((unsigned char)text[1 + (text[0] == '-')]) == 'x';
    bool is_simple = isdigit((unsigned char)text[0]) && isfinite(expected) && expected != 0;
    if (after) {
        if (!is_hexadecimal && (after != end || !is_same(value, expected))) abort();
    } else if (is_simple && !is_hexadecimal) {
        abort();
    }
}

static void check_written(double value)
{
    char text[TAKT_NUMBER_SIZE];
    double back = 0;
    size_t length = takt_number_write(text, value);
    if (length != strlen(text) || !takt_number_read(text, text + length, &back)) abort();
    if (!is_same(back, value)) abort();
}

static void check_integer(const char *text, size_t length)
{
    int64_t value = 0;
    char *end, back[TAKT_NUMBER_SIZE];
    if (!takt_number_read_integer(text, text + length, &value)) return;
    if (strtoll(text, &end, 10) != value || end != text + length) abort();
    snprintf(back, sizeof back, "%lld", (long long)value);
    char written[TAKT_NUMBER_SIZE];
    takt_number_write_integer(written, value);
    if (strcmp(back, written) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *exact = malloc(size ? size : 1);
    if (!text || !exact) abort();
    memcpy(text, data, size);
    memcpy(exact, data, size);
    text[size] = 0;
    size_t length = strlen(text);
    check_read(text, length);
    check_scan(text, length);
    check_integer(text, length);
    double value = 0;
    takt_number_scan(exact, exact + size, &value); // a read behind the end would be seen
    takt_number_read(exact, exact + size, &value);
    takt_number_read_duration(text, &value);
    if (size >= sizeof value) {
        memcpy(&value, data, sizeof value);
        check_written(value);
    }
    free(text);
    free(exact);
    return 0;
}
