// SPDX-License-Identifier: MIT
// Choosing schemes for instances that hold their inputs; see held.h.
//
// What a scheme gets wrong is not seen by the error test, because prediction and result have it in common. So
// the result is compared with that of the next finer scheme, with a small part of the tolerance as weight.
#include "run/held.h"

#include <math.h>
#include <string.h>

#include "run/advance.h"
#include "run/calls.h"
#include "run/gather.h"
#include "run/way_back.h"

// The part of the tolerance that schemes may use; differences that end a search, and that allow a cheaper scheme.
static const double SHARE = 0.3, SETTLED = 0.5, CLOSE = 0.3;
// Outputs that change more than this much more with inputs a step later hide states; those that change less than this part
// of what they did once tell little. And how that fades.
static const double HIDING = 5, TELLING = 0.3, FADING = 0.99;
// By this part of their scale inputs are changed to see what that does, and at so many times it is looked for later.
static const double SHIFT = 0.01;
enum { N_LATER = TAKT_HELD_ROOMS - 1 };
enum { MOST_INTERVALS = 16, MOST_PAIRS = 16, CHECK_INTERVAL = 12, MOST_NEEDED = 24 };

static const takt_scheme END = {TAKT_SCHEME_END, INFINITY, 1, 1, 0, false};
static const takt_scheme MEAN = {TAKT_SCHEME_MEAN, INFINITY, 1, 1, 0, false};
static const takt_scheme POINTS = {TAKT_SCHEME_POINTS, INFINITY, 1, 1, 0, false};
static const takt_scheme MORE_POINTS = {TAKT_SCHEME_POINTS, INFINITY, 1, 3, 0, false};
static const takt_scheme GAUSS = {TAKT_SCHEME_GAUSS, INFINITY, 1, 1, 0, false};

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
    scheme->is_fine = takt_held_has_choice(couple, i_instance);
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
    bool is_telling; ///< its outputs tell what inputs do to it
    bool is_scheduled; ///< a search is due
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

// Goes on with inputs that stay, from one time behind the step to another: what the step did to states that outputs do not
// show is seen later. The outputs then; not a number: unknown.
static takt_status look_ahead(const trials *all, double t, double t_end, double *out,
                              takt_error *err)
{
    takt_run *run = all->couple->run;
    takt_step step = {.t = t, .h = t_end - t, .slot = all->at->step.slot};
    takt_step_result result = {.end = TAKT_STEP_DONE};
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    for (int i = 0; i < all->n; i++) out[i] = NAN;
    if (t_end > run->state.grid.stop) return TAKT_OK;
    takt_status st = takt_run_gather(run, all->i_instance, err);
    if (!st) st = takt_run_set_inputs(run, all->i_instance, t, err);
    if (!st) st = takt_run_do_step(run, all->i_instance, &step, &result, err);
    if (!st) st = takt_run_after_step(run, all->i_instance, &step, &result, &outcome, err);
    if (!st) st = takt_couple_read_unread(all->couple, all->i_instance, t_end, err);
    if (!st && outcome.end == TAKT_STEP_DONE) copy_values(all, out);
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
    bool is_fine = now->is_fine;
    *now = *found;
    now->piece = piece;
    now->is_fine = is_fine;
}

// No output tells what the instance makes of its inputs. If they reach its outputs at once, or if it has jumped, it sees them at
// the end only, as far as is known. But it may as well remember them, as a delay does: then it gets as many points as straight
// lines between them need, and more where its outputs move, so that they have no corners. Where outputs once have told more, it
// is saturated, and that proves nothing.
static void choose_unseen(const trials *all, bool is_resting, int64_t n_accepted)
{
    const takt_held_state *state = &all->held->states[all->i_instance];
    takt_scheme *now = &all->couple->schemes[all->i_instance];
    if (state->has_reacted && now->kind == TAKT_SCHEME_POINTS) *now = GAUSS, now->is_fine = true;
    if (state->has_reacted && !state->has_jumped) return;
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

// How much outputs differ, relative, per second.
static double response_of(const trials *all, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < all->n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]) / all->couple->scale[all->values[i]]);
    return largest / all->at->step.h;
}

// Long after the step, do outputs still tell at several times what inputs were in it? Then states remember that, even if outputs
// do not show them at present. A delay would show it at one time only.
static takt_status find_memory(const trials *all, takt_error *err)
{
    double **rooms = all->held->rooms, *other = rooms[N_LATER];
    double t_end = all->at->step.t + all->at->step.h, stop = all->couple->run->state.grid.stop;
    double times[N_LATER + 1] = {t_end};
    int n_told = 0;
    double told = -INFINITY;
    double h = all->at->step.h,
           growth = pow(fmax(1, 0.5 * (stop - t_end) / h), 1.0 / (N_LATER - 1));
    for (int k = 0; k < N_LATER; k++) times[k + 1] = t_end + h * pow(growth, k);
    takt_status st = try_scheme(all, &END, other, err);
    for (int k = 0; k < N_LATER && !st; k++)
        st = look_ahead(all, times[k], times[k + 1], rooms[k], err);
    if (!st) st = try_shifted(all, SHIFT, other, err);
    for (int k = 0; k < N_LATER && !st; k++) {
        st = look_ahead(all, times[k], times[k + 1], other, err);
        bool is_same_time = times[k + 1] < told + 3 * h; // of a delay
        if (st || is_same_time || !(response_of(all, rooms[k], other) > 0)) continue;
        told = times[k + 1];
        n_told++;
    }
    if (n_told > 1) all->held->states[all->i_instance].has_reacted = true;
    return st;
}

// By how much do outputs change if inputs within the step do? If not at all, the instance does not react to inputs by itself (it
// waits for an event), its outputs depend on the inputs at the end alone, or it is saturated. If they change much more a step
// later, the inputs feed states that feed others: what a scheme gets wrong there shows too late.
static takt_status sound_out(trials *all, double *at_end, takt_error *err)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    double *other = all->held->rooms[4], *later = all->held->rooms[3],
           *later_other = all->held->rooms[2];
    double t = all->at->step.t + all->at->step.h, t_later = t + all->at->step.h;
    takt_status st = try_scheme(all, &END, at_end, err);
    if (!st) st = look_ahead(all, t, t_later, later, err);
    if (!st) st = try_shifted(all, SHIFT, other, err);
    if (!st) st = look_ahead(all, t, t_later, later_other, err);
    if (st) return st;
    double response = response_of(all, at_end, other);
    double response_later = response_of(all, later, later_other);
    state->is_unseen = response == 0;
    all->is_telling = false;
    if (state->is_unseen) return TAKT_OK;
    takt_scheme *now = &all->couple->schemes[all->i_instance];
    bool is_pointed = now->kind == TAKT_SCHEME_POINTS;
    if (is_pointed) now->kind = TAKT_SCHEME_GAUSS, now->n_pairs = 1;
    bool is_clear = response >= TELLING * state->response;
    state->has_reacted |=
        response_later > 0 && !is_pointed; // a delay that is shorter than the step
    state->response = fmax(FADING * state->response, response);
    if (is_clear && !isnan(later[0])) now->is_fine = response_later > HIDING * response;
    all->is_telling = is_clear && !now->is_fine;
    return TAKT_OK;
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

static takt_status search(trials *all, bool is_sure, bool is_first, int64_t n_accepted,
                          takt_error *err)
{
    double *end = all->held->rooms[0], *mean = all->held->rooms[1], *fine = all->held->rooms[2];
    takt_scheme found = END;
    bool is_settled = false;
    bool was_pointed = all->couple->schemes[all->i_instance].kind == TAKT_SCHEME_POINTS;
    takt_status st = sound_out(all, end, err);
    bool is_unseen = !st && all->held->states[all->i_instance].is_unseen;
    bool is_known = all->held->states[all->i_instance].has_reacted;
    if (!st && !is_known && (is_unseen ? all->is_scheduled : was_pointed)) {
        st = find_memory(all, err);
        if (!st && !is_unseen) st = try_scheme(all, &END, end, err);
    }
    if (is_unseen && !st) choose_unseen(all, false, n_accepted);
    if (st || is_unseen || is_first) return st;
    st = try_scheme(all, &MEAN, mean, err);
    if (!st) st = refine(all, &found, fine, &is_settled, err);
    if (st) return st;
    bool is_uneven = false;
    if (!is_settled) st = is_step_dependent(all, &is_uneven, err);
    if (is_uneven) give_up(all);
    if (st || is_uneven) return st;
    double to_mean = distance(all, mean, fine), to_end = distance(all, end, fine);
    bool may_be_cheaper = all->is_telling || !is_sure;
    if (fmin(to_mean, to_end) <= CLOSE && may_be_cheaper)
        found = to_end <= to_mean ? END : MEAN;
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

static takt_status check(trials *all, int64_t n_accepted, takt_error *err)
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
    bool waits = state->is_unseen && couple->schemes[i_instance].kind == TAKT_SCHEME_POINTS;
    bool is_end_enough = state->is_unseen && couple->schemes[i_instance].kind == TAKT_SCHEME_END;
    bool is_scheduled = is_search;
    is_search |= waits;
    bool is_check =
        !is_end_enough && (at->step.h > 1.4 * state->h_valid || n_accepted % CHECK_INTERVAL == 10);
    if (state->is_given_up || (!is_search && !is_check)) return TAKT_OK;
    if (takt_moving_is_at_rest(run, &couple->movement.of[i_instance], &at->course)) return TAKT_OK;
    int first = couple->first_tested[i_instance];
    trials all = {held,
                  couple,
                  i_instance,
                  at,
                  couple->tested + first,
                  couple->first_tested[i_instance + 1] - first,
                  false,
                  is_scheduled};
    double t_end = at->step.t + at->step.h;
    state->has_looked = true;
    copy_values(&all, held->kept);
    weigh(&all, change, gain);
    bool is_resting = has_rested(&all);
    if (is_resting && (!is_scheduled || state->has_reacted || state->has_jumped)) {
        choose_unseen(&all, true, n_accepted);
        return TAKT_OK;
    }
    if (is_scheduled && !is_first) state->next_search = n_accepted + (n_accepted < 60 ? 11 : 37);
    takt_status st = takt_run_save(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    if (!st && is_resting)
        st = find_memory(&all, err);
    else if (!st)
        st = is_search ? search(&all, false, is_first, n_accepted, err)
                       : check(&all, n_accepted, err);
    if (!st && is_resting) choose_unseen(&all, true, n_accepted);
    if (!st) st = takt_run_restore(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    if (!st) st = takt_run_get_outputs(run, i_instance, t_end, err);
    return st ? st : takt_couple_read_unread(couple, i_instance, t_end, err);
}
