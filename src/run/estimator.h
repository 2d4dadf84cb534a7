// SPDX-License-Identifier: MIT
// The contract for error estimators: how wrong is a step that was just made? They know nothing of step
// sizes; what follows from the error is up to a controller (controller.h).
#ifndef TAKT_RUN_ESTIMATOR_H
#define TAKT_RUN_ESTIMATOR_H

#include "run/outcome.h"

/// A step to be judged.
typedef struct takt_trial {
    takt_step step;
    double t_end; ///< s; where it ends exactly
    double h_wanted; ///< s; its size before events, rows and the end cut it
    const takt_values *start; ///< y at its beginning
} takt_trial;

typedef struct takt_estimate {
    double error; ///< in units of the tolerance: up to 1 the step is good
    takt_slot worst; ///< in y: the value with the largest error; index -1: none, or not known
    takt_outcome outcome; ///< of the result that stays; preset to that of the step
    bool is_complete; ///< false: instances and values are of no use, the step must be made again
} takt_estimate;

typedef struct takt_estimator_type {
    const char *name;
    bool halves; ///< steps are made in two halves: they end where both together do

    /// Both optional: what it keeps for a run, with the lifetime of the run. `destroy` accepts NULL.
    takt_status (*create)(takt_run *run, void **data, takt_error *err);
    void (*destroy)(void *data);

    /// Required. The step has been made: instances and values are at its end. The estimator may rewind
    /// (takt_way_back_take()) and make it in another way; then that result stays.
    takt_status (*estimate)(void *data, takt_run *run, const takt_trial *trial, takt_estimate *out,
                            takt_error *err);
} takt_estimator_type;

extern const takt_estimator_type takt_richardson_estimator;

#endif
