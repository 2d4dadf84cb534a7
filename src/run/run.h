// SPDX-License-Identifier: MIT
// Everything that changes while a system is simulated. Made from a plan; driven by its arrays.
//
// `state` is all that a continuation needs (together with what instances and algorithms save of
// themselves, see snapshot.h); `work` can be derived from plan and state at any time; `counts` only
// reports. Modules keep what is theirs in structs of their own, which nobody else looks into.
#ifndef TAKT_RUN_RUN_H
#define TAKT_RUN_RUN_H

#include <stdatomic.h>

#include "base/clock.h"
#include "base/surroundings.h"
#include "base/thread.h"
#include "instance/coupling.h"
#include "instance/watch.h"
#include "plan/plan.h"
#include "run/grid.h"
#include "run/observer.h"
#include "takt/run.h"

// ---- state -----------------------------------------------------------------------------------------

/// What an instance announced after its latest step or event.
typedef struct takt_instance_state {
    bool has_event; ///< events must be handled before the next step
    double next_event; ///< s; of its next event that is known; infinite: none
    double
        end_time; ///< s; where it asks to end the simulation: the end of its latest step; else inf
    double early_time; ///< s; of its first event within this attempt that concerns others; else inf
    bool has_twin; ///< what it has in TAKT_SLOT_TWIN belongs to it; see hidden.h
} takt_instance_state;

enum { TAKT_CONTROL_MEMORY = 8 };

/// What determined the size of a step.
typedef enum takt_limit {
    TAKT_LIMIT_START, ///< the size with which a run begins, or goes on after an event
    TAKT_LIMIT_ERROR, ///< the error of a value
    TAKT_LIMIT_GROWTH, ///< steps do not grow faster
    TAKT_LIMIT_STEP_MAX, ///< the largest size
    TAKT_LIMIT_STOP, ///< a time that is known: an event, a row, the end
    TAKT_LIMIT_EVENT, ///< an event or a jump that an attempt has met
    TAKT_LIMIT_FAILURE, ///< a loop was not solved, or an instance discarded a step
    TAKT_N_LIMITS
} takt_limit;

typedef struct takt_cause {
    takt_limit limit;
    takt_slot value; ///< in y, if it is an error; index -1: not known which
} takt_cause;

/// What step control carries from step to step.
typedef struct takt_control_state {
    double h_next; ///< s; size of the next step
    takt_cause cause; ///< of the size of the next step, for reports
    double memory[TAKT_CONTROL_MEMORY]; ///< of the controller; all 0 at the beginning
} takt_control_state;

typedef struct takt_row_state {
    int64_t next; ///< number of the next point of the output grid
    double time; ///< s; of the latest row
    bool is_begun; ///< there has been a row
} takt_row_state;

typedef struct takt_run_state {
    takt_grid grid; ///< where the run is, and where it goes
    takt_progress progress;
    takt_values u, y; ///< places: see plan/plan.h
    takt_instance_state *instances;
    bool has_requests; ///< an instance may have an event, or ask to end, after the latest step
    double next_event; ///< s; the first of those that instances have announced; infinite: none
    int i_aimed; ///< the instance for whose event the latest shared step was made; see early.h
    double aimed_time; ///< s; where that step ended
    takt_control_state control;
    takt_row_state rows;
    int64_t n_events; ///< how often events were handled
    int i_change; ///< the next of the scheduled changes of algorithm
} takt_run_state;

// ---- work ------------------------------------------------------------------------------------------

/// Calls of one kind and the time they took, in ticks.
typedef struct takt_counter {
    int64_t count;
    uint64_t ticks;
    uint64_t latest; ///< of the latest call that was timed
    uint64_t typical; ///< of a call: the shorter of the latest two, so that no accident counts
} takt_counter;

/// Which of an instance's saved states: at the last communication point; at the beginning of the
/// second or a later piece of an attempt to step; at the beginning of several steps that may all be taken back; of its twin (hidden.h).
enum { TAKT_SLOT_POINT, TAKT_SLOT_BETWEEN, TAKT_SLOT_WINDOW, TAKT_SLOT_TWIN, TAKT_N_SLOTS };

typedef struct takt_run_instance {
    takt_instance *instance; ///< owned
    const takt_plan_instance *plan;
    takt_coupling coupling; ///< of its connected values
    takt_instance_advance_fn *advance; ///< its type's, or takt_instance_advance()
    bool gathers_more; ///< than real values that are copied
    bool is_function; ///< its model is
    struct takt_hold *hold; ///< inputs that the user holds; owned; NULL: there have been none
    takt_values inputs; ///< its range of u
    takt_values outputs; ///< its range of y
    takt_values recorded; ///< its range of y
    void *states[TAKT_N_SLOTS]; ///< NULL: never saved
    bool saves_state; ///< its block iterates
    bool has_failed; ///< a call returned an error: it must not be called again
    bool is_initialized;
    int n_untimed,
        max_untimed; ///< steps since one was timed, and how many there may be; see takt_pass_one()
    int n_looked; ///< steps after which takt_run_look_around() might have been due
    bool has_constants; ///< recorded values that never change have been read
    int64_t recorded_moment; ///< when its recorded values were read; see takt_run_work::moment
    takt_counter counters[TAKT_N_CALLS]; ///< by takt_activity
    takt_observer *tracer; ///< the run's
    struct takt_phases *phases; ///< it steps in two phases; NULL: not now
} takt_run_instance;

/// Instances that are called one after the other and in the same way.
typedef struct takt_segment {
    takt_instance_advance_fn *advance;
    takt_coupling **members;
    int n_members;
    bool gathers_more; ///< a member does
    int n_untimed, max_untimed; ///< sweeps since one was timed, and how many there may be
} takt_segment;

/// A piece of memory that can be copied as it is.
typedef struct takt_memory {
    void *data; ///< NULL: there is none
    size_t size;
    const int64_t *version; ///< changes with the content; NULL: nobody counts
} takt_memory;

struct takt_algorithm_type;

/// What an algorithm keeps for a block that uses it, or has used it.
typedef struct takt_algorithm_use {
    const struct takt_algorithm_type *type;
    void *data; ///< the algorithm's own
    void *saved; ///< what it carried at the last communication point; see way_back.h
    int64_t saved_version; ///< of that
    struct takt_algorithm_use *next; ///< of the same block
} takt_algorithm_use;

/// A discrete value that does not come to rest; see flips.h.
typedef struct takt_flip {
    bool is_noted;
    takt_kind kind;
    int index; ///< in y
    double t; ///< s; where the step began
    double before, after; ///< unless it is a text
} takt_flip;

/// A block of the plan: how its members are called, its algorithm, its counts.
typedef struct takt_run_block {
    const takt_block *plan;
    takt_algorithm_use *uses; ///< of all algorithms that it is prepared for
    takt_algorithm_use *use; ///< the present one
    takt_segment *segments; ///< of the members, and of those of joined blocks
    int n_segments;
    int n_joined; ///< blocks whose members the segments have: this one and those after it; 0: joined
    int64_t n_sweeps; ///< of a loop, which is never joined
    int64_t n_sweeps_before; ///< this step
    struct takt_loop *loop; ///< NULL: the block is no loop
    struct takt_opening *openings; ///< members that may react at once after all; see opening.h
    int n_openings, n_late_openings; ///< the first ones read values before they are delivered
    takt_flip flip; ///< the latest one in it: loops are solved by several threads
} takt_run_block;

typedef struct takt_run_work {
    takt_run_instance *instances;
    int n_instances;
    takt_run_block *blocks;
    takt_segment *segments; ///< room for those of all blocks
    takt_segment *whole; ///< the one that has all instances, so that a step is one call; NULL: none
    takt_copy *whole_inputs; ///< from y to u, before its first member is stepped; room for all
    int n_whole_inputs; ///< 0: each member gets its own just before its step
    takt_coupling **couplings; ///< room for their members
    takt_values previous; ///< y of the sweep or round before, for comparison
    bool *marks; ///< per real value of y, for preparations; all false in between
    int n_step_inputs; ///< real connections that steps depend on
    int n_first_timed; ///< steps of each instance that are timed in any case
    double loop_share; ///< of the tolerances, for loops: an error test sees what they leave
    bool has_simultaneous; ///< a block has an algorithm that is
    const bool *
        is_behind; ///< per instance: it is not stepped now, others are ahead of it; NULL: all are together
    bool is_strict; ///< doubts are failures
    bool is_single; ///< fixed steps are below the fallback limit
    bool saves_states; ///< of any instance, before fixed steps
    bool carries; ///< an algorithm of a block carries something from step to step
    const char *unsolved; ///< an algebraic loop whose algorithm does not iterate; NULL: none
    bool has_openings; ///< a loop that is not iterated may become algebraic; see opening.h
    const takt_component *rigid; ///< takes only steps of equal size; NULL: all take any size
    bool has_output_grid; ///< not every communication point has a row
    bool ends_steps_at_rows; ///< steps are shortened to end at the points of the output grid
    int *eventful; ///< instances that may stop within a step, for an event
    int n_eventful;
    int n_snapshots; ///< that exist: instances may be rewound to them
    int64_t moment; ///< counts steps and events: values read at an earlier one are out of date
    bool is_steered; ///< the user has set values, and no row shows them yet
    double
        wanted_stop; ///< s; where a step is to end because the user asked for it; infinite: nowhere
} takt_run_work;

// ---- counts ----------------------------------------------------------------------------------------

/// Why a step that was kept may be wrong.
typedef enum takt_doubt {
    TAKT_DOUBT_UNCONVERGED, ///< an iteration reached its limit
    TAKT_DOUBT_BELOW_FALLBACK, ///< a loop was not iterated, because the step was so small
    TAKT_DOUBT_AT_STEP_MIN, ///< the error test failed, and no smaller step is allowed
    TAKT_DOUBT_NOT_ITERATED, ///< the algorithm of an algebraic loop does not iterate
    TAKT_DOUBT_EVENT_ALONE, ///< an event within the step had only one instance's attention
    TAKT_DOUBT_NOT_REPEATED, ///< the error test failed, and an instance cannot be rewound
    TAKT_DOUBT_NOISY, ///< values differ at random by so much that it limits the accuracy
    TAKT_DOUBT_STEP_DEPENDENT, ///< an FMU's results depend on the size of its steps by more than that
    TAKT_DOUBT_PULSES, ///< a step was longer than a pulse that an instance makes by itself
    TAKT_N_DOUBTS
} takt_doubt;

/// Doubtful steps of one kind.
typedef struct takt_doubt_count {
    int64_t n;
    double first_time, worst_time; ///< s; where they began
    double worst; ///< in units of the tolerance; -infinite: not known
    const char *loop; ///< the first one's; borrowed; NULL: none
    takt_flip flip; ///< likewise
} takt_doubt_count;

typedef struct takt_run_counts {
    int64_t n_steps; ///< that were kept
    int64_t n_rejected; ///< attempts that were taken back
    int64_t n_rows;
    int64_t n_limit_exceeded; ///< attempts in which an iteration reached its limit
    int64_t n_convergence_failures, n_error_failures, n_discarded; ///< attempts, by cause
    takt_doubt_count doubts[TAKT_N_DOUBTS]; ///< steps that were kept
    int64_t n_parallel; ///< waves that were done by several threads
    uint64_t master_ticks, output_ticks, error_test_ticks, first_tick;
    double first_clock; ///< s; when the run was made
    double wall; ///< s; set when it is finished
} takt_run_counts;

// ---- the run ---------------------------------------------------------------------------------------

struct takt_run {
    takt_arena arena;
    const takt_plan *plan; ///< must outlive the run, unless it is `own_plan`
    takt_plan *own_plan; ///< NULL: the plan belongs to someone else
    takt_system *own_system; ///< that of own_plan; NULL: it belongs to someone else
    takt_system *
        held_system; ///< that was asked for, or a variation of it; NULL: it belongs to someone else
    takt_log *log; ///< borrowed

    takt_run_state state;
    takt_run_work work;
    takt_run_counts counts;
    bool is_initialized, has_failed, is_finished;
    bool allows_checkpoints; ///< in files: results are written so that they can be continued

    // Modules; NULL: there is nothing for them to do.
    const struct takt_control *control; ///< never NULL
    struct takt_way_back *way_back; ///< to the last communication point
    struct takt_scale *scale; ///< never NULL
    struct takt_tested *tested;
    struct takt_adaptive *adaptive;
    struct takt_auto *automatic;
    struct takt_derivatives *derivatives;
    struct takt_event_work *events;
    struct takt_rows *rows;
    struct takt_stops *stops;
    struct takt_schedule *schedule;
    struct takt_waves *waves;
    struct takt_step_log *step_log;
    struct takt_limits *limits; ///< of steps whose size is chosen
    struct takt_statistics_room *statistics; ///< NULL: not asked for yet
    takt_doubtful_steps doubtful_steps; ///< for takt_statistics, like step_limits
    takt_step_limits step_limits;
    struct takt_pace *pace;
    struct takt_steady *steady;
    takt_surroundings
        *surroundings; ///< owned; what FMUs must not change; NULL: nobody asked for it
    int told_changes; ///< of these
    uint64_t thread; ///< that calls the run's functions; see base/thread.h
    takt_watch *watch; ///< borrowed, unless it is `own_watch`
    takt_watch *own_watch; ///< NULL: there is none, or it belongs to someone else

    takt_observer **observers; ///< owned
    int n_observers, observer_capacity;
    takt_observer *tracer; ///< of them, the one that wants spans; NULL: nobody does
    takt_mutex finishing; ///< held while observers are completed
    bool observers_finished; ///< protected by `finishing`
    const char **column_names;
    const takt_system
        *asked_system; ///< as the user wrote it; `plan` may have groups; NULL: that of the plan
    struct takt_kept_start *starts; ///< that the user set, in the order of setting
    takt_status (*steer)(
        void *context,
        takt_error *err); ///< sets values when all are in event mode; NULL: nothing
    void *steer_context;
    struct takt_view *views; ///< that exist: they must learn of its end
    struct takt_snapshot *snapshots; ///< likewise
    _Atomic(double) shown_time; ///< s; for other threads
    atomic_bool is_used; ///< a function that changes the run is at work; see takt_run_enter()
    atomic_bool is_ending; ///< meanwhile its end was asked for
    atomic_bool is_cancelled; ///< by another thread
    const char *own_results; ///< folder for results that instances write; NULL: none is known
    const struct takt_identity *identity; ///< for checkpoints; in the arena; NULL: none are written
};

/// Does the instance wait while others go ahead of it (auto.h, different rates)?
static inline bool takt_run_is_behind(const takt_run *run, int i_instance)
{
    return run->work.is_behind && run->work.is_behind[i_instance];
}

/// Reports to the tracer what the run has done since `begin`.
static inline void takt_run_trace(const takt_run *run, takt_activity activity, double t,
                                  uint64_t begin)
{
    if (!run->tracer) return;
    takt_span span = {activity, NULL, t, begin, takt_ticks()};
    run->tracer->type->span(run->tracer, &span);
}

/// Public functions that change a run begin with the first and end with the last of these. So functions that the run calls (rows, messages) and
/// other threads are refused while one is at work; the last one ends the run if that was asked for meanwhile. Not a lock: of
/// two threads that come within nanoseconds of each other both may pass.
static inline bool takt_run_enter(takt_run *run)
{
    if (atomic_load_explicit(&run->is_used, memory_order_relaxed)) return false;
    atomic_store_explicit(&run->is_used, true, memory_order_relaxed);
    return true;
}

takt_status takt_run_fail_used(const takt_run *run, takt_error *err);
takt_status takt_run_end_late(takt_run *run, takt_error *err);

static inline takt_status takt_run_leave(takt_run *run, takt_status st, takt_error *err)
{
    atomic_store_explicit(&run->is_used, false, memory_order_relaxed);
    bool is_ending = atomic_load_explicit(&run->is_ending, memory_order_relaxed);
    return is_ending ? takt_run_end_late(run, err) : st;
}

#endif
