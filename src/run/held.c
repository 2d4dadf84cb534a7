// SPDX-License-Identifier: MIT
// Choosing schemes for instances that hold their inputs; see held.h.
//
// What a scheme gets wrong is not seen by the error test, because prediction and result have it in common. So
// the result is compared with that of the next finer scheme, with a small part of the tolerance as weight.
#include "run/held.h"

#include <math.h>
#include <string.h>

#include "run/calls.h"
#include "run/hidden.h"
#include "run/noisy.h"

// The part of the tolerance that schemes may use; differences that end a search, and that allow a cheaper scheme.
static const double SHARE = 0.3, SETTLED = 0.5, CLOSE = 0.3;
// Differences between results that should be equal, in the same unit: smaller ones do not matter.
static const double NO_NOISE = 0.01;
// In tolerances: what differences that noise hides may make of the result.
static const double MOST_HIDDEN = 1;
// Differences of methods of some order shrink by more when steps are halved.
static const double LEAST_RATIO = 1.4;
enum {
    MOST_INTERVALS = 16,
    MOST_PAIRS = 16,
    CHECK_INTERVAL = 12,
    MOST_NEEDED = 24,
    MANY_UNEVEN = 2
};

static const takt_scheme MEAN = {TAKT_SCHEME_MEAN, INFINITY, 1, 1, 0, 0};
static const takt_scheme POINTS = {TAKT_SCHEME_POINTS, INFINITY, 1, 1, 0, 0};
static const takt_scheme MORE_POINTS = {TAKT_SCHEME_POINTS, INFINITY, 1, 3, 0, 0};
static const takt_scheme GAUSS = {TAKT_SCHEME_GAUSS, INFINITY, 1, 1, 0, 0};

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
    double *room =
        takt_arena_array(&run->arena, (2 + TAKT_HELD_ROOMS) * (size_t)most, sizeof *room);
    out->sources = takt_arena_array(&run->arena, (size_t)most_inputs, sizeof *out->sources);
    if (!room || !out->sources) return takt_fail_memory(err);
    out->weights = room;
    out->kept = room + most;
    for (int k = 0; k < TAKT_HELD_ROOMS; k++) out->rooms[k] = room + (2 + k) * most;
    return TAKT_OK;
}

// Without a way back nothing can be tried. With a tolerance, inputs move as if the instance had states.
static bool is_led_blindly(const takt_couple *couple, int i_instance)
{
    const takt_run_instance *at = &couple->run->work.instances[i_instance];
    return !couple->is_fixed && !couple->can_rewind && couple->movement.of[i_instance].n_held > 0 &&
           !at->is_function && at->instance->model->can.variable_step;
}

void takt_held_begin(const takt_couple *couple, int i_instance, takt_scheme *scheme,
                     takt_held *held)
{
    bool is_led = takt_held_has_choice(couple, i_instance) || is_led_blindly(couple, i_instance);
    *scheme = is_led ? GAUSS : takt_scheme_end;
    held->states[i_instance] = (takt_held_state){.n_needed = 3, .next_search = 6};
    held->twin_times[i_instance] = NAN;
}

// ---- differences ---------------------------------------------------------------------------------------

// Largest difference, in units of what matters.
static double distance(const takt_trials *all, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < all->n; i++) {
        double d = fabs(a[i] - b[i]) / all->held->weights[i];
        if (!(d <= largest)) largest = isnan(d) ? INFINITY : d;
        takt_noise_see(&all->couple->noise, all->values[i], fabs(a[i] - b[i]));
    }
    return largest;
}

// Are results so near that nothing matters, as far as outputs resolve it?
static bool is_close(const takt_trials *all, double distance)
{
    double coarsest = 0;
    for (int i = 0; i < all->n; i++) {
        double d = all->couple->noise.resolution[all->values[i]] / all->held->weights[i];
        if (isfinite(d)) coarsest = fmax(coarsest, d);
    }
    return fmax(distance, coarsest) <= CLOSE;
}

// The same, but for what noise may have made.
static double distance_beyond_noise(takt_trials *all, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < all->n; i++) {
        int v = all->values[i];
        double size = fabs(a[i] - b[i]);
        double d = (size - takt_noise_of(&all->couple->noise, v)) / all->held->weights[i];
        if (!(d <= largest)) largest = isnan(d) ? INFINITY : d;
        bool is_hidden = size > all->held->weights[i] && d <= SETTLED;
        if (is_hidden)
            all->hidden =
                fmax(all->hidden, size / (all->couple->tolerance * all->couple->scale[v]));
    }
    return largest;
}

// Inputs stay as they were at the beginning, and the step is made in pieces of equal size.
static takt_status go_frozen(const takt_trials *all, int n_pieces, double *out, takt_error *err)
{
    takt_attempt constant = *all->at;
    takt_trials own = *all;
    takt_scheme scheme = takt_scheme_end;
    own.at = &constant;
    takt_course_freeze(&constant.course);
    if (n_pieces > 1) scheme.piece = constant.step.h / n_pieces;
    return takt_trials_go(&own, all->at->step.slot, &scheme, out, err);
}

// Does a difference become smaller, as it does when the steps of a method of some order become shorter? Of the value that
// differs most.
static bool is_regular(const takt_trials *all, const double *a, const double *b, const double *c)
{
    double largest = 0, ratio = 0;
    for (int i = 0; i < all->n; i++) {
        double d = fabs(a[i] - b[i]) / all->held->weights[i];
        if (d <= largest) continue;
        largest = d;
        ratio = (a[i] - b[i]) / (b[i] - c[i]);
    }
    return ratio >= LEAST_RATIO;
}

static void learn(const takt_trials *all, const double *a, const double *b)
{
    for (int i = 0; i < all->n; i++)
        takt_noise_learn(&all->couple->noise, all->values[i],
                         isfinite(a[i] - b[i]) ? fabs(a[i] - b[i]) : 0);
}

// With inputs that stay, all schemes lead to the same, whatever inputs do to the instance. Otherwise its results are noisy, or
// they depend on the size of its steps in a regular way.
static takt_status measure_noise(takt_trials *all, takt_error *err)
{
    double *once = all->held->rooms[4], *twice = all->held->rooms[5], *four = all->held->rooms[6];
    takt_held_state *state = &all->held->states[all->i_instance];
    if (all->has_measured) return TAKT_OK;
    all->has_measured = true;
    takt_status st = go_frozen(all, 1, once, err);
    if (!st) st = go_frozen(all, 2, twice, err);
    double first = st ? 0 : distance(all, once, twice);
    bool is_even = first <= 1;
    if (!st && first > NO_NOISE) st = go_frozen(all, 4, four, err);
    if (!st && first > 1 && is_regular(all, once, twice, four)) {
        double *eight = all->held->rooms[7];
        st = go_frozen(all, 8, eight, err);
        is_even = !is_regular(all, twice, four, eight);
    } else {
        is_even = true;
    }
    state->n_uneven = is_even ? 0 : state->n_uneven + 1;
    if (st || !is_even) return st;
    learn(all, once, twice);
    if (first > NO_NOISE) learn(all, twice, four);
    return takt_noisy_judge(all->couple, all->i_instance, err);
}

static void weigh(const takt_trials *all, double change, double gain)
{
    double part = fmin(fmin(0.2, fmax(change, 1e-3)), 1 / gain);
    for (int i = 0; i < all->n; i++)
        all->held->weights[i] =
            SHARE * all->couple->tolerance * all->couple->scale[all->values[i]] * part;
}

// ---- the choice --------------------------------------------------------------------------------------

// Dearer schemes are taken at once; cheaper ones when they have won often enough, in steps that are not short.
static void choose(const takt_trials *all, const takt_scheme *found, bool is_sure,
                   int64_t n_accepted)
{
    takt_scheme *now = &all->couple->schemes[all->i_instance];
    takt_held_state *state = &all->held->states[all->i_instance];
    double h = all->at->step.h;
    int cost = takt_scheme_cost(found), cost_now = takt_scheme_cost(now);
    state->h_largest = fmax(h, 0.98 * state->h_largest);
    if (cost < cost_now && !is_sure) {
        if (!all->is_telling) return;
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
    int most_fine = now->most_fine;
    *now = *found;
    now->piece = piece;
    now->most_fine = most_fine;
}

// No output tells what the instance makes of its inputs. If it has jumped and rests again, or if inputs reach its outputs at once,
// it sees them at the end only, as far as is known. But it may as well remember them, as a delay does: then it gets as many points as
// straight lines between them need, and more where its outputs move, so that they have no corners. If it has states, it hides
// them, and agreement of schemes proves nothing: fine pairs are right by themselves. Where noise may hide it, nothing is known, and
// the scheme stays.
static void choose_unseen(const takt_trials *all, bool is_resting, int64_t n_accepted)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    takt_scheme *now = &all->couple->schemes[all->i_instance];
    bool has_states = takt_hidden_has_states(all->couple, all->held, all->i_instance);
    bool reads_again = all->couple->movement.of[all->i_instance].reads_again;
    if (state->is_unsure && (reads_again || has_states)) return;
    if (all->couple->is_fixed || (state->has_jumped && is_resting) ||
        (reads_again && !has_states)) {
        choose(all, &takt_scheme_end, true, n_accepted);
    } else if (!has_states) {
        choose(all, is_resting ? &POINTS : &MORE_POINTS, true, n_accepted);
    } else {
        takt_hidden_lead_finely(now, state->has_reacted ? TAKT_MOST_FINE : TAKT_FEW_FINE);
    }
}

// Refines the Gauss scheme until it changes nothing: first the last interval, then all of them.
static takt_status refine(takt_trials *all, takt_scheme *scheme, double *result, bool *is_settled,
                          takt_error *err)
{
    double *next = all->held->rooms[3];
    size_t size = (size_t)all->n * sizeof(double);
    *scheme = GAUSS;
    *is_settled = false;
    takt_status st = takt_trials_go(all, all->at->step.slot, scheme, result, err);
    while (!st && scheme->n_intervals < MOST_INTERVALS) {
        takt_scheme finer = *scheme;
        finer.n_intervals++;
        st = takt_trials_go(all, all->at->step.slot, &finer, next, err);
        *is_settled = !st && distance_beyond_noise(all, next, result) <= SETTLED;
        if (!st && !*is_settled && scheme->n_intervals > 1 && !all->has_measured) {
            st = measure_noise(all, err);
            *is_settled = !st && distance_beyond_noise(all, next, result) <= SETTLED;
        }
        if (st || *is_settled) break;
        *scheme = finer;
        memcpy(result, next, size);
    }
    while (!st && scheme->n_intervals > 1 && scheme->n_pairs < MOST_PAIRS) {
        takt_scheme finer = *scheme;
        finer.n_pairs *= 2;
        st = takt_trials_go(all, all->at->step.slot, &finer, next, err);
        *is_settled = !st && distance_beyond_noise(all, next, result) <= SETTLED;
        if (st || *is_settled) break;
        *scheme = finer;
        if (scheme->n_intervals > 2) scheme->n_intervals--;
        memcpy(result, next, size);
    }
    return st;
}

// A shorter window with the same last interval.
static takt_status shorten(const takt_trials *all, takt_scheme *scheme, const double *result,
                           takt_error *err)
{
    double *other = all->held->rooms[3];
    takt_status st = TAKT_OK;
    for (int s = scheme->n_intervals - 1; s > 0 && !st; s--) {
        takt_scheme shorter = *scheme;
        shorter.window = all->at->step.h * exp2(-s);
        shorter.n_intervals = scheme->n_intervals - s;
        st = takt_trials_go(all, all->at->step.slot, &shorter, other, err);
        if (st || !is_close(all, distance(all, other, result))) continue;
        *scheme = shorter;
        break;
    }
    return st;
}

// The result changes with every finer scheme: it depends on the size of the steps more than on the inputs within
// them, as an instance does that integrates with one step of a simple method. Then it makes one step.
static void give_up(const takt_trials *all)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    state->is_given_up = true;
    all->couple->schemes[all->i_instance] = takt_scheme_end;
    takt_log_write(
        all->couple->run->log, TAKT_LEVEL_INFO,
        "instance '%s' at t=%.15g s: its results depend on the size of its steps, however "
        "short they are, so that its inputs are held",
        all->couple->run->work.instances[all->i_instance].instance->name, all->at->step.t);
}

// Nothing is seen of inputs that reach the outputs at once: are there states besides? That is tried once: stateless members of loops
// would pay for more.
static takt_status remember(const takt_trials *all, bool is_first, takt_error *err)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    bool may_hide = all->couple->movement.of[all->i_instance].reads_again && !state->has_jumped &&
                    !all->couple->is_fixed &&
                    !takt_hidden_has_states(all->couple, all->held, all->i_instance);
    if (!may_hide || is_first || state->has_tried) return TAKT_OK;
    state->has_tried = true;
    return takt_hidden_find_memory(all, err);
}

static takt_status search(takt_trials *all, bool is_sure, bool is_first, int64_t n_accepted,
                          takt_error *err)
{
    double *end = all->held->rooms[0], *mean = all->held->rooms[1], *fine = all->held->rooms[2];
    takt_held_state *state = &all->held->states[all->i_instance];
    takt_scheme found = takt_scheme_end;
    bool is_settled = false;
    takt_status st = takt_hidden_sound_out(all, end, err);
    if (!st && state->is_unseen) st = remember(all, is_first, err);
    if (!st && state->is_unseen) choose_unseen(all, false, n_accepted);
    if (st || state->is_unseen || is_first) return st;
    st = takt_trials_go(all, all->at->step.slot, &MEAN, mean, err);
    if (!st) st = refine(all, &found, fine, &is_settled, err);
    if (st) return st;
    if (!is_settled && state->n_uneven > 0) { // seen once it may be chance
        if (state->n_uneven >= MANY_UNEVEN) give_up(all);
        state->next_search = n_accepted + 1;
        return TAKT_OK;
    }
    double to_mean = distance(all, mean, fine), to_end = distance(all, end, fine);
    bool may_be_cheaper = all->is_telling || !is_sure;
    if (is_close(all, fmin(to_mean, to_end)) && may_be_cheaper)
        found = to_end <= to_mean ? takt_scheme_end : MEAN;
    else if (may_be_cheaper)
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

static takt_status check(takt_trials *all, int64_t n_accepted, takt_error *err)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    takt_scheme finer = finer_than(&all->couple->schemes[all->i_instance]);
    double *fine = all->held->rooms[0];
    takt_status st = takt_trials_go(all, all->at->step.slot, &finer, fine, err);
    if (st) return st;
    bool is_off = distance_beyond_noise(all, all->held->kept, fine) > 1;
    if (is_off) return search(all, true, false, n_accepted, err);
    state->h_valid = fmax(all->at->step.h, state->h_valid);
    return TAKT_OK;
}

// How far ahead of their course inputs are if they have their values at the end.
static void note_lead(const takt_trials *all)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    const takt_couple *couple = all->couple;
    takt_scheme_kind kind = couple->schemes[all->i_instance].kind;
    bool reads_again = couple->movement.of[all->i_instance].reads_again; // (else there is a twin)
    bool is_led_early =
        kind == TAKT_SCHEME_END ? reads_again : kind == TAKT_SCHEME_POINTS && state->is_delay;
    if (!state->is_unseen || !is_led_early || state->has_jumped || couple->is_fixed) return;
    double lead = takt_moving_lead(couple->run, &couple->movement, all->i_instance,
                                   &all->at->course, &couple->schemes[all->i_instance]);
    state->lead += lead * all->at->step.h;
}

// What is due.
static takt_status look(takt_trials *all, bool is_search, bool is_first, int64_t n_accepted,
                        takt_error *err)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    bool has_states = takt_hidden_has_states(all->couple, all->held, all->i_instance);
    bool is_resting = takt_trials_has_rested(all, has_states) && !state->differs;
    takt_status st = TAKT_OK;
    if (is_resting) state->is_unsure = !takt_trials_has_rested(all, true);
    if (is_resting)
        st = remember(all, is_first, err);
    else
        st =
            is_search ? search(all, false, is_first, n_accepted, err) : check(all, n_accepted, err);
    if (!st && is_resting) choose_unseen(all, true, n_accepted);
    if (!st && state->differs) st = takt_hidden_judge_twin(all, err);
    if (st) return st;
    return takt_hidden_is_twin_right(all) ? takt_hidden_become_twin(all, err)
                                          : takt_trials_end(all, TAKT_SLOT_BETWEEN, err);
}

takt_status takt_held_look(takt_held *held, takt_couple *couple, int i_instance, takt_attempt *at,
                           int64_t n_accepted, double change, double gain, takt_error *err)
{
    takt_run *run = couple->run;
    takt_held_state *state = &held->states[i_instance];
    bool is_first = !state->has_looked;
    bool is_search = is_first || n_accepted >= state->next_search || state->differs;
    bool is_end_enough = state->is_unseen && couple->schemes[i_instance].kind == TAKT_SCHEME_END;
    bool is_check =
        !is_end_enough && (at->step.h > 1.4 * state->h_valid || n_accepted % CHECK_INTERVAL == 10);
    takt_trials all = takt_trials_begin(held, couple, i_instance, at);
    note_lead(&all);
    if (state->is_given_up || (!is_search && !is_check)) return TAKT_OK;
    bool is_at_rest = takt_moving_is_at_rest(run, &couple->movement.of[i_instance], &at->course);
    if (is_at_rest && !state->differs) return TAKT_OK;
    state->has_looked = true;
    takt_trials_copy(&all, held->kept);
    weigh(&all, change, gain);
    if (is_search && !is_first) state->next_search = n_accepted + (n_accepted < 60 ? 11 : 37);
    takt_status st =
        takt_run_save(run, i_instance, TAKT_SLOT_BETWEEN, at->step.t + at->step.h, err);
    if (!st) st = look(&all, is_search, is_first, n_accepted, err);
    // A strong loop makes more of it.
    bool is_doubtful = gain * all.hidden > MOST_HIDDEN;
    return st || !is_doubtful ? st : takt_noisy_note(couple, i_instance, gain * all.hidden, err);
}
