// SPDX-License-Identifier: MIT
// Axes of plots: ticks at round numbers, and the numbers as text.
#ifndef TAKT_RECORD_PLOT_AXIS_H
#define TAKT_RECORD_PLOT_AXIS_H

#include "base/text.h"

typedef struct takt_axis {
    double low, high; ///< what is seen
    double step; ///< between ticks
    double first; ///< tick
    int n_ticks;
    int decimals; ///< of the labels
    int exponent; ///< labels are values / 10^exponent
    double scale; ///< of the time axis: values per unit; else 1
    const char *unit; ///< of the time axis
} takt_axis;

/// An axis for values from `low` to `high` with some room at both ends and about `n_ticks` ticks, only
/// at whole numbers if `is_whole`.
takt_axis takt_axis_make(double low, double high, int n_ticks, bool is_whole);

/// A time axis: exactly from `low` to `high` seconds, with ticks at round numbers of a unit that
/// suits the interval.
takt_axis takt_axis_make_time(double low, double high, int n_ticks);

/// Value and label of tick number `i`.
double takt_axis_tick(const takt_axis *axis, int i);
void takt_axis_add_label(takt_text *out, const takt_axis *axis, int i);

/// Adds a number with so many decimals, at most 15. Does not depend on the locale.
void takt_text_add_fixed(takt_text *out, double value, int decimals);

#endif
