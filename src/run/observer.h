// SPDX-License-Identifier: MIT
// The contract for observers: what leaves a run, leaves through them.
#ifndef TAKT_RUN_OBSERVER_H
#define TAKT_RUN_OBSERVER_H

#include "plan/plan.h"

/// What a run is busy with. The first ones are calls to instances.
typedef enum takt_activity {
    TAKT_ACTIVITY_DO_STEP,
    TAKT_ACTIVITY_GET_STATE,
    TAKT_ACTIVITY_SET_STATE,
    TAKT_ACTIVITY_SET,
    TAKT_ACTIVITY_GET,
    TAKT_ACTIVITY_EVENT, ///< entering and leaving event mode, updating discrete states
    TAKT_N_CALLS,
    TAKT_ACTIVITY_INITIALIZE = TAKT_N_CALLS, ///< all instances together
    TAKT_ACTIVITY_STEP, ///< from one communication point to the next
    TAKT_ACTIVITY_OUTPUT, ///< reading what is only recorded, and passing on a row
} takt_activity;

/// From when to when it was busy with something.
typedef struct takt_span {
    takt_activity activity;
    const char *instance; ///< name, borrowed from the run; NULL: not a call to an instance
    double t; ///< s, simulated
    uint64_t begin, end; ///< ticks of base/clock.h
} takt_span;

/// Where a file of results stands, so that it can be cut there and continued.
typedef struct takt_file_mark {
    const char *path; ///< absolute; borrowed from the observer
    uint64_t size; ///< bytes
    uint64_t n_rows;
    double time; ///< s; of the last row
    uint64_t checksum; ///< of the rows
} takt_file_mark;

/// A kind of observer puts this struct first in its own.
typedef struct takt_observer {
    const struct takt_observer_type *type;
    bool has_past; ///< it goes on from a checkpoint: what was before is there already
} takt_observer;

typedef struct takt_observer_type {
    /// Receives the values of all columns of the plan at time t: column i is in `y` at
    /// plan->columns[i].slot. Called in the step loop: allocates nothing and formats nothing.
    takt_status (*row)(takt_observer *observer, double t, const takt_values *y, takt_error *err);

    /// Optional; a run has one observer with it at most: receives what the run has done. Called in the
    /// step loop, perhaps by several threads at a time. Cannot fail: `row` and `finish` report.
    void (*span)(takt_observer *observer, const takt_span *span);

    /// Optional: puts all rows so far on the disk and says where the file stands. Returns TAKT_OK with a path of NULL
    /// where there is no file that could be continued.
    takt_status (*mark)(takt_observer *observer, takt_file_mark *out, takt_error *err);

    /// Everything has been seen; completes files. Called at most once, perhaps after a failure.
    takt_status (*finish)(takt_observer *observer, takt_error *err);

    /// Frees the observer. Accepts one that was not finished.
    void (*destroy)(takt_observer *observer);
} takt_observer_type;

#endif
