// SPDX-License-Identifier: MIT
// How FMUs are isolated.
#ifndef TAKT_REMOTE_ISOLATION_H
#define TAKT_REMOTE_ISOLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "takt/ranks.h"

/// What becomes of an instance whose process ends, or is ended because it hangs.
typedef enum takt_after_crash {
    TAKT_CRASH_STOPS, ///< the run fails
    TAKT_CRASH_HOLDS, ///< its outputs keep their values
    TAKT_CRASH_RESTARTS, ///< a new one goes on from the state after the last step
} takt_after_crash;

/// What a worker may do; see sandbox.h.
typedef struct takt_sandbox_rules {
    bool is_on;
    int64_t memory; ///< bytes; 0: no limit
    /// Files and folders that it may read, or write and read, besides. They must outlive the model.
    const char *const *reads, *const *writes;
    int n_reads, n_writes;
} takt_sandbox_rules;

typedef struct takt_isolation {
    double timeout; ///< s of real time per call; 0: none
    takt_after_crash after_crash;
    takt_sandbox_rules sandbox;
} takt_isolation;

/// Which instances are on which rank.
typedef struct takt_placement {
    takt_ranks *ranks;
    const takt_component_rank *list; ///< all others are on rank 0
    int n;
} takt_placement;

#endif
