// SPDX-License-Identifier: MIT
// The whole state of a run, kept in memory: the run can go back to it, as often as one likes, and goes on from there exactly as it did
// the first time. For files see takt/checkpoint.h.
#ifndef TAKT_SNAPSHOT_H
#define TAKT_SNAPSHOT_H

#include "takt/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A run at one communication point.
typedef struct takt_snapshot takt_snapshot;

/// Takes a snapshot between two steps, after initialization. Integrators of FMUs for model exchange begin anew there, so that the run goes on
/// within its tolerance, not with the bits that it would have had without the snapshot (checkpoints change nothing). All instances must be able to save their state:
/// the first one that cannot is named. Owned by the caller; when its run ends first, only takt_snapshot_destroy() is left.
TAKT_API takt_status takt_snapshot_take(takt_run *run, takt_snapshot **out, takt_error *err);

/// Goes back to a snapshot of the same run, also from its end, but not after takt_run_finish(). Rows of results that were written stay. After a failure the
/// run cannot go on.
TAKT_API takt_status takt_snapshot_restore(takt_run *run, const takt_snapshot *snapshot,
                                           takt_error *err);

/// Its time, in s.
TAKT_API double takt_snapshot_time(const takt_snapshot *snapshot);

/// Accepts NULL.
TAKT_API void takt_snapshot_destroy(takt_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
