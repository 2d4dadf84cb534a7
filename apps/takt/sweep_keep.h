// SPDX-License-Identifier: MIT
// What is kept of each variant: final values, extrema, means, integrals of recorded variables.
#ifndef TAKT_APP_SWEEP_KEEP_H
#define TAKT_APP_SWEEP_KEEP_H

#include <stdio.h>

#include "takt/takt.h"

typedef enum sweep_kind {
    SWEEP_FINAL,
    SWEEP_INITIAL,
    SWEEP_MIN,
    SWEEP_MAX,
    SWEEP_TIME_OF_MIN,
    SWEEP_TIME_OF_MAX,
    SWEEP_MEAN, ///< by time
    SWEEP_INTEGRAL, ///< by time, s
} sweep_kind;

/// One kept value: a column of the manifest.
typedef struct sweep_item {
    sweep_kind kind;
    char *name; ///< owned; of the column, "max:Tank.level"
    const char *variable; ///< behind the kind in `name`
} sweep_item;

typedef struct sweep_keep {
    sweep_item *items;
    int n_items, capacity;
} sweep_keep;

/// Finds what the patterns ("max:Tank.*", "Tank.level") mean in a system; without any, the final value of every output. Clear it in any
/// case.
takt_status sweep_keep_open(sweep_keep *keep, const takt_system *system,
                            const char *const *patterns, int n_patterns, takt_error *err);
void sweep_keep_clear(sweep_keep *keep);

/// Kept values of one run while it goes on.
typedef struct sweep_collection sweep_collection;

/// Before the initialization; receives rows until the run is destroyed. Owned by the caller.
takt_status sweep_keep_watch(const sweep_keep *keep, takt_run *run, sweep_collection **out,
                             takt_error *err);
void sweep_collection_destroy(sweep_collection *collection);

/// Writes the values as cells, each behind a comma; empty cells where there was no row, or `collection` is NULL.
void sweep_keep_write(const sweep_keep *keep, const sweep_collection *collection, FILE *file);

/// Writes a text as a cell of a table, with quotes where it needs them; lines become one.
void sweep_write_cell(FILE *file, const char *text);

#endif
