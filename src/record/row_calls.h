// SPDX-License-Identifier: MIT
// An observer that brings rows into the order of columns and hands them on: to a function of the user (takt/rows.h), or to
// memory (takt/series.h).
#ifndef TAKT_RECORD_ROW_CALLS_H
#define TAKT_RECORD_ROW_CALLS_H

#include "run/master.h"
#include "takt/rows.h"

/// Who gets the rows.
typedef struct takt_row_sink {
    takt_status (*row)(void *context, const takt_row *row, takt_error *err);
    void (*end)(
        void *context); ///< the run ends, or the observer could not be made; NULL: nothing to do
    void *context;
} takt_row_sink;

/// Adds the observer; before initialization.
takt_status takt_run_add_sink(takt_run *run, const takt_row_sink *sink, takt_error *err);

/// How many columns of a kind the results have.
int takt_run_count_kind(const takt_run *run, takt_kind kind);

#endif
