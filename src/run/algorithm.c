// SPDX-License-Identifier: MIT
// Advancing all blocks, each with its own algorithm; see algorithm.h.
#include "run/algorithm.h"

#include <math.h>

#include "base/compiler.h"

#include "run/calls.h"
#include "run/derivatives.h"
#include "run/events.h"
#include "run/waves.h"

static takt_advance_fn *const algorithms[] = {
    [TAKT_ALGORITHM_JACOBI] = takt_jacobi_advance,
    [TAKT_ALGORITHM_SEIDEL] = takt_seidel_advance,
    [TAKT_ALGORITHM_FIXED_POINT] = takt_fixed_point_advance,
    [TAKT_ALGORITHM_NEWTON] = takt_newton_advance,
};

int takt_run_find_ending(const takt_run *run)
{
    for (int i = 0; i < run->n_instances; i++)
        if (run->instances[i].end_time < INFINITY) return i;
    return -1;
}

// Half a step may end where an instance wants to end the simulation: it cannot go on from there.
TAKT_APART static bool has_ended(const takt_run *run, const takt_step_plan *step,
                                 takt_outcome *outcome)
{
    for (int i = 0; run->adaptive && i < run->n_instances; i++) {
        if (!takt_times_equal(run->instances[i].end_time, step->t, step->h)) continue;
        *outcome = (takt_outcome){.end = TAKT_STEP_TERMINATED, .i_instance = i, .time = step->t};
        return true;
    }
    return false;
}

// Members of Jacobi blocks get their inputs before anything is stepped.
TAKT_APART static takt_status gather_for_jacobi(takt_run *run, const takt_step_plan *step,
                                                takt_error *err)
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

takt_status takt_run_advance_block(takt_run *run, takt_run_block *block, const takt_step_plan *step,
                                   takt_outcome *outcome, takt_error *err)
{
    block->sweeps_before = block->sweeps;
    return algorithms[block->algorithm](run, block, step, outcome, err);
}

static takt_status advance_blocks(takt_run *run, const takt_step_plan *step, takt_outcome *outcome,
                                  takt_error *err)
{
    takt_status st = TAKT_OK;
    int n = run->plan->n_blocks;
    for (int i = 0; i < n && !st && outcome->end == TAKT_STEP_DONE; i += run->blocks[i].n_joined)
        st = takt_run_advance_block(run, &run->blocks[i], step, outcome, err);
    return st;
}

static void note_wishes(takt_run *run, const takt_outcome *outcome)
{
    run->has_wishes = outcome->has_wishes;
    if (run->has_wishes) takt_run_note_next_event(run);
}

// Any step.
TAKT_APART static takt_status advance_parts(takt_run *run, const takt_step_plan *step,
                                            takt_outcome *outcome, takt_error *err)
{
    if (run->has_wishes && has_ended(run, step, outcome)) return TAKT_OK;
    if (run->derivatives) takt_derivatives_begin(run, step->t);
    takt_status st = run->has_jacobi ? gather_for_jacobi(run, step, err) : TAKT_OK;
    if (!st && takt_waves_are_due(run))
        st = takt_waves_advance(run, step, outcome, err);
    else if (!st)
        st = advance_blocks(run, step, outcome, err);
    note_wishes(run, outcome);
    return st;
}

takt_status takt_run_advance(takt_run *run, const takt_step_plan *step, takt_outcome *outcome,
                             takt_error *err)
{
    takt_segment *whole = run->whole;
    *outcome = (takt_outcome){.end = TAKT_STEP_DONE};
    if (!whole || whole->n_untimed >= whole->max_untimed || run->n_plain <= 0 || run->has_wishes)
        return advance_parts(run, step, outcome, err);
    // Most often one call does it all.
    run->n_plain--;
    whole->n_untimed++;
    run->blocks->sweeps_before = run->blocks->sweeps++;
    takt_status st =
        takt_run_advance_members(run, whole, 0, whole->n_members, true, step, outcome, err);
    if (outcome->has_wishes) note_wishes(run, outcome);
    return st;
}
