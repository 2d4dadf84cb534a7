// SPDX-License-Identifier: MIT
// Rows of results: when they are due, and handing them to the observers.
#ifndef TAKT_RUN_ROWS_H
#define TAKT_RUN_ROWS_H

#include <math.h>

#include "run/run.h"

/// Decides whether steps are shortened to end at the points of the output grid, and tells if they
/// cannot be.
takt_status takt_rows_prepare(takt_run *run, takt_error *err);

/// The next time at which a step must end because of an event or a row, s; infinite: none.
/// `is_event` tells which of both it is.
double takt_run_next_stop(const takt_run *run, bool *is_event);

/// False: there is none, no need to ask.
static inline bool takt_run_has_stops(const takt_run *run)
{
    return run->ends_steps_at_rows || run->next_event < INFINITY;
}

/// The same as takt_rows_write_due(), in any case.
takt_status takt_rows_find_due(takt_run *run, takt_error *err);

/// Writes the row of the present communication point, if it is due.
static inline takt_status takt_rows_write_due(takt_run *run, takt_error *err)
{
    if (run->n_observers || run->has_output_grid) return takt_rows_find_due(run, err);
    run->n_rows++; // every one is due, and nobody wants it
    run->last_row = run->grid.time;
    return TAKT_OK;
}

/// Handles events at the present communication point; two rows show what they changed. One row is
/// written in any case if it is due.
takt_status takt_rows_write_events(takt_run *run, takt_error *err);

#endif
