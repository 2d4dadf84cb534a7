// SPDX-License-Identifier: MIT
// Choosing schemes for instances that hold their inputs; see held.h.
//
// What a scheme gets wrong is not seen by the error test, because prediction and result have it in common. So
// the result is compared with that of the next finer scheme, with a small part of the tolerance as weight.
#include "run/held.h"

#include <math.h>
#include <string.h>

#include "run/calls.h"
#include "run/way_back.h"

// The part of the tolerance that schemes may use; differences that end a search, and that allow a cheaper scheme.
static const double SHARE = 0.3, SETTLED = 0.5, CLOSE = 0.3;
enum { MOST_INTERVALS = 16, MOST_PAIRS = 16, CHECK_INTERVAL = 12, MOST_NEEDED = 24 };

static const takt_scheme END = {TAKT_SCHEME_END, INFINITY, 1, 1, 0};
static const takt_scheme MEAN = {TAKT_SCHEME_MEAN, INFINITY, 1, 1, 0};
static const takt_scheme POINTS = {TAKT_SCHEME_POINTS, INFINITY, 1, 1, 0};
static const takt_scheme MORE_POINTS = {TAKT_SCHEME_POINTS, INFINITY, 1, 3, 0};
static const takt_scheme GAUSS = {TAKT_SCHEME_GAUSS, INFINITY, 1, 1, 0};

takt_status takt_held_create(const takt_couple *couple, takt_held *out, takt_error *err)
{
    takt_run *run = couple->run;
    int most = 1, most_inputs = 1;
    for (int i = 0; i < run->work.n_instances; i++) {
        int n = couple->first_tested[i + 1] - couple->first_tested[i];
        int n_inputs = run->plan->instances[i].inputs.n_values[TAKT_KIND_REAL];
        if (n > most) most = n;
        if (n_inputs > most_inputs) most_inputs = n_inputs;
    }
    double *room = takt_arena_array(&run->arena, 7 * (size_t)most, sizeof *room);
    out->sources = takt_arena_array(&run->arena, (size_t)most_inputs, sizeof *out->sources);
    if (!room || !out->sources) return takt_fail_memory(err);
    out->weights = room;
    out->kept = room + most;
    for (int k = 0; k < 5; k++) out->rooms[k] = room + (2 + k) * most;
    return TAKT_OK;
}

bool takt_held_has_choice(const takt_couple *couple, int i_instance)
{
    const takt_run_instance *at = &couple->run->work.instances[i_instance];
    return couple->can_rewind && couple->movement.of[i_instance].n_held > 0 && !at->is_function &&
           couple->first_tested[i_instance] < couple->first_tested[i_instance + 1] &&
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
    const int *values; ///< indices in y of the values of the instance that are tested
    int n;
} trials;

static void copy_values(const trials *all, double *out)
{
    for (int i = 0; i < all->n; i++) out[i] = all->couple->run->state.y.real[all->values[i]];
}

// The outputs that another scheme leads to.
static takt_status try_scheme(const trials *all, const takt_scheme *scheme, double *out,
                              takt_error *err)
{
    takt_run *run = all->couple->run;
    const takt_step *step = &all->at->step;
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    double *y = run->state.y.real;
    for (int i = 0; i < all->n; i++) y[all->values[i]] = all->held->kept[i];
    takt_status st = takt_run_restore(run, all->i_instance, step->slot, step->t, err);
    if (!st)
        st = takt_moving_advance(run, &all->couple->movement, all->i_instance, step,
                                 &all->at->course, scheme, &outcome, err);
    if (!st) st = takt_couple_read_unread(all->couple, all->i_instance, step->t + step->h, err);
    copy_values(all, out);
    bool is_possible = !st && outcome.end == TAKT_STEP_DONE;
    for (int i = 0; i < all->n && !is_possible; i++) out[i] = INFINITY;
    return takt_way_back_is_open(run, st) ? TAKT_OK : st;
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
    double part = fmin(fmin(0.2, fmax(change, 1e-3)), 1 / gain);
    for (int i = 0; i < all->n; i++)
        all->held->weights[i] =
            SHARE * all->couple->tolerance * all->couple->scale[all->values[i]] * part;
}

// The value number i that the instance reads and holds.
static int source_of(const trials *all, int i)
{
    const takt_moving *moving = &all->couple->movement.of[all->i_instance];
    return moving->inputs[moving->n_followed + i].source;
}

// The outputs if all values that the instance reads had been larger by a part of their size, but not at the end.
static takt_status try_shifted(const trials *all, double part, double *out, takt_error *err)
{
    takt_run *run = all->couple->run;
    double *y = run->state.y.real, t_end = all->at->step.t + all->at->step.h;
    int n = all->couple->movement.of[all->i_instance].n_held;
    for (int i = 0; i < n; i++) {
        int source = source_of(all, i);
        all->held->sources[i] = y[source];
        y[source] += part * all->couple->scale[source];
    }
    takt_status st = try_scheme(all, &END, out, err);
    for (int i = n - 1; i >= 0; i--) // one value may feed several inputs
        y[source_of(all, i)] = all->held->sources[i];
    if (!st) st = takt_moving_read_again(run, &all->couple->movement, all->i_instance, t_end, err);
    if (!st) st = takt_couple_read_unread(all->couple, all->i_instance, t_end, err);
    if (!st) copy_values(all, out);
    return st;
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
    double piece = now->piece;
    *now = *found;
    now->piece = piece;
}

// No output tells what the instance makes of its inputs. If they reach its outputs at once, or if it has jumped and rests
// again, it sees them at the end only. But it may as well remember them, as a delay does: then it gets as many points as
// straight lines between them need, and more where its outputs move, so that they have no corners.
static void choose_unseen(const trials *all, bool is_resting, int64_t n_accepted)
{
    const takt_held_state *state = &all->held->states[all->i_instance];
    bool may_remember = !all->couple->movement.of[all->i_instance].reads_again &&
                        !(is_resting && state->has_jumped) && !all->couple->is_fixed;
    const takt_scheme *points = is_resting ? &POINTS : &MORE_POINTS;
    choose(all, may_remember ? points : &END, true, n_accepted);
}

// Have the values of the instance stayed the same to the last bit, though its inputs moved? Then it waits for an
// event, and must see the inputs as they are at the end.
static bool has_rested(const trials *all)
{
    for (int i = 0; i < all->n; i++)
        if (all->held->kept[i] != all->at->course.rows[0][all->values[i]]) return false;
    return true;
}

// Is there no difference, whatever the inputs are within the step? Either the instance does not react to inputs
// by itself (it waits for an event), or its outputs depend on the inputs at the end alone.
static takt_status is_end_enough(const trials *all, const double *at_end, bool *out,
                                 takt_error *err)
{
    double *other = all->held->rooms[4];
    takt_status st = try_shifted(all, 0.01, other, err);
    *out = !st && memcmp(at_end, other, (size_t)all->n * sizeof(double)) == 0;
    return st;
}

// Refines the Gauss scheme until it changes nothing: first the last interval, then all of them.
static takt_status refine(const trials *all, takt_scheme *scheme, double *result, bool *is_settled,
                          takt_error *err)
{
    double *next = all->held->rooms[3];
    size_t size = (size_t)all->n * sizeof(double);
    *scheme = GAUSS;
    *is_settled = false;
    takt_status st = try_scheme(all, scheme, result, err);
    while (!st && scheme->n_intervals < MOST_INTERVALS) {
        takt_scheme finer = *scheme;
        finer.n_intervals++;
        st = try_scheme(all, &finer, next, err);
        *is_settled = !st && distance(all, next, result) <= SETTLED;
        if (st || *is_settled) break;
        *scheme = finer;
        memcpy(result, next, size);
    }
    while (!st && scheme->n_intervals > 1 && scheme->n_pairs < MOST_PAIRS) {
        takt_scheme finer = *scheme;
        finer.n_pairs *= 2;
        st = try_scheme(all, &finer, next, err);
        *is_settled = !st && distance(all, next, result) <= SETTLED;
        if (st || *is_settled) break;
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

// Do two steps with the same inputs lead elsewhere than one?
static takt_status is_step_dependent(const trials *all, bool *out, takt_error *err)
{
    takt_attempt constant = *all->at;
    trials own = *all;
    double *once = all->held->rooms[3], *twice = all->held->rooms[4];
    own.at = &constant;
    takt_course_freeze(&constant.course);
    takt_status st = try_scheme(&own, &END, once, err);
    if (!st) st = try_scheme(&own, &GAUSS, twice, err);
    *out = !st && distance(all, once, twice) > 1;
    return st;
}

// The result changes with every finer scheme: it depends on the size of the steps more than on the inputs within
// them, as an instance does that integrates with one step of a simple method. Then it makes one step.
static void give_up(const trials *all)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    state->is_given_up = true;
    all->couple->schemes[all->i_instance] = END;
    takt_log_write(
        all->couple->run->log, TAKT_LEVEL_INFO,
        "instance '%s' at t=%.15g s: its results depend on the size of its steps, however "
        "short they are, so that its inputs are held",
        all->couple->run->work.instances[all->i_instance].instance->name, all->at->step.t);
}

static takt_status search(const trials *all, bool is_sure, bool is_first, int64_t n_accepted,
                          takt_error *err)
{
    double *end = all->held->rooms[0], *mean = all->held->rooms[1], *fine = all->held->rooms[2];
    takt_scheme found = END;
    bool is_enough = false, is_settled = false;
    takt_status st = try_scheme(all, &END, end, err);
    if (!st) st = is_end_enough(all, end, &is_enough, err);
    all->held->states[all->i_instance].is_end_enough = is_enough;
    if (is_enough) choose_unseen(all, false, n_accepted);
    if (st || is_enough || is_first) return st;
    st = try_scheme(all, &MEAN, mean, err);
    if (!st) st = refine(all, &found, fine, &is_settled, err);
    if (st) return st;
    bool is_uneven = false;
    if (!is_settled) st = is_step_dependent(all, &is_uneven, err);
    if (is_uneven) give_up(all);
    if (st || is_uneven) return st;
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
    takt_held_state *state = &held->states[i_instance];
    bool is_first = !state->has_looked, is_search = is_first || n_accepted >= state->next_search;
    bool is_check = !state->is_end_enough &&
                    (at->step.h > 1.4 * state->h_valid || n_accepted % CHECK_INTERVAL == 10);
    if (state->is_given_up || (!is_search && !is_check)) return TAKT_OK;
    if (takt_moving_is_at_rest(run, &couple->movement.of[i_instance], &at->course)) return TAKT_OK;
    int first = couple->first_tested[i_instance];
    trials all = {held,
                  couple,
                  i_instance,
                  at,
                  couple->tested + first,
                  couple->first_tested[i_instance + 1] - first};
    double t_end = at->step.t + at->step.h;
    state->has_looked = true;
    copy_values(&all, held->kept);
    weigh(&all, change, gain);
    if (has_rested(&all)) {
        choose_unseen(&all, true, n_accepted);
        return TAKT_OK;
    }
    if (is_search && !is_first) state->next_search = n_accepted + (n_accepted < 60 ? 11 : 37);
    takt_status st = takt_run_save(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    if (!st)
        st = is_search ? search(&all, false, is_first, n_accepted, err)
                       : check(&all, n_accepted, err);
    if (!st) st = takt_run_restore(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    if (!st) st = takt_run_get_outputs(run, i_instance, t_end, err);
    return st ? st : takt_couple_read_unread(couple, i_instance, t_end, err);
}
