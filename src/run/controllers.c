// SPDX-License-Identifier: MIT
// The controllers of the founding papers (Nicolai 2018, algorithms 5 and 6).
//   growth        without an estimate: sizes grow by a factor after each good step
//   elementary    sizes follow the error of a method of first order, h / sqrt(error)
#include <math.h>

#include "run/controller.h"

// Aim a little below the tolerance. A rejected step is reduced at least by this factor, so that there is
// an end of it.
static const double SAFETY = 0.9;

static double after_failure(const takt_settings *settings, double *memory, double h)
{
    (void)memory;
    return fmin(h / settings->step_reduction, SAFETY * h);
}

static double grow(const takt_settings *settings, double *memory, double h, double error)
{
    (void)memory;
    return error <= 1 ? settings->step_growth * h : SAFETY * h;
}

const takt_controller_type takt_growth_controller = {
    .name = "growth", .after_error = grow, .after_failure = after_failure};

static double follow_error(const takt_settings *settings, double *memory, double h, double error)
{
    (void)memory;
    double factor = error > 0 ? SAFETY / sqrt(error) : settings->step_factor_max;
    factor = fmin(fmax(factor, settings->step_factor_min), settings->step_factor_max);
    if (error > 1) factor = fmin(factor, SAFETY);
    return h * factor;
}

const takt_controller_type takt_elementary_controller = {
    .name = "elementary", .after_error = follow_error, .after_failure = after_failure};
