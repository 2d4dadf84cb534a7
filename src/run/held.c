// SPDX-License-Identifier: MIT
// Choosing schemes for instances that hold their inputs; see held.h.
//
// What a scheme gets wrong is not seen by the error test, because prediction and result have it in common. So
// the result is compared with that of the next finer scheme, with a small part of the tolerance as weight.
#include "run/held.h"

#include <math.h>
#include <string.h>

#include "run/calls.h"

// The part of the tolerance that schemes may use; differences that end a search, and that allow a cheaper scheme.
static const double SHARE = 0.3, SETTLED = 0.5, CLOSE = 0.3;
enum { MOST_INTERVALS = 16, MOST_PAIRS = 16, CHECK_INTERVAL = 25, MOST_NEEDED = 24 };

static const takt_scheme END = {TAKT_SCHEME_END, INFINITY, 1, 1};
static const takt_scheme MEAN = {TAKT_SCHEME_MEAN, INFINITY, 1, 1};
static const takt_scheme GAUSS = {TAKT_SCHEME_GAUSS, INFINITY, 1, 1};

takt_status takt_held_create(takt_run *run, takt_held *out, takt_error *err)
{
    int most = 1;
    for (int i = 0; i < run->work.n_instances; i++) {
        int n = run->plan->instances[i].outputs.n_values[TAKT_KIND_REAL];
        if (n > most) most = n;
    }
    double *room = takt_arena_array(&run->arena, 7 * (size_t)most, sizeof *room);
    if (!room) return takt_fail_memory(err);
    out->weights = room;
    out->kept = room + most;
    for (int k = 0; k < 5; k++) out->rooms[k] = room + (2 + k) * most;
    return TAKT_OK;
}

bool takt_held_has_choice(const takt_couple *couple, int i_instance)
{
    const takt_run_instance *at = &couple->run->work.instances[i_instance];
    return couple->can_rewind && couple->movement.of[i_instance].n_held > 0 && !at->is_function &&
           at->plan->outputs.n_values[TAKT_KIND_REAL] > 0 &&
           at->instance->model->can.variable_step;
}

void takt_held_begin(const takt_couple *couple, int i_instance, takt_scheme *scheme,
                     takt_held_state *state)
{
    *scheme = takt_held_has_choice(couple, i_instance) ? GAUSS : END;
    *state = (takt_held_state){.n_needed = 3, .next_search = 6};
}

// ---- trials ------------------------------------------------------------------------------------------

typedef struct trials {
    takt_held *held;
    takt_couple *couple;
    int i_instance;
    takt_attempt *at;
    double *y; ///< the outputs of the instance
    int n;
} trials;

// The outputs that another scheme leads to.
static takt_status try_scheme(const trials *all, const takt_scheme *scheme, double *out,
                              takt_error *err)
{
    takt_run *run = all->couple->run;
    const takt_step *step = &all->at->step;
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    size_t size = (size_t)all->n * sizeof(double);
    memcpy(all->y, all->held->kept, size);
    takt_status st = takt_run_restore(run, all->i_instance, step->slot, step->t, err);
    if (!st)
        st = takt_moving_advance(run, &all->couple->movement, all->i_instance, step,
                                 &all->at->course, scheme, &outcome, err);
    memcpy(out, all->y, size);
    for (int i = 0; i < all->n && outcome.end != TAKT_STEP_DONE; i++) out[i] = INFINITY;
    return st;
}

// Largest difference, in units of what matters.
static double distance(const trials *all, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < all->n; i++) {
        double d = fabs(a[i] - b[i]) / all->held->weights[i];
        if (!(d <= largest)) largest = isnan(d) ? INFINITY : d;
    }
    return largest;
}

static void weigh(const trials *all, double change, double gain)
{
    const takt_plan_instance *plan = &all->couple->run->plan->instances[all->i_instance];
    const double *scale = all->couple->scale + plan->first_output[TAKT_KIND_REAL];
    double part = fmin(fmin(0.2, fmax(change, 1e-3)), 1 / gain);
    for (int i = 0; i < all->n; i++)
        all->held->weights[i] = SHARE * all->couple->tolerance * scale[i] * part;
}

// Moves the values that the instance reads, all by the same part of their size.
static void shift_sources(const trials *all, double part)
{
    const takt_moving *moving = &all->couple->movement.of[all->i_instance];
    for (int i = 0; i < moving->n_held; i++) {
        int source = moving->inputs[moving->n_followed + i].source;
        all->couple->run->state.y.real[source] += part * all->couple->scale[source];
    }
}

static bool have_inputs_moved(const trials *all)
{
    const takt_moving *moving = &all->couple->movement.of[all->i_instance];
    for (int i = 0; i < moving->n_held; i++) {
        int source = moving->inputs[moving->n_followed + i].source;
        if (all->couple->run->state.y.real[source] != all->at->course.rows[0][source]) return true;
    }
    return false;
}

// ---- the choice --------------------------------------------------------------------------------------

// Dearer schemes are taken at once; cheaper ones when they have won often enough, in steps that are not short.
static void choose(const trials *all, const takt_scheme *found, bool is_sure, int64_t n_accepted)
{
    takt_scheme *now = &all->couple->schemes[all->i_instance];
    takt_held_state *state = &all->held->states[all->i_instance];
    double h = all->at->step.h;
    int cost = takt_scheme_cost(found), cost_now = takt_scheme_cost(now);
    state->h_largest = fmax(h, 0.98 * state->h_largest);
    if (cost < cost_now && !is_sure) {
        if (h < 0.5 * state->h_largest) return;
        if (++state->n_wins < state->n_needed) {
            state->next_search = n_accepted + 7;
            return;
        }
    } else if (cost > cost_now) {
        state->n_needed = state->n_needed * 2 < MOST_NEEDED ? state->n_needed * 2 : MOST_NEEDED;
    }
    state->n_wins = 0;
    state->h_valid = h;
    *now = *found;
}

// Is there no difference whatever the inputs are within the step? Either the instance does not react to inputs
// by itself (it waits for an event), or its outputs depend on the inputs at the end alone.
static takt_status is_end_enough(const trials *all, const double *at_end, bool *out,
                                 takt_error *err)
{
    double *other = all->held->rooms[4];
    size_t size = (size_t)all->n * sizeof(double);
    *out = have_inputs_moved(all) && memcmp(at_end, all->held->kept, size) == 0 &&
           all->couple->schemes[all->i_instance].kind != TAKT_SCHEME_END;
    if (*out) return TAKT_OK;
    shift_sources(all, 0.01);
    takt_status st = try_scheme(all, &END, other, err);
    shift_sources(all, -0.01);
    *out = !st && memcmp(at_end, other, size) == 0;
    return st;
}

// Refines the Gauss scheme until it changes nothing: first the last interval, then all of them.
static takt_status refine(const trials *all, takt_scheme *scheme, double *result, takt_error *err)
{
    double *next = all->held->rooms[3];
    size_t size = (size_t)all->n * sizeof(double);
    *scheme = GAUSS;
    takt_status st = try_scheme(all, scheme, result, err);
    while (!st && scheme->n_intervals < MOST_INTERVALS) {
        takt_scheme finer = *scheme;
        finer.n_intervals++;
        st = try_scheme(all, &finer, next, err);
        if (st || distance(all, next, result) <= SETTLED) break;
        *scheme = finer;
        memcpy(result, next, size);
    }
    while (!st && scheme->n_intervals > 1 && scheme->n_pairs < MOST_PAIRS) {
        takt_scheme finer = *scheme;
        finer.n_pairs *= 2;
        st = try_scheme(all, &finer, next, err);
        if (st || distance(all, next, result) <= SETTLED) break;
        *scheme = finer;
        if (scheme->n_intervals > 2) scheme->n_intervals--;
        memcpy(result, next, size);
    }
    return st;
}

// A shorter window with the same last interval.
static takt_status shorten(const trials *all, takt_scheme *scheme, const double *result,
                           takt_error *err)
{
    double *other = all->held->rooms[3];
    takt_status st = TAKT_OK;
    for (int s = scheme->n_intervals - 1; s > 0 && !st; s--) {
        takt_scheme shorter = *scheme;
        shorter.window = all->at->step.h * exp2(-s);
        shorter.n_intervals = scheme->n_intervals - s;
        st = try_scheme(all, &shorter, other, err);
        if (st || distance(all, other, result) > CLOSE) continue;
        *scheme = shorter;
        break;
    }
    return st;
}

static takt_status search(const trials *all, bool is_sure, bool is_first, int64_t n_accepted,
                          takt_error *err)
{
    double *end = all->held->rooms[0], *mean = all->held->rooms[1], *fine = all->held->rooms[2];
    takt_scheme found = END;
    bool is_enough = false;
    takt_status st = try_scheme(all, &END, end, err);
    if (!st) st = is_end_enough(all, end, &is_enough, err);
    if (is_enough) choose(all, &END, true, n_accepted);
    if (st || is_enough || is_first) return st;
    st = try_scheme(all, &MEAN, mean, err);
    if (!st) st = refine(all, &found, fine, err);
    if (st) return st;
    double to_mean = distance(all, mean, fine), to_end = distance(all, end, fine);
    if (fmin(to_mean, to_end) <= CLOSE)
        found = to_end <= to_mean ? END : MEAN;
    else
        st = shorten(all, &found, fine, err);
    if (!st) choose(all, &found, is_sure, n_accepted);
    return st;
}

// The next finer scheme.
static takt_scheme finer_than(const takt_scheme *scheme)
{
    takt_scheme out = GAUSS;
    if (scheme->kind != TAKT_SCHEME_GAUSS) return out;
    out.window = 2 * scheme->window;
    out.n_intervals = scheme->n_intervals + (isinf(scheme->window) ? 1 : 2);
    out.n_pairs = scheme->n_pairs * (scheme->n_intervals == 1 ? 1 : 2);
    return out;
}

static takt_status check(const trials *all, int64_t n_accepted, takt_error *err)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    takt_scheme finer = finer_than(&all->couple->schemes[all->i_instance]);
    double *fine = all->held->rooms[0];
    takt_status st = try_scheme(all, &finer, fine, err);
    if (st) return st;
    if (distance(all, all->held->kept, fine) > 1) return search(all, true, false, n_accepted, err);
    state->h_valid = fmax(all->at->step.h, state->h_valid);
    return TAKT_OK;
}

takt_status takt_held_look(takt_held *held, takt_couple *couple, int i_instance, takt_attempt *at,
                           int64_t n_accepted, double change, double gain, takt_error *err)
{
    takt_run *run = couple->run;
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    takt_held_state *state = &held->states[i_instance];
    bool is_first = n_accepted == 1, is_search = is_first || n_accepted >= state->next_search;
    bool is_check = at->step.h > 1.4 * state->h_valid || n_accepted % CHECK_INTERVAL == 10;
    if (!is_search && !is_check) return TAKT_OK;
    trials all = {held, couple, i_instance, at,
                  run->state.y.real + plan->first_output[TAKT_KIND_REAL],
                  plan->outputs.n_values[TAKT_KIND_REAL]};
    double t_end = at->step.t + at->step.h;
    memcpy(held->kept, all.y, (size_t)all.n * sizeof(double));
    weigh(&all, change, gain);
    if (is_search && !is_first) state->next_search = n_accepted + (n_accepted < 60 ? 11 : 37);
    takt_status st = takt_run_save(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    if (!st)
        st = is_search ? search(&all, false, is_first, n_accepted, err)
                       : check(&all, n_accepted, err);
    if (!st) st = takt_run_restore(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    return st ? st : takt_run_get_outputs(run, i_instance, t_end, err);
}
