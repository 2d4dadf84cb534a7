// SPDX-License-Identifier: MIT
// Event handling (FMI 3.0.2, section 4.2 and 2.5.7). In event mode an instance may change its outputs
// without time going on, and others may react to that at the same time. So rounds are made: values travel
// in the order of the plan until no output changes; then all update their discrete states together, so
// that everybody has seen a clock tick before the update takes the tick away. Another round follows
// when somebody asks for it or shows other outputs.
#include "run/events.h"

#include <stdio.h>
#include <string.h>

#include "run/calls.h"
#include "run/derivatives.h"

enum { MAX_ROUNDS = 100, MAX_NAMED = 5 };

static bool has_event_mode(const takt_run *run, int i_instance)
{
    const takt_instance *instance = run->instances[i_instance].instance;
    return instance->model->can.events && instance->type->enter_events;
}

bool takt_run_has_events(const takt_run *run)
{
    for (int i = 0; i < run->n_instances; i++) {
        const takt_run_instance *at = &run->instances[i];
        bool is_due = at->next_event <= run->grid.time ||
                      takt_times_equal(at->next_event, run->grid.time, run->grid.h);
        if (at->has_event || is_due) return true;
    }
    return false;
}

void takt_run_note_next_event(takt_run *run)
{
    run->next_event = INFINITY;
    for (int i = 0; i < run->n_instances; i++)
        run->next_event = fmin(run->next_event, run->instances[i].next_event);
}

static takt_status call(takt_run *run, int i_instance, double t, takt_status st, takt_error *err)
{
    if (!st) return TAKT_OK;
    takt_run_instance *at = &run->instances[i_instance];
    at->has_failed = true;
    return takt_within(err, st, "instance '%s' in event mode at t=%.15g s", at->instance->name, t);
}

static takt_status enter(takt_run *run, int i, double t, takt_error *err)
{
    takt_instance *instance = run->instances[i].instance;
    return call(run, i, t, instance->type->enter_events(instance, t, err), err);
}

static takt_status update(takt_run *run, int i, double t, takt_event *event, takt_error *err)
{
    takt_run_instance *at = &run->instances[i];
    *event = (takt_event){.next_time = INFINITY};
    takt_status st = at->instance->type->update_events(at->instance, event, err);
    at->next_event = event->next_time;
    if (event->terminates)
        takt_log_write(run->log, TAKT_LEVEL_WARN, "instance '%s' ended the simulation at t=%.15g s",
                       at->instance->name, t);
    return call(run, i, t, st, err);
}

static takt_status leave(takt_run *run, int i, double t, takt_error *err)
{
    takt_instance *instance = run->instances[i].instance;
    run->instances[i].has_event = false;
    if (run->instances[i].next_event <= t)
        return takt_fail(
            err, TAKT_ERR_SIMULATION,
            "instance '%s' at t=%.15g s: demands its next event at t=%.15g s, which is "
            "not later; it would never come to an end",
            instance->name, t, run->instances[i].next_event);
    return call(run, i, t, instance->type->leave_events(instance, err), err);
}

// Keeps the connected outputs of an instance, to see whether they change.
static takt_status remember(takt_run *run, int i_instance, takt_error *err)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    const int *n = plan->outputs.n_values, *first = plan->first_output;
    takt_values now = takt_values_from(&run->y, first),
                kept = takt_values_from(&run->previous, first);
    return takt_values_copy(&now, &kept, n) ? TAKT_OK : takt_fail_memory(err);
}

static bool has_changed(const takt_run *run, int i_instance)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    const int *n = plan->outputs.n_values, *first = plan->first_output;
    takt_values now = takt_values_from(&run->y, first),
                kept = takt_values_from(&run->previous, first);
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
        if (now.real[i] != kept.real[i]) return true;
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        if (now.integer[i] != kept.integer[i]) return true;
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++)
        if (!takt_bytes_equal(&now.bytes[i], &kept.bytes[i])) return true;
    return false;
}

// Reads the outputs of an instance; did they change?
static takt_status look(takt_run *run, int i, double t, bool *is_changed, takt_error *err)
{
    takt_status st = remember(run, i, err);
    if (!st) st = takt_run_get_outputs(run, i, t, err);
    *is_changed = !st && has_changed(run, i);
    return st;
}

static takt_status fail_restless(takt_run *run, double t, takt_error *err)
{
    char names[256] = "";
    size_t length = 0;
    for (int i = 0, n = 0; i < run->n_instances && n < MAX_NAMED; i++) {
        if (!run->restless[i]) continue;
        int more = snprintf(names + length, sizeof names - length, "%s'%s'", n++ ? ", " : "",
                            run->instances[i].instance->name);
        if (more > 0 && length + (size_t)more < sizeof names) length += (size_t)more;
    }
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: events do not come to rest after %d rounds; involved: instance %s",
                     t, MAX_ROUNDS, names);
}

// Calls `act` for all instances with an event mode in the order of the plan. Tells whether any is
// restless, and keeps which, for a message.
static takt_status for_all(takt_run *run, double t,
                           takt_status (*act)(takt_run *, int, double, bool *, takt_error *),
                           bool *is_any_restless, takt_error *err)
{
    *is_any_restless = false;
    for (int b = 0; b < run->plan->n_blocks; b++) {
        const takt_block *block = run->blocks[b].plan;
        for (int k = 0; k < block->n_members; k++) {
            int i = block->members[k];
            if (!has_event_mode(run, i)) continue;
            takt_status st = act(run, i, t, &run->restless[i], err);
            if (st) return st;
            *is_any_restless |= run->restless[i];
        }
    }
    return TAKT_OK;
}

static takt_status pass_values(takt_run *run, int i, double t, bool *is_restless, takt_error *err)
{
    takt_status st = takt_run_gather(run, i, err);
    if (!st) st = takt_run_set_inputs(run, i, t, err);
    if (!st) st = look(run, i, t, is_restless, err);
    return st;
}

static takt_status update_once(takt_run *run, int i, double t, bool *is_restless, takt_error *err)
{
    takt_event event;
    takt_status st = update(run, i, t, &event, err);
    *is_restless = event.needs_update;
    if (event.terminates) run->progress = TAKT_TERMINATED;
    return st;
}

static takt_status look_again(takt_run *run, int i, double t, bool *is_restless, takt_error *err)
{
    bool is_changed;
    takt_status st = look(run, i, t, &is_changed, err);
    *is_restless |= is_changed; // besides the wish for another update
    return st;
}

static takt_status settle(takt_run *run, double t, takt_error *err)
{
    for (int round = 0; round < MAX_ROUNDS; round++) {
        bool is_restless = true;
        takt_status st = TAKT_OK;
        for (int k = 0; k < MAX_ROUNDS && is_restless && !st; k++)
            st = for_all(run, t, pass_values, &is_restless, err);
        if (!st && is_restless) break;
        if (!st) st = for_all(run, t, update_once, &is_restless, err);
        if (!st) st = for_all(run, t, look_again, &is_restless, err);
        if (st || !is_restless || run->progress == TAKT_TERMINATED) return st;
    }
    return fail_restless(run, t, err);
}

takt_status takt_run_handle_events(takt_run *run, bool is_after_initialization, takt_error *err)
{
    double t = run->grid.time;
    takt_status st = TAKT_OK;
    takt_derivatives_forget(run);
    for (int i = 0; i < run->n_instances && !st && !is_after_initialization; i++)
        if (has_event_mode(run, i)) st = enter(run, i, t, err);
    if (!st) st = settle(run, t, err);
    for (int i = 0; i < run->n_instances && !st; i++)
        if (has_event_mode(run, i)) st = leave(run, i, t, err);
    takt_run_note_next_event(run);
    run->moment++;
    return st;
}

takt_status takt_run_handle_own_event(takt_run *run, int i_instance, double t, bool *terminates,
                                      takt_error *err)
{
    takt_status st = enter(run, i_instance, t, err);
    takt_derivatives_forget(run);
    takt_event event = {.needs_update = true};
    *terminates = false;
    for (int round = 0; round < MAX_ROUNDS && !st && event.needs_update; round++) {
        st = update(run, i_instance, t, &event, err);
        *terminates |= event.terminates;
    }
    if (!st && event.needs_update)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "t=%.15g s: events of instance '%s' do not come to rest after %d updates",
                         t, run->instances[i_instance].instance->name, MAX_ROUNDS);
    return st ? st : leave(run, i_instance, t, err);
}
