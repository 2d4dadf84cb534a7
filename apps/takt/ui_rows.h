// SPDX-License-Identifier: MIT
// The rows of a run, kept for plots: every row as it is, and the smallest and largest values of blocks of rows, so that a picture of
// a million rows costs no more than one of a thousand. Not locked: who shares it locks.
#ifndef TAKT_APP_UI_ROWS_H
#define TAKT_APP_UI_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A column: values of all types as numbers; texts are NaN.
typedef struct ui_column {
    char *name, *unit; ///< owned; unit NULL: none
    const char *type; ///< name of a takt_type
    double *values; ///< by row
    double *lows, *highs; ///< by block; NaN: no number in it
} ui_column;

typedef struct ui_rows {
    double *times;
    ui_column *columns;
    int n_columns;
    size_t n, capacity; ///< rows
    bool is_full; ///< rows were left out, because there was no room
} ui_rows;

/// At most this many bytes are kept of one run.
enum { UI_ROWS_BLOCK = 64, UI_ROWS_MEGABYTES = 400 };

/// Adds a column to rows that are still empty. Returns false when memory is exhausted. `type` must live as long as the rows.
bool ui_rows_add_column(ui_rows *rows, const char *name, const char *unit, const char *type);

/// Adds a row; `values` has one number per column.
void ui_rows_add(ui_rows *rows, double time, const double *values);
void ui_rows_clear(ui_rows *rows);

/// What can be seen between two times on `width` pixels, of some columns, as JSON:
/// {"t": [...], "y": [[...], ...], "rows": ..., "exact": true}. Of each pixel there are the smallest and the largest value, in the order in which
/// they come; where there are no more rows than that, all rows as they are ("exact"). With the rows before and behind. The text is owned by
/// the caller and freed with free(); NULL: out of memory.
char *ui_rows_view(const ui_rows *rows, double from, double to, int width, const int *columns,
                   int n_columns);

/// Number of the last row at or before a time; 0 if there is none.
size_t ui_rows_find(const ui_rows *rows, double time);

#endif
