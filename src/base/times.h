// SPDX-License-Identifier: MIT
// When two points in simulated time are the same. All layers must agree: a run that stops at an
// event which the instance does not see yet would make a further step as long as a rounding error.
#ifndef TAKT_BASE_TIMES_H
#define TAKT_BASE_TIMES_H

#include <stdbool.h>

/// Are two times the same, but for rounding, where steps have the size h?
bool takt_times_equal(double a, double b, double h);

/// The same where n roundings may have added up.
bool takt_times_equal_after(double n, double a, double b, double h);

/// The points origin + n * step. Where both are decimals, as people write them, so are all points: 0.1 gives
/// 0.3 and not 0.30000000000000004. Then numerators over a power of ten are added, which is exact, and one
/// division rounds.
typedef struct takt_points {
    double origin, step;
    double unit; ///< power of ten; 0: they are no decimals
    double whole_origin, whole_step; ///< multiples of 1 / unit
} takt_points;

takt_points takt_points_make(double origin, double step);

/// Point number n, a whole number.
static inline double takt_points_at(const takt_points *points, double n)
{
    double whole = points->whole_origin + n * points->whole_step;
    // From 2^53 on sums are no longer exact.
    if (points->unit > 0 && whole < 0x1p53 && whole > -0x1p53) return whole / points->unit;
    return points->origin + n * points->step;
}

#endif
