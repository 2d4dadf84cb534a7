// SPDX-License-Identifier: MIT
// Trials with one instance that holds its inputs; see trials.h.
#include "run/trials.h"

#include <math.h>

#include "run/advance.h"
#include "run/calls.h"
#include "run/gather.h"
#include "run/noise.h"
#include "run/way_back.h"

// Of one trial. They are not longer than those that have been kept, as instances may refuse such steps.
enum { MOST_STEPS = 64 };

// After so many small responses without noise only every so many are asked for it, where it is known that there are states.
enum { QUIET = 2, SELDOM = 8 };

// A change that is TAKT_TINIER times smaller makes a difference that is smaller by this at least, if inputs do.
static const double LEAST_TINIER = 8;

// In tolerances: outputs of a coarser resolution do not show what inputs do.
static const double COARSE = 0.05;

const takt_scheme takt_scheme_end = {TAKT_SCHEME_END, INFINITY, 1, 1, 0, 0};

bool takt_held_has_choice(const takt_couple *couple, int i_instance)
{
    const takt_run_instance *at = &couple->run->work.instances[i_instance];
    return couple->can_rewind && couple->movement.of[i_instance].n_held > 0 && !at->is_function &&
           couple->first_tested[i_instance] < couple->first_tested[i_instance + 1] &&
           at->instance->model->can.variable_step;
}

takt_trials takt_trials_begin(takt_held *held, takt_couple *couple, int i_instance,
                              takt_attempt *at)
{
    int first = couple->first_tested[i_instance];
    return (takt_trials){.held = held,
                         .couple = couple,
                         .i_instance = i_instance,
                         .at = at,
                         .values = couple->tested + first,
                         .n = couple->first_tested[i_instance + 1] - first};
}

takt_status takt_trials_end(const takt_trials *all, int slot, takt_error *err)
{
    takt_run *run = all->couple->run;
    double t_end = all->at->step.t + all->at->step.h;
    takt_status st = takt_run_restore(run, all->i_instance, slot, t_end, err);
    if (!st) st = takt_run_get_outputs(run, all->i_instance, t_end, err);
    return st ? st : takt_couple_read_unread(all->couple, all->i_instance, t_end, err);
}

bool takt_trials_has_rested(const takt_trials *all, bool is_exact)
{
    const takt_couple *couple = all->couple;
    for (int i = 0; i < all->n; i++) {
        int v = all->values[i];
        double change = fabs(all->held->kept[i] - all->at->course.begin[v]);
        if (!(change <= (is_exact ? 0 : takt_noise_of(&couple->noise, v)))) return false;
    }
    return true;
}

void takt_trials_copy(const takt_trials *all, double *out)
{
    for (int i = 0; i < all->n; i++) out[i] = all->couple->run->state.y.real[all->values[i]];
}

takt_status takt_trials_go(const takt_trials *all, int slot, const takt_scheme *scheme, double *out,
                           takt_error *err)
{
    takt_run *run = all->couple->run;
    const takt_step *step = &all->at->step;
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    double *y = run->state.y.real;
    for (int i = 0; i < all->n; i++) y[all->values[i]] = all->held->kept[i];
    takt_status st = takt_run_restore(run, all->i_instance, slot, step->t, err);
    if (!st)
        st = takt_moving_advance(run, &all->couple->movement, all->i_instance, step,
                                 &all->at->course, scheme, &outcome, err);
    if (!st) st = takt_couple_read_unread(all->couple, all->i_instance, step->t + step->h, err);
    takt_trials_copy(all, out);
    bool is_possible = !st && outcome.end == TAKT_STEP_DONE;
    for (int i = 0; i < all->n && !is_possible; i++) out[i] = INFINITY;
    return takt_way_back_is_open(run, st) ? TAKT_OK : st;
}

// The value number i that the instance reads and holds.
static int source_of(const takt_trials *all, int i)
{
    const takt_moving *moving = &all->couple->movement.of[all->i_instance];
    return moving->inputs[moving->n_followed + i].source;
}

static double change_value(const takt_trials *all, takt_change change, int source, double now)
{
    double least = all->held->least[source], most = all->held->most[source];
    if (change == TAKT_CHANGE_FAR) return now - least > most - now ? least : most;
    double slight = TAKT_SLIGHT * all->couple->scale[source];
    return now + (change == TAKT_CHANGE_TINY ? slight / TAKT_TINIER : slight);
}

static void change_values(const takt_trials *all, takt_change change)
{
    double *y = all->couple->run->state.y.real;
    int n = change == TAKT_CHANGE_NONE ? 0 : all->couple->movement.of[all->i_instance].n_held;
    for (int i = 0; i < n; i++) {
        int source = source_of(all, i);
        all->held->sources[i] = y[source];
        y[source] = change_value(all, change, source, y[source]);
    }
}

static void restore_values(const takt_trials *all, takt_change change)
{
    double *y = all->couple->run->state.y.real;
    int n = change == TAKT_CHANGE_NONE ? 0 : all->couple->movement.of[all->i_instance].n_held;
    for (int i = n - 1; i >= 0; i--) // one value may feed several inputs
        y[source_of(all, i)] = all->held->sources[i];
}

takt_status takt_trials_go_changed(const takt_trials *all, takt_change change, double *out,
                                   takt_error *err)
{
    takt_run *run = all->couple->run;
    double t_end = all->at->step.t + all->at->step.h;
    change_values(all, change);
    takt_status st = takt_trials_go(all, all->at->step.slot, &takt_scheme_end, out, err);
    restore_values(all, change);
    if (!st) st = takt_moving_read_again(run, &all->couple->movement, all->i_instance, t_end, err);
    if (!st) st = takt_couple_read_unread(all->couple, all->i_instance, t_end, err);
    if (!st) takt_trials_copy(all, out);
    return st;
}

// Steps with inputs as they are in y.
static takt_status go_by(const takt_trials *all, double t, double t_end, int n, bool *is_possible,
                         takt_error *err)
{
    takt_run *run = all->couple->run;
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    takt_status st = takt_run_gather(run, all->i_instance, err);
    for (int m = 0; m < n && !st && outcome.end == TAKT_STEP_DONE; m++) {
        double from = t + (t_end - t) * m / n,
               to = m == n - 1 ? t_end : t + (t_end - t) * (m + 1) / n;
        takt_step step = {.t = from, .h = to - from, .slot = all->at->step.slot};
        takt_step_result result = {.end = TAKT_STEP_DONE};
        st = takt_run_set_inputs(run, all->i_instance, from, err);
        if (!st) st = takt_run_do_step(run, all->i_instance, &step, &result, err);
        if (!st) st = takt_run_after_step(run, all->i_instance, &step, &result, &outcome, err);
    }
    *is_possible = outcome.end == TAKT_STEP_DONE;
    return st;
}

takt_status takt_trials_go_on(const takt_trials *all, takt_change change, double t, double t_end,
                              double *out, takt_error *err)
{
    takt_run *run = all->couple->run;
    bool is_possible = false;
    double most = all->held->states[all->i_instance].h_seen;
    double n = most > 0 ? fmax(1, ceil((t_end - t) / most - 1e-6)) : 1;
    for (int i = 0; i < all->n; i++) out[i] = NAN;
    if (t_end > run->state.grid.stop || n > MOST_STEPS) return TAKT_OK;
    change_values(all, change);
    takt_status st = go_by(all, t, t_end, (int)n, &is_possible, err);
    restore_values(all, change);
    if (!st && change != TAKT_CHANGE_NONE)
        st = takt_moving_read_again(run, &all->couple->movement, all->i_instance, t_end, err);
    if (!st) st = takt_couple_read_unread(all->couple, all->i_instance, t_end, err);
    if (!st && is_possible) takt_trials_copy(all, out);
    return takt_way_back_is_open(run, st) ? TAKT_OK : st;
}

double takt_trials_response(const takt_trials *all, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < all->n; i++) {
        int v = all->values[i];
        double difference = fabs(a[i] - b[i]);
        if (difference <= takt_noise_of(&all->couple->noise, v)) continue;
        largest = fmax(largest, difference / all->couple->scale[v]);
    }
    return largest;
}

takt_status takt_trials_respond(takt_trials *all, const double *a, const double *b, double *out,
                                takt_error *err)
{
    double *tiny = all->held->rooms[TAKT_HELD_ROOMS - 1];
    takt_held_state *state = &all->held->states[all->i_instance];
    *out = takt_trials_response(all, a, b);
    state->is_unsure = false;
    for (int i = 0; i < all->n && *out == 0; i++) {
        double resolution = all->couple->noise.resolution[all->values[i]];
        double least = COARSE * all->couple->tolerance * all->couple->scale[all->values[i]];
        state->is_unsure |= a[i] != b[i] || (isfinite(resolution) && resolution > least);
    }
    if (*out == 0 || *out >= all->couple->tolerance) return TAKT_OK;
    bool is_due = !state->has_reacted || state->n_quiet < QUIET || state->n_quiet % SELDOM == 0;
    bool is_noisy = false;
    state->n_quiet++;
    if (!is_due || all->has_measured) return TAKT_OK;
    all->has_gone_tiny = true;
    takt_status st = takt_trials_go_changed(all, TAKT_CHANGE_TINY, tiny, err);
    for (int i = 0; i < all->n && !st; i++) {
        double slight = fabs(a[i] - b[i]), rest = fabs(a[i] - tiny[i]);
        bool is_noise = slight > 0 && rest * LEAST_TINIER > slight;
        takt_noise_learn(&all->couple->noise, all->values[i], is_noise ? fmax(rest, slight) : 0);
        is_noisy |= is_noise;
    }
    if (is_noisy) state->n_quiet = 0;
    all->has_measured |= is_noisy;
    *out = takt_trials_response(all, a, b);
    state->is_unsure = *out == 0;
    return st;
}
