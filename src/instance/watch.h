// SPDX-License-Identifier: MIT
// Watches how long calls to FMUs take (setting `timeout`), from a thread of its own. Instances always show
// which function is being called (takt_instance::calling) and how many calls have begun: the thread looks
// at that now and then, so that watching costs the step loop nothing. Where instances do not exist yet, or
// no more, their owner says what it does.
//
// A thread inside an FMU cannot be stopped. On a timeout results are completed, and the maker of the watch is
// informed; then the process should end.
#ifndef TAKT_INSTANCE_WATCH_H
#define TAKT_INSTANCE_WATCH_H

#include "instance/instance.h"
#include "takt/run.h"

typedef struct takt_watch takt_watch;

/// Starts watching. Without a timeout (0 s) `*out` becomes NULL. Owned by the caller.
takt_status takt_watch_create(double timeout, takt_log *log, takt_timeout_fn on_timeout,
                              void *context, takt_watch **out, takt_error *err);

/// Ends the thread. After a timeout it waits until `on_timeout` returns. Accepts NULL.
void takt_watch_destroy(takt_watch *watch);

/// What is watched. The functions are called from the thread of the watch.
typedef struct takt_watched {
    void *context;
    int n_instances;
    const takt_instance *(*instance)(void *context, int i); ///< NULL: not made yet, or no more
    double (*time)(void *context); ///< s, simulated; NaN: before the initialization
    void (*finish)(void *context); ///< completes the results
} takt_watched;

/// Watches these instances from now on. Accepts no watch (NULL).
takt_status takt_watch_attach(takt_watch *watch, const takt_watched *watched, takt_error *err);

/// From now on nothing of what was attached is looked at. Accepts NULL.
void takt_watch_detach(takt_watch *watch);

/// An instance is being made, asked or ended: `what` says which in messages. Between the two calls no
/// instance is looked at. Accept NULL.
void takt_watch_enter(takt_watch *watch, const char *instance, const char *what);
void takt_watch_leave(takt_watch *watch);

#endif
