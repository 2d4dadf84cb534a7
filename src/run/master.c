// SPDX-License-Identifier: MIT
// The life of a run: make, initialize (initialize.c), step, finish, destroy. A step is
//   save the states that may be needed -> advance all blocks -> next communication point -> row.
#include "run/master.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "instance/crashed.h"
#include "run/blocks.h"
#include "run/calls.h"
#include "run/controls.h"
#include "run/derivatives.h"
#include "run/doubts.h"
#include "run/early.h"
#include "run/events.h"
#include "run/hold.h"
#include "run/initialize.h"
#include "run/limits.h"
#include "run/opening.h"
#include "run/own_results.h"
#include "run/pass.h"
#include "run/rows.h"
#include "run/steady.h"
#include "run/scale.h"
#include "run/schedule.h"
#include "run/snapshot.h"
#include "run/steer.h"
#include "run/step_log.h"
#include "run/stops.h"
#include "run/system_step.h"
#include "run/tested.h"
#include "run/view.h"
#include "run/waves.h"

// ---- watching --------------------------------------------------------------------------------------

static takt_status finish_observers(takt_run *run, takt_error *err);

static const takt_instance *watched_instance(void *context, int i)
{
    const takt_run *run = context;
    return run->work.instances[i].instance;
}

static double watched_time(void *context)
{
    const takt_run *run = context;
    return run->is_initialized ? run->state.grid.time : NAN;
}

static void watched_finish(void *context)
{
    finish_observers(context, NULL);
}

static uint64_t watched_thread(void *context)
{
    const takt_run *run = context;
    return run->thread;
}

static double watched_row_time(void *context)
{
    const takt_run *run = context;
    return run->n_observers && run->state.rows.is_begun ? run->state.rows.time : NAN;
}

static takt_status be_watched(takt_run *run, takt_error *err)
{
    const takt_watched watched = {.context = run,
                                  .n_instances = run->work.n_instances,
                                  .instance = watched_instance,
                                  .time = watched_time,
                                  .finish = watched_finish,
                                  .thread = watched_thread,
                                  .row_time = watched_row_time};
    return takt_watch_attach(run->watch, &watched, err);
}

// ---- make and destroy ----------------------------------------------------------------------------

static takt_status make_instance(takt_run *run, int i, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i];
    const takt_component *component = &run->plan->system->components[i];
    at->plan = &run->plan->instances[i];
    at->inputs = takt_values_from(&run->state.u, at->plan->first_input);
    at->outputs = takt_values_from(&run->state.y, at->plan->first_output);
    at->recorded = takt_values_from(&run->state.y, at->plan->first_recorded);
    run->state.instances[i] =
        (takt_instance_state){.next_event = INFINITY, .end_time = INFINITY, .early_time = INFINITY};
    takt_status st = takt_own_results_allow(run, i, err);
    if (st) return takt_within(err, st, "component '%s'", component->name);
    takt_watch_enter(run->watch, component->model, component->name, "its instantiation");
    st = component->model->type->instantiate(component->model, component->name, run->log,
                                             &at->instance, err);
    takt_watch_leave(run->watch);
    takt_run_look_around(run, i);
    if (st) return takt_within(err, st, "component '%s'", component->name);
    takt_pass_prepare(run, i);
    return TAKT_OK;
}

static takt_status make_instances(takt_run *run, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->work.n_instances && !st; i++) st = make_instance(run, i, err);
    return st;
}

static takt_status name_columns(takt_run *run, takt_error *err)
{
    const takt_plan *plan = run->plan;
    run->column_names =
        takt_arena_array(&run->arena, (size_t)plan->n_columns, sizeof *run->column_names);
    if (!run->column_names) return takt_fail_memory(err);
    for (int i = 0; i < plan->n_columns; i++) {
        takt_reference reference = plan->columns[i].reference;
        run->column_names[i] =
            takt_system_name(plan->system, reference.component, reference.variable, &run->arena);
        if (!run->column_names[i]) return takt_fail_memory(err);
    }
    return TAKT_OK;
}

static takt_status make_state(takt_run *run, takt_error *err)
{
    const takt_plan *plan = run->plan;
    takt_run_state *state = &run->state;
    size_t n = (size_t)plan->system->n_components;
    state->grid = takt_grid_start(&plan->system->settings);
    state->next_event = INFINITY;
    state->aimed_time = NAN;
    state->instances = takt_arena_array(&run->arena, n, sizeof *state->instances);
    run->work.instances = takt_arena_array(&run->arena, n, sizeof *run->work.instances);
    bool has_memory = state->instances && run->work.instances &&
                      takt_values_init(&state->u, plan->n_inputs) &&
                      takt_values_init(&state->y, plan->n_outputs) &&
                      takt_values_init(&run->work.previous, plan->n_outputs);
    if (!has_memory) return takt_fail_memory(err);
    run->work.n_instances = (int)n;
    run->work.moment = 1;
    run->work.wanted_stop = INFINITY;
    atomic_store(&run->shown_time, state->grid.time);
    run->work.n_first_timed = 16;
    run->work.loop_share = 1;
    run->work.is_strict = plan->system->settings.strict;
    run->work.is_single = plan->system->settings.step_size < plan->system->settings.step_fallback;
    return TAKT_OK;
}

static takt_status make_modules(takt_run *run, takt_error *err)
{
    takt_status st = takt_scale_create(run, err);
    if (!st) st = takt_early_create(run, err);
    if (!st) st = takt_derivatives_create(run, err);
    if (!st) st = takt_blocks_create(run, err);
    if (!st) st = takt_events_create(run, err);
    if (!st) st = takt_schedule_create(run, err);
    if (!st && !run->control->type->is_fixed) st = takt_limits_create(run, err);
    if (!st && run->control->type->create) st = run->control->type->create(run, err);
    if (!st) st = takt_waves_create(run, err);
    if (!st) st = takt_rows_create(run, err);
    return st;
}

takt_status takt_run_make(const takt_plan *plan, const takt_run_setup *setup, takt_run **out,
                          takt_error *err)
{
    takt_run *run = calloc(1, sizeof *run);
    if (!run) {
        takt_surroundings_destroy(setup ? setup->surroundings : NULL);
        return takt_fail_memory(err);
    }
    run->plan = plan;
    run->log = plan->system->log;
    run->control = setup && setup->control ? setup->control : takt_control_of(plan);
    run->watch = setup ? setup->watch : NULL;
    run->surroundings = setup ? setup->surroundings : NULL;
    run->thread = takt_thread_id();
    run->counts.first_tick = takt_ticks();
    run->counts.first_clock = takt_clock();
    takt_mutex_init(&run->finishing);
    takt_status st = make_state(run, err);
    if (!st) st = be_watched(run, err);
    if (!st && setup && setup->results) st = takt_own_results_choose(run, setup->results, err);
    if (!st) st = make_instances(run, err);
    if (!st) st = make_modules(run, err);
    if (!st) st = name_columns(run, err);
    if (st) {
        takt_run_destroy(run);
        return st;
    }
    *out = run;
    return TAKT_OK;
}

static void destroy_instance(takt_run *run, int i_instance)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    if (!at->instance) return;
    takt_watch_enter(run->watch, at->instance->model, at->instance->name, "freeing it");
    for (int i = 0; i < TAKT_N_SLOTS; i++)
        if (at->states[i]) at->instance->type->free_state(at->instance, &at->states[i]);
    at->instance->type->destroy(at->instance);
    at->instance = NULL;
    takt_hold_destroy(at->hold);
    takt_watch_leave(run->watch);
    takt_run_look_around(run, i_instance);
}

static takt_status finish(takt_run *run, takt_error *err);

void takt_run_destroy(takt_run *run)
{
    if (!run) return;
    if (!takt_run_enter(run)) {
        atomic_store(&run->is_ending, true);
        return;
    }
    finish(run, NULL);
    run->thread = takt_thread_id();
    takt_views_leave(run);
    takt_snapshots_leave(run);
    for (int i = 0; i < run->n_observers; i++) run->observers[i]->type->destroy(run->observers[i]);
    free(run->observers);
    for (int i = 0; i < run->work.n_instances; i++) destroy_instance(run, i);
    takt_own_results_tidy(run);
    takt_watch_detach(run->watch);
    takt_values_clear(&run->state.u, run->plan->n_inputs);
    takt_values_clear(&run->state.y, run->plan->n_outputs);
    takt_values_clear(&run->work.previous, run->plan->n_outputs);
    takt_rows_destroy(run);
    takt_steady_destroy(run);
    takt_blocks_destroy(run);
    if (run->control->type->destroy) run->control->type->destroy(run);
    takt_waves_destroy(run);
    takt_surroundings_destroy(run->surroundings);
    takt_watch_destroy(run->own_watch);
    takt_plan_destroy(run->own_plan);
    takt_system_destroy(run->own_system);
    takt_system_destroy(run->held_system);
    takt_arena_clear(&run->arena);
    takt_mutex_clear(&run->finishing);
    free(run);
}

takt_status takt_run_end_late(takt_run *run, takt_error *err)
{
    atomic_store(&run->is_ending, false);
    takt_run_destroy(run);
    return takt_fail(err, TAKT_ERR_USAGE, "the run was ended while this function was at work");
}

takt_status takt_run_fail_used(const takt_run *run, takt_error *err)
{
    return takt_fail(
        err, TAKT_ERR_USAGE,
        run->thread == takt_thread_id()
            ? "functions that a run calls (for rows, for messages) cannot change the run"
            : "another thread is using the run");
}

takt_status takt_run_add_observer(takt_run *run, takt_observer *observer, takt_error *err)
{
    if (!takt_grow(&run->observers, run->n_observers, &run->observer_capacity,
                   sizeof *run->observers)) {
        observer->type->destroy(observer);
        return takt_fail_memory(err);
    }
    run->observers[run->n_observers++] = observer;
    if (!observer->type->span) return TAKT_OK;
    run->tracer = observer;
    for (int i = 0; i < run->work.n_instances; i++) run->work.instances[i].tracer = observer;
    return TAKT_OK;
}

// ---- initialize, step, finish --------------------------------------------------------------------

// An instance in another process may have crashed. Within the initialization there are no results yet.
static takt_status name_crash(takt_run *run, takt_status st, takt_error *err)
{
    if (st == TAKT_ERR_CRASH)
        takt_crashed_complete(err, run->state.grid.time, watched_row_time(run));
    return st;
}

takt_status takt_run_initialize_silently(takt_run *run, takt_error *err)
{
    if (run->is_initialized || run->has_failed)
        return takt_fail(err, TAKT_ERR_USAGE, "a run can be initialized only once");
    run->is_initialized = true;
    run->thread = takt_thread_id();
    uint64_t begin = takt_ticks();
    takt_status st = takt_run_initialize_instances(run, err);
    takt_run_trace(run, TAKT_ACTIVITY_INITIALIZE, run->state.grid.time, begin);
    if (!st) takt_scale_note(run);
    if (!st) st = takt_stops_create(run, err);
    if (!st) st = takt_project_check_doubts(run->plan->system->project, err);
    run->has_failed = st != TAKT_OK;
    return name_crash(run, st, err);
}

takt_status takt_run_initialize(takt_run *run, takt_error *err)
{
    if (!run) return takt_fail(err, TAKT_ERR_USAGE, "takt_run_initialize: no argument may be NULL");
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    takt_status st = takt_run_initialize_silently(run, err);
    if (!st) {
        st = takt_rows_write_due(run, err);
        if (st) run->has_failed = true;
    }
    return takt_run_leave(run, st, err);
}

// The end of a step after which there may be events, or the request of an instance to end the simulation.
TAKT_APART static takt_status end_step(takt_run *run, takt_error *err)
{
    takt_run_state *state = &run->state;
    int i_ending = state->has_requests ? takt_system_find_ending(run) : -1;
    bool is_ended = i_ending >= 0 && state->progress == TAKT_RUNNING;
    if (is_ended) state->progress = TAKT_TERMINATED;
    bool has_events = !is_ended && takt_run_has_events(run);
    takt_status st = has_events ? takt_rows_write_events(run, err) : takt_rows_write_due(run, err);
    if (is_ended && !st)
        takt_control_terminate(run,
                               &(takt_outcome){.i_instance = i_ending, .time = state->grid.time});
    if (!st) takt_scale_note(run);
    return st;
}

static takt_status take_step(takt_run *run, takt_error *err)
{
    takt_run_state *state = &run->state;
    takt_status st = run->work.is_steered ? takt_steer_show(run, err) : TAKT_OK;
    uint64_t begin = takt_ticks();
    double t = state->grid.time;
    if (!st && run->schedule) st = takt_schedule_follow(run, err);
    if (!st) st = run->control->type->step(run, err);
    uint64_t ticks = takt_ticks() - begin;
    run->counts.master_ticks += ticks;
    // Of many instances that are quick the step is long, too.
    if (ticks >= (uint64_t)run->work.n_instances * TAKT_TIMED_LONG) takt_pass_expect_long(run);
    takt_run_trace(run, TAKT_ACTIVITY_STEP, t, begin);
    if (st || state->progress == TAKT_TERMINATED) return st;
    run->counts.n_steps++;
    if (run->work.unsolved)
        st = takt_doubt_note(run, TAKT_DOUBT_NOT_ITERATED, run->work.unsolved, NAN, err);
    else if (run->work.has_openings)
        st = takt_openings_look(run, err);
    if (st) return st;
    run->work.moment++;
    takt_scale_note(run);
    if (run->tested) takt_tested_note(run);
    if (takt_grid_is_done(&state->grid)) state->progress = TAKT_FINISHED;
    return takt_run_may_have_events(run) ? end_step(run, err) : takt_rows_write_due(run, err);
}

static takt_status step(takt_run *run, takt_progress *out, takt_error *err)
{
    if (!run->is_initialized || run->has_failed || run->is_finished)
        return takt_run_check_ready(run, err);
    run->thread = takt_thread_id();
    takt_status st = run->state.progress == TAKT_RUNNING ? take_step(run, err) : TAKT_OK;
    if (!st && run->work.is_strict) st = takt_project_check_doubts(run->plan->system->project, err);
    if (st)
        run->has_failed = true;
    else
        *out = run->state.progress;
    atomic_store_explicit(&run->shown_time, run->state.grid.time, memory_order_relaxed);
    return TAKT_LIKELY(!st) ? st : name_crash(run, st, err);
}

takt_status takt_run_step(takt_run *run, takt_progress *out, takt_error *err)
{
    if (!run || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_step: no argument may be NULL");
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    takt_status st = step(run, out, err);
    return takt_run_leave(run, st, err);
}

static bool goes_on(takt_run *run, double time, takt_progress progress)
{
    return progress == TAKT_RUNNING && run->state.grid.time < time &&
           !takt_grid_is_at(&run->state.grid, time);
}

takt_status takt_run_to(takt_run *run, double time, takt_progress *out, takt_error *err)
{
    if (!run || !out || isnan(time))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_run_to: run and out must not be NULL, and time be a number");
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    takt_status st = takt_run_check_ready(run, err);
    takt_progress progress = run->state.progress;
    run->work.wanted_stop = time;
    while (!st && goes_on(run, time, progress)) {
        if (takt_run_is_cancelled(run) || atomic_load(&run->is_ending)) {
            progress = TAKT_CANCELLED;
            break;
        }
        st = step(run, &progress, err);
    }
    run->work.wanted_stop = INFINITY;
    if (!st) *out = progress;
    return takt_run_leave(run, st, err);
}

static takt_status terminate_instances(takt_run *run, takt_error *err)
{
    takt_status first = TAKT_OK;
    for (int i = 0; i < run->work.n_instances; i++) {
        takt_run_instance *at = &run->work.instances[i];
        if (!at->is_initialized || at->has_failed || !at->instance->type->terminate) continue;
        takt_error own = {0};
        takt_status st = at->instance->type->terminate(at->instance, &own);
        takt_run_look_around(run, i);
        if (st && !first)
            first = takt_fail(err, st, "instance '%s': %s", at->instance->name, own.message);
    }
    return first;
}

// Values that are only recorded are not read while nobody observes: they are read when asked for. After
// a failure the run cannot go on.
static takt_status read_unobserved(takt_run *run, int i_instance, takt_error *err)
{
    if (run->work.instances[i_instance].recorded_moment == run->work.moment) return TAKT_OK;
    if (!run->is_initialized || run->has_failed || run->is_finished) return TAKT_OK;
    takt_status st = takt_run_get_recorded(run, i_instance, run->state.grid.time, err);
    run->has_failed = st != TAKT_OK;
    return st;
}

// Completes all observers and the step log, once; from any thread.
static takt_status finish_observers(takt_run *run, takt_error *err)
{
    takt_status st = TAKT_OK;
    takt_mutex_lock(&run->finishing);
    for (int i = 0; i < run->n_observers && !run->observers_finished; i++) {
        takt_status own = run->observers[i]->type->finish(run->observers[i], st ? NULL : err);
        if (!st) st = own;
    }
    takt_status logged = takt_step_log_close(run, st ? NULL : err);
    run->observers_finished = true;
    takt_mutex_unlock(&run->finishing);
    return st ? st : logged;
}

static takt_status finish(takt_run *run, takt_error *err)
{
    if (run->is_finished) return TAKT_OK;
    run->thread = takt_thread_id();
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->work.n_instances && run->n_observers == 0 && !st; i++)
        st = read_unobserved(run, i, err); // the last chance
    run->is_finished = true;
    uint64_t begin = takt_ticks();
    takt_status written = finish_observers(run, st ? NULL : err);
    if (!st) st = written;
    run->counts.output_ticks += takt_ticks() - begin;
    takt_doubts_report(run);
    takt_status ended = terminate_instances(run, st ? NULL : err);
    run->counts.wall = takt_clock() - run->counts.first_clock;
    return st ? st : name_crash(run, ended, err);
}

takt_status takt_run_finish(takt_run *run, takt_error *err)
{
    if (!run) return takt_fail(err, TAKT_ERR_USAGE, "takt_run_finish: no argument may be NULL");
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    takt_status st = finish(run, err);
    return takt_run_leave(run, st, err);
}

// ---- questions -----------------------------------------------------------------------------------

double takt_run_time(const takt_run *run)
{
    return run ? run->state.grid.time : NAN;
}

double takt_run_time_reached(const takt_run *run)
{
    return run ? atomic_load_explicit(&run->shown_time, memory_order_relaxed) : NAN;
}

void takt_run_cancel(takt_run *run, int is_cancelled)
{
    if (run) atomic_store(&run->is_cancelled, is_cancelled != 0);
}

int takt_run_is_cancelled(const takt_run *run)
{
    return run ? atomic_load(&run->is_cancelled) : 0;
}

double takt_run_start_time(const takt_run *run)
{
    return run ? run->state.grid.start : NAN;
}

double takt_run_stop_time(const takt_run *run)
{
    return run ? run->state.grid.stop : NAN;
}

const char *takt_run_column(const takt_run *run, int index)
{
    return run && index >= 0 && index < run->plan->n_columns ? run->column_names[index] : NULL;
}

double takt_run_value(takt_run *run, int index)
{
    if (!run || index < 0 || index >= run->plan->n_columns) return NAN;
    const takt_column *column = &run->plan->columns[index];
    takt_error err = {0};
    if (read_unobserved(run, column->reference.component, &err)) {
        takt_log_write(run->log, TAKT_LEVEL_ERROR, "%s", err.message);
        return NAN;
    }
    switch (column->slot.kind) {
    case TAKT_KIND_REAL: return run->state.y.real[column->slot.index];
    case TAKT_KIND_INTEGER: return (double)run->state.y.integer[column->slot.index];
    case TAKT_KIND_BYTES: break;
    }
    return NAN;
}
