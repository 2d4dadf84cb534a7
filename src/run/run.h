// SPDX-License-Identifier: MIT
// Everything that changes while a system is simulated. Made from a plan; driven by its arrays.
#ifndef TAKT_RUN_RUN_H
#define TAKT_RUN_RUN_H

#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "plan/plan.h"
#include "run/grid.h"
#include "run/observer.h"
#include "takt/run.h"

typedef struct takt_newton_block takt_newton_block;
typedef struct takt_waves takt_waves;

/// Calls of one kind and the time they took, in ticks.
typedef struct takt_counter {
    int64_t count;
    uint64_t ticks;
    uint64_t latest; ///< of the latest call that was timed
    uint64_t typical; ///< of a call: the shorter of the latest two, so that no accident counts
} takt_counter;

typedef struct takt_run_instance {
    takt_instance *instance; ///< owned
    const takt_plan_instance *plan;
    takt_exchange exchange; ///< of its connected values
    takt_instance_advance_fn *advance; ///< its type's, or takt_instance_advance()
    bool gathers_more; ///< than real values that are copied
    bool is_function; ///< its model is
    takt_values inputs; ///< its part of u
    takt_values outputs; ///< its part of y
    takt_values recorded; ///< its part of y
    void *states[2]; ///< saved at the last communication point, and at a point between; NULL: never
    bool saves_state; ///< its block iterates
    bool has_failed; ///< a call returned an error: it must not be called again
    bool is_initialized;
    bool has_constants; ///< recorded values that never change have been read
    bool has_event; ///< events must be handled before the next step
    double next_event; ///< s; of its next event that is known; infinite: none
    double
        end_time; ///< s; where it wants the simulation to end: the end of its last step; else inf
    int64_t recorded_moment; ///< when its recorded values were read; see takt_run::moment
    takt_counter do_step, get_state, set_state, set, get; ///< in the order of takt_activity
    takt_observer *tracer; ///< the run's
} takt_run_instance;

/// Instances that are called one after the other and in the same way.
typedef struct takt_segment {
    takt_instance_advance_fn *advance;
    takt_exchange **members;
    int n_members;
    bool gathers_more; ///< a member does
    int n_untimed, max_untimed; ///< sweeps since one was timed, and how many there may be
} takt_segment;

/// A block of the plan: how its members are called, its algorithm, its counts.
typedef struct takt_run_block {
    const takt_block *plan;
    takt_segment *segments; ///< of the members that are no functions under Jacobi
    int n_segments;
    int n_joined; ///< blocks whose members the segments have: this one and those after it
    takt_algorithm algorithm; ///< the plan's, unless it was changed during the run
    int64_t sweeps;
    int64_t sweeps_before; ///< this step
    int n_connections; ///< inside the block, of kind real
    const int *sources; ///< for each of them its index in y
    struct takt_newton_block *newton; ///< NULL: not prepared for Newton's method
    const int *own[TAKT_N_KINDS]; ///< indices in y of the values that its members deliver
    int n_own[TAKT_N_KINDS];
} takt_run_block;

struct takt_run {
    takt_arena arena;
    const takt_plan *plan; ///< must outlive the run, unless it is `own_plan`
    takt_plan *own_plan; ///< NULL: the plan belongs to someone else
    takt_system *own_system; ///< that of own_plan; NULL: it belongs to someone else
    takt_log *log; ///< borrowed
    takt_run_instance *instances;
    int n_instances;
    takt_run_block *blocks;
    takt_segment *segments; ///< room for those of all blocks
    takt_segment *whole; ///< the one that has all instances, in a plain order; NULL: there is none
    takt_exchange **exchanges; ///< room for their members
    takt_values u, y;
    int n_first_timed; ///< steps of each instance that are timed in any case
    bool has_jacobi; ///< an algorithm of a block is
    bool saves_states; ///< of any instance, before fixed steps
    bool has_wishes; ///< an instance may have an event, or want to end, after the latest step
    double next_event; ///< s; the first of those that instances have announced; infinite: none
    int64_t moment; ///< counts steps and events: values read at an earlier one are out of date
    bool *restless; ///< per instance, while events are handled
    bool *was_restless; ///< the same, in the latest rounds
    bool *marks; ///< per real value of y, for preparations; all false in between
    int i_slot; ///< which of an instance's states is saved and restored
    struct takt_derivatives *derivatives; ///< NULL: no input changes within a step
    struct takt_adaptive *adaptive; ///< NULL: steps are fixed
    struct takt_waves *waves; ///< NULL: one thread
    int64_t n_plain; ///< steps until waves are due
    int64_t n_parallel; ///< waves that were done by several threads
    FILE *step_log; ///< NULL: none
    takt_algorithm_change *schedule; ///< changes of algorithm, in the order of time
    int n_changes, i_change; ///< how many, and which is next
    takt_values previous; ///< y of the sweep before, for the convergence test
    takt_grid grid;
    int64_t next_row; ///< number of the next point of the output grid
    double last_row; ///< s; time of the row written last
    int *recorded; ///< instances that have values which are needed for results only
    int n_recorded;
    bool takes_any_step; ///< all instances do
    bool has_output_grid; ///< not every communication point has a row
    bool ends_steps_at_rows; ///< steps are shortened to end at the points of the output grid
    takt_values before_events; ///< y; for rows between the points of the output grid
    bool is_initialized, has_failed, is_finished;
    struct takt_watch *watch; ///< NULL: calls may take for ever
    pthread_mutex_t finishing; ///< held while observers are completed
    bool observers_finished; ///< protected by `finishing`
    takt_progress progress;
    takt_observer **observers; ///< owned
    int n_observers, observer_capacity;
    takt_observer *tracer; ///< of them, the one that wants spans; NULL: nobody does
    const char **column_names;

    int64_t n_steps, n_rows, n_limit_exceeded, n_convergence_failures, n_error_failures;
    int64_t n_discarded;
    uint64_t master_ticks, output_ticks, error_test_ticks, first_tick;
    double first_clock; ///< s; when the run was made
    double wall; ///< s; set when it is finished
    takt_instance_statistics *instance_statistics;
    takt_loop_statistics *loop_statistics;
    int n_loop_statistics;
};

/// Makes a run with instances of all models. `plan` must outlive it.
takt_status takt_run_make(const takt_plan *plan, takt_run **out, takt_error *err);
takt_status takt_run_make_watched(const takt_plan *plan, takt_timeout_fn on_timeout, void *context,
                                  takt_run **out, takt_error *err);

/// Completes all observers and the step log, once; from any thread.
takt_status takt_run_finish_observers(takt_run *run, takt_error *err);

/// Adds an observer, which the run owns from then on, also when this fails.
takt_status takt_run_add_observer(takt_run *run, takt_observer *observer, takt_error *err);

/// Tells the tracer what the run has done since `begin`.
static inline void takt_run_trace(const takt_run *run, takt_activity activity, double t,
                                  uint64_t begin)
{
    if (!run->tracer) return;
    takt_span span = {activity, NULL, t, begin, takt_ticks()};
    run->tracer->type->span(run->tracer, &span);
}

#endif
