// SPDX-License-Identifier: MIT
// Fixed communication points; see grid.h.
#include "run/grid.h"

#include <math.h>

// A quotient of times that exceeds a whole number by less than this means that number.
static const double SAME = 1e-9;

// Adding up steps makes an error that grows with their number.
bool takt_grid_has_equal(const takt_grid *grid, double a, double b)
{
    return takt_times_equal_after(grid->is_exact ? 4 : 4 + (double)grid->n, a, b, grid->h);
}

bool takt_grid_has_point(const takt_grid *grid, double t)
{
    double n = round((t - grid->start) / grid->h);
    return takt_times_equal_after(grid->is_exact ? 4 : 4 + n, takt_points_at(&grid->points, n), t,
                                  grid->h);
}

bool takt_grid_is_at(const takt_grid *grid, double t)
{
    return takt_grid_has_equal(grid, grid->time, t);
}

takt_grid takt_grid_start(const takt_settings *settings)
{
    takt_grid grid = {
        .start = settings->start_time,
        .stop = settings->stop_time,
        .h = settings->step_size,
        .points = takt_points_make(settings->start_time, settings->step_size),
        .is_exact = settings->time_grid == TAKT_GRID_EXACT,
        .oversteps = settings->overstep_end,
        .time = settings->start_time,
    };
    // A quotient such as 100.00000000000001 means 100 steps. For very many steps its rounding error
    // outgrows SAME; then half a step is the most that can be meant.
    double quotient = (grid.stop - grid.start) / grid.h;
    grid.n_steps = (int64_t)ceil(quotient - fmin(0.5, SAME + 1e-12 * quotient));
    // Far from 0 the rounding of the stop time itself looks like a part of a step.
    double last_but_one = takt_points_at(&grid.points, (double)(grid.n_steps - 1));
    if (takt_times_equal(last_but_one, grid.stop, grid.h)) grid.n_steps--;
    if (grid.n_steps < 1) grid.n_steps = 1;
    return grid;
}

double takt_grid_find_next(const takt_grid *grid)
{
    if (!grid->is_exact) {
        double next = grid->time + grid->h;
        if (grid->oversteps) return next;
        return next > grid->stop || takt_grid_has_equal(grid, next, grid->stop) ? grid->stop : next;
    }
    if (grid->n + 1 >= grid->n_steps && !grid->oversteps) return grid->stop;
    return takt_points_at(&grid->points, (double)(grid->n + 1));
}

void takt_grid_go_to(takt_grid *grid, double time)
{
    grid->is_exact = false;
    grid->time = time;
    grid->n++;
}
