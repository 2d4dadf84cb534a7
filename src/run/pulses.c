// SPDX-License-Identifier: MIT
// Pulses that an instance makes by itself, as modulators and generators do; see auto.h. A step over a whole pulse shows
// nothing at its ends. Behind a jump, a trial shows whether that may happen: the instance steps alone, its inputs
// unchanged, over the time that it stayed as it was before. If it comes back, it makes pulses by itself, and if steps
// before a pulse were longer than that pulse, others like it may have been missed, which is said.
//
// Until some trials have shown that an instance does not come back, and for good if it does, no step is longer than half
// of the shortest time between its latest jumps, for as long again as these took.
//
// A controller that switches because of others does not come back while its inputs stay: what it does is seen by them.
#include <math.h>
#include <string.h>

#include "run/advance.h"
#include "run/auto.h"
#include "run/calls.h"
#include "run/doubts.h"
#include "run/early.h"
#include "run/way_back.h"

enum { MOST_TRIALS = 4 };
// A trial goes this far into the time behind the expected jump, and is limited by it.
static const double BEYOND = 1.5;
// By this factor steps grow as well.
static const double USUAL = 2;
// Steps, in parts of the shortest time between jumps; for how long, in parts of the time that these took.
static const double PART = 0.5, REMEMBERED = 1.5;
// Times between jumps are alike within this factor.
static const double ALIKE = 4;
// Not more steps than that in this time because of pulses.
static const double MOST_STEPS = 1000;

static double interval(const takt_pulse_state *at, int i)
{
    return at->times[i] - at->times[i + 1];
}

static void note_jump(takt_pulse_state *at, double t, double longest)
{
    memmove(at->times + 1, at->times, sizeof at->times - sizeof *at->times);
    memmove(at->longest + 1, at->longest, sizeof at->longest - sizeof *at->longest);
    at->times[0] = t;
    at->longest[0] = longest;
    if (at->n < TAKT_PULSE_TIMES) at->n++;
}

// The value of the instance that has jumped by most of its scale; -1: none is real.
static int find_jumped(const takt_auto *own, int i_instance)
{
    const takt_couple *couple = &own->couple;
    const double *begin = takt_history_values(own->history, 0);
    int found = -1;
    double most = 0;
    for (int k = couple->first_tested[i_instance]; k < couple->first_tested[i_instance + 1]; k++) {
        int i = couple->tested[k];
        double size = fabs(own->run->state.y.real[i] - begin[i]) / own->scale[i];
        if (size <= most) continue;
        most = size;
        found = i;
    }
    return found;
}

// Steps the instance alone over h from the beginning of the step, its inputs as they are. Is its output then what it was
// before the jump? Leaves everything as it was.
static takt_status try_alone(takt_auto *own, const takt_attempt *at, int i_instance, double h,
                             bool *comes_back, takt_error *err)
{
    takt_run *run = own->run;
    const double *begin = takt_history_values(own->history, 0), t_end = at->step.t + at->step.h;
    size_t size = (size_t)own->history->n_values * sizeof(double);
    int i_value = find_jumped(own, i_instance);
    takt_instance_state state = run->state.instances[i_instance];
    takt_outcome outcome = {.end = TAKT_STEP_DONE}, ignored = {0};
    takt_step step = at->step;
    step.h = h;
    step.is_final = false;
    memcpy(own->kept, run->state.y.real, size);
    takt_status st = takt_run_save(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    if (!st) st = takt_run_restore(run, i_instance, step.slot, step.t, err);
    if (!st) st = takt_run_advance_instance(run, i_instance, &step, &outcome, err);
    if (!st) st = takt_couple_read_unread(&own->couple, i_instance, step.t + h, err);
    bool is_open = takt_way_back_is_open(run, st);
    if (is_open) st = TAKT_OK;
    *comes_back =
        !st && !is_open && outcome.end == TAKT_STEP_DONE && !takt_jump_has_changed(run, i_instance);
    if (*comes_back && i_value >= 0)
        *comes_back = fabs(run->state.y.real[i_value] - begin[i_value]) <
                      0.5 * fabs(own->kept[i_value] - begin[i_value]);
    takt_early_take(run, &ignored);
    if (!st) st = takt_run_restore(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    run->state.instances[i_instance] = state;
    memcpy(run->state.y.real, own->kept, size);
    return st ? st : takt_run_get_outputs(run, i_instance, t_end, err);
}

// An FMU need not allow steps that are much longer than those that it has made: some fail then.
static bool can_try(const takt_auto *own, double phase)
{
    return BEYOND * phase <= USUAL * own->state->longest_made;
}

// Does the instance come back by itself? The time until it does is expected to be that of the phase before the latest one: both
// states take turns.
static takt_status find_out(takt_auto *own, const takt_attempt *at, int i_instance, takt_error *err)
{
    takt_pulse_state *pulses = &own->pulses[i_instance];
    double phase = interval(pulses, pulses->n > 2 ? 1 : 0), h = at->step.h + BEYOND * phase;
    if (!can_try(own, phase) || h >= own->run->state.grid.stop - at->step.t) return TAKT_OK;
    pulses->n_trials++;
    return try_alone(own, at, i_instance, h, &pulses->is_alone, err);
}

// The shortest time between its latest jumps; one that has been alone among longer ones does not count.
static double shortest_time(const takt_pulse_state *at)
{
    double shortest = at->n == 2 ? interval(at, 0) : INFINITY;
    for (int i = 0; i + 1 < at->n; i++)
        for (int j = 0; j + 1 < at->n; j++) {
            bool are_alike = j != i && interval(at, j) >= interval(at, i) &&
                             interval(at, j) <= ALIKE * interval(at, i);
            if (are_alike) shortest = fmin(shortest, interval(at, i));
        }
    return shortest;
}

// For how long steps are limited, and to what.
static void limit(takt_auto *own)
{
    takt_auto_state *state = own->state;
    double t = own->run->state.grid.time, shortest = INFINITY;
    state->pulse_until = -INFINITY;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        const takt_pulse_state *at = &own->pulses[i];
        if (at->n < 2 || !(at->is_alone || at->n_trials < MOST_TRIALS)) continue;
        double until = at->times[0] + REMEMBERED * (at->times[0] - at->times[at->n - 1]);
        double own_time = shortest_time(at);
        bool is_near = at->is_alone || can_try(own, own_time); // else steps are far shorter
        if (until <= t || !is_near) continue;
        shortest = fmin(shortest, own_time);
        state->pulse_until = fmax(state->pulse_until, until);
    }
    double least = (state->pulse_until - t) / MOST_STEPS;
    state->pulse_step = isfinite(shortest) ? fmax(PART * shortest, least) : 0;
}

// Was a step before one of the latest n phases longer than that phase?
static bool is_missable(const takt_pulse_state *at, int n)
{
    for (int i = 0; i < n; i++)
        if (interval(at, i) < at->longest[i + 1]) return true;
    return false;
}

takt_status takt_pulses_note(takt_auto *own, const takt_attempt *at, takt_error *err)
{
    takt_auto_state *state = own->state;
    int i = state->i_jump;
    takt_pulse_state *pulses = &own->pulses[i];
    bool was_alone = pulses->is_alone;
    takt_status st = TAKT_OK;
    if (pulses->n == 0) note_jump(pulses, own->run->state.grid.start, 0);
    note_jump(pulses, state->jump_to, state->longest);
    if (!was_alone && pulses->n_trials < MOST_TRIALS) st = find_out(own, at, i, err);
    limit(own);
    if (st || !pulses->is_alone) return st;
    if (!is_missable(pulses, was_alone ? 1 : pulses->n - 1)) return TAKT_OK;
    const char *name = own->run->work.instances[i].instance->name;
    return takt_doubt_note(own->run, TAKT_DOUBT_PULSES, name, NAN, err);
}

double takt_pulses_limit(const takt_auto *own)
{
    const takt_auto_state *state = own->state;
    bool is_limited = state->pulse_step > 0 && own->run->state.grid.time < state->pulse_until;
    return is_limited ? fmax(own->h_least, state->pulse_step) : INFINITY;
}
