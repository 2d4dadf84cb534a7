// SPDX-License-Identifier: MIT
// Iterating Gauss-Seidel: sweeps over the members of a loop, each from the saved states, until the values are
// right to the tolerance (Nicolai 2018, algorithm 3). Values that are not real must be equal in two sweeps.
//
// The papers' program stops when the values of two sweeps agree (setting `norm`). But where the changes shrink
// only by a factor rho near 1 from sweep to sweep, many small changes are still to come: together they are
// rho / (1 - rho) of the last one. That is the error, and it is what must be within the tolerance. It can be
// estimated from the second sweep on.
#include <math.h>

#include "run/algorithm.h"
#include "run/loop.h"

// The error that is left after a sweep that changed the values by `change`, and the one before it by `before`
// (infinite: there was none).
static double error_of(double change, double before)
{
    if (change <= TAKT_LOOP_ROUNDING) return 0;
    double rho = change / before;
    return before < INFINITY && rho < 1 ? change * rho / (1 - rho) : INFINITY;
}

static takt_status advance(takt_run *run, takt_run_block *block, const takt_step *step,
                           takt_outcome *outcome, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    takt_loop *loop = block->loop;
    double norm = INFINITY;
    if (step->is_single) return takt_loop_pass(loop, step, outcome, err);
    takt_loop_begin(loop, step, outcome);
    for (int64_t iteration = 1; iteration <= settings->iterations; iteration++) {
        takt_status st = takt_loop_remember(loop, err);
        if (!st) st = takt_loop_sweep(loop, err);
        if (st || takt_loop_is_stopped(loop)) return st;
        double before = norm;
        norm = takt_loop_change(loop);
        bool is_by_change = settings->norm == TAKT_NORM_PAPERS;
        double error = is_by_change ? norm : fmax(norm, error_of(norm, before));
        takt_loop_log(loop, norm, NAN);
        if (error <= 1 && takt_loop_is_discrete_same(loop)) return TAKT_OK;
    }
    takt_loop_doubt(loop, &outcome->is_unconverged, norm);
    return TAKT_OK;
}

const takt_algorithm_type takt_fixed_point_algorithm = {
    .facts = &takt_algorithms[TAKT_ALGORITHM_FIXED_POINT],
    .advance = advance,
};
