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
#include "takt/snapshot.h"

/// The run ends: its snapshots give back the states of instances, and remain as empty shells for their owners.
void takt_snapshots_leave(takt_run *run);

#endif
