// SPDX-License-Identifier: MIT
// Threads that work on one task together, many thousand times a second: the caller and the others call the
// same function, each with its own number, and the caller continues when all have returned.
//
// Between two tasks the threads first spin, so that the next task begins within less than a
// microsecond, and then sleep, so that they cost nothing while the caller is busy elsewhere.
#ifndef TAKT_BASE_POOL_H
#define TAKT_BASE_POOL_H

#include "base/error.h"

typedef struct takt_pool takt_pool;

/// The task of all threads; `i_thread` is 0 in the caller's thread.
typedef void takt_pool_task(void *context, int i_thread);

/// How many processors this process may use; at least 1.
int takt_pool_processors(void);

/// A pool of `n_threads` threads, of which the caller of takt_pool_run() is one. The others are not made yet;
/// NULL: out of memory.
takt_pool *takt_pool_create(int n_threads);

/// Makes the threads, unless they are there already. Must have succeeded before takt_pool_run().
takt_status takt_pool_start(takt_pool *pool, takt_error *err);
void takt_pool_destroy(takt_pool *pool); ///< accepts NULL

/// Runs `task` in all threads at once and returns when all of them are done. What was written before the call
/// is seen by all threads, and what they wrote is seen after it. Only one thread may call it at a time.
void takt_pool_run(takt_pool *pool, takt_pool_task *task, void *context);

#endif
