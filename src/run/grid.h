// SPDX-License-Identifier: MIT
// Communication points with a fixed step. The exact grid computes them as start + n*h from an
// integer, in decimals where both numbers are (takt_points), and the last one is exactly the stop time. The accumulated grid adds h again and again, as
// the program of the founding papers did (Nicolai 2018, section 5.1.3), to reproduce its results.
#ifndef TAKT_RUN_GRID_H
#define TAKT_RUN_GRID_H

#include <stdint.h>

#include "base/times.h"
#include "project/settings.h"

typedef struct takt_grid {
    double start, stop, h;
    takt_points points; ///< of the exact grid
    bool is_exact; ///< points are counted; else time is added up
    bool oversteps; ///< the last step keeps its size even if it passes the stop time
    int64_t n; ///< communication points passed
    int64_t n_steps; ///< of the exact grid
    double time; ///< present communication point
} takt_grid;

takt_grid takt_grid_start(const takt_settings *settings);

/// Is there no further communication point?
static inline bool takt_grid_is_done(const takt_grid *grid)
{
    return grid->is_exact ? grid->n >= grid->n_steps : grid->time >= grid->stop;
}

/// The same as takt_grid_next(), for any point.
double takt_grid_find_next(const takt_grid *grid);

/// The communication point after the present one.
static inline double takt_grid_next(const takt_grid *grid)
{
    if (grid->is_exact && grid->n + 1 < grid->n_steps)
        return takt_points_at(&grid->points, (double)(grid->n + 1));
    return takt_grid_find_next(grid);
}

/// The size of the step to `next`, which takt_grid_next() gave.
static inline double takt_grid_size(const takt_grid *grid, double next)
{
    bool is_whole = !grid->is_exact && next == grid->time + grid->h;
    return is_whole ? grid->h : next - grid->time;
}

/// Goes to `next`, which takt_grid_next() gave.
static inline void takt_grid_advance(takt_grid *grid, double next)
{
    grid->time = next;
    grid->n++;
}

/// Goes to any other communication point.
void takt_grid_go_to(takt_grid *grid, double time);

/// Are two times of this grid, whose rounding errors may have added up, the same?
bool takt_grid_has_equal(const takt_grid *grid, double a, double b);

/// Is one of the points start + n*h at time t, but for rounding?
bool takt_grid_has_point(const takt_grid *grid, double t);

/// Is the present communication point at time t, but for rounding?
bool takt_grid_is_at(const takt_grid *grid, double t);

#endif
