// SPDX-License-Identifier: MIT
// The contract for observers: what leaves a run, leaves through them.
#ifndef TAKT_RUN_OBSERVER_H
#define TAKT_RUN_OBSERVER_H

#include "plan/plan.h"

/// A kind of observer puts this struct first in its own.
typedef struct takt_observer {
    const struct takt_observer_type *type;
} takt_observer;

typedef struct takt_observer_type {
    /// Receives the values of all columns of the plan at time t: column i is in `y` at
    /// plan->columns[i].slot. Called in the step loop: allocates nothing and formats nothing.
    takt_status (*row)(takt_observer *observer, double t, const takt_values *y, takt_error *err);

    /// Everything has been seen; completes files. Called at most once, perhaps after a failure.
    takt_status (*finish)(takt_observer *observer, takt_error *err);

    /// Frees the observer. Accepts one that was not finished.
    void (*destroy)(takt_observer *observer);
} takt_observer_type;

#endif
