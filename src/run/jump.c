// SPDX-License-Identifier: MIT
// Finding jumps; see auto.h. A difference between prediction and result that comes from a jump does not
// shrink with the step, as others do: it stays while the jump is within the step, and vanishes when it is not.
//
// The first instance in the order of calls that shows such a difference is stepped alone, over parts of the
// rejected step, with inputs along the polynomials of its first sweep: what instances before it delivered has
// no jump, and what comes after it was predicted.
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/auto.h"
#include "run/calls.h"
#include "run/scale.h"
#include "run/way_back.h"

// Only differences larger than this may be jumps, in units of the tolerance; and this part of the largest one.
static const double LARGE = 30, SHARE = 1e-3;
// Where steps have become shorter and the difference has not, any that is too large.
static const double SMALL = 1;
// Parts of the difference: more than the first one is all of it, less than the second one is none.
static const double ALL = 0.9, NONE = 0.1;
// A small difference may be noise: trials on both sides of the jump must agree that most of it comes from there.
static const double MOSTLY = 0.7, HARDLY = 0.3;
// All jumps together may make an error of half as many tolerances.
static const double JUMPS = 3;
// What the next step will be wrong by, if it is as long as this one and the middle of this one is off by 1.
static const double CURVE = 4;
// A jump is enclosed at least to this part of a step, to be told from a steep curve.
static const double SHORT = 64;
enum { MOST_TRIALS = 100, FIRST_TRIALS = 4, MOST_CANDIDATES = 3 };

/// The search in one instance.
typedef struct search {
    takt_auto *own;
    const takt_attempt *at;
    int i_instance;
    int i_value; ///< index in y; -1: the discrete outputs
    double size; ///< of the difference at the end
    double low, high; ///< s from the beginning of the step: no jump up to, jump before
    double low_share, high_share; ///< of the difference, there
    double width; ///< s; wanted
    int n_trials;
    bool is_source; ///< it reads nothing: a step that ends where a trial did gives the same
    bool is_small; ///< the difference may be noise
} search;

// ---- the width to which jumps are enclosed -------------------------------------------------------------

// The errors that the width makes add up: the more jumps are to be expected, the narrower they are enclosed. A value
// that changes by its scale within one step should be wrong by a part of the tolerance.
static double find_width(const takt_auto *own)
{
    const takt_grid *grid = &own->run->state.grid;
    const takt_history *history = own->history;
    double length = grid->stop - grid->start, n = (double)own->state->n_jumps + 1;
    double n_expected = n * length / fmax(grid->time - grid->start, 1e-6 * length);
    double part = own->couple.tolerance * fmin(0.5, JUMPS / fmin(n_expected, n + 1000));
    double width = 14 * part * own->state->h_calm;
    for (int i = 0; i < history->n_values && history->n > 1; i++) {
        if (!own->is_tested[i]) continue;
        double change =
            fabs(takt_history_values(history, 0)[i] - takt_history_values(history, 1)[i]);
        double dt = takt_history_time(history, 0) - takt_history_time(history, 1);
        if (change > 0) width = fmin(width, part * own->scale[i] * dt / change);
    }
    double resolution = 64 * DBL_EPSILON * fmax(fabs(grid->start), fabs(grid->stop));
    return fmax(width, fmax(1e-12 * length, resolution));
}

// ---- trials ----------------------------------------------------------------------------------------

takt_slot takt_jump_find_changed(const takt_run *run, int i_instance)
{
    static const takt_slot none = {TAKT_KIND_REAL, -1};
    if (run->automatic->n_at_once[i_instance] >= TAKT_JUMPS_AT_ONCE) return none;
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    const int *n = plan->outputs.n_values, *first = plan->first_output;
    const takt_values *start = takt_way_back_start(run), *now = &run->state.y;
    for (int k = first[TAKT_KIND_INTEGER]; k < first[TAKT_KIND_INTEGER] + n[TAKT_KIND_INTEGER]; k++)
        if (now->integer[k] != start->integer[k]) return (takt_slot){TAKT_KIND_INTEGER, k};
    for (int k = first[TAKT_KIND_BYTES]; k < first[TAKT_KIND_BYTES] + n[TAKT_KIND_BYTES]; k++)
        if (!takt_bytes_equal(&now->bytes[k], &start->bytes[k]))
            return (takt_slot){TAKT_KIND_BYTES, k};
    const bool *is_continuous = run->automatic->couple.movement.is_continuous;
    for (int k = first[TAKT_KIND_REAL]; k < first[TAKT_KIND_REAL] + n[TAKT_KIND_REAL]; k++)
        if (!is_continuous[k] && now->real[k] != start->real[k])
            return (takt_slot){TAKT_KIND_REAL, k};
    return none;
}

bool takt_jump_has_changed(const takt_run *run, int i_instance)
{
    return takt_jump_find_changed(run, i_instance).index >= 0;
}

static double predicted_at(const search *at, double t)
{
    const takt_history *history = at->own->history;
    double x[TAKT_MAX_POINTS], weights[TAKT_MAX_POINTS], sum = 0;
    for (int j = 0; j < at->at->k; j++) x[j] = takt_history_time(history, j);
    takt_interpolation_weights(at->at->k, x, t, weights);
    double y0 = takt_history_values(history, 0)[at->i_value];
    for (int j = 1; j < at->at->k; j++)
        sum += weights[j] * (takt_history_values(history, j)[at->i_value] - y0);
    return y0 + sum +
           (at->at->derives
                ? takt_slopes_addition(&at->own->slopes, history, at->at->k, t, at->i_value)
                : 0);
}

// The values at the end that the instance was led to in the first sweep: those of instances before it had been
// delivered, those of others predicted.
static void offer_first(const search *at)
{
    const takt_auto *own = at->own;
    const takt_plan *plan = own->run->plan;
    const takt_plan_instance *instance = &plan->instances[at->i_instance];
    const int *from = plan->sources[TAKT_KIND_REAL] + instance->first_input[TAKT_KIND_REAL];
    double *y = own->run->state.y.real;
    for (int k = 0; k < instance->inputs.n_values[TAKT_KIND_REAL]; k++) {
        int owner = own->owners[from[k]];
        if (owner < 0 || !own->couple.movement.is_continuous[from[k]]) continue;
        bool is_before = own->ranks[owner] < own->ranks[at->i_instance];
        y[from[k]] = is_before ? own->couple.first[from[k]] : own->predicted[from[k]];
    }
}

// A jump is seen in a single step as well as in several shorter ones.
static const takt_scheme *scheme_for(const takt_auto *own, int i_instance)
{
    static const takt_scheme end = {TAKT_SCHEME_END, INFINITY, 1, 1, 0, 0};
    const takt_scheme *scheme = &own->couple.schemes[i_instance];
    return takt_scheme_cost(scheme) > 1 ? &end : scheme;
}

// Do only instances that are stepped before this one read it? Then they have not noticed the jump, and all can step
// over it at once.
static bool is_read_late(const takt_auto *own, int i_instance)
{
    for (int i = 0; i < own->run->work.n_instances; i++) {
        const takt_plan_instance *plan = &own->run->plan->instances[i];
        if (own->ranks[i] <= own->ranks[i_instance]) continue;
        const int *from =
            own->run->plan->sources[TAKT_KIND_REAL] + plan->first_input[TAKT_KIND_REAL];
        for (int k = 0; k < plan->inputs.n_values[TAKT_KIND_REAL]; k++)
            if (own->owners[from[k]] == i_instance) return false;
        bool has_more = plan->inputs.n_values[TAKT_KIND_INTEGER] || plan->n_adapters ||
                        plan->inputs.n_values[TAKT_KIND_BYTES];
        if (has_more) return false;
    }
    return true;
}

// Steps the instance alone by h. How much of the difference is there, from 0 to 1?
static takt_status try_part(search *at, double h, double *share, takt_error *err)
{
    takt_auto *own = at->own;
    takt_run *run = own->run;
    takt_step step = at->at->step;
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    takt_course course = at->at->course;
    double whole = step.h;
    step.h = h;
    at->n_trials++;
    takt_course_shorten(&course, h / whole);
    if (!takt_values_copy(takt_way_back_start(run), &run->state.y, run->plan->n_outputs))
        return takt_fail_memory(err);
    offer_first(at);
    takt_status st = takt_run_restore(run, at->i_instance, step.slot, step.t, err);
    if (!st)
        st = takt_moving_advance(run, &own->couple.movement, at->i_instance, &step, &course,
                                 scheme_for(own, at->i_instance), &outcome, err);
    if (!st && outcome.end == TAKT_STEP_DONE && at->i_value >= 0 && own->is_unread[at->i_value])
        st = takt_couple_read_unread(&own->couple, at->i_instance, step.t + h, err);
    if (st) return st;
    if (at->i_value < 0)
        *share = takt_jump_has_changed(run, at->i_instance) ? 1 : 0;
    else
        *share = fabs(run->state.y.real[at->i_value] - predicted_at(at, step.t + h)) / at->size;
    if (outcome.end != TAKT_STEP_DONE) *share = 1;
    return TAKT_OK;
}

// One trial at h between low and high, which narrows them.
static takt_status narrow(search *at, double h, double *share, takt_error *err)
{
    takt_status st = try_part(at, h, share, err);
    if (st) return st;
    if (*share > 0.5) {
        at->high = h;
        at->high_share = *share;
        return TAKT_OK;
    }
    at->low = h;
    at->low_share = *share;
    return at->is_source ? takt_run_save(at->own->run, at->i_instance, TAKT_SLOT_BETWEEN,
                                         at->at->step.t + h, err)
                         : TAKT_OK;
}

// Around the place where a jump was expected before, in growing distances.
static takt_status narrow_near(search *at, double guess, takt_error *err)
{
    double share = 0, d = 4 * at->width;
    takt_status st = TAKT_OK;
    if (!(guess >= 0 && guess <= at->high)) return TAKT_OK;
    for (; guess + d < at->high && !st; d *= 8) {
        st = narrow(at, guess + d, &share, err);
        if (share > 0.5) break;
    }
    for (d = 4 * at->width; guess - d > at->low && !st; d *= 8) {
        st = narrow(at, guess - d, &share, err);
        if (share <= 0.5) break;
    }
    return st;
}

// Are trials at both sides of the jump, and a little beyond, what they are if it is there? A difference that is there
// however short the step is has other causes: noise, or an output that answers to its input only when it steps.
static takt_status confirm(search *at, bool *is_jump, takt_error *err)
{
    double low = at->low, high = at->high, h = at->at->step.h;
    double before[] = {low, low - fmin(at->width, low / 2)};
    double behind[] = {high, fmin(high + at->width, h), h};
    takt_status st = TAKT_OK;
    *is_jump = low > 0;
    for (int i = 0; i < 2 && *is_jump && !st; i++) {
        double share = 1;
        st = try_part(at, before[i], &share, err);
        *is_jump = share <= HARDLY;
    }
    for (int i = 0; i < 3 && *is_jump && !st; i++) {
        double share = 0;
        st = try_part(at, behind[i], &share, err);
        *is_jump = share >= MOSTLY;
    }
    return st;
}

static takt_status bisect(search *at, bool *is_jump, takt_error *err)
{
    *is_jump = false;
    while (at->high - at->low > at->width && at->n_trials < MOST_TRIALS) {
        double share, middle = at->low + (at->high - at->low) / 2;
        takt_status st = narrow(at, middle, &share, err);
        bool is_likely = at->n_trials > FIRST_TRIALS || share >= ALL || share <= NONE;
        if (st || !is_likely) return st;
    }
    takt_status st =
        TAKT_OK; // what others deliver may have made the difference, not the instance alone
    if (at->high == at->at->step.h) st = try_part(at, at->high, &at->high_share, err);
    *is_jump = at->high_share - at->low_share > 0.5; // within so short a time
    return st || !*is_jump || !at->is_small ? st : confirm(at, is_jump, err);
}

// ---- candidates ------------------------------------------------------------------------------------

// How far value i was from its prediction after the first sweep, in units of the tolerance.
static double first_error(const takt_auto *own, int i)
{
    double first = own->couple.first[i], scale = fmax(own->scale[i], fabs(first));
    return fabs(first - own->predicted[i]) / (own->couple.tolerance * scale);
}

// The value with the largest difference among those that the instance delivers.
static int find_value(const takt_auto *own, int i_instance, double *error)
{
    int found = -1;
    const takt_couple *couple = &own->couple;
    for (int k = couple->first_tested[i_instance]; k < couple->first_tested[i_instance + 1]; k++) {
        int i = couple->tested[k];
        double e = first_error(own, i);
        if (found >= 0 && e <= *error) continue;
        found = i;
        *error = e;
    }
    return found;
}

// The next instance in the order of calls behind `rank` with a large difference; -1: none.
static int find_candidate(const takt_auto *own, int rank, double least)
{
    int found = -1;
    for (int i = 0; i < own->history->n_values; i++) {
        int owner = own->owners[i];
        if (!own->is_tested[i] || own->ranks[owner] <= rank) continue;
        if (found >= 0 && own->ranks[owner] >= own->ranks[found]) continue;
        double e = first_error(own, i);
        if (e >= least) found = owner;
    }
    return found;
}

static bool is_source(const takt_auto *own, int i_instance)
{
    const takt_run_instance *instance = &own->run->work.instances[i_instance];
    return instance->plan->inputs.n_batches == 0 && !instance->instance->model->can.events;
}

static takt_status search_instance(takt_auto *own, const takt_attempt *at, int i_instance,
                                   bool is_discrete, search *out, bool *is_found, takt_error *err)
{
    double error = 0;
    *out = (search){.own = own,
                    .at = at,
                    .i_instance = i_instance,
                    .i_value = is_discrete ? -1 : find_value(own, i_instance, &error),
                    .high = at->step.h,
                    .high_share = 1,
                    .is_source = is_source(own, i_instance),
                    .width = fmin(find_width(own), at->step.h / SHORT)};
    out->is_small = !is_discrete && error < LARGE;
    if (!is_discrete)
        out->size = fabs(own->couple.first[out->i_value] - own->predicted[out->i_value]);
    takt_status st = narrow_near(out, own->state->jump_low - at->step.t, err);
    if (!st) st = bisect(out, is_found, err);
    bool is_ahead = !st && *is_found && out->is_source && out->low > 0;
    takt_status back = takt_run_restore(
        own->run, i_instance, is_ahead ? TAKT_SLOT_BETWEEN : at->step.slot, at->step.t, err);
    own->couple.i_ahead = is_ahead ? i_instance : -1;
    own->couple.t_ahead = at->step.t + out->low;
    if (!takt_values_copy(takt_way_back_start(own->run), &own->run->state.y,
                          own->run->plan->n_outputs))
        return takt_fail_memory(err);
    if (takt_way_back_is_open(own->run, st)) st = TAKT_OK, *is_found = false;
    return st ? st : back;
}

takt_status takt_jump_find(takt_auto *own, takt_attempt *at, const takt_judgement *judged,
                           bool is_stubborn, bool *is_found, takt_error *err)
{
    takt_auto_state *state = own->state;
    double least = fmax(is_stubborn ? SMALL : LARGE, SHARE * judged->error);
    int rank = -1;
    takt_status st = TAKT_OK;
    *is_found = false;
    for (int n = 0; n < MOST_CANDIDATES && !st && !*is_found; n++) {
        int i = find_candidate(own, rank, least);
        bool is_discrete = judged->i_changed >= 0 &&
                           (i < 0 || own->ranks[judged->i_changed] <= own->ranks[i]) &&
                           own->ranks[judged->i_changed] > rank;
        if (is_discrete) i = judged->i_changed;
        if (i < 0) break;
        search found;
        st = search_instance(own, at, i, is_discrete, &found, is_found, err);
        rank = own->ranks[i];
        if (st || !*is_found) continue;
        if (is_discrete) own->n_at_once[i] = found.low > 0 ? 0 : own->n_at_once[i] + 1;
        state->jump_low = found.low > 0 ? at->step.t + found.low : at->step.t;
        state->jump_to = at->step.t + found.high;
        state->i_jump = i;
        own->held.states[i].has_jumped = true;
        state->jump_from = is_read_late(own, i) ? at->step.t : state->jump_low;
    }
    return st;
}

// ---- the first step ----------------------------------------------------------------------------------

// Half the step of one instance: how far are its values from the middle between both ends, and from the end?
static takt_status look_at(takt_auto *own, const takt_attempt *at, int i_instance, takt_middle *out,
                           takt_error *err)
{
    takt_run *run = own->run;
    const takt_couple *couple = &own->couple;
    const double *begin = takt_history_values(own->history, 0);
    double t_end = at->step.t + at->step.h;
    takt_step step = at->step;
    takt_course course = at->course;
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    double *end = own->kept;
    memcpy(end, run->state.y.real, (size_t)own->history->n_values * sizeof *end);
    step.h *= 0.5;
    takt_course_shorten(&course, 0.5);
    takt_status st = takt_run_save(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    if (!st) st = takt_run_restore(run, i_instance, step.slot, step.t, err);
    if (!st)
        st = takt_moving_advance(run, &couple->movement, i_instance, &step, &course,
                                 &couple->schemes[i_instance], &outcome, err);
    if (!st) st = takt_couple_read_unread(&own->couple, i_instance, step.t + step.h, err);
    bool is_open = takt_way_back_is_open(run, st);
    for (int k = couple->first_tested[i_instance]; k < couple->first_tested[i_instance + 1]; k++) {
        int i = couple->tested[k];
        double middle = 0.5 * (begin[i] + end[i]), scale = fmax(own->scale[i], fabs(end[i]));
        double now = run->state.y.real[i], unit = couple->tolerance * scale;
        if (is_open || st) continue;
        out->from_end = fmax(out->from_end, fabs(now - end[i]) / unit);
        if (!(fabs(now - middle) / unit > out->from_line)) continue;
        out->from_line = fabs(now - middle) / unit;
        out->i_worst = i;
    }
    if (is_open) st = TAKT_OK;
    if (!st) st = takt_run_restore(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    memcpy(run->state.y.real, end, (size_t)own->history->n_values * sizeof *end);
    if (!st) st = takt_run_get_outputs(run, i_instance, t_end, err);
    return st;
}

// Has the instance other values than at the beginning of the step?
static bool has_changed(const takt_auto *own, int i_instance)
{
    const takt_couple *couple = &own->couple;
    const double *begin = takt_history_values(own->history, 0);
    for (int k = couple->first_tested[i_instance]; k < couple->first_tested[i_instance + 1]; k++)
        if (own->run->state.y.real[couple->tested[k]] != begin[couple->tested[k]]) return true;
    return false;
}

// With fixed steps: shorter ones do not help to solve algebraic loops.
static bool is_wanted(const takt_auto *own, int i_instance)
{
    return !own->is_fixed || !own->couple.loops[own->blocks[i_instance]].algebraic;
}

takt_status takt_jump_find_middle(takt_auto *own, const takt_attempt *at, takt_middle *out,
                                  takt_error *err)
{
    takt_status st = TAKT_OK;
    *out = (takt_middle){.i_worst = -1};
    for (int i = 0; i < own->run->work.n_instances && !st; i++)
        if (is_wanted(own, i) && has_changed(own, i)) st = look_at(own, at, i, out, err);
    return st;
}

takt_status takt_jump_look(takt_auto *own, const takt_attempt *at, takt_judgement *judged,
                           takt_error *err)
{
    takt_middle middle;
    takt_status st = takt_jump_find_middle(own, at, &middle, err);
    if (st || !(CURVE * middle.from_line > judged->error)) return st;
    judged->error = CURVE * middle.from_line;
    judged->i_worst = middle.i_worst;
    return TAKT_OK;
}
