// SPDX-License-Identifier: MIT
// Steps in two phases; see phases.h.
#include "run/phases.h"

#include "base/clock.h"
#include "run/advance.h"
#include "run/calls.h"

static takt_status begin(takt_run *run, int i_instance, const takt_coupling_motion *motion,
                         const takt_step *step, takt_outcome *outcome, takt_error *err)
{
    takt_phases *phases = run->work.instances[i_instance].phases;
    takt_status st = takt_run_set_inputs(run, i_instance, step->t, err);
    if (!st && motion->inputs)
        st = takt_run_set_motion(run, i_instance, motion->inputs, motion->order,
                                 motion->derivatives, step->t, err);
    phases->begin = takt_ticks();
    if (!st) st = takt_run_begin_step(run, i_instance, step, err);
    if (st) return st;
    phases->is_under_way = true;
    outcome->end = TAKT_STEP_EARLY;
    return TAKT_OK;
}

takt_status takt_phases_step(takt_run *run, int i_instance, const takt_coupling_motion *motion,
                             const takt_step *step, takt_outcome *outcome, takt_error *err)
{
    takt_phases *phases = run->work.instances[i_instance].phases;
    takt_step_result result = {.end = TAKT_STEP_DONE};
    if (phases->n_seen++ < phases->n_done) return TAKT_OK;
    if (!phases->is_under_way) return begin(run, i_instance, motion, step, outcome, err);
    phases->is_under_way = false;
    phases->n_done++;
    takt_status st = takt_run_end_step(run, i_instance, step, phases->begin, &result, err);
    return st ? st : takt_run_after_step(run, i_instance, step, &result, outcome, err);
}
