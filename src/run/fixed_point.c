// SPDX-License-Identifier: MIT
// Iterating Gauss-Seidel: sweeps over the members of a loop, each from the saved states, until the
// values of two sweeps agree (Nicolai 2018, algorithm 3).
//
// The norm is the one that ran, not the one that is printed there: sqrt of the mean of
// ((y_old - y_new) / (|y_old| rtol + atol))^2 over all real connections of the system, of which only
// those inside the loop can change; a value that feeds several inputs counts several times. Values of
// other types must be equal.
#include <math.h>

#include "run/algorithm.h"
#include "run/calls.h"
#include "run/previous.h"
#include "run/step_log.h"

static double norm_of_change(const takt_run *run, const takt_run_block *block)
{
    const takt_settings *settings = &run->plan->system->settings;
    double sum = 0;
    for (int i = 0; i < block->n_connections; i++) {
        int k = block->sources[i];
        double old = run->previous.real[k];
        double weight = fabs(old) * settings->relative_tolerance + settings->absolute_tolerance;
        double d = (old - run->y.real[k]) / weight;
        sum += d * d;
    }
    return sum == 0 ? 0 : sqrt(sum / run->plan->n_inputs[TAKT_KIND_REAL]);
}

static takt_status rewind_members(takt_run *run, const takt_run_block *block, double t,
                                  takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < block->plan->n_members && !st; i++)
        st = takt_run_restore(run, block->plan->members[i], t, err);
    return st;
}

takt_status takt_fixed_point_advance(takt_run *run, takt_run_block *block,
                                     const takt_step_plan *step, takt_outcome *outcome,
                                     takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    for (int64_t iteration = 1; iteration <= settings->iterations; iteration++) {
        takt_status st = takt_previous_remember(run, block, err);
        if (!st && iteration > 1) st = rewind_members(run, block, step->t, err);
        if (!st) st = takt_seidel_advance(run, block, step, outcome, err);
        if (st || outcome->end != TAKT_STEP_DONE) return st;
        if (step->h < settings->step_fallback) return TAKT_OK;
        double norm = norm_of_change(run, block);
        takt_step_log_sweep(run, block, step, norm, NAN);
        if (norm <= 1 && takt_previous_discrete_agree(run, block)) return TAKT_OK;
    }
    outcome->is_unconverged = true;
    return TAKT_OK;
}
