// SPDX-License-Identifier: MIT
// The rows of a result around a time that moves forward: what a comparison needs of a file of any size. Rows are numbered
// from the start of the file; those from `first` to `end` are at hand.
#ifndef TAKT_RECORD_HELD_ROWS_H
#define TAKT_RECORD_HELD_ROWS_H

#include "record/results.h"

/// A column of the file that is held; numbers or texts, the other pointer is NULL.
typedef struct takt_held_column {
    int source; ///< its number in the table
    bool has_texts;
    bool
        reads_booleans; ///< words "true" and "false" are held as numbers; set it before the first advance
    bool has_other_words; ///< which are neither
    double *numbers;
    char **texts; ///< owned, each
} takt_held_column;

typedef struct takt_held_rows {
    int64_t n; ///< rows of the file
    double t_first, t_last; ///< s; of the file
    int64_t first, end; ///< rows at hand
    double *t; ///< their times
    takt_held_column *columns;
    int n_columns;
    int capacity; ///< rows
    const takt_table *table; ///< what the file says about its columns
    takt_results_stream *stream;
    bool *has_other_words; ///< per column of the table: are there texts besides "true" and "false"?
    bool is_fresh; ///< the table has rows that are not held yet
} takt_held_rows;

/// Reads a file once to its end, for its problems, the number of its rows and their times, and opens it again. Nothing is
/// at hand yet, but what the columns are is known. Clear the result in any case.
takt_status takt_held_rows_open(takt_held_rows *held, const char *path, takt_log *log,
                                takt_error *err);
void takt_held_rows_clear(takt_held_rows *held);

/// Chooses the columns to be held; several may have the same source. held->columns can be changed before the first advance.
takt_status takt_held_rows_choose(takt_held_rows *held, const int *sources, int n, takt_error *err);

/// Reads on. Rows before `t` are no longer needed, but for the last one of them.
takt_status takt_held_rows_advance(takt_held_rows *held, double t, takt_error *err);

/// Reads "true" and "false" in any case; anything else is not a number.
double takt_boolean_read(const char *word);

#endif
