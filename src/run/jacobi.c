// SPDX-License-Identifier: MIT
// Gauss-Jacobi: every member uses the values of the last communication point (Nicolai 2018,
// algorithm 1), which takt_run_advance() has brought to the inputs before any block is advanced.
// Results do not depend on the order of the members. Functions are no members in this sense: they have
// no time of their own and belong to the connections, so they follow when all others have been stepped.
#include "run/algorithm.h"
#include "run/derivatives.h"

static bool is_function(const takt_run *run, int i_instance)
{
    return run->instances[i_instance].instance->model->is_function;
}

takt_status takt_jacobi_advance(takt_run *run, takt_run_block *block, const takt_step_plan *step,
                                takt_outcome *outcome, takt_error *err)
{
    const int *members = block->plan->members;
    int n = block->plan->n_members;
    takt_status st = TAKT_OK;
    for (int i = 0; i < n && !st && outcome->end == TAKT_STEP_DONE; i++)
        if (!is_function(run, members[i]))
            st = takt_run_advance_instance(run, members[i], step, outcome, err);
    for (int i = 0; i < n && !st && outcome->end == TAKT_STEP_DONE; i++) {
        if (!is_function(run, members[i])) continue;
        st = takt_run_gather_for_step(run, members[i], step, err);
        if (!st) st = takt_run_advance_instance(run, members[i], step, outcome, err);
    }
    block->sweeps++;
    return st;
}
