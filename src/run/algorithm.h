// SPDX-License-Identifier: MIT
// The contract for master algorithms: each advances one block of the plan from t to t + h. One
// algorithm per file.
//
// Letters are those of the papers: t and h, y for the values that travel.
#ifndef TAKT_RUN_ALGORITHM_H
#define TAKT_RUN_ALGORITHM_H

#include "run/run.h"

/// How the attempt to advance ended. None of these ends is an error.
typedef struct takt_outcome {
    takt_step_end end; ///< of the first instance that did not reach t + h, else TAKT_STEP_DONE
    int i_instance; ///< which one that was
    double time; ///< s; how far it came
    bool is_unconverged; ///< an iteration reached its limit
} takt_outcome;

typedef struct takt_step_plan {
    double t, h;
    bool is_final; ///< nothing will be rewound to a time before t
} takt_step_plan;

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

/// Advances one block with its algorithm.
takt_status takt_run_advance_block(takt_run *run, takt_run_block *block, const takt_step_plan *step,
                                   takt_outcome *outcome, takt_error *err);

/// What a Jacobi block does after its members: its functions follow.
takt_status takt_jacobi_end(takt_run *run, takt_run_block *block, const takt_step_plan *step,
                            takt_outcome *outcome, takt_error *err);

/// Is the instance a function of its present inputs, without a time of its own?
static inline bool takt_run_is_function(const takt_run *run, int i_instance)
{
    return run->instances[i_instance].instance->model->is_function;
}

/// Sets the inputs of one instance from u, steps it and reads its outputs into y. Shared by the
/// algorithms. A step at whose very end the instance wants to end the simulation is done.
takt_status takt_run_advance_instance(takt_run *run, int i_instance, const takt_step_plan *step,
                                      takt_outcome *outcome, takt_error *err);

/// The first instance that wants the simulation to end where its last step ended; -1: none.
int takt_run_find_ending(const takt_run *run);

#endif
