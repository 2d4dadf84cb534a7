// SPDX-License-Identifier: MIT
// Watches how long calls to FMUs take (setting `timeout`), from a thread of its own. Instances say all
// the time which function is being called (takt_instance::calling) and how many calls have begun: the
// thread looks at that now and then, so that the step loop pays nothing for being watched. Where
// instances do not exist yet, or no more, the run says what it does.
//
// A thread inside an FMU cannot be stopped. On a timeout the observers are completed, so that results are
// valid, and whoever made the run is told; then the process should end.
#ifndef TAKT_RUN_WATCH_H
#define TAKT_RUN_WATCH_H

#include "run/run.h"

typedef struct takt_watch takt_watch;

/// Starts watching a run whose instances are still to be made; does nothing without a timeout. May be called
/// once.
takt_status takt_watch_start(takt_run *run, takt_timeout_fn on_timeout, void *context,
                             takt_error *err);

/// Ends the thread, before the memory of the run goes. After a timeout it waits until `on_timeout` returns.
void takt_watch_stop(takt_run *run);

/// An instance is being made or ended: `what` says which of both in messages. Between the two calls no
/// instance is looked at. Accepts NULL.
void takt_watch_enter(takt_watch *watch, const char *instance, const char *what);
void takt_watch_leave(takt_watch *watch);

#endif
