// SPDX-License-Identifier: MIT
// Ticks and labels; see plot_axis.h.
#include "record/plot_axis.h"

#include <math.h>
#include <stdint.h>

void takt_text_add_fixed(takt_text *out, double value, int decimals)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    double scaled = fabs(value) * powers[decimals];
    if (!(scaled < 9e15)) { // more digits than a double has, or no number
        takt_text_print(out, "%.15g", value);
        return;
    }
    int64_t n = (int64_t)(scaled + 0.5), unit = (int64_t)powers[decimals];
    char digits[40];
    int at = sizeof digits;
    int64_t fraction = n % unit, whole = n / unit;
    for (int i = 0; i < decimals; i++, fraction /= 10) digits[--at] = (char)('0' + fraction % 10);
    if (decimals) digits[--at] = '.';
    do digits[--at] = (char)('0' + whole % 10);
    while (whole /= 10);
    if (value < 0 && n) digits[--at] = '-';
    takt_text_add_n(out, digits + at, sizeof digits - (size_t)at);
}

// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
static double round_step(double least)
{
    double power = pow(10, floor(log10(least)));
    const double factors[] = {1, 2, 5, 10};
    for (int i = 0; i < 3; i++)
        if (factors[i] * power >= least * (1 - 1e-9)) return factors[i] * power;
    return 10 * power;
}

static void place_ticks(takt_axis *axis)
{
    double first = ceil(axis->low / axis->step - 1e-6);
    double last = floor(axis->high / axis->step + 1e-6);
    axis->first = first * axis->step;
    axis->n_ticks = last - first < 0 ? 0 : last - first > 100 ? 100 : (int)(last - first) + 1;
    double decimals = ceil(-log10(axis->step) + axis->exponent - 1e-6);
    axis->decimals = decimals < 0 ? 0 : decimals > 15 ? 15 : (int)decimals;
}

// Values beyond LARGEST lie at the edge, for their differences may be infinite. Ranges below SMALLEST have
// no step that is a number.
static const double LARGEST = 8e307, SMALLEST = 1e-300;

takt_axis takt_axis_make(double low, double high, int n_ticks, bool is_whole)
{
    low = fmin(fmax(low, -LARGEST), LARGEST);
    high = fmin(fmax(high, -LARGEST), LARGEST);
    // Ranges that are no ranges, or too small for the digits of a double, are widened.
    double size = fmax(fabs(low), fabs(high));
    if (!(high - low > fmax(1e-12 * size, SMALLEST))) {
        double more = size > 0 ? fmax(0.1 * size, SMALLEST) : 1;
        low -= more, high += more;
    }
    double room = 0.05 * (high - low);
    takt_axis axis = {.low = low - room, .high = high + room, .scale = 1};
    axis.step = round_step((axis.high - axis.low) / n_ticks);
    if (is_whole) axis.step = fmax(axis.step, 1);
    size = fmax(fabs(axis.low), fabs(axis.high));
    if (size >= 1e5 || size < 1e-2) axis.exponent = 3 * (int)floor(log10(size) / 3);
    place_ticks(&axis);
    return axis;
}

// Steps that people use for a unit; NULL: round numbers.
static double step_of_unit(double least, double seconds)
{
    static const double hours[] = {1, 2, 3, 6, 12, 24, 48, 0},
                        minutes[] = {1, 2, 5, 10, 15, 30, 60, 0};
    const double *steps = seconds == 3600 ? hours : seconds == 60 ? minutes : NULL;
    for (int i = 0; steps && least > 0.5 && steps[i] > 0; i++)
        if (steps[i] >= least) return steps[i];
    return round_step(least);
}

takt_axis takt_axis_make_time(double low, double high, int n_ticks)
{
    static const struct {
        double from, seconds; // interval from which on the unit is used, and its length
        const char *name;
    } units[] = {{4 * 86400.0, 86400, "d"}, {3 * 3600.0, 3600, "h"},
                 {600, 60, "min"},          {0.1, 1, "s"},
                 {1e-4, 1e-3, "ms"},        {0, 1e-6, "\u00b5s"}};
    double interval = high - low;
    if (!(interval > 0)) high = low + 1, interval = 1;
    int i = 0;
    while (interval < units[i].from) i++;
    double scale = units[i].seconds;
    takt_axis axis = {.low = low / scale, .high = high / scale, .scale = scale};
    axis.unit = units[i].name;
    axis.step = step_of_unit((axis.high - axis.low) / n_ticks, scale);
    place_ticks(&axis);
    return axis;
}

double takt_axis_tick(const takt_axis *axis, int i)
{
    return axis->first + i * axis->step;
}

void takt_axis_add_label(takt_text *out, const takt_axis *axis, int i)
{
    takt_text_add_fixed(out, takt_axis_tick(axis, i) / pow(10, axis->exponent), axis->decimals);
}
