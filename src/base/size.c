// SPDX-License-Identifier: MIT
// Sizes as text; see size.h.
#include "base/size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

bool takt_size_read(const char *text, int64_t *out)
{
    static const struct {
        const char *name;
        double size;
    } units[] = {{"", 1},        {"k", 1e3},     {"M", 1e6},     {"G", 1e9},    {"T", 1e12},
                 {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}};
    size_t n_digits = strspn(text, "0123456789.");
    const char *unit = text + n_digits + strspn(text + n_digits, " ");
    size_t length = strlen(unit);
    if (length && (unit[length - 1] == 'B' || unit[length - 1] == 'b')) length--;
    double number;
    if (!takt_number_read(text, text + n_digits, &number)) return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) != length || strncasecmp(units[i].name, unit, length) != 0)
            continue;
        double size = floor(number * units[i].size);
        if (!(size >= 0 && size < 9e18)) return false;
        *out = (int64_t)size;
        return true;
    }
    return false;
}

const char *takt_size_write(int64_t size, char out[TAKT_SIZE_TEXT])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)size;
    int i = 0;
    for (; value >= 999.5 && i < 6; i++) value /= 1000;
    int decimals = i == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(out, TAKT_SIZE_TEXT, "%.*f %s", decimals, value, units[i]);
    return out;
}
