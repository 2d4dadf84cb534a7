// SPDX-License-Identifier: MIT
// One instance through a step; see advance.h.
#include "run/advance.h"

#include <math.h>

#include "base/clock.h"
#include "base/times.h"
#include "run/calls.h"
#include "run/control.h"
#include "run/derivatives.h"
#include "run/events.h"

// An instance asks to end the simulation. Where its step ends anyway, the step is done. Within a step
// that can be repeated, it counts as discarded: the next attempt leads up to that time.
static void judge_end(takt_run *run, takt_instance_state *at, const takt_step *step,
                      takt_step_result *result)
{
    at->end_time = INFINITY;
    if (result->end != TAKT_STEP_TERMINATED) return;
    double step_min = run->plan->system->settings.step_min;
    if (takt_times_equal(result->time, step->t + step->h, step->h)) {
        at->end_time = step->t + step->h;
        result->end = TAKT_STEP_DONE;
    } else if (takt_control_reduces_steps(run) && result->time - step->t > step_min) {
        result->end = TAKT_STEP_DISCARDED;
    }
}

takt_status takt_run_after_step(takt_run *run, int i_instance, const takt_step *step,
                                takt_step_result *result, takt_outcome *outcome, takt_error *err)
{
    takt_instance_state *at = &run->state.instances[i_instance];
    bool is_early = result->end == TAKT_STEP_EARLY;
    takt_status st = TAKT_OK;
    at->early_time = INFINITY;
    if (is_early) st = takt_run_go_on(run, i_instance, step, result, err);
    at->has_event = !st && result->has_event;
    if (st) return st;
    judge_end(run, at, step, result);
    outcome->has_requests |= is_early || at->has_event || at->end_time < INFINITY;
    if (result->end == TAKT_STEP_DONE)
        return takt_run_get_outputs(run, i_instance, step->t + step->h, err);
    *outcome = (takt_outcome){result->end, i_instance, result->time, .has_requests = true};
    return TAKT_OK;
}

static takt_status set(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_status st = takt_run_set_inputs(run, i_instance, t, err);
    if (!st && run->derivatives) st = takt_derivatives_set(run, i_instance, t, err);
    return st;
}

static takt_status finish(takt_run *run, int i_instance, const takt_step *step,
                          takt_step_result *result, takt_outcome *outcome, takt_error *err)
{
    takt_status st = takt_run_after_step(run, i_instance, step, result, outcome, err);
    if (!st && run->derivatives) takt_derivatives_mark(run, i_instance);
    return st;
}

takt_status takt_run_advance_instance(takt_run *run, int i_instance, const takt_step *step,
                                      takt_outcome *outcome, takt_error *err)
{
    takt_step_result result = {.end = TAKT_STEP_DONE};
    takt_status st = set(run, i_instance, step->t, err);
    if (!st) st = takt_run_do_step(run, i_instance, step, &result, err);
    return st ? st : finish(run, i_instance, step, &result, outcome, err);
}

bool takt_run_has_two_phases(const takt_run *run, int i_instance)
{
    return run->work.instances[i_instance].instance->type->begin_step != NULL;
}

takt_status takt_run_advance_begin(takt_run *run, int i_instance, const takt_step *step,
                                   uint64_t *begin, takt_error *err)
{
    takt_status st = set(run, i_instance, step->t, err);
    *begin = takt_ticks();
    return st ? st : takt_run_begin_step(run, i_instance, step, err);
}

takt_status takt_run_advance_end(takt_run *run, int i_instance, const takt_step *step,
                                 uint64_t begin, takt_outcome *outcome, takt_error *err)
{
    takt_step_result result = {.end = TAKT_STEP_DONE};
    takt_status st = takt_run_end_step(run, i_instance, step, begin, &result, err);
    return st ? st : finish(run, i_instance, step, &result, outcome, err);
}
