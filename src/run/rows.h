// SPDX-License-Identifier: MIT
// Rows of results: when they are due, and handing them to the observers.
#ifndef TAKT_RUN_ROWS_H
#define TAKT_RUN_ROWS_H

#include <math.h>

#include "run/run.h"

/// Decides whether steps are shortened to end at the points of the output grid, and says so in the log if
/// they cannot be.
takt_status takt_rows_create(takt_run *run, takt_error *err);
void takt_rows_destroy(takt_run *run);

/// The next time at which a step must end because of an event, a known time (stops.h) or a row, s; infinite:
/// none. `is_event` says whether it is an event.
double takt_run_next_stop(const takt_run *run, bool *is_event);

/// False: there is none, no need to ask.
static inline bool takt_run_has_stops(const takt_run *run)
{
    return run->work.ends_steps_at_rows || run->stops || run->state.next_event < INFINITY ||
           run->work.wanted_stop < INFINITY;
}

/// Notes that there was a row at time t.
static inline void takt_rows_count(takt_run *run, double t)
{
    run->counts.n_rows++;
    run->state.rows.time = t;
    run->state.rows.is_begun = true;
}

/// Is a row due now? Then its turn is over.
bool takt_rows_take_turn(takt_run *run);

/// Writes the row of an earlier point, whose turn is over, with these values.
takt_status takt_rows_write_at(takt_run *run, double t, const takt_values *values, takt_error *err);

/// The next time at which all instances must be together because of an event or a known time, s; infinite: none.
double takt_run_next_meeting(const takt_run *run);

/// Writes a row, due or not.
takt_status takt_rows_write(takt_run *run, takt_error *err);

/// After a checkpoint: writes a row for those observers that have none of the time before. `has_changed`: values have been set since
/// then; otherwise the recorded values stay those of the checkpoint.
takt_status takt_rows_write_first(takt_run *run, bool has_changed, takt_error *err);

/// Writes a row if the output grid says so.
takt_status takt_rows_find_due(takt_run *run, takt_error *err);

/// Writes the row of the present communication point, if it is due.
static inline takt_status takt_rows_write_due(takt_run *run, takt_error *err)
{
    if (run->work.has_output_grid) return takt_rows_find_due(run, err);
    if (run->n_observers) return takt_rows_write(run, err);
    takt_rows_count(run, run->state.grid.time); // every one is due, and nobody wants it
    return TAKT_OK;
}

/// Rows that are drawn between communication points (output grid `interpolated`): is there a point of the output
/// grid before t that had no row? Then it is written to `out`, s.
bool takt_rows_find_before(const takt_run *run, double t, double *out);

/// Writes the row of that point, with these values.
takt_status takt_rows_write_between(takt_run *run, double t, const takt_values *values,
                                    takt_error *err);

/// The instances of which rows need more than what is connected.
const int *takt_rows_recorded(const takt_run *run, int *n);

/// Reads what only rows need, at the present communication point or the end of a step (t, s).
takt_status takt_rows_read_recorded(takt_run *run, double t, takt_error *err);

/// Around a change that the user makes between two steps: rows show what was before and what is after it.
takt_status takt_rows_keep_before(takt_run *run, takt_error *err);
takt_status takt_rows_write_after(takt_run *run, takt_error *err);

/// Handles events at the present communication point; two rows show what they changed. One row is
/// written in any case if it is due.
takt_status takt_rows_write_events(takt_run *run, takt_error *err);

#endif
