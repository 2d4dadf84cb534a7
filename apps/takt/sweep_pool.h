// SPDX-License-Identifier: MIT
// Worker processes that run variants: each is a copy (by fork()) of the process that has the project open, so that it begins at once
// and shares memory. A worker that crashes is replaced.
#ifndef TAKT_APP_SWEEP_POOL_H
#define TAKT_APP_SWEEP_POOL_H

#include "sweep_variant.h"

/// Where variants come from, and where their lines go.
typedef struct sweep_dealer {
    void *context;
    int64_t (*next)(void *context); ///< the next variant; -1: there is none any more
    takt_status (*take)(void *context, const sweep_message *message, const char *line,
                        takt_error *err); ///< a variant has ended
    void (*look)(void *context); ///< about ten times per second
    bool (*is_over)(void *context); ///< nothing more is to be done, running variants are dropped
} sweep_dealer;

/// Runs variants until there are none any more. `timeout`: s for each; 0: none.
takt_status sweep_pool_run(sweep_job *job, int n_workers, double timeout,
                           const sweep_dealer *dealer, takt_error *err);

#endif
