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
