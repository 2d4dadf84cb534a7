// SPDX-License-Identifier: MIT
// Fixed steps by prediction (auto.h): every attempt counts, as with other fixed steps, but instances that can
// follow polynomials do. What cannot be predicted is held: the number of points is the one that predicts best, and
// with one point an instance gets what one pass of Gauss-Seidel would give it.
#include "run/auto.h"
#include "run/control.h"
#include "run/doubts.h"
#include "run/early.h"
#include "run/fixed.h"
#include "run/step_log.h"
#include "run/system_step.h"

enum { MOST_POINTS = TAKT_MAX_POINTS - 1, EARLY_STEPS = 3 };
// Another number of points must predict better by this factor; where none does, and the error is this large, the
// history begins anew.
static const double BETTER = 0.8, HOPELESS = 1000;

// Values that are farther from a straight line in the middle of a step, in tolerances, do not follow it; a step is divided by so
// much because of that, and into parts of it that are not shorter. The next one is longer by the last of these.
static const double BENT = 30, DIVISOR = 4, LEAST_PART = 1.0 / 64, GROWTH = 2;
static const double NEARLY = 1e-3; // the rest is not left to another piece
enum { MOST_TRIES = 40, MOST_BETWEEN = 64 };

// The number of points that would have predicted best.
static int choose_points(const takt_auto *own, const takt_attempt *at, double error, double *best_e)
{
    int best = at->k, i_worst;
    *best_e = error;
    for (int k = at->k - 1; k <= at->k + 1; k += 2) {
        if (k < 1 || k > MOST_POINTS || k > own->history->n) continue;
        double e = takt_auto_error_of(own, at, k, false, &i_worst);
        if (e > BETTER * *best_e) continue;
        *best_e = e;
        best = k;
    }
    return best;
}

static takt_attempt begin_attempt(const takt_auto *own, takt_target to)
{
    const takt_run *run = own->run;
    takt_step step = {run->state.grid.time, to.h, .is_final = run->work.n_snapshots == 0,
                      .slot = TAKT_SLOT_POINT};
    return (takt_attempt){.step = step,
                          .k = own->state->k,
                          .is_first = own->state->n_since_start == 0,
                          .is_early = own->state->n_since_start < EARLY_STEPS &&
                                      own->state->n_accepted < EARLY_STEPS};
}

// A loop has no solution: one pass is made, and that is said where the loop is algebraic.
static takt_status make_one_pass(takt_auto *own, takt_attempt *at, takt_error *err)
{
    takt_run *run = own->run;
    takt_outcome failed = at->outcome;
    bool is_doubtful = at->is_unsolved;
    run->counts.n_limit_exceeded += is_doubtful;
    takt_step_log_decision(run, &at->step, "not converged, one pass");
    takt_status st = takt_auto_go_back(own, err);
    at->outcome = (takt_outcome){.end = TAKT_STEP_DONE};
    own->couple.can_rewind = false; // nothing is solved for
    if (!st) st = takt_auto_make_step(own, at, err);
    own->couple.can_rewind = true;
    if (st || !is_doubtful) return st;
    return takt_doubt_note(run, TAKT_DOUBT_UNCONVERGED, failed.loop, failed.norm, err);
}

// Instances have met events within the step: all go back, and step to the first of them. If there is always
// another one, however short the step is, the whole step is made.
static takt_status share_events(takt_auto *own, takt_attempt *at, takt_target *to, bool *stays,
                                takt_error *err)
{
    takt_run *run = own->run;
    takt_target whole = *to;
    takt_status st = TAKT_OK;
    for (int n = 1; n < TAKT_MAX_EARLY && at->outcome.is_early && !st && !*stays; n++) {
        takt_outcome attempt = at->outcome;
        run->counts.n_rejected++;
        st = takt_auto_go_back(own, err);
        if (!st) st = takt_early_stay(run, &at->step, &attempt, stays, err);
        if (st || *stays) return st;
        double h = takt_early_size(at->step.t, attempt.early_time);
        *to = (takt_target){attempt.early_time, h, false};
        takt_early_aim(run, &attempt, to->time);
        *at = begin_attempt(own, *to);
        st = takt_auto_make_step(own, at, err);
    }
    if (st || !at->outcome.is_early) return st;
    *to = whole;
    *at = begin_attempt(own, whole);
    st = takt_auto_go_back(own, err);
    if (!st) st = takt_auto_make_step(own, at, err);
    return st;
}

static takt_status accept(takt_auto *own, takt_attempt *at, double t_end, takt_error *err)
{
    takt_auto_state *state = own->state;
    takt_judgement judged;
    double e = 0;
    state->n_since_start++;
    state->n_accepted++;
    takt_auto_judge(own, at, &judged);
    takt_status st = takt_auto_probe(own, at, err);
    if (st) return st;
    state->k = at->is_first ? 2 : choose_points(own, at, judged.error, &e);
    state->h = state->h_calm = at->step.h;
    return takt_auto_keep(own, at, t_end, !(e > HOPELESS) && !at->is_plain, err);
}

// What one step of the user's size is made of: itself, as a rule.
typedef struct division {
    double begin; ///< s
    takt_target to; ///< its end
    double h; ///< s; of the next piece
    int n_tries;
    bool is_again; ///< it is at the beginning of a piece that was not good
    bool is_over;
} division;

static takt_target end_of_piece(const takt_auto *own, const division *all)
{
    double t = own->run->state.grid.time, rest = all->to.time - t;
    if (t == all->begin && all->h >= all->to.h) return all->to;
    if (all->h * (1 + NEARLY) >= rest) return (takt_target){all->to.time, rest, all->to.is_on_grid};
    return (takt_target){t + all->h, all->h, false};
}

// Where nothing is known of what was before, the course of an input is a straight line between the ends of the step. A fast
// instance that begins away from its balance has settled long before the end. The middle of the step tells.
static takt_status look_for_bend(takt_auto *own, const takt_attempt *at, bool *is_bent,
                                 bool *has_settled, takt_error *err)
{
    takt_judgement judged;
    takt_middle middle;
    const takt_ranges all = own->tested;
    own->tested = own->divided;
    takt_auto_judge(own, at, &judged);
    own->tested = all;
    // The result is far from its prediction, or that of a first step from its first sweep.
    *has_settled = *is_bent = judged.error > HOPELESS;
    if (*is_bent || !at->is_first) return TAKT_OK;
    takt_status st = takt_jump_find_middle(own, at, &middle, err);
    *is_bent = middle.from_line > BENT;
    *has_settled = middle.from_line > middle.from_end;
    return st;
}

// Histories that begin with nothing of the kind are looked at less and less often: there may be one in each step.
static bool is_due(takt_auto_state *state)
{
    if (--state->looks_after > 0) return false;
    state->looks_between = state->looks_between > 0 ? 2 * state->looks_between : 1;
    if (state->looks_between > MOST_BETWEEN) state->looks_between = MOST_BETWEEN;
    state->looks_after = state->looks_between;
    return true;
}

static takt_status begin_again(takt_auto *own, const takt_attempt *at, takt_error *err)
{
    own->run->counts.n_rejected++;
    own->state->looks_between = own->state->looks_after = 0;
    own->state->is_settling = true;
    own->history->n = 1;
    own->state->k = 1;
    own->state->n_since_start = 0;
    takt_step_log_decision(own->run, &at->step, "bent, divided");
    return takt_auto_go_back(own, err);
}

// A first step that is bent is made of shorter ones. What the shortest one is too long for is a jump, or as good as one: its readers
// get the value at the end, as in one pass of Gauss-Seidel.
static takt_status divide(takt_auto *own, division *all, takt_attempt *at, takt_error *err)
{
    bool is_bent = false, has_settled = false, is_done = at->outcome.end == TAKT_STEP_DONE;
    bool may = own->can_divide && (at->is_first || own->state->is_settling) && is_done &&
               !at->outcome.is_unconverged && !at->outcome.is_early && all->n_tries < MOST_TRIES;
    double least = LEAST_PART * all->to.h;
    if (!may || (!own->state->is_settling && !is_due(own->state))) return TAKT_OK;
    takt_status st = look_for_bend(own, at, &is_bent, &has_settled, err);
    bool is_shortest = at->step.h <= least;
    if (st || !is_bent || (is_shortest && !has_settled)) return st;
    st = begin_again(own, at, err);
    if (!is_shortest) {
        all->h = fmax(at->step.h / DIVISOR, least);
        all->is_again = true;
        return st;
    }
    takt_target to = {at->step.t + at->step.h, at->step.h, false};
    *at = begin_attempt(own, to);
    at->is_plain = true;
    return st ? st : takt_auto_forgive(own, at, takt_auto_make_step(own, at, err));
}

static takt_status finish_piece(takt_auto *own, division *all, takt_attempt *at, takt_target to,
                                takt_error *err)
{
    takt_run *run = own->run;
    takt_status st = TAKT_OK;
    all->is_over = true;
    if (at->outcome.end == TAKT_STEP_DISCARDED)
        return takt_fixed_fail_discarded(run, &at->outcome, at->step.h, err);
    if (at->outcome.end != TAKT_STEP_DONE) {
        takt_control_terminate(run, &at->outcome);
        return TAKT_OK;
    }
    if (at->outcome.is_early) st = takt_doubt_note(run, TAKT_DOUBT_EVENT_ALONE, NULL, NAN, err);
    takt_system_note_requests(run, &at->outcome);
    if (!st) st = accept(own, at, to.time, err);
    if (st) return st;
    takt_fixed_arrive(run, to);
    if (all->n_tries == 1) own->state->is_settling = false; // a whole step was good
    all->h = GROWTH * at->step.h;
    all->is_over = to.time >= all->to.time || at->outcome.is_early || run->state.has_requests;
    return TAKT_OK;
}

static takt_status make_piece(takt_auto *own, division *all, takt_error *err)
{
    takt_target to = end_of_piece(own, all);
    takt_status st = all->is_again ? TAKT_OK : takt_auto_prepare(own, err);
    takt_attempt at = begin_attempt(own, to);
    bool stays = false;
    all->n_tries++;
    all->is_again = false;
    if (!st) st = takt_auto_forgive(own, &at, takt_auto_make_step(own, &at, err));
    if (!st && at.outcome.is_early && own->saves_states) {
        st = share_events(own, &at, &to, &stays, err);
        all->to = to; // all is over there
    }
    if (!st && !stays) st = divide(own, all, &at, err);
    all->is_over = stays;
    if (st || stays || all->is_again) return st;
    if (at.outcome.is_unconverged) st = make_one_pass(own, &at, err);
    return st ? st : finish_piece(own, all, &at, to, err);
}

static takt_status take_step(takt_run *run, takt_error *err)
{
    takt_target to = takt_fixed_target(run);
    division all = {.begin = run->state.grid.time, .to = to, .h = to.h};
    takt_status st = TAKT_OK;
    while (!st && !all.is_over) st = make_piece(run->automatic, &all, err);
    return st;
}

static takt_status list_divided(takt_auto *own, takt_error *err)
{
    int n = own->history->n_values;
    bool *marks = takt_arena_array(&own->run->arena, (size_t)n, sizeof *marks);
    if (!marks || !takt_ranges_create(&own->run->arena, n, &own->divided))
        return takt_fail_memory(err);
    for (int i = 0; i < n; i++)
        marks[i] = own->is_tested[i] && !own->couple.loops[own->blocks[own->owners[i]]].algebraic;
    takt_ranges_list(&own->divided, marks, n);
    return TAKT_OK;
}

// Pieces of steps need instances that take steps of any size, and can be repeated.
static bool can_divide(const takt_auto *own)
{
    bool can = own->saves_states;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        const takt_run_instance *at = &own->run->work.instances[i];
        can &= at->is_function || at->instance->model->can.variable_step;
    }
    return can;
}

static takt_status create(takt_run *run, takt_error *err)
{
    if (takt_early_is_possible(run)) run->work.saves_states = true;
    takt_status st = takt_auto_create(run, true, err);
    if (st) return st;
    run->automatic->can_divide = can_divide(run->automatic);
    return list_divided(run->automatic, err);
}

const takt_control_type takt_auto_fixed_control = {.is_fixed = true,
                                                   .step = take_step,
                                                   .create = create,
                                                   .destroy = takt_auto_destroy,
                                                   .memory = takt_auto_memory,
                                                   .is_sound = takt_auto_is_sound};
