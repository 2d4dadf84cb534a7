// SPDX-License-Identifier: MIT
// Gauss-Seidel, one pass: every member uses what the members before it have just delivered
// (Nicolai 2018, algorithm 2).
#include "run/algorithm.h"

takt_status takt_seidel_advance(takt_run *run, takt_run_block *block, const takt_step_plan *step,
                                takt_outcome *outcome, takt_error *err)
{
    return takt_run_advance_segments(run, block, true, step, outcome, err);
}
