// SPDX-License-Identifier: MIT
// Event handling (FMI 3.0.2, section 4.2 and 2.5.7). In event mode an instance may change its outputs
// without time going on, and others may react to that at the same time. So rounds are made: values travel
// in the order of the plan until no output changes; then all update their discrete states together, so
// that everybody has seen a clock tick before the update takes the tick away. Another round follows
// when somebody asks for it or shows other outputs.
//
// Real values that travel in a circle may form an algebraic loop. They are solved for (event_loop.h), and
// compared with the tolerance of that solution. Where all is at rest, they are solved for once more, to prove that
// they do not only agree by chance: the last update may have changed the equations, but no value.
#include "run/events.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "run/calls.h"
#include "run/derivatives.h"
#include "run/early.h"
#include "run/event_loop.h"
#include "run/gather.h"

enum { MAX_ROUNDS = 100, MAX_NAMED = 5 };

// Two solutions of a loop differ by this much, in units of its tolerance, and by as much of its noise.
static const double SLACK = 4;

struct takt_event_work {
    bool *restless; // per instance: it has changed, or asks for another update
    bool *was_restless; // the same, in the latest rounds
    takt_event_loop *loops; // per block
    const takt_instant *tolerance; // of any loop; NULL: there is none
    double
        slack; // by which real values may differ, in units of the tolerance; 0: they must be equal
    double *real; // inputs of one instance before others are gathered, like those of the next line
    int64_t *integer;
};

takt_status takt_events_create(takt_run *run, takt_error *err)
{
    size_t n = (size_t)run->work.n_instances;
    struct takt_event_work *work = takt_arena_array(&run->arena, 1, sizeof *work);
    bool *marks = takt_arena_array(&run->arena, 2 * n, sizeof *marks);
    if (!work || !marks) return takt_fail_memory(err);
    *work = (struct takt_event_work){.restless = marks, .was_restless = marks + n};
    work->loops = takt_arena_array(&run->arena, (size_t)run->plan->n_blocks, sizeof *work->loops);
    work->real = takt_arena_array(&run->arena, (size_t)run->plan->n_inputs[TAKT_KIND_REAL],
                                  sizeof *work->real);
    work->integer = takt_arena_array(&run->arena, (size_t)run->plan->n_inputs[TAKT_KIND_INTEGER],
                                     sizeof *work->integer);
    if (!work->loops || !work->real || !work->integer) return takt_fail_memory(err);
    for (int b = 0; b < run->plan->n_blocks; b++) {
        if (!takt_event_loop_init(&work->loops[b], run, &run->plan->blocks[b]))
            return takt_fail_memory(err);
        if (work->loops[b].instant.newton.n > 0) work->tolerance = &work->loops[b].instant;
    }
    run->events = work;
    return TAKT_OK;
}

bool takt_run_has_events(const takt_run *run)
{
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_instance_state *at = &run->state.instances[i];
        bool is_due = at->next_event <= run->state.grid.time ||
                      takt_times_equal(at->next_event, run->state.grid.time, run->state.grid.h);
        if (at->has_event || is_due) return true;
    }
    return false;
}

void takt_run_note_next_event(takt_run *run)
{
    run->state.next_event = INFINITY;
    for (int i = 0; i < run->work.n_instances; i++)
        run->state.next_event = fmin(run->state.next_event, run->state.instances[i].next_event);
}

// Ends a call that began at tick `begin`.
static takt_status done(takt_run *run, int i_instance, double t, uint64_t begin, takt_status st,
                        takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    takt_call_note(at, TAKT_ACTIVITY_EVENT, t, begin);
    if (!st) return TAKT_OK;
    at->has_failed = true;
    return takt_within(err, st, "instance '%s' in event mode at t=%.15g s", at->instance->name, t);
}

static takt_status enter(takt_run *run, int i, double t, takt_error *err)
{
    takt_instance *instance = run->work.instances[i].instance;
    uint64_t begin = takt_ticks();
    return done(run, i, t, begin, instance->type->enter_events(instance, t, err), err);
}

static takt_status update(takt_run *run, int i, double t, takt_event *event, takt_error *err)
{
    takt_instance *instance = run->work.instances[i].instance;
    *event = (takt_event){.next_time = INFINITY};
    uint64_t begin = takt_ticks();
    takt_status st = instance->type->update_events(instance, event, err);
    run->state.instances[i].next_event = event->next_time;
    if (event->terminates)
        takt_log_write(run->log, TAKT_LEVEL_WARN, "instance '%s' ended the simulation at t=%.15g s",
                       instance->name, t);
    return done(run, i, t, begin, st, err);
}

static takt_status leave(takt_run *run, int i, double t, takt_error *err)
{
    takt_instance *instance = run->work.instances[i].instance;
    takt_instance_state *at = &run->state.instances[i];
    at->has_event = false;
    if (at->next_event <= t)
        return takt_fail(
            err, TAKT_ERR_SIMULATION,
            "instance '%s' at t=%.15g s: demands its next event at t=%.15g s, which is "
            "not later; it would never come to an end",
            instance->name, t, at->next_event);
    uint64_t begin = takt_ticks();
    return done(run, i, t, begin, instance->type->leave_events(instance, err), err);
}

// Keeps the connected outputs of an instance, to see whether they change.
static takt_status remember(takt_run *run, int i_instance, takt_error *err)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    const int *n = plan->outputs.n_values, *first = plan->first_output;
    takt_values now = takt_values_from(&run->state.y, first),
                kept = takt_values_from(&run->work.previous, first);
    return takt_values_copy(&now, &kept, n) ? TAKT_OK : takt_fail_memory(err);
}

// Does value k of y differ from what it was?
static bool is_other(const struct takt_event_work *events, int k, double now, double before)
{
    if (now == before) return false;
    return !(events->slack > 0 &&
             fabs(now - before) <=
                 events->slack * takt_instant_tolerance(events->tolerance, k, now));
}

static bool has_discrete_changed(const takt_run *run, int i_instance)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    const int *n = plan->outputs.n_values, *first = plan->first_output;
    takt_values now = takt_values_from(&run->state.y, first),
                kept = takt_values_from(&run->work.previous, first);
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        if (now.integer[i] != kept.integer[i]) return true;
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++)
        if (!takt_bytes_equal(&now.bytes[i], &kept.bytes[i])) return true;
    return false;
}

static bool has_changed(const takt_run *run, int i_instance)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    const double *now = run->state.y.real, *kept = run->work.previous.real;
    int first = plan->first_output[TAKT_KIND_REAL];
    for (int k = first; k < first + plan->outputs.n_values[TAKT_KIND_REAL]; k++)
        if (is_other(run->events, k, now[k], kept[k])) return true;
    return has_discrete_changed(run, i_instance);
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
    for (int i = 0, n = 0; i < run->work.n_instances && n < MAX_NAMED; i++) {
        if (!run->events->was_restless[i]) continue;
        int more = snprintf(names + length, sizeof names - length, "%s'%s'", n++ ? ", " : "",
                            run->work.instances[i].instance->name);
        if (more > 0 && length + (size_t)more < sizeof names) length += (size_t)more;
    }
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: events do not come to rest after %d rounds; involved: instance %s",
                     t, MAX_ROUNDS, names);
}

static void note_restless(takt_run *run, int i_instance, bool *is_any_restless)
{
    *is_any_restless |= run->events->restless[i_instance];
    run->events->was_restless[i_instance] |= run->events->restless[i_instance];
}

typedef takt_status act_fn(takt_run *, int, double, bool *, takt_error *);

static takt_status for_members(takt_run *run, const takt_event_loop *loop, double t, act_fn *act,
                               bool *is_any_restless, takt_error *err)
{
    for (int k = 0; k < loop->n_members; k++) {
        int i = loop->members[k];
        takt_status st = act(run, i, t, &run->events->restless[i], err);
        if (st) return st;
        note_restless(run, i, is_any_restless);
    }
    return TAKT_OK;
}

// Calls `act` for all instances with an event mode in the order of the plan. Returns whether any is
// restless, and keeps which, for a message.
static takt_status for_all(takt_run *run, double t, act_fn *act, bool *is_any_restless,
                           takt_error *err)
{
    takt_status st = TAKT_OK;
    *is_any_restless = false;
    for (int b = 0; b < run->plan->n_blocks && !st; b++)
        st = for_members(run, &run->events->loops[b], t, act, is_any_restless, err);
    return st;
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
    if (event.terminates) run->state.progress = TAKT_TERMINATED;
    return st;
}

static takt_status look_again(takt_run *run, int i, double t, bool *is_restless, takt_error *err)
{
    bool is_changed;
    takt_status st = look(run, i, t, &is_changed, err);
    *is_restless |= is_changed; // besides asking for another update
    return st;
}

// Those that are restless in the second half of all rounds are the ones to be named: not those that just
// had an event, but also those whose turn is in every other round.
static void begin_round(takt_run *run, int round)
{
    if (round == MAX_ROUNDS / 2)
        memset(run->events->was_restless, 0,
               (size_t)run->work.n_instances * sizeof *run->events->was_restless);
}

// Solves a loop; did outputs change? If it has no solution, it may have one when discrete values have changed.
static takt_status solve(takt_run *run, takt_event_loop *loop, double t, bool *is_any_restless,
                         takt_error *err)
{
    bool is_solved = false, is_restless = false;
    takt_status st = TAKT_OK;
    for (int k = 0; k < loop->n_members && !st; k++) st = remember(run, loop->members[k], err);
    if (!st) st = takt_event_loop_solve(loop, t, &is_solved, err);
    if (st) return st;
    if (is_solved)
        run->events->slack =
            fmax(run->events->slack, SLACK * (1 + takt_instant_doubt(&loop->instant)));
    for (int k = 0; k < loop->n_members; k++) {
        int i = loop->members[k];
        run->events->restless[i] = is_solved ? has_changed(run, i) : has_discrete_changed(run, i);
        note_restless(run, i, &is_restless);
    }
    *is_any_restless |= is_restless;
    return is_solved || is_restless ? TAKT_OK : takt_event_loop_fail(loop, err);
}

// Lets values travel once.
static takt_status pass_all(takt_run *run, double t, bool *is_any_restless, takt_error *err)
{
    takt_status st = TAKT_OK;
    *is_any_restless = false;
    for (int b = 0; b < run->plan->n_blocks && !st; b++) {
        takt_event_loop *loop = &run->events->loops[b];
        st = loop->instant.newton.n > 0
                 ? solve(run, loop, t, is_any_restless, err)
                 : for_members(run, loop, t, pass_values, is_any_restless, err);
    }
    return st;
}

// All is at rest. Are the values of algebraic loops the only ones that agree?
static takt_status prove_loops(takt_run *run, double t, bool *is_any_restless, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int b = 0; b < run->plan->n_blocks && !st; b++) {
        takt_event_loop *loop = &run->events->loops[b];
        if (!run->plan->blocks[b].is_algebraic || loop->instant.newton.n == 0) continue;
        loop->instant.needs_proof = true;
        st = solve(run, loop, t, is_any_restless, err);
        loop->instant.needs_proof = false;
    }
    return st;
}

static takt_status settle(takt_run *run, double t, takt_error *err)
{
    run->events->slack = 0;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        bool is_restless = true;
        takt_status st = TAKT_OK;
        begin_round(run, round);
        for (int k = 0; k < MAX_ROUNDS && is_restless && !st; k++) {
            begin_round(run, k);
            st = pass_all(run, t, &is_restless, err);
        }
        if (!st && is_restless) break;
        if (!st) st = for_all(run, t, update_once, &is_restless, err);
        if (!st) st = for_all(run, t, look_again, &is_restless, err);
        if (st || run->state.progress == TAKT_TERMINATED) return st;
        if (!is_restless) st = prove_loops(run, t, &is_restless, err);
        if (st || !is_restless) return st;
    }
    return fail_restless(run, t, err);
}

// Gathers the inputs of an instance. Are they others than before?
static takt_status gather_anew(takt_run *run, int i, bool *are_other, takt_error *err)
{
    const takt_run_instance *at = &run->work.instances[i];
    const int *n = at->plan->inputs.n_values;
    size_t real = (size_t)n[TAKT_KIND_REAL] * sizeof(double),
           integer = (size_t)n[TAKT_KIND_INTEGER] * sizeof(int64_t);
    if (real) memcpy(run->events->real, at->inputs.real, real);
    if (integer) memcpy(run->events->integer, at->inputs.integer, integer);
    takt_status st = takt_run_gather(run, i, err);
    *are_other = n[TAKT_KIND_BYTES] > 0 ||
                 (real && memcmp(run->events->real, at->inputs.real, real) != 0) ||
                 (integer && memcmp(run->events->integer, at->inputs.integer, integer) != 0);
    return st;
}

// Instances without event mode get the inputs that others have after the event, and show what follows from
// them at once. FMI 2.0 (section 4.2.1) does not promise outputs after inputs without a step between them, but many FMUs
// compute them; one that does not shows the old ones.
static takt_status refresh_others(takt_run *run, double t, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int b = 0; b < run->plan->n_blocks && !st; b++) {
        const takt_block *block = &run->plan->blocks[b];
        for (int k = 0; k < block->n_members && !st; k++) {
            int i = block->members[k];
            bool are_other = false;
            if (takt_run_has_event_mode(run, i)) continue;
            st = gather_anew(run, i, &are_other, err);
            if (!st && are_other) st = takt_run_set_inputs(run, i, t, err);
            if (!st && are_other) st = takt_run_get_outputs(run, i, t, err);
        }
    }
    return st;
}

takt_status takt_run_handle_events(takt_run *run, bool is_after_initialization, takt_error *err)
{
    double t = run->state.grid.time;
    takt_status st = TAKT_OK;
    run->state.n_events++;
    takt_derivatives_forget(run);
    for (int i = 0; i < run->work.n_instances && !st && !is_after_initialization; i++)
        if (takt_run_has_event_mode(run, i)) st = enter(run, i, t, err);
    if (!st && run->steer) st = run->steer(run->steer_context, err);
    if (!st) st = settle(run, t, err);
    for (int i = 0; i < run->work.n_instances && !st; i++)
        if (takt_run_has_event_mode(run, i)) st = leave(run, i, t, err);
    bool goes_on = !is_after_initialization && run->state.progress != TAKT_TERMINATED;
    if (!st && goes_on) st = refresh_others(run, t, err);
    takt_run_note_next_event(run);
    run->work.moment++;
    return st;
}

// Handles an event of one instance alone at time t, in the middle of a step.
static takt_status handle_own_event(takt_run *run, int i_instance, double t, bool *terminates,
                                    takt_error *err)
{
    takt_status st = enter(run, i_instance, t, err);
    if (run->automatic) run->state.n_events++; // others may do this in several threads
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
                         t, run->work.instances[i_instance].instance->name, MAX_ROUNDS);
    return st ? st : leave(run, i_instance, t, err);
}

// The instance stopped at result->time: it handles its event alone, as others may already be further, and goes on.
static takt_status go_on_once(takt_run *run, int i_instance, const takt_step *step,
                              takt_step_result *result, takt_error *err)
{
    takt_step rest = *step;
    rest.t = result->time;
    rest.h = step->t + step->h - rest.t;
    // It may still be rewound to the beginning of the whole step.
    rest.is_final =
        step->is_final && !run->way_back && !run->work.instances[i_instance].saves_state;
    bool terminates;
    takt_status st = handle_own_event(run, i_instance, rest.t, &terminates, err);
    if (!terminates) return st ? st : takt_run_do_step(run, i_instance, &rest, result, err);
    result->end = TAKT_STEP_TERMINATED;
    return st;
}

takt_status takt_run_go_on(takt_run *run, int i_instance, const takt_step *step,
                           takt_step_result *result, takt_error *err)
{
    double t_end = step->t + step->h, before = step->t;
    takt_status st = TAKT_OK;
    if (!takt_times_equal(result->time, t_end, step->h))
        takt_early_note(run, i_instance, step, result);
    for (int n = 0; !st && result->end == TAKT_STEP_EARLY; n++) {
        if (takt_times_equal(result->time, t_end, step->h)) { // all others will be there, too
            result->end = TAKT_STEP_DONE;
            result->has_event = true;
            break;
        }
        if (result->time > before) n = 0;
        if (n >= MAX_ROUNDS)
            return takt_fail(err, TAKT_ERR_SIMULATION,
                             "instance '%s' at t=%.15g s: stops for an event again and again, "
                             "without time going on",
                             run->work.instances[i_instance].instance->name, result->time);
        before = result->time;
        st = go_on_once(run, i_instance, step, result, err);
    }
    return st;
}
