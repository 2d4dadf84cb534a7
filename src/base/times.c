// SPDX-License-Identifier: MIT
#include "base/times.h"

#include <float.h>
#include <math.h>

// Times that differ by less than this fraction of a step are the same.
static const double SAME = 1e-9;

// Times far from 0 are less exact; but half a step is always a difference.
bool takt_times_equal_after(double n, double a, double b, double h)
{
    double rounding = n * DBL_EPSILON * fmax(fabs(a), fabs(b));
    return fabs(a - b) <= fmin(0.5 * h, SAME * h + rounding);
}

bool takt_times_equal(double a, double b, double h)
{
    return takt_times_equal_after(4, a, b, h);
}

// Is value == whole / unit, with a whole number that has at most 15 digits?
static bool is_multiple(double value, double unit, double *whole)
{
    *whole = round(value * unit);
    return fabs(*whole) < 1e15 && *whole / unit == value;
}

takt_points takt_points_make(double origin, double step)
{
    takt_points points = {.origin = origin, .step = step};
    // Powers of ten up to 10^22 are exact.
    double unit = 1;
    for (int i = 0; i <= 22; i++, unit *= 10) {
        if (!is_multiple(step, unit, &points.whole_step) ||
            !is_multiple(origin, unit, &points.whole_origin))
            continue;
        points.unit = unit;
        break;
    }
    return points;
}
