// SPDX-License-Identifier: MIT
// The largest of many errors. The error of a value of y is its difference to a reference, in units of a tolerance that
// is relative to its scale, or to itself if that is larger.
#ifndef TAKT_RUN_WORST_H
#define TAKT_RUN_WORST_H

#include "run/ranges.h"

typedef struct takt_worst {
    double error;
    int i; ///< the first value that has it; -1: none has a larger one than there was at the beginning
} takt_worst;

/// What errors are measured by.
typedef struct takt_error_unit {
    double tolerance; ///< relative
    const double *scale; ///< per value
} takt_error_unit;

/// Raises the largest error by those of the values that are meant. An error that is unknown, because a value is not a number,
/// does not count.
void takt_worst_raise(takt_worst *worst, const takt_ranges *ranges, const double *y,
                      const double *reference, const takt_error_unit *unit);

#endif
