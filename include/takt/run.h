// SPDX-License-Identifier: MIT
// A run: instances of a system's FMUs, advanced through time.
//
//     takt_run_create -> takt_run_record* -> takt_run_initialize -> takt_run_step* -> takt_run_finish
//     -> takt_run_destroy
#ifndef TAKT_RUN_H
#define TAKT_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "takt/options.h"
#include "takt/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A simulation of a system; all that changes during it.
typedef struct takt_run takt_run;

/// Loads the FMUs' code and makes the instances, with the settings of the project. Owned by the caller.
TAKT_API takt_status takt_run_create(const takt_system *system, takt_run **out, takt_error *err);

/// The same with settings, values and functions of this run alone; see takt_run_options. FMUs are not loaded again, unless a setting
/// changes how that is done. Problems go to the log. `options` may be NULL.
TAKT_API takt_status takt_run_create_with(const takt_system *system,
                                          const takt_run_options *options, takt_run **out,
                                          takt_error *err);

/// Ends a run: terminates and frees the instances, also after a failure, and closes result files. While another function
/// changes the run (this one was called by a function that receives rows), it ends behind that. Accepts NULL.
TAKT_API void takt_run_destroy(takt_run *run);

/// Writes results to a file while the run goes on: MAT if the name ends in .mat, else CSV ("-": to
/// standard output). Call it before takt_run_initialize().
TAKT_API takt_status takt_run_record(takt_run *run, const char *path, takt_error *err);

/// Writes what is known about each column (unit, type, causality, description) as JSON into the file
/// `results`.json beside the results.
TAKT_API takt_status takt_run_describe_results(takt_run *run, const char *results, takt_error *err);

/// Writes a table (TSV) of what the algorithms do, sweep by sweep and step by step: norms, decisions,
/// step sizes. Call it before takt_run_initialize().
TAKT_API takt_status takt_run_log_steps(takt_run *run, const char *path, takt_error *err);

/// Writes when each FMU was called and what the run did in between, as JSON for trace viewers (Chrome,
/// Perfetto). Call it before takt_run_initialize().
TAKT_API takt_status takt_run_trace_to(takt_run *run, const char *path, takt_error *err);

/// Initializes all instances together, solving loops between them, and writes the first row.
TAKT_API takt_status takt_run_initialize(takt_run *run, takt_error *err);

/// Why a run ended, or that it goes on.
typedef enum takt_progress {
    TAKT_RUNNING, ///< there is a next communication point
    TAKT_FINISHED, ///< the stop time has been reached
    TAKT_TERMINATED, ///< an instance asked to end the simulation; see the log
    TAKT_CANCELLED, ///< takt_run_cancel() was called; it can go on
} takt_progress;

/// Advances to the next communication point; at the end of the run only `out` is set again. After an error only takt_run_finish() and
/// takt_run_destroy() are allowed; what was recorded stays valid.
TAKT_API takt_status takt_run_step(takt_run *run, takt_progress *out, takt_error *err);

/// Steps until `time`, s, where a step ends exactly; or until the run ends before, or is cancelled. A time that has passed changes nothing. Where a component takes only
/// steps of equal size, the end is the first communication point at or after `time`.
TAKT_API takt_status takt_run_to(takt_run *run, double time, takt_progress *out, takt_error *err);

/// Lets takt_run_to() return after the present step, until `is_cancelled` is 0 again; from any thread.
TAKT_API void takt_run_cancel(takt_run *run, int is_cancelled);
TAKT_API int takt_run_is_cancelled(const takt_run *run);

/// The time, s, that the latest step has reached; from any thread, while the run exists.
TAKT_API double takt_run_time_reached(const takt_run *run);

/// Changes the algorithm of all blocks ("newton") or of one loop ("LOOP=newton", by the name of a
/// member) from the next step on. After an error nothing has changed.
TAKT_API takt_status takt_run_set_algorithm(takt_run *run, const char *choice, takt_error *err);

/// Completes the result files. Call it also after an error or an interruption.
TAKT_API takt_status takt_run_finish(takt_run *run, takt_error *err);

/// The time reached, the start and the stop time, in seconds.
TAKT_API double takt_run_time(const takt_run *run);
TAKT_API double takt_run_start_time(const takt_run *run);
TAKT_API double takt_run_stop_time(const takt_run *run);

/// The recorded variables, by index from 0: name ("Tank.level") and present value. The name is NULL
/// after the last one. Strings have the value NaN. A value that is recorded nowhere is read from the FMU
/// when it is asked for; if that fails, it is NaN, the log says why, and the run cannot go on.
TAKT_API const char *takt_run_column(const takt_run *run, int index);
TAKT_API double takt_run_value(takt_run *run, int index);

// Statistics: what is behind a pointer is borrowed from the run and holds until statistics are asked for again. The library sets the
// sizes of these structs, and only that of takt_statistics is set by the caller.

/// Number of calls and the time spent in them, in seconds. Never changes.
typedef struct takt_call_statistics {
    int64_t count; ///< of calls
    double time; ///< s; concluded from samples where calls are short
} takt_call_statistics;

/// The work of an FMU for model exchange, which Takt integrates.
typedef struct takt_member_statistics {
    size_t size; ///< of this struct, set by the library
    const char *name; ///< of the component
    int64_t derivatives; ///< how often its differential equations were evaluated
    int64_t directional_derivatives; ///< how often these were asked for, for the Jacobian
} takt_member_statistics;

/// The calls of one instance.
typedef struct takt_instance_statistics {
    size_t size; ///< of this struct, set by the library
    const char *name; ///< of the component, or of those that are integrated together
    takt_call_statistics do_step, get_state, set_state, set, get, event; ///< by kind of call
    int n_members; ///< of a group; 1: an FMU for model exchange by itself; 0: not for model exchange
    const takt_member_statistics *const *members; ///< one pointer each
} takt_instance_statistics;

/// The work on one loop.
typedef struct takt_loop_statistics {
    size_t size; ///< of this struct, set by the library
    const char *const *members; ///< names
    int n_members; ///< how many
    const char *algorithm; ///< its name, as in the setting
    int64_t sweeps; ///< passes over all members
    const char *count_name; ///< what else its algorithm counts ("matrices"); NULL: nothing
    int64_t count; ///< how many
} takt_loop_statistics;

/// Steps that were kept although their tests had not passed, by cause. All 0: every result is as exact as
/// the settings ask for.
typedef struct takt_doubtful_steps {
    size_t size; ///< of this struct, set by the library
    int64_t unconverged; ///< an iteration reached its limit
    int64_t below_fallback; ///< a loop was not solved: the step was too small to be iterated
    int64_t at_step_min; ///< the error test failed at the smallest step size
    int64_t not_iterated; ///< an algebraic loop, whose algorithm does not iterate
    int64_t event_alone; ///< an event within the step reached other instances only at its end
    int64_t not_repeated; ///< the error test failed, and an FMU cannot be rewound
    int64_t noisy; ///< values of an FMU differ at random too much for the tolerance
    int64_t step_dependent; ///< results of an FMU depend on the size of its steps by more than that
    int64_t pulses; ///< a pulse that an FMU makes by itself was shorter than steps before it
} takt_doubtful_steps;

/// How often a variable limited the size of steps.
typedef struct takt_variable_limits {
    size_t size; ///< of this struct, set by the library
    const char *name; ///< "Tank.level"
    int64_t steps; ///< that were kept, and whose size followed from its error
    int64_t rejected; ///< attempts that its error, or its change if it is discrete, has spoilt
    double largest_error; ///< of these attempts, in units of the tolerance; 0: there were none
} takt_variable_limits;

/// What determined the size of the steps that were kept, where sizes are chosen; all 0 with fixed steps.
typedef struct takt_step_limits {
    size_t size; ///< of this struct, set by the library
    int64_t error; ///< the error of a variable
    int64_t growth; ///< steps do not grow faster
    int64_t step_max; ///< no larger step is allowed
    int64_t stop; ///< a time that is known: an event, a row, the end
    int64_t event; ///< an event, or a jump, that an attempt had met
    int64_t failure; ///< a loop was not solved, or an FMU discarded a step
    int64_t start; ///< the first step of the run, or after an event
    int n_variables; ///< that limited steps
    const takt_variable_limits *const *variables; ///< one pointer each, the worst first
} takt_step_limits;

/// The counts and times of a whole run: takt_statistics statistics = {.size = sizeof statistics}.
typedef struct takt_statistics {
    size_t size; ///< of this struct, set by the caller
    double start_time, stop_time; ///< s, simulated; how far the run has come
    double wall, output, master, error_test; ///< s, real time
    int64_t steps, rejected; ///< communication steps that were kept and that were taken back
    int64_t convergence_failures, iteration_limit_exceeded, error_test_failures; ///< of steps
    const takt_doubtful_steps *doubtful_steps; ///< of those that were kept
    int64_t do_step_total; ///< calls, over all instances
    int64_t rows; ///< of results, passed on so far
    int n_instances; ///< as many as components, where those that are integrated together count once
    const takt_instance_statistics *const *instances; ///< one pointer each
    int n_loops; ///< 0: none
    const takt_loop_statistics *const *loops; ///< one pointer each
    const takt_step_limits *limits; ///< what determined the size of steps
} takt_statistics;

/// The counts and times so far. When memory is exhausted there are those of the run alone: `instances` is NULL.
TAKT_API takt_status takt_run_statistics(takt_run *run, takt_statistics *out, takt_error *err);

/// The same as JSON (layout: docs/reference/files.md) with the given word as "status". Owned by the
/// caller, freed with takt_free(). NULL when memory is exhausted.
TAKT_API char *takt_run_statistics_json(takt_run *run, const char *status);

#ifdef __cplusplus
}
#endif
#endif
