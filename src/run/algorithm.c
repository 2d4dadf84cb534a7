// SPDX-License-Identifier: MIT
// Advancing all blocks, each with its own algorithm; see algorithm.h.
#include "run/algorithm.h"

#include <math.h>

#include "run/calls.h"
#include "run/derivatives.h"

static takt_advance_fn *const algorithms[] = {
    [TAKT_ALGORITHM_JACOBI] = takt_jacobi_advance,
    [TAKT_ALGORITHM_SEIDEL] = takt_seidel_advance,
    [TAKT_ALGORITHM_FIXED_POINT] = takt_fixed_point_advance,
    [TAKT_ALGORITHM_NEWTON] = takt_newton_advance,
};

// An instance wants the simulation to end. Where its step ends anyway, the step is done. Within a step
// that can be repeated, it counts as discarded: the next attempt leads up to that time.
static void judge_end(takt_run *run, takt_run_instance *at, const takt_step_plan *step,
                      takt_step_result *result)
{
    at->end_time = INFINITY;
    if (result->end != TAKT_STEP_TERMINATED) return;
    double step_min = run->plan->system->settings.step_min;
    if (takt_times_equal(result->time, step->t + step->h, step->h)) {
        at->end_time = step->t + step->h;
        result->end = TAKT_STEP_DONE;
    } else if (run->adaptive && result->time - step->t > step_min) {
        result->end = TAKT_STEP_DISCARDED;
    }
}

int takt_run_find_ending(const takt_run *run)
{
    for (int i = 0; i < run->n_instances; i++)
        if (run->instances[i].end_time < INFINITY) return i;
    return -1;
}

// Half a step may end where an instance wants to end the simulation: it cannot go on from there.
static bool has_ended(const takt_run *run, const takt_step_plan *step, takt_outcome *outcome)
{
    for (int i = 0; run->adaptive && i < run->n_instances; i++) {
        if (!takt_times_equal(run->instances[i].end_time, step->t, step->h)) continue;
        *outcome = (takt_outcome){.end = TAKT_STEP_TERMINATED, .i_instance = i, .time = step->t};
        return true;
    }
    return false;
}

takt_status takt_run_advance_instance(takt_run *run, int i_instance, const takt_step_plan *step,
                                      takt_outcome *outcome, takt_error *err)
{
    takt_step_result result = {.end = TAKT_STEP_DONE};
    takt_status st = takt_run_set_inputs(run, i_instance, step->t, err);
    if (!st && run->derivatives) st = takt_derivatives_set(run, i_instance, step->t, err);
    if (!st) st = takt_run_do_step(run, i_instance, step->t, step->h, step->is_final, &result, err);
    if (!st) judge_end(run, &run->instances[i_instance], step, &result);
    if (!st && result.end != TAKT_STEP_DONE)
        *outcome = (takt_outcome){.end = result.end, .i_instance = i_instance, .time = result.time};
    else if (!st)
        st = takt_run_get_outputs(run, i_instance, step->t + step->h, err);
    if (!st && run->derivatives) takt_derivatives_mark(run, i_instance);
    return st;
}

// Members of Jacobi blocks get their inputs before anything is stepped.
static takt_status gather_for_jacobi(takt_run *run, const takt_step_plan *step, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->plan->n_blocks && !st; i++) {
        const takt_run_block *block = &run->blocks[i];
        if (block->algorithm != TAKT_ALGORITHM_JACOBI) continue;
        for (int k = 0; k < block->plan->n_members && !st; k++)
            st = takt_run_gather_for_step(run, block->plan->members[k], step, err);
    }
    return st;
}

takt_status takt_run_advance(takt_run *run, const takt_step_plan *step, takt_outcome *outcome,
                             takt_error *err)
{
    *outcome = (takt_outcome){.end = TAKT_STEP_DONE};
    if (has_ended(run, step, outcome)) return TAKT_OK;
    if (run->derivatives) takt_derivatives_begin(run, step->t);
    takt_status st = gather_for_jacobi(run, step, err);
    for (int i = 0; i < run->plan->n_blocks && !st && outcome->end == TAKT_STEP_DONE; i++) {
        takt_run_block *block = &run->blocks[i];
        block->sweeps_before = block->sweeps;
        st = algorithms[block->algorithm](run, block, step, outcome, err);
    }
    return st;
}
