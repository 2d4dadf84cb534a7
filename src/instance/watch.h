// SPDX-License-Identifier: MIT
// Watches calls to FMUs from a thread of its own: those that take too long (setting `timeout`), those that take so
// long that the user wants to know, and those that crash or end the process (takt/guard.h). Instances always show
// which function is being called (takt_instance_calling()) and how many calls have begun: the thread looks
// at that now and then, so that watching costs the step loop nothing. Where instances do not exist yet, or
// no more, their owner says what it does.
//
// A thread inside an FMU cannot be stopped. On a timeout or a crash results are completed, and the maker of the watch
// is informed; then the process should end.
#ifndef TAKT_INSTANCE_WATCH_H
#define TAKT_INSTANCE_WATCH_H

#include "instance/instance.h"
#include "takt/run.h"

typedef struct takt_watch takt_watch;

/// Starts watching, if there is anything to watch for: a timeout (s; 0: none), somebody who wants to know about long
/// calls, or an installed guard against crashes; else `*out` becomes NULL. `options` may be NULL. Owned by the caller.
takt_status takt_watch_create(double timeout, takt_log *log, const takt_watch_options *options,
                              takt_watch **out, takt_error *err);

/// Ends the thread. After a timeout it waits until `on_end` returns. Accepts NULL.
void takt_watch_destroy(takt_watch *watch);

/// What is watched. The functions are called from the thread of the watch, or from a handler of signals, but for
/// `finish`.
typedef struct takt_watched {
    void *context;
    int n_instances;
    const takt_instance *(*instance)(void *context, int i); ///< NULL: not made yet, or no more
    double (*time)(void *context); ///< s, simulated; NaN: before the initialization
    void (*finish)(void *context); ///< completes the results
    uint64_t (*thread)(void *context); ///< that steps the instances; NULL: not known
    double (*row_time)(
        void *context); ///< s; of the last row of results; NaN: none; NULL: not known
} takt_watched;

/// Watches these instances from now on. Accepts no watch (NULL).
takt_status takt_watch_attach(takt_watch *watch, const takt_watched *watched, takt_error *err);

/// From now on nothing of what was attached is looked at. Accepts NULL.
void takt_watch_detach(takt_watch *watch);

/// An instance of a model is being made, asked or ended: `what` says which in messages. Between the two calls no
/// instance is looked at. Accept NULL.
void takt_watch_enter(takt_watch *watch, const takt_model *model, const char *instance,
                      const char *what);
void takt_watch_leave(takt_watch *watch);

#endif
