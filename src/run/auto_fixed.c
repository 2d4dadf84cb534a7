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
    return takt_auto_keep(own, at, t_end, !(e > HOPELESS), err);
}

static takt_status take_step(takt_run *run, takt_error *err)
{
    takt_auto *own = run->automatic;
    takt_target to = takt_fixed_target(run);
    takt_status st = takt_auto_prepare(own, err);
    takt_attempt at = begin_attempt(own, to);
    bool stays = false;
    if (!st) st = takt_auto_forgive(own, &at, takt_auto_make_step(own, &at, err));
    if (!st && at.outcome.is_early && own->saves_states)
        st = share_events(own, &at, &to, &stays, err);
    if (st || stays) return st;
    if (at.outcome.is_unconverged) st = make_one_pass(own, &at, err);
    if (st) return st;
    if (at.outcome.end == TAKT_STEP_DISCARDED)
        return takt_fixed_fail_discarded(run, &at.outcome, at.step.h, err);
    if (at.outcome.end != TAKT_STEP_DONE) {
        takt_control_terminate(run, &at.outcome);
        return TAKT_OK;
    }
    if (at.outcome.is_early) st = takt_doubt_note(run, TAKT_DOUBT_EVENT_ALONE, NULL, NAN, err);
    takt_system_note_requests(run, &at.outcome);
    if (!st) st = accept(own, &at, to.time, err);
    if (!st) takt_fixed_arrive(run, to);
    return st;
}

static takt_status create(takt_run *run, takt_error *err)
{
    if (takt_early_is_possible(run)) run->work.saves_states = true;
    return takt_auto_create(run, true, err);
}

const takt_control_type takt_auto_fixed_control = {.is_fixed = true,
                                                   .step = take_step,
                                                   .create = create,
                                                   .destroy = takt_auto_destroy,
                                                   .memory = takt_auto_memory,
                                                   .is_sound = takt_auto_is_sound};
