// SPDX-License-Identifier: MIT
// Steps to a tolerance, by prediction (auto.h). The difference between prediction and result is the error; it
// decides about the step, the size of the next one, and the number of points. A jump is found by shorter steps of
// the one instance that shows it; communication points enclose it, and the history begins anew behind it.
//
// The method and its constants come from a study with problems that it was not made for (docs/algorithms.md).
// In formulas: t, h, k points, e error in units of the tolerance.
#include "run/auto.h"

#include <math.h>

#include "run/control.h"
#include "run/doubts.h"
#include "run/early.h"
#include "run/flips.h"
#include "run/limits.h"
#include "run/noisy.h"
#include "run/rows.h"
#include "run/scale.h"
#include "run/step_log.h"
#include "run/system_step.h"

enum {
    MOST_POINTS = TAKT_MAX_POINTS - 1,
    EARLY_STEPS = 8,
    RESTARTED = 3,
    STUBBORN = 4,
    MOST_SEARCHES = 8, // for jumps, in one step
    LATEST = 10, // attempts
    MANY = 3, // rejections of these
};

// Steps aim below the tolerance by this factor, and change by these at most: always, soon after the history
// began, and then where nothing moves.
static const double SAFETY = 0.85, LEAST = 0.3, MOST = 2, MOST_EARLY = 8, MOST_AT_REST = 64;
// Where nothing can be repeated, steps aim lower, and grow by these at most. They shrink by as much as it takes.
static const double CAREFUL = 0.7, MOST_CAREFUL = 1.5, MOST_EARLY_CAREFUL = 3;
// After a rejection.
static const double LEAST_REJECTED = 0.2, MOST_REJECTED = 0.8, AFTER_FAILURE = 0.3;
// PI control: exponents of the present error and of the one before, divided by k.
static const double PRESENT = 0.7, BEFORE = 0.4;
// Another number of points must allow a step that is larger by this factor.
static const double WORTHWHILE = 1.1;
// A step that shows whether an error shrinks with the step.
static const double CLEARLY_SHORTER = 0.7;
// Larger errors are not taken for noise.
static const double MOST_NOISE = 10;
// Larger errors may come from jumps, which end a window.
static const double CLOSING = 30;
// Below this nothing moves.
static const double AT_REST = 10 * TAKT_AUTO_SMALL;

// ---- after a rejection -----------------------------------------------------------------------------

// A difference that stays while steps shrink, and is no jump, is noise. Instances are asked for a thousandth of
// the tolerance, of 1 % of the nominal value at least: noise within that is to be expected.
static takt_status note_noise(takt_auto *own, int i_value, double size, takt_error *err)
{
    const takt_run *run = own->run;
    double nominal = run->scale->nominal[i_value] > 0 ? run->scale->nominal[i_value] : 1;
    double tolerance = own->couple.tolerance;
    own->floors[i_value] = fmax(own->floors[i_value], 4 * size / tolerance);
    own->scale[i_value] = fmax(own->scale[i_value], own->floors[i_value]);
    own->trouble = (takt_auto_trouble){.i_value = -1};
    if (size <= 1e-3 * tolerance * nominal) return TAKT_OK;
    return takt_noisy_note(&own->couple, own->owners[i_value], size / tolerance, err);
}

static takt_status look_for_noise(takt_auto *own, const takt_attempt *at,
                                  const takt_judgement *judged, double size, takt_error *err)
{
    takt_auto_trouble *trouble = &own->trouble;
    if (at->is_first || judged->error > MOST_NOISE) return TAKT_OK;
    bool is_same = judged->i_worst >= 0 && judged->i_worst == trouble->i_value &&
                   at->k == trouble->k && size >= 0.5 * trouble->size;
    if (!is_same) *trouble = (takt_auto_trouble){judged->i_worst, at->k, 0, at->step.h, size};
    bool stays = ++trouble->n >= STUBBORN && at->step.h < 0.1 * trouble->h;
    return stays ? note_noise(own, judged->i_worst, size, err) : TAKT_OK;
}

// A difference that hardly shrinks while steps do comes from a jump, or is noise.
static bool is_stubborn(takt_auto *own, const takt_attempt *at, const takt_judgement *judged,
                        double size)
{
    takt_auto_rejection *last = &own->state->rejected;
    double h = at->step.h;
    bool is_same =
        !judged->has_failed && judged->i_worst == last->i_value && at->step.t < last->t_end;
    bool is_shorter = h < CLEARLY_SHORTER * last->h;
    bool stays = is_same && is_shorter && size > 0.5 * last->size;
    if (!is_same || is_shorter)
        *last = (takt_auto_rejection){judged->i_worst, h, size, at->step.t + h};
    return stays;
}

static void count_rejection(takt_auto *own, const takt_attempt *at, const takt_judgement *judged)
{
    takt_run_counts *counts = &own->run->counts;
    counts->n_rejected++;
    if (at->outcome.end == TAKT_STEP_DISCARDED)
        counts->n_discarded++;
    else if (judged->has_failed)
        counts->n_convergence_failures++, counts->n_limit_exceeded++;
    else
        counts->n_error_failures++;
    own->state->recent = own->state->recent << 1 | 1U;
}

static double size_after_rejection(const takt_attempt *at, const takt_judgement *judged)
{
    if (at->outcome.end == TAKT_STEP_DISCARDED && at->outcome.time > at->step.t)
        return fmin(0.999 * at->step.h, at->outcome.time - at->step.t); // up to where it came
    if (judged->has_failed) return AFTER_FAILURE * at->step.h;
    if (judged->h_again > 0) return judged->h_again;
    int k = at->is_first && at->k < 2 ? 2 : at->k + at->derives;
    double factor = SAFETY * pow(judged->error, -1.0 / k);
    return at->step.h * fmax(LEAST_REJECTED, fmin(MOST_REJECTED, factor));
}

// The value for which an attempt is rejected: a discrete one if all real ones are good.
static takt_slot find_culprit(const takt_auto *own, const takt_judgement *judged)
{
    bool is_discrete = judged->i_changed >= 0 && judged->error <= 1;
    return is_discrete ? takt_jump_find_changed(own->run, judged->i_changed)
                       : (takt_slot){TAKT_KIND_REAL, judged->i_worst};
}

static void log_attempt(const takt_auto *own, const takt_attempt *at, const takt_judgement *judged,
                        takt_slot worst, const char *decision)
{
    takt_tried tried = {.error = judged->has_failed ? NAN : judged->error,
                        .h_next = own->state->h,
                        .worst = worst,
                        .cause = at->cause,
                        .decision = decision};
    takt_step_log_error(own->run, &at->step, &tried);
}

// What a rejection is called; NULL: its error says it.
static const char *name_rejection(const takt_attempt *at, const takt_judgement *judged)
{
    if (at->outcome.end == TAKT_STEP_DISCARDED) return "discarded, rejected";
    if (judged->has_failed) return "not converged, rejected";
    return judged->error <= 1 ? "discrete value changed, rejected" : NULL;
}

static takt_status reject(takt_auto *own, takt_attempt *at, const takt_judgement *judged,
                          takt_error *err)
{
    takt_auto_state *state = own->state;
    takt_cause *cause = &own->run->state.control.cause;
    takt_slot culprit = find_culprit(own, judged);
    bool is_jump = false;
    double size =
        judged->i_worst < 0
            ? 0
            : fabs(own->run->state.y.real[judged->i_worst] - own->predicted[judged->i_worst]);
    bool stays = is_stubborn(own, at, judged, size);
    count_rejection(own, at, judged);
    takt_limits_note_rejection(own->run, culprit, judged->error);
    takt_status st = takt_auto_go_back(own, err);
    if (at->is_jump) state->jump_from = state->jump_to = INFINITY; // that did not help
    if (!st && !judged->has_failed && !own->rate.is_open && own->n_searches++ < MOST_SEARCHES)
        st = takt_jump_find(own, at, judged, stays, &is_jump, err);
    if (!is_jump) state->h = size_after_rejection(at, judged);
    log_attempt(own, at, judged, culprit,
                is_jump ? "a jump, which was located" : name_rejection(at, judged));
    if (st || is_jump) return st;
    *cause = judged->has_failed ? (takt_cause){.limit = TAKT_LIMIT_FAILURE}
                                : (takt_cause){TAKT_LIMIT_ERROR, culprit};
    if (state->k > 2 && (state->recent & 7U) == 7U) state->k--;
    return judged->has_failed ? TAKT_OK : look_for_noise(own, at, judged, size, err);
}

// ---- after acceptance ------------------------------------------------------------------------------

/// A way to predict, and the error that it had.
typedef struct choice {
    int k;
    bool derives;
    double error;
    int i_worst; // index in y; -1: none
} choice;

// By this power of the step the error grows: with a derivative by one more.
static int order_of(const takt_auto *own, const choice *at)
{
    return at->k + (at->derives && at->i_worst >= 0 && own->slopes.is_known[at->i_worst]);
}

static bool is_present(const takt_attempt *at, const choice *one)
{
    return one->k == at->k && one->derives == at->derives;
}

// Derivatives of values that change quickly follow every error of their inputs: where a loop is strong, and where they
// have led to rejections, predictions do without.
static bool may_derive(takt_auto *own)
{
    takt_auto_state *state = own->state;
    if (!own->slopes.is_possible || --state->derives_lock > 0) return false;
    int n_rejected = 0; // of the last attempts
    for (unsigned i = 1; i <= LATEST; i++) n_rejected += (state->recent >> i & 1U) != 0;
    if (state->derives && n_rejected >= MANY) {
        state->n_derives_locks = state->n_derives_locks < 8 ? state->n_derives_locks + 1 : 8;
        state->derives_lock = 10 << state->n_derives_locks;
        return false;
    }
    for (int b = 0; b < own->run->plan->n_blocks; b++) {
        const takt_coupled *loop = &own->couple.loops[b];
        if (loop->n_torn && loop->state->is_implicit && !loop->algebraic) return false;
    }
    return true;
}

// The number of points, with derivatives or not, that would have allowed the largest step.
static choice choose_points(takt_auto *own, const takt_attempt *at, const choice *present)
{
    choice best = *present;
    double best_figure = 0;
    bool may = may_derive(own);
    for (int derives = 0; derives <= may; derives++)
        for (int k = at->k > 1 ? at->k - 1 : 1; k <= at->k + 1 && k <= MOST_POINTS; k++) {
            if (k > own->history->n) break;
            choice one = {k, derives, present->error, present->i_worst};
            bool is_same = is_present(at, &one);
            if (!is_same) one.error = takt_auto_error_of(own, at, k, derives, &one.i_worst);
            double figure = pow(one.error, -1.0 / order_of(own, &one)) / (is_same ? 1 : WORTHWHILE);
            if (figure <= best_figure) continue;
            best_figure = figure;
            best = one;
        }
    return best;
}

// Steps do not grow by more than this, whatever the error is.
static double most_growth(const takt_auto *own, double e)
{
    const takt_auto_state *state = own->state;
    if (state->recent & 2U) return 1; // the attempt before was rejected
    bool is_early = state->n_since_start <= EARLY_STEPS;
    if (!own->saves_states) return is_early ? MOST_EARLY_CAREFUL : MOST_CAREFUL;
    if (!is_early) return MOST;
    return e > AT_REST ? MOST_EARLY : MOST_AT_REST;
}

static void choose_size(takt_auto *own, const takt_attempt *at, const choice *next)
{
    takt_auto_state *state = own->state;
    takt_cause *cause = &own->run->state.control.cause;
    bool is_same = is_present(at, next);
    int k = order_of(own, next);
    double e = next->error;
    double factor =
        is_same ? pow(e, -PRESENT / k) * pow(state->error_before, BEFORE / k) : pow(e, -1.0 / k);
    double least = own->saves_states ? LEAST : 0;
    double safety = own->saves_states ? SAFETY : CAREFUL;
    double wanted = fmax(least, safety * factor), most = most_growth(own, e);
    double h = at->step.h * fmin(most, wanted);
    state->error_before = is_same ? fmax(e, 0.01) : 1;
    state->k = next->k;
    state->derives = next->derives;
    // A step that a stop has cut says little: the one that was wanted is tried again.
    bool is_cut = at->step.h < 0.5 * state->h;
    if (!is_cut || h > state->h) {
        *cause = wanted > most ? (takt_cause){.limit = TAKT_LIMIT_GROWTH}
                               : takt_cause_of_error(next->i_worst);
        state->h = h;
    }
    if (state->h > own->h_most) cause->limit = TAKT_LIMIT_STEP_MAX;
    state->h = fmin(state->h, own->h_most);
    if (!isfinite(state->jump_from)) state->h_calm = state->h;
    if (state->n_since_start == RESTARTED) state->h_restart = at->step.h * (e > AT_REST ? 0.5 : 1);
}

static takt_status accept(takt_auto *own, takt_attempt *at, const takt_judgement *judged,
                          takt_error *err)
{
    takt_auto_state *state = own->state;
    choice next = {at->k, at->derives, judged->error, judged->i_worst};
    state->recent <<= 1;
    state->n_since_start++;
    state->n_accepted++;
    state->longest = fmax(state->longest, at->step.h);
    state->longest_made = fmax(state->longest_made, at->step.h);
    takt_status st = takt_auto_probe(own, at, err);
    if (st) return st;
    if (at->is_first)
        next.k = 2;
    else
        next = choose_points(own, at, &next);
    choose_size(own, at, &next);
    log_attempt(own, at, judged, (takt_slot){TAKT_KIND_REAL, judged->i_worst},
                judged->error <= 1 ? NULL : "accepted, though the error is too large");
    return TAKT_OK;
}

// ---- the step --------------------------------------------------------------------------------------

// Where a step of size h ends: at a stop if it leads there or nearly, and in the middle if little would be left.
// Changes the cause of its size if that is so.
static double limit_step(const takt_auto *own, const takt_outcome *early, takt_cause *cause)
{
    const takt_run *run = own->run;
    double t = run->state.grid.time, stop = run->state.grid.stop;
    double h = fmin(fmin(own->state->h, own->h_most), takt_pulses_limit(own));
    bool is_event;
    double next = takt_run_next_stop(run, &is_event);
    if (next < stop && !takt_times_equal(next, stop, h)) stop = next;
    double sized = own->rate.is_sized ? takt_rate_limit(own) : INFINITY;
    if (sized < stop && !takt_times_equal(sized, stop, h)) stop = sized;
    double known = stop;
    double turn = own->saves_states ? takt_turns_next(own, h) : INFINITY;
    if (turn < stop) stop = turn;
    if (own->state->jump_from > t) stop = fmin(stop, own->state->jump_from);
    if (early->is_early) stop = fmin(stop, early->early_time);
    double rest = stop - t;
    if (h > 0.55 * rest) cause->limit = stop < known ? TAKT_LIMIT_EVENT : TAKT_LIMIT_STOP;
    if (h > 0.9999 * rest) return stop;
    return t + (h > 0.55 * rest ? rest / 2 : h);
}

static takt_attempt begin_attempt(const takt_auto *own, double t_end, bool is_jump,
                                  const takt_outcome *early)
{
    const takt_run *run = own->run;
    double t = run->state.grid.time;
    bool is_early = early->is_early && t_end == early->early_time;
    takt_step step = {t, is_early ? takt_early_size(t, t_end) : t_end - t,
                      .is_final = run->work.n_snapshots == 0 && !own->rate.is_open,
                      .slot = TAKT_SLOT_POINT};
    return (takt_attempt){.step = step,
                          .k = own->state->k,
                          .derives = own->state->derives,
                          .is_first = own->state->n_since_start == 0,
                          .is_jump = is_jump};
}

// Nothing smaller can be tried, or nothing can be tried again: the result is taken as it is, and that is said.
static takt_status keep_doubtful(takt_auto *own, const takt_attempt *at,
                                 const takt_judgement *judged, takt_error *err)
{
    takt_run *run = own->run;
    if (judged->has_failed && at->outcome.end == TAKT_STEP_DISCARDED)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "instance '%s' at t=%.15g s: the FMU discards even a step of %.3g s, the "
                         "smallest allowed; try a smaller --step-min",
                         run->work.instances[at->outcome.i_instance].instance->name, at->step.t,
                         at->step.h);
    takt_flip found = takt_flip_find(run, at->step.t);
    char flip[300];
    takt_flip_describe(run, &found, at->step.t, flip, sizeof flip);
    if (judged->has_failed && at->is_singular)
        return takt_fail(err, TAKT_ERR_SIMULATION, "t=%.15g s: the loop of '%s' %s", at->step.t,
                         at->outcome.loop, own->couple.trouble);
    if (judged->has_failed)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "t=%.15g s: the loop of '%s' has no solution, or values are not finite, "
                         "even with a step of %.3g s, the smallest allowed%s; takt advise may help "
                         "to find the cause",
                         at->step.t, at->outcome.loop ? at->outcome.loop : "?", at->step.h, flip);
    takt_doubt cause = own->saves_states ? TAKT_DOUBT_AT_STEP_MIN : TAKT_DOUBT_NOT_REPEATED;
    const char *name = judged->i_worst < 0
                           ? NULL
                           : run->work.instances[own->owners[judged->i_worst]].instance->name;
    return takt_doubt_note(run, cause, name, judged->error, err);
}

/// A step in the making.
typedef struct making {
    takt_attempt at;
    takt_judgement judged;
    double t_end;
    takt_outcome early; // an event that an attempt has met; is_early: there was one
    int n_early;
    bool is_accepted, is_jump, has_stayed;
} making;

// An instance has met an event within the step: all go back, and step to it.
static takt_status share_event(takt_auto *own, making *to, takt_error *err)
{
    to->early = to->at.outcome;
    to->early.is_early = ++to->n_early < TAKT_MAX_EARLY; // the last time it is left alone
    own->run->counts.n_rejected++;
    takt_judgement unknown = {.i_worst = -1, .has_failed = true};
    log_attempt(own, &to->at, &unknown, TAKT_NO_VALUE, "event within the step, rejected");
    takt_status st = takt_auto_go_back(own, err);
    if (!st) st = takt_early_stay(own->run, &to->at.step, &to->early, &to->has_stayed, err);
    to->is_accepted = to->has_stayed;
    return st;
}

// A step that leads over a jump must be right but for the instance that jumps. One that is as short as can be is kept
// whatever follows from the jump.
static bool is_jump_alone(const takt_auto *own, const takt_judgement *judged)
{
    if (judged->has_failed) return false;
    if (own->state->jump_low == own->run->state.grid.time) return true;
    for (int i = 0; i < own->history->n_values; i++)
        if (own->is_tested[i] && own->owners[i] != own->state->i_jump &&
            takt_auto_error(own, own->predicted, i) > 1)
            return false;
    return judged->i_changed < 0 || judged->i_changed == own->state->i_jump;
}

// Something else is wrong as well: first a step up to the jump.
static takt_status step_before_jump(takt_auto *own, const making *to, takt_error *err)
{
    own->state->jump_from = own->state->jump_low;
    own->run->counts.n_rejected++;
    own->run->counts.n_error_failures++;
    log_attempt(own, &to->at, &to->judged, find_culprit(own, &to->judged),
                "not only the jump is wrong, rejected");
    return takt_auto_go_back(own, err);
}

// In a window: has something happened that concerns the slow instances, too, or that a smaller step does not cure?
static bool must_close(const takt_auto *own, const making *to)
{
    if (!own->rate.is_open) return false;
    const takt_outcome *outcome = &to->at.outcome;
    if (outcome->is_early || outcome->end != TAKT_STEP_DONE) return true;
    if (to->at.step.h <= own->h_least) return true;
    return to->judged.error > CLOSING || to->judged.i_changed >= 0;
}

// The step is taken back; all instances come together at its beginning.
static takt_status close_window(takt_auto *own, making *to, takt_error *err)
{
    to->is_accepted = to->has_stayed = own->rate.is_closing = true;
    own->run->counts.n_rejected++;
    own->run->counts.n_error_failures++;
    log_attempt(own, &to->at, &to->judged, find_culprit(own, &to->judged),
                "slow components come first, rejected");
    return takt_auto_go_back(own, err);
}

static takt_status try_once(takt_auto *own, making *to, takt_error *err)
{
    const takt_auto_state *state = own->state;
    double t = own->run->state.grid.time;
    takt_cause cause = own->run->state.control.cause;
    to->is_jump = state->jump_from == t && state->jump_to > t;
    if (to->is_jump) cause.limit = TAKT_LIMIT_EVENT;
    to->t_end = to->is_jump ? state->jump_to : limit_step(own, &to->early, &cause);
    to->at = begin_attempt(own, to->t_end, to->is_jump, &to->early);
    to->at.cause = cause;
    takt_status st = takt_auto_make_step(own, &to->at, err);
    if (to->at.step.h > own->h_least) st = takt_auto_forgive(own, &to->at, st);
    if (st) return st;
    if (own->rate.is_open) takt_auto_judge(own, &to->at, &to->judged);
    if (must_close(own, to)) return close_window(own, to, err);
    if (to->at.outcome.end == TAKT_STEP_TERMINATED) return st;
    if (to->at.outcome.is_early && to->n_early < TAKT_MAX_EARLY && own->saves_states)
        return share_event(own, to, err);
    takt_auto_judge(own, &to->at, &to->judged);
    bool is_passed = !to->judged.has_failed && to->judged.error <= 1;
    if (is_passed && to->at.is_first && !to->is_jump && own->saves_states)
        st = takt_jump_look(own, &to->at, &to->judged, err);
    else if (is_passed && to->judged.i_changed < 0 && !to->is_jump && own->saves_states)
        st = takt_spot_look(own, &to->at, &to->judged, err);
    if (st) return st;
    bool is_good = is_passed && to->judged.error <= 1 && to->judged.i_changed < 0;
    to->is_accepted = is_good || (to->is_jump && is_jump_alone(own, &to->judged));
    if (to->is_accepted) return TAKT_OK;
    if (to->is_jump && state->jump_low > t) return step_before_jump(own, to, err);
    bool is_last = to->at.step.h <= own->h_least || !own->saves_states;
    to->is_accepted = is_last;
    return is_last ? keep_doubtful(own, &to->at, &to->judged, err)
                   : reject(own, &to->at, &to->judged, err);
}

// The step has passed a jump: behind it the history begins anew, with small steps.
static takt_status pass_jump(takt_auto *own, const making *to, takt_error *err)
{
    takt_auto_state *state = own->state;
    double width = state->jump_to - state->jump_low;
    state->n_jumps++;
    state->h = fmax(width, fmax(1e-3 * state->h_calm, fmin(state->h_restart, state->h_calm)));
    state->recent = 0;
    log_attempt(own, &to->at, &to->judged, find_culprit(own, &to->judged), "accepted, over a jump");
    return takt_pulses_note(own, &to->at, err);
}

// The step is kept.
static takt_status keep(takt_auto *own, making *to, takt_error *err)
{
    takt_run *run = own->run;
    takt_auto_state *state = own->state;
    bool is_off = to->judged.error > 1 || to->judged.i_changed >= 0;
    bool has_jumped = is_off && (to->is_jump || to->judged.error > 30);
    takt_status st = TAKT_OK;
    if (own->rate.is_open)
        own->rate.cause = to->at.cause; // it counts if the window does
    else
        takt_limits_note_step(run, to->at.cause);
    if (to->is_jump && !has_jumped) state->jump_from = state->jump_to = INFINITY;
    st = takt_auto_lead_twins(own, &to->at, err);
    if (!st && has_jumped && to->is_jump)
        st = pass_jump(own, to, err);
    else if (!st)
        st = accept(own, &to->at, &to->judged, err);
    takt_system_note_requests(run, &to->at.outcome);
    if (!st) st = takt_auto_keep(own, &to->at, to->t_end, !has_jumped, err);
    if (st) return st;
    if (to->at.outcome.is_early) st = takt_doubt_note(run, TAKT_DOUBT_EVENT_ALONE, NULL, NAN, err);
    if (to->early.is_early) takt_early_aim(run, &to->early, to->t_end);
    takt_grid_go_to(&run->state.grid, to->t_end);
    bool is_shown = has_jumped && to->is_jump && run->work.has_output_grid;
    return st || !is_shown ? st : takt_rows_write(run, err);
}

takt_status takt_auto_take_step(takt_auto *own, takt_error *err)
{
    takt_run *run = own->run;
    making to = {.is_accepted = false};
    takt_status st = takt_auto_prepare(own, err);
    while (!st && !to.is_accepted) {
        st = try_once(own, &to, err);
        if (!st && to.at.outcome.end == TAKT_STEP_TERMINATED) {
            takt_control_terminate(run, &to.at.outcome);
            return TAKT_OK;
        }
    }
    if (st || to.has_stayed) return st;
    return keep(own, &to, err);
}

static takt_status create(takt_run *run, takt_error *err)
{
    return takt_auto_create(run, false, err);
}

const takt_control_type takt_auto_control = {.step = takt_rate_step,
                                             .create = create,
                                             .destroy = takt_auto_destroy,
                                             .memory = takt_auto_memory,
                                             .is_sound = takt_auto_is_sound};
