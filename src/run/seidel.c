// SPDX-License-Identifier: MIT
// Gauss-Seidel, one pass: every member uses what the members before it have just delivered
// (Nicolai 2018, algorithm 2).
#include "run/algorithm.h"
#include "run/derivatives.h"

takt_status takt_seidel_advance(takt_run *run, takt_run_block *block, const takt_step_plan *step,
                                takt_outcome *outcome, takt_error *err)
{
    const int *members = block->plan->members;
    int n = block->plan->n_members;
    takt_status st = TAKT_OK;
    for (int i = 0; i < n && !st && outcome->end == TAKT_STEP_DONE; i++) {
        st = takt_run_gather_for_step(run, members[i], step, err);
        if (!st) st = takt_run_advance_instance(run, members[i], step, outcome, err);
    }
    block->sweeps++;
    return st;
}
