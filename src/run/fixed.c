// SPDX-License-Identifier: MIT
// Fixed steps: every attempt counts. A loop that does not converge goes on with the values of its
// last sweep (Nicolai 2018, section 5.3). There is no way back, unless an instance may find an event within a
// step: then all go back to the beginning and step to the event.
#include "run/fixed.h"

#include <math.h>

#include "base/compiler.h"
#include "run/calls.h"
#include "run/control.h"
#include "run/doubts.h"
#include "run/early.h"
#include "run/rows.h"
#include "run/step_log.h"
#include "run/system_step.h"
#include "run/way_back.h"

takt_status takt_fixed_fail_discarded(const takt_run *run, const takt_outcome *outcome, double h,
                                      takt_error *err)
{
    return takt_fail(
        err, TAKT_ERR_SIMULATION,
        "instance '%s' at t=%.15g s: the FMU discarded the step of %.15g s (it came to "
        "t=%.15g s); try a smaller --step-size, or --step-control convergence",
        run->work.instances[outcome->i_instance].instance->name, run->state.grid.time, h,
        outcome->time);
}

// The step did not come to its end.
TAKT_APART static takt_status end_within(takt_run *run, const takt_outcome *outcome, double h,
                                         takt_error *err)
{
    if (outcome->end == TAKT_STEP_DISCARDED) return takt_fixed_fail_discarded(run, outcome, h, err);
    takt_control_terminate(run, outcome);
    return TAKT_OK;
}

// A loop is not solved, or an event is not shared.
TAKT_APART static takt_status note_doubts(takt_run *run, const takt_step *step,
                                          const takt_outcome *outcome, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (outcome->is_unconverged) {
        run->counts.n_limit_exceeded++;
        takt_step_log_decision(run, step, "not converged, going on");
        st = takt_doubt_note(run, TAKT_DOUBT_UNCONVERGED, outcome->loop, outcome->norm, err);
    }
    if (!st && outcome->is_unchecked)
        st = takt_doubt_note(run, TAKT_DOUBT_BELOW_FALLBACK, outcome->loop, outcome->norm, err);
    if (!st && outcome->is_early) st = takt_doubt_note(run, TAKT_DOUBT_EVENT_ALONE, NULL, NAN, err);
    return st;
}

TAKT_APART static takt_status save_states(takt_run *run, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (run->way_back) return takt_way_back_save(run, err);
    for (int i = 0; i < run->work.n_instances && !st; i++)
        if (run->work.instances[i].saves_state)
            st = takt_run_save(run, i, TAKT_SLOT_POINT, run->state.grid.time, err);
    return st;
}

// Looks whether there is something to stop at before.
static takt_target stop_before(const takt_run *run, takt_target whole)
{
    const takt_grid *grid = &run->state.grid;
    double next = whole.time;
    bool is_event;
    double stop = takt_run_next_stop(run, &is_event);
    bool is_same = isfinite(stop) && takt_grid_has_equal(grid, stop, next);
    if (is_same && !is_event && next != grid->stop)
        return (takt_target){stop, stop - grid->time, true};
    if (is_same || stop > next) return whole;
    return (takt_target){stop, stop - grid->time, false};
}

static inline takt_target whole_step(const takt_run *run)
{
    double next = takt_grid_next(&run->state.grid);
    return (takt_target){next, takt_grid_size(&run->state.grid, next), true};
}

takt_target takt_fixed_target(const takt_run *run)
{
    takt_target whole = whole_step(run);
    return takt_run_has_stops(run) ? stop_before(run, whole) : whole;
}

// All go back after `attempt`, and step to the event that it found, unless that is where they are already: then the
// step has no length.
static takt_status step_to_event(takt_run *run, const takt_outcome *attempt, takt_step *step,
                                 takt_target *to, takt_outcome *outcome, takt_error *err)
{
    bool stays = false;
    takt_step_log_decision(run, step, "event within the step, rejected");
    run->counts.n_rejected++;
    takt_status st = takt_way_back_take(run, err);
    if (!st) st = takt_early_stay(run, step, attempt, &stays, err);
    *outcome = (takt_outcome){.end = TAKT_STEP_DONE};
    *to = (takt_target){stays ? step->t : attempt->early_time, 0, false};
    if (st || stays) return st;
    to->h = step->h = takt_early_size(step->t, to->time);
    takt_early_aim(run, attempt, to->time);
    return takt_system_step(run, step, outcome, err);
}

// An instance has met an event within the step, and perhaps others then, earlier ones.
TAKT_APART static takt_status share_event(takt_run *run, takt_step *step, takt_target *to,
                                          takt_outcome *outcome, takt_error *err)
{
    takt_target whole = *to;
    takt_status st = TAKT_OK;
    for (int n = 1; n < TAKT_MAX_EARLY && outcome->is_early && !st; n++) {
        takt_outcome attempt = *outcome;
        st = step_to_event(run, &attempt, step, to, outcome, err);
    }
    if (st || !outcome->is_early) return st;
    *to = whole;
    step->h = whole.h;
    st = takt_way_back_take(run, err);
    return st ? st : takt_system_step(run, step, outcome, err);
}

static inline takt_status step_to(takt_run *run, takt_target to, takt_error *err)
{
    takt_step step = {run->state.grid.time, to.h, .is_final = run->work.n_snapshots == 0,
                      .is_single = run->work.is_single};
    takt_outcome outcome;
    takt_status st = run->work.saves_states ? save_states(run, err) : TAKT_OK;
    if (!st) st = takt_system_step(run, &step, &outcome, err);
    if (!st && outcome.is_early && run->way_back) st = share_event(run, &step, &to, &outcome, err);
    if (st) return st;
    if (outcome.end != TAKT_STEP_DONE) return end_within(run, &outcome, step.h, err);
    if (outcome.is_unconverged || outcome.is_unchecked || outcome.is_early)
        st = note_doubts(run, &step, &outcome, err);
    if (st) return st;
    takt_fixed_arrive(run, to);
    return TAKT_OK;
}

TAKT_APART static takt_status step_to_stop(takt_run *run, takt_target whole, takt_error *err)
{
    return step_to(run, stop_before(run, whole), err);
}

static takt_status take_step(takt_run *run, takt_error *err)
{
    takt_target whole = whole_step(run);
    return takt_run_has_stops(run) ? step_to_stop(run, whole, err) : step_to(run, whole, err);
}

static takt_status create(takt_run *run, takt_error *err)
{
    if (!takt_early_is_possible(run)) return TAKT_OK;
    run->work.saves_states = true;
    return takt_way_back_create(run, err);
}

const takt_control_type takt_fixed_control = {
    .is_fixed = true, .step = take_step, .create = create, .destroy = takt_way_back_destroy};
