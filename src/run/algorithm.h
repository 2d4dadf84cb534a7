// SPDX-License-Identifier: MIT
// The contract for master algorithms: each advances one block of the plan from t to t + h. One
// algorithm per file.
//
// Letters are those of the papers: t and h, y for the values that travel.
#ifndef TAKT_RUN_ALGORITHM_H
#define TAKT_RUN_ALGORITHM_H

#include "run/advance.h"

typedef takt_status takt_advance_fn(takt_run *run, takt_run_block *block,
                                    const takt_step_plan *step, takt_outcome *outcome,
                                    takt_error *err);

takt_advance_fn takt_jacobi_advance, takt_seidel_advance, takt_fixed_point_advance,
    takt_newton_advance;

/// Does the algorithm rewind the members of a block?
static inline bool takt_algorithm_iterates(takt_algorithm algorithm)
{
    return algorithm == TAKT_ALGORITHM_FIXED_POINT || algorithm == TAKT_ALGORITHM_NEWTON;
}

static inline bool takt_block_iterates(const takt_run_block *block)
{
    return takt_algorithm_iterates(block->algorithm);
}

/// Advances all blocks in the order of the plan.
takt_status takt_run_advance(takt_run *run, const takt_step_plan *step, takt_outcome *outcome,
                             takt_error *err);

/// Advances one block with its algorithm, and those that are joined with it.
takt_status takt_run_advance_block(takt_run *run, takt_run_block *block, const takt_step_plan *step,
                                   takt_outcome *outcome, takt_error *err);

/// What a Jacobi block does after its members: its functions follow.
takt_status takt_jacobi_end(takt_run *run, const takt_block *block, const takt_step_plan *step,
                            takt_outcome *outcome, takt_error *err);

/// The first instance that wants the simulation to end where its last step ended; -1: none.
int takt_run_find_ending(const takt_run *run);

#endif
