// SPDX-License-Identifier: MIT
// A quasi-Newton method for a loop: IQN-ILS on the torn sweep (Degroote, Bathe, Vierendeels 2009), with secants
// of the last steps and a start value that is extrapolated. Where secants are not enough to solve, or to judge, a
// matrix of difference quotients comes to their help.
#include "run/secant_loop.h"

static const takt_secant_rule rule = {.room = 30, .n_steps = 6, .predicts = true};

static takt_status prepare(takt_run *run, takt_run_block *block, void **data, takt_error *err)
{
    return takt_secant_loop_prepare(run, block, &rule, data, err);
}

const takt_algorithm_type takt_quasi_newton_algorithm = {
    .facts = &takt_algorithms[TAKT_ALGORITHM_QUASI_NEWTON],
    .advance = takt_secant_loop_advance,
    .prepare = prepare,
    .forget = takt_secant_loop_forget,
    .memory = takt_secant_loop_memory,
    .is_sound = takt_secant_loop_is_sound,
    .count = takt_secant_loop_count,
};
