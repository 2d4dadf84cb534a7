// SPDX-License-Identifier: MIT
// Options of a run as a struct:
//
//     takt_run_options options = takt_run_options_default();
//     options.stop_time = 10;
//     options.algorithm = TAKT_ALGORITHM_NEWTON;
//     takt_run_create_with(system, &options, &run, &err);
//
// What is left alone is as the project says. Settings that have no field of their own are given by name.
#ifndef TAKT_OPTIONS_H
#define TAKT_OPTIONS_H

#include <stddef.h>
#include <string.h>

#include "takt/project.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How components are coupled; the setting `algorithm`.
typedef enum takt_algorithm {
    TAKT_ALGORITHM_OF_PROJECT = -1, ///< as the project says
    TAKT_ALGORITHM_AUTO,
    TAKT_ALGORITHM_JACOBI,
    TAKT_ALGORITHM_SEIDEL,
    TAKT_ALGORITHM_FIXED_POINT,
    TAKT_ALGORITHM_NEWTON,
    TAKT_ALGORITHM_QUASI_NEWTON,
    TAKT_ALGORITHM_ANDERSON,
} takt_algorithm;

/// How the step size is chosen; the setting `step-control`.
typedef enum takt_step_control {
    TAKT_STEP_CONTROL_OF_PROJECT = -1, ///< as the project says
    TAKT_STEP_CONTROL_AUTO,
    TAKT_STEP_CONTROL_FIXED,
    TAKT_STEP_CONTROL_CONVERGENCE, ///< smaller where a loop does not converge
    TAKT_STEP_CONTROL_RICHARDSON, ///< by an error test as well
} takt_step_control;

/// What to do when a call to an FMU takes longer than the setting `timeout` (TAKT_ERR_TIMEOUT), or when an FMU crashes
/// and a guard is installed (TAKT_ERR_CRASH, see takt/guard.h): called once, from a thread of
/// its own, while the thread that called the FMU still waits for it. The result files are complete by
/// then. The waiting thread cannot be freed, so nothing but ending the process makes sense.
typedef void (*takt_timeout_fn)(void *context, const takt_error *err);

/// Functions to call while calls to FMUs go on: takt_watch_options watch = {.size = sizeof watch, .on_end = ...}.
typedef struct takt_watch_options {
    size_t size; ///< of this struct, set by the caller
    takt_timeout_fn on_end; ///< NULL: a timeout is only logged
    /// A call takes longer than `patience`: called once for each such call, from a thread of its own. May be NULL.
    void (*on_wait)(void *context, const char *text);
    double patience; ///< s of real time; 0: 5 s
    void *context; ///< of both functions
} takt_watch_options;

/// A setting or a variable, and its value as one would write it: {"damping", "0.5"}, {"Tank.level", "20 cm"}.
typedef struct takt_assignment {
    const char *name; ///< "damping", "Tank.level"
    const char *value; ///< "0.5", "20 cm"
} takt_assignment;

/// What is special about a run. Start from takt_run_options_default(). Texts and lists are needed only during the call.
typedef struct takt_run_options {
    size_t size; ///< of this struct, set by takt_run_options_default()
    double start_time, stop_time; ///< s; NaN, here and below: as the project says
    double step_size; ///< s; fixed steps, unless a tolerance is given
    double tolerance; ///< relative
    double step_min, step_max; ///< s
    double output_interval; ///< s; 0: a row at every communication point
    takt_algorithm algorithm; ///< of the whole system
    takt_step_control step_control; ///< TAKT_STEP_CONTROL_AUTO: by the tolerance, or fixed
    int iterations; ///< limit per step; 0: as the project says
    int jobs; ///< threads; 0: as the project says
    int is_strict; ///< 1: fail where results may be wrong; 0: warn; -1: as the project says
    const char *const *record; ///< patterns of variables, in place of those of the project
    int n_record; ///< how many; 0: as the project says
    const takt_assignment *settings; ///< others, by name; they win over the fields above
    int n_settings; ///< how many
    const takt_assignment *values; ///< start values, "component.variable"
    int n_values; ///< how many
    const takt_watch_options *watch; ///< of long calls and crashes; NULL: they are only logged
    const char *results; ///< of takt_run_record(): FMUs in a sandbox may write beside it
} takt_run_options;

/// Fills options with their defaults, as far as their `size` says. Mostly called by takt_run_options_default().
TAKT_API void takt_run_options_init(takt_run_options *options);

/// Everything as the project says.
static inline takt_run_options takt_run_options_default(void)
{
    takt_run_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    takt_run_options_init(&options);
    return options;
}

/// Makes these options settings and values of the project, so that they are used by each run and are written with it; `watch` is
/// not. Those before one that is wrong stay.
TAKT_API takt_status takt_project_set_options(takt_project *project,
                                              const takt_run_options *options, takt_error *err);

#ifdef __cplusplus
}
#endif
#endif
