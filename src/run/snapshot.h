// SPDX-License-Identifier: MIT
// The whole run at one communication point, kept in memory: the run can go back to it, as often as one likes,
// and goes on from there exactly as it did the first time.
//
// While a snapshot exists, no instance is promised that it will not be rewound.
//
// Kept are takt_run_state, scales, what algorithms and moving inputs carry from step to step, and the states of
// all instances. Counts go on; rows that observers have received stay with them.
#ifndef TAKT_RUN_SNAPSHOT_H
#define TAKT_RUN_SNAPSHOT_H

#include "run/run.h"

typedef struct takt_snapshot takt_snapshot;

/// Takes a snapshot between two steps, after initialization. All instances must be able to save their state:
/// the first one that cannot is named. Owned by the caller, who frees it before the run.
takt_status takt_snapshot_take(takt_run *run, takt_snapshot **out, takt_error *err);

/// Goes back to a snapshot of the same run. After a failure the run cannot go on.
takt_status takt_snapshot_restore(takt_run *run, const takt_snapshot *snapshot, takt_error *err);

/// Accepts NULL.
void takt_snapshot_free(takt_run *run, takt_snapshot *snapshot);

#endif
