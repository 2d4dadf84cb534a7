// SPDX-License-Identifier: MIT
// Gauss-Jacobi: every member uses the values of the last communication point (Nicolai 2018,
// algorithm 1), which takt_run_advance() has brought to the inputs before any block is advanced.
// Results do not depend on the order of the members.
#include "run/algorithm.h"

takt_status takt_jacobi_advance(takt_run *run, takt_run_block *block, const takt_step_plan *step,
                                takt_outcome *outcome, takt_error *err)
{
    const int *members = block->plan->members;
    takt_status st = TAKT_OK;
    for (int i = 0; i < block->plan->n_members && !st && outcome->end == TAKT_STEP_DONE; i++)
        st = takt_run_advance_instance(run, members[i], step, outcome, err);
    block->sweeps++;
    return st;
}
