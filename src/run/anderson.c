// SPDX-License-Identifier: MIT
// Anderson acceleration for a loop: the sweeps of the iterating Gauss-Seidel method, each begun with the
// combination of the last five that comes nearest to a solution (Anderson 1965; Walker, Ni 2011). Secants of
// earlier steps are not used.
#include "run/secant_loop.h"

static const takt_secant_rule rule = {.room = 5, .n_steps = 0};

static takt_status prepare(takt_run *run, takt_run_block *block, void **data, takt_error *err)
{
    return takt_secant_loop_prepare(run, block, &rule, data, err);
}

const takt_algorithm_type takt_anderson_algorithm = {
    .facts = &takt_algorithms[TAKT_ALGORITHM_ANDERSON],
    .advance = takt_secant_loop_advance,
    .prepare = prepare,
    .forget = takt_secant_loop_forget,
    .memory = takt_secant_loop_memory,
    .is_sound = takt_secant_loop_is_sound,
    .count = takt_secant_loop_count,
};
