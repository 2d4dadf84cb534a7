// SPDX-License-Identifier: MIT
// Fixed communication points: what kinds of control with fixed steps share.
#ifndef TAKT_RUN_FIXED_H
#define TAKT_RUN_FIXED_H

#include "run/outcome.h"

/// Where the next step ends: at a point of the grid, or before it at an event, a known time or a row. A row that is
/// due at the point of the grid, but for rounding, has its own time; only the end of all is exact.
typedef struct takt_target {
    double time;
    double h;
    bool is_on_grid;
} takt_target;

takt_target takt_fixed_target(const takt_run *run);

/// All instances are there.
static inline void takt_fixed_arrive(takt_run *run, takt_target to)
{
    if (to.is_on_grid)
        takt_grid_advance(&run->state.grid, to.time);
    else
        run->state.grid.time = to.time; // a point between those of the grid
}

/// An instance has discarded a step that cannot be made smaller.
takt_status takt_fixed_fail_discarded(const takt_run *run, const takt_outcome *outcome, double h,
                                      takt_error *err);

#endif
