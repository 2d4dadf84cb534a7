// SPDX-License-Identifier: MIT
// Derivatives by time that instances tell of their outputs, for predictions: the polynomial P_k through the latest k
// points becomes one that has the derivative at the latest point as well (Hermite),
//
//   P_k(t) + (y'(t_0) - P_k'(t_0)) prod_j (t - t_j) / prod_(j > 0) (t_0 - t_j)
//
// Nobody believes them: predictions with and without are compared after each step, and the better one is used for the
// next. An instance whose derivatives are wrong again and again, not finite, or refused, is not asked any more.
#ifndef TAKT_RUN_SLOPES_H
#define TAKT_RUN_SLOPES_H

#include "run/moving.h"

/// What an instance tells.
typedef struct takt_slope_source {
    int n; ///< outputs whose derivative it gives; 0: none
    takt_access access;
    int *values; ///< their indices in y
    double *answers; ///< room for them
} takt_slope_source;

typedef struct takt_slopes {
    bool is_possible; ///< an instance gives derivatives; else all that follows is empty
    int n_values, n_instances;
    takt_slope_source *of; ///< per instance
    // Carried from step to step:
    int *
        n_wrong; ///< per instance: steps in a row in which they made predictions worse; see takt_slopes_is_asked()
    double *slopes; ///< per real value of y, at the latest point
    bool *is_known; ///< per real value of y
} takt_slopes;

/// Finds the outputs whose derivatives are given.
takt_status takt_slopes_create(takt_run *run, const takt_movement *movement, takt_slopes *out,
                               takt_error *err);

/// Asks all instances, which are at the latest point of the history, at time t.
takt_status takt_slopes_read(takt_slopes *own, takt_run *run, const takt_movement *movement,
                             double t, takt_error *err);

/// The history begins anew: nothing is known about its first point.
void takt_slopes_forget(takt_slopes *own);

/// Is the instance still asked?
bool takt_slopes_is_asked(const takt_slopes *own, int i_instance);

/// Adds to predictions through the latest k points what the derivatives make of them, where they are known.
void takt_slopes_add(const takt_slopes *own, const takt_history *history, int k, double t,
                     const bool *is_wanted, double *predicted);

/// The same for one value.
double takt_slopes_addition(const takt_slopes *own, const takt_history *history, int k, double t,
                            int i_value);

/// After a step, before the derivatives at its end are read: were those at its beginning of use? `plain` are the
/// predictions without them; differences that are small in units of `scale` times the tolerance do not count.
void takt_slopes_judge(takt_slopes *own, takt_run *run, const takt_history *history, int k,
                       double t, const double *plain, const double *scale);

#endif
