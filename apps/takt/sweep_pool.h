// SPDX-License-Identifier: MIT
// Worker processes that run variants: each is a copy (by fork()) of the process that has the project open, so that it begins at once
// and shares memory. A worker that crashes is replaced.
#ifndef TAKT_APP_SWEEP_POOL_H
#define TAKT_APP_SWEEP_POOL_H

#include "sweep_variant.h"

enum { SWEEP_LATER = -2 };

/// Where variants come from, and where their lines go.
typedef struct sweep_dealer {
    void *context;
    int64_t (*next)(
        void *context); ///< the next variant; -1: there is none any more; SWEEP_LATER: not now
    int64_t (*left)(void *context); ///< how many there are; only for sweep_ranks.h
    takt_status (*take)(void *context, const sweep_message *message, const char *line,
                        takt_error *err); ///< a variant has ended
    void (*look)(void *context); ///< once per period, or more often
    double period; ///< s
    bool (*is_over)(void *context); ///< nothing more is to be done, running variants are dropped
} sweep_dealer;

/// Runs variants until there are none any more. `timeout`: s for each; 0: none.
takt_status sweep_pool_run(sweep_job *job, int n_workers, double timeout,
                           const sweep_dealer *dealer, takt_error *err);

#endif
