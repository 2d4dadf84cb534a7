// SPDX-License-Identifier: MIT
// Gauss-Jacobi: every member uses the values of the last communication point (Nicolai 2018,
// algorithm 1), which takt_run_advance() has brought to the inputs before any block is advanced.
// Results do not depend on the order of the members. Functions are no members in this sense: they have
// no time of their own and belong to the connections, so they follow when all others have been stepped.
#include "run/algorithm.h"
#include "run/derivatives.h"

takt_status takt_jacobi_end(takt_run *run, const takt_block *block, const takt_step_plan *step,
                            takt_outcome *outcome, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < block->n_members && !st && outcome->end == TAKT_STEP_DONE; i++) {
        int i_instance = block->members[i];
        if (!run->instances[i_instance].is_function) continue;
        st = takt_run_gather_for_step(run, i_instance, step, err);
        if (!st) st = takt_run_advance_instance(run, i_instance, step, outcome, err);
    }
    return st;
}

takt_status takt_jacobi_advance(takt_run *run, takt_run_block *block, const takt_step_plan *step,
                                takt_outcome *outcome, takt_error *err)
{
    takt_status st = takt_run_advance_segments(run, block, false, step, outcome, err);
    return st ? st : takt_jacobi_end(run, block->plan, step, outcome, err);
}
