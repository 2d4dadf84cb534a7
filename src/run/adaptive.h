// SPDX-License-Identifier: MIT
// What adaptive steps keep: a way back to the last communication point, and values to compare.
#ifndef TAKT_RUN_ADAPTIVE_H
#define TAKT_RUN_ADAPTIVE_H

#include "run/algorithm.h"

struct takt_adaptive {
    takt_values start; ///< y at the last communication point
    double *full, *middle; ///< real values after the full step and after the first half
    double h_next; ///< s; size of the next step
};

/// Makes and frees what adaptive steps need.
takt_status takt_adaptive_create(takt_run *run, takt_error *err);
void takt_adaptive_destroy(takt_run *run);

/// Takes all instances and values back to the last communication point.
takt_status takt_adaptive_rewind(takt_run *run, takt_error *err);

/// The error test of step doubling: repeats the step just made in two halves, whose result stays.
/// `error` is the larger of both estimates in units of the tolerance; 25 if a half did not succeed:
/// then `is_complete` is false and instances and values are of no use. `t_end` is where the step ends
/// exactly.
takt_status takt_richardson_test(takt_run *run, double t, double h, double t_end, double *error,
                                 bool *is_complete, takt_error *err);

#endif
