// SPDX-License-Identifier: MIT
// How fast a run goes on, and when it is over before its stop time: pacing with real time, and ending when nothing changes any
// more. Both are asked between two steps:
//
//     takt_run_set_pace(run, 1, &err);
//     while (progress == TAKT_RUNNING) {
//         takt_run_step(run, &progress, &err);
//         while (!takt_run_wait(run, 0.1)) ... // look whether the user wants to end
//     }
#ifndef TAKT_PACING_H
#define TAKT_PACING_H

#include "takt/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Simulated time shall pass `factor` times as fast as real time, from now on. After the initialization, or again later: then it is
/// counted anew.
TAKT_API takt_status takt_run_set_pace(takt_run *run, double factor, takt_error *err);

/// Sleeps until real time has come to the present communication point, but no longer than `longest` seconds. Returns 0 if it has not come
/// there yet, so that this must be called again; 1 if the next step is due, or the run has no pace. A run that is late catches up
/// as fast as it can.
TAKT_API int takt_run_wait(takt_run *run, double longest);

/// How punctual a run with a pace has been.
typedef struct takt_pace_statistics {
    size_t size; ///< of this struct, set by the caller
    double factor; ///< 0: the run has no pace
    int64_t points; ///< communication points that were waited for
    int64_t late; ///< of them, those that were reached more than 1 ms after their time
    double largest_lateness, mean_lateness; ///< s, real time, over all points
    double waited; ///< s, real time
} takt_pace_statistics;

/// Its punctuality so far.
TAKT_API takt_status takt_run_pace_statistics(const takt_run *run, takt_pace_statistics *out,
                                              takt_error *err);

/// From now on takt_run_look_steady() may be called. The run is steady when for `window` seconds of simulated time (0: a tenth of the
/// interval from start to stop) no value has left a band as wide as the tolerance times its size, no discrete value has changed, and
/// no change was known to come (a row of a table, a listed time, a scenario). Looked at are all connected and all recorded values; the size of a value is the largest one that it
/// has had, and at least 1 % of its nominal value. After the initialization.
TAKT_API takt_status takt_run_watch_steady(takt_run *run, double window, takt_error *err);

/// After each step: is the run steady?
TAKT_API takt_status takt_run_look_steady(takt_run *run, int *is_steady, takt_error *err);

/// What is known about that.
typedef struct takt_steady_state {
    size_t size; ///< of this struct, set by the caller
    double since; ///< s, simulated: how long nothing has changed; NaN: nobody looks
    double window; ///< s
    int is_steady; ///< 0: not yet
    char restless[256]; ///< the value that changed last, "Tank.level"; "" where that is not known
} takt_steady_state;

/// What has been found so far.
TAKT_API takt_status takt_run_steady_state(const takt_run *run, takt_steady_state *out,
                                           takt_error *err);

#ifdef __cplusplus
}
#endif
#endif
