// SPDX-License-Identifier: MIT
// What is large and what is small: for every real value of y its *scale*, what counts as its magnitude.
//
//   scale = max(1 % of the nominal value, largest |y| at communication points so far, |y| now)
//
// The nominal value is the one that the description of the output declares, else the smallest one that its
// readers declare, in the output's unit. Where nobody declares one, TAKT_SCALE_LEAST takes the place of the
// first term: a signal that is smaller is taken for zero.
//
// Scales are state: they are noted at communication points that are kept, so that a rejected step leaves no
// trace, and snapshots hold them.
#ifndef TAKT_RUN_SCALE_H
#define TAKT_RUN_SCALE_H

#include <math.h>

#include "run/run.h"

/// The least scale of a value for which no nominal value is declared.
#define TAKT_SCALE_LEAST 1e-9

struct takt_scale {
    double *seen; ///< per real value of y: the scale without |y| now; one piece of memory
    const double *nominal; ///< per real value of y, positive; 0: none is declared
    const double *precision; ///< per real value of y: its relative rounding error
    int n; ///< of real values of y
    bool is_followed; ///< somebody asks for scales: an adaptive step control, or a loop
};

/// Makes run->scale.
takt_status takt_scale_create(takt_run *run, takt_error *err);

/// The values of y count from now on.
void takt_scale_follow(takt_run *run);

/// At a communication point that is kept: the values of y count from now on, if somebody asks.
static inline void takt_scale_note(takt_run *run)
{
    if (run->scale->is_followed) takt_scale_follow(run);
}

/// The scales, for snapshots.
takt_memory takt_scale_memory(takt_run *run);

/// The scale of real value i of y, if it is y_i now.
static inline double takt_scale_at(const takt_run *run, int i, double y_i)
{
    return fmax(run->scale->seen[i], fabs(y_i));
}

/// The scale of real value i of y.
static inline double takt_scale_of(const takt_run *run, int i)
{
    return takt_scale_at(run, i, run->state.y.real[i]);
}

/// The unit of the absolute tolerance of real value i of y between steps, where what is small now need not stay so:
/// the nominal value, or 1 if none is declared; less where no larger values were seen, but no less than 1 % of the
/// nominal value, or 0.001. 1 with the papers' norm, or as long as nothing is known.
double takt_scale_unit(const takt_run *run, int i);

/// The tolerance of real value i of y, if it is y_i now: relative |y_i| + absolute * unit. The unit is the nominal
/// value, or 1 if none is declared; but the scale, if that is smaller, and no smaller than `least` if none
/// is declared. With the papers' norm it is 1.
static inline double takt_scale_tolerance(const takt_run *run, int i, double y_i, double least)
{
    const takt_settings *settings = &run->plan->system->settings;
    double nominal = run->scale->nominal[i], unit = 1;
    if (settings->norm != TAKT_NORM_PAPERS) {
        double scale = takt_scale_at(run, i, y_i);
        unit = nominal > 0 ? fmin(nominal, scale) : fmin(1, fmax(least, scale));
    }
    return fabs(y_i) * settings->relative_tolerance + settings->absolute_tolerance * unit;
}

#endif
