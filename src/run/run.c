// SPDX-License-Identifier: MIT
// The life of a run: make, initialize (initialize.c), step, finish, destroy. A step is
//   save the states that may be needed -> advance all blocks -> next communication point -> row.
#include "run/run.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "run/adaptive.h"
#include "run/advance.h"
#include "run/blocks.h"
#include "run/calls.h"
#include "run/derivatives.h"
#include "run/events.h"
#include "run/initialize.h"
#include "run/rows.h"
#include "run/step.h"
#include "run/step_log.h"
#include "run/switch.h"
#include "run/watch.h"
#include "run/waves.h"

// ---- make and destroy ----------------------------------------------------------------------------

static takt_status make_instances(takt_run *run, takt_error *err)
{
    const takt_system *system = run->plan->system;
    for (int i = 0; i < run->n_instances; i++) {
        takt_run_instance *at = &run->instances[i];
        const takt_component *component = &system->components[i];
        at->plan = &run->plan->instances[i];
        at->next_event = INFINITY;
        at->end_time = INFINITY;
        at->inputs = takt_values_from(&run->u, at->plan->first_input);
        at->outputs = takt_values_from(&run->y, at->plan->first_output);
        at->recorded = takt_values_from(&run->y, at->plan->first_recorded);
        takt_watch_enter(run->watch, component->name, "its instantiation");
        takt_status st = component->model->type->instantiate(component->model, component->name,
                                                             run->log, &at->instance, err);
        takt_watch_leave(run->watch);
        if (st) return takt_within(err, st, "component '%s'", component->name);
        takt_run_prepare_instance(run, i);
    }
    return TAKT_OK;
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

takt_status takt_run_make_watched(const takt_plan *plan, takt_timeout_fn on_timeout, void *context,
                                  takt_run **out, takt_error *err)
{
    takt_run *run = calloc(1, sizeof *run);
    if (!run) return takt_fail_memory(err);
    run->plan = plan;
    run->log = plan->system->log;
    run->next_event = INFINITY;
    run->moment = 1;
    run->n_first_timed = 16;
    pthread_mutex_init(&run->finishing, NULL);
    run->first_tick = takt_ticks();
    run->first_clock = takt_clock();
    run->grid = takt_grid_start(&plan->system->settings);
    int n = plan->system->n_components;
    run->instances = takt_arena_array(&run->arena, (size_t)n, sizeof *run->instances);
    run->restless = takt_arena_array(&run->arena, (size_t)n, sizeof *run->restless);
    run->was_restless = takt_arena_array(&run->arena, (size_t)n, sizeof *run->was_restless);
    bool has_memory = run->instances && run->restless && run->was_restless &&
                      takt_values_init(&run->u, plan->n_inputs) &&
                      takt_values_init(&run->y, plan->n_outputs) &&
                      takt_values_init(&run->previous, plan->n_outputs);
    takt_status st = has_memory ? TAKT_OK : takt_fail_memory(err);
    if (!st) {
        run->n_instances = n;
        st = takt_watch_start(run, on_timeout, context, err);
    }
    if (!st) st = make_instances(run, err);
    if (!st) st = takt_derivatives_create(run, err);
    if (!st) st = takt_run_make_blocks(run, err);
    if (!st) st = takt_run_prepare_algorithms(run, err);
    if (!st) st = takt_run_make_schedule(run, err);
    if (!st && plan->system->settings.step_control != TAKT_STEP_CONTROL_FIXED)
        st = takt_adaptive_create(run, err);
    if (!st) st = takt_waves_create(run, err);
    if (!st) st = takt_rows_prepare(run, err);
    if (!st) st = name_columns(run, err);
    if (st) {
        takt_run_destroy(run);
        return st;
    }
    *out = run;
    return TAKT_OK;
}

takt_status takt_run_make(const takt_plan *plan, takt_run **out, takt_error *err)
{
    return takt_run_make_watched(plan, NULL, NULL, out, err);
}

static void destroy_instance(takt_run *run, takt_run_instance *at)
{
    if (!at->instance) return;
    takt_watch_enter(run->watch, at->instance->name, "freeing it");
    for (int i = 0; i < 2; i++)
        if (at->states[i]) at->instance->type->free_state(at->instance, &at->states[i]);
    at->instance->type->destroy(at->instance);
    at->instance = NULL;
    takt_watch_leave(run->watch);
}

void takt_run_destroy(takt_run *run)
{
    if (!run) return;
    takt_run_finish(run, NULL);
    for (int i = 0; i < run->n_observers; i++) run->observers[i]->type->destroy(run->observers[i]);
    free(run->observers);
    for (int i = 0; i < run->n_instances; i++) destroy_instance(run, &run->instances[i]);
    takt_watch_stop(run);
    takt_values_clear(&run->u, run->plan->n_inputs);
    takt_values_clear(&run->y, run->plan->n_outputs);
    takt_values_clear(&run->previous, run->plan->n_outputs);
    takt_values_clear(&run->before_events, run->plan->n_outputs);
    takt_adaptive_destroy(run);
    takt_waves_destroy(run);
    takt_plan_destroy(run->own_plan);
    takt_system_destroy(run->own_system);
    takt_arena_clear(&run->arena);
    pthread_mutex_destroy(&run->finishing);
    free(run);
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
    for (int i = 0; i < run->n_instances; i++) run->instances[i].tracer = observer;
    return TAKT_OK;
}

// ---- initialize, step, finish --------------------------------------------------------------------

takt_status takt_run_initialize(takt_run *run, takt_error *err)
{
    if (run->is_initialized || run->has_failed)
        return takt_fail(err, TAKT_ERR_USAGE, "a run can be initialized only once");
    run->is_initialized = true;
    uint64_t begin = takt_ticks();
    takt_status st = takt_run_initialize_instances(run, err);
    takt_run_trace(run, TAKT_ACTIVITY_INITIALIZE, run->grid.time, begin);
    if (!st) st = takt_rows_write_due(run, err);
    run->has_failed = st != TAKT_OK;
    return st;
}

// The end of a step after which there may be events, or the wish of an instance to end the simulation.
TAKT_APART static takt_status end_step(takt_run *run, takt_error *err)
{
    int i_ending = run->has_wishes ? takt_run_find_ending(run) : -1;
    bool is_ended = i_ending >= 0 && run->progress == TAKT_RUNNING;
    if (is_ended) run->progress = TAKT_TERMINATED;
    bool has_events = !is_ended && takt_run_has_events(run);
    takt_status st = has_events ? takt_rows_write_events(run, err) : takt_rows_write_due(run, err);
    if (is_ended && !st)
        takt_step_terminate(run, &(takt_outcome){.i_instance = i_ending, .time = run->grid.time});
    return st;
}

static takt_status take_step(takt_run *run, takt_error *err)
{
    uint64_t begin = takt_ticks();
    double t = run->grid.time;
    takt_status st = run->i_change < run->n_changes ? takt_run_follow_schedule(run, err) : TAKT_OK;
    if (!st) st = run->adaptive ? takt_step_adaptive(run, err) : takt_step_fixed(run, err);
    run->master_ticks += takt_ticks() - begin;
    takt_run_trace(run, TAKT_ACTIVITY_STEP, t, begin);
    if (st || run->progress == TAKT_TERMINATED) return st;
    run->n_steps++;
    run->moment++;
    if (takt_grid_is_done(&run->grid)) run->progress = TAKT_FINISHED;
    return takt_run_may_have_events(run) ? end_step(run, err) : takt_rows_write_due(run, err);
}

takt_status takt_run_step(takt_run *run, takt_progress *out, takt_error *err)
{
    if (!run->is_initialized || run->has_failed || run->is_finished)
        return takt_fail(
            err, TAKT_ERR_USAGE,
            "a run can be stepped only after takt_run_initialize() and until an error");
    takt_status st = run->progress == TAKT_RUNNING ? take_step(run, err) : TAKT_OK;
    if (st)
        run->has_failed = true;
    else
        *out = run->progress;
    return st;
}

static takt_status terminate_instances(takt_run *run, takt_error *err)
{
    takt_status first = TAKT_OK;
    for (int i = 0; i < run->n_instances; i++) {
        takt_run_instance *at = &run->instances[i];
        if (!at->is_initialized || at->has_failed || !at->instance->type->terminate) continue;
        takt_error own = {0};
        takt_status st = at->instance->type->terminate(at->instance, &own);
        if (st && !first)
            first = takt_fail(err, st, "instance '%s': %s", at->instance->name, own.message);
    }
    return first;
}

static void tell_unconverged(takt_run *run)
{
    bool is_strict = run->plan->system->settings.strict; // then it has been told as an error
    if (run->adaptive || is_strict || run->n_limit_exceeded == 0) return;
    takt_log_write(run->log, TAKT_LEVEL_WARN,
                   "%lld of %lld steps did not converge within %lld iterations; their results are "
                   "those of the last sweep (--strict makes this a failure)",
                   (long long)run->n_limit_exceeded, (long long)run->n_steps,
                   (long long)run->plan->system->settings.iterations);
}

// Values that are only recorded are not read while nobody observes: they are read when asked for. After
// a failure the run cannot go on.
static takt_status read_unobserved(takt_run *run, int i_instance, takt_error *err)
{
    if (run->instances[i_instance].recorded_moment == run->moment) return TAKT_OK;
    if (!run->is_initialized || run->has_failed || run->is_finished) return TAKT_OK;
    takt_status st = takt_run_get_recorded(run, i_instance, run->grid.time, err);
    run->has_failed = st != TAKT_OK;
    return st;
}

takt_status takt_run_finish_observers(takt_run *run, takt_error *err)
{
    takt_status st = TAKT_OK;
    pthread_mutex_lock(&run->finishing);
    for (int i = 0; i < run->n_observers && !run->observers_finished; i++) {
        takt_status own = run->observers[i]->type->finish(run->observers[i], st ? NULL : err);
        if (!st) st = own;
    }
    takt_status logged = takt_step_log_close(run, st ? NULL : err);
    run->observers_finished = true;
    pthread_mutex_unlock(&run->finishing);
    return st ? st : logged;
}

takt_status takt_run_finish(takt_run *run, takt_error *err)
{
    if (run->is_finished) return TAKT_OK;
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->n_instances && run->n_observers == 0 && !st; i++)
        st = read_unobserved(run, i, err); // the last chance
    run->is_finished = true;
    uint64_t begin = takt_ticks();
    takt_status written = takt_run_finish_observers(run, st ? NULL : err);
    if (!st) st = written;
    run->output_ticks += takt_ticks() - begin;
    tell_unconverged(run);
    takt_status ended = terminate_instances(run, st ? NULL : err);
    run->wall = takt_clock() - run->first_clock;
    return st ? st : ended;
}

// ---- questions -----------------------------------------------------------------------------------

double takt_run_time(const takt_run *run)
{
    return run->grid.time;
}

double takt_run_start_time(const takt_run *run)
{
    return run->grid.start;
}

double takt_run_stop_time(const takt_run *run)
{
    return run->grid.stop;
}

const char *takt_run_column(const takt_run *run, int index)
{
    return index >= 0 && index < run->plan->n_columns ? run->column_names[index] : NULL;
}

double takt_run_value(takt_run *run, int index)
{
    if (index < 0 || index >= run->plan->n_columns) return NAN;
    const takt_column *column = &run->plan->columns[index];
    takt_error err = {0};
    if (read_unobserved(run, column->reference.component, &err)) {
        takt_log_write(run->log, TAKT_LEVEL_ERROR, "%s", err.message);
        return NAN;
    }
    switch (column->slot.kind) {
    case TAKT_KIND_REAL: return run->y.real[column->slot.index];
    case TAKT_KIND_INTEGER: return (double)run->y.integer[column->slot.index];
    case TAKT_KIND_BYTES: break;
    }
    return NAN;
}
