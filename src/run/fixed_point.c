// SPDX-License-Identifier: MIT
// Iterating Gauss-Seidel: sweeps over the members of a loop, each from the saved states, until the
// values of two sweeps agree (Nicolai 2018, algorithm 3). Values that are not real must be equal.
#include <math.h>

#include "run/algorithm.h"
#include "run/loop.h"

static takt_status advance(takt_run *run, takt_run_block *block, const takt_step *step,
                           takt_outcome *outcome, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    takt_loop *loop = block->loop;
    double norm = INFINITY;
    takt_loop_begin(loop, step, outcome);
    for (int64_t iteration = 1; iteration <= settings->iterations; iteration++) {
        takt_status st = takt_loop_remember(loop, err);
        if (!st) st = takt_loop_sweep(loop, err);
        if (st || takt_loop_is_stopped(loop)) return st;
        norm = takt_loop_change(loop);
        bool is_solved = norm <= 1 && takt_loop_is_discrete_same(loop);
        if (!step->is_single) takt_loop_log(loop, norm, NAN);
        if (!is_solved && step->is_single) takt_loop_doubt(loop, &outcome->is_unchecked, norm);
        if (is_solved || step->is_single) return TAKT_OK;
    }
    takt_loop_doubt(loop, &outcome->is_unconverged, norm);
    return TAKT_OK;
}

const takt_algorithm_type takt_fixed_point_algorithm = {
    .facts = &takt_algorithms[TAKT_ALGORITHM_FIXED_POINT],
    .advance = advance,
};
