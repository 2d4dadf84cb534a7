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

#endif
