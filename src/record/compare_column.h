// SPDX-License-Identifier: MIT
// Compares one column of a result with that of a reference, some rows of the reference at a time.
#ifndef TAKT_RECORD_COMPARE_COLUMN_H
#define TAKT_RECORD_COMPARE_COLUMN_H

#include "record/held_rows.h"
#include "takt/compare.h"

/// The worst difference in a column, or in all.
typedef struct takt_finding {
    double excess; ///< difference / allowed difference; more than 1 differs
    double time; ///< s; of the reference
    double value, reference; ///< NaN for text
    char *text, *reference_text; ///< owned; NULL for numbers
    int64_t n_differing; ///< rows
    int64_t n_compared; ///< rows
} takt_finding;

/// Rows of the reference, and all rows of the result that they need: those from `reach` before the first one's time to
/// `reach` behind the last one's, with one more on either side, if the result has one.
typedef struct takt_compare_portion {
    const takt_held_rows *held;
    const takt_compare_options *options;
    double same; ///< s; times this near are the same
    double reach; ///< s; the time tolerance, at least `same`
    const double *t; ///< times of the reference, s
    double t_before; ///< s; of the row before them; NaN: there is none
    int n; ///< rows
} takt_compare_portion;

/// The rows of the result at the time of a row of the reference: [begin, end), perhaps none.
typedef struct takt_rows_at {
    int64_t begin, end;
    int64_t
        same_number; ///< the row with the same number among those of this time as in the reference
} takt_rows_at;

/// Rows whose values ascend (sign 1) or descend (sign -1): the first is the extreme one.
typedef struct takt_extreme {
    struct takt_extreme_row {
        int64_t row;
        double value;
    } * rows; ///< owned
    int first, end, capacity;
    double sign;
    bool has_failed; ///< memory was exhausted
} takt_extreme;

/// How far the comparison of a column has come.
typedef struct takt_column_state {
    bool holds; ///< values between rows are those of the row before
    takt_rows_at at;
    int64_t begin, end; ///< rows within the time tolerance
    int64_t last_nan; ///< of the rows before `end`; -1: none
    takt_extreme least, greatest;
    takt_finding worst;
} takt_column_state;

void takt_column_state_init(takt_column_state *state, bool holds);
void takt_column_state_clear(takt_column_state *state);

/// Does the result have rows around t? What it does not cover is reported for all columns.
bool takt_held_rows_cover(const takt_held_rows *held, double t, double same);

/// Compares portion after portion. `values` are those of the column in portion->held, `references` one per row.
takt_status takt_compare_numbers(const takt_compare_portion *portion, const double *values,
                                 const double *references, takt_column_state *state,
                                 takt_error *err);
takt_status takt_compare_texts(const takt_compare_portion *portion, char *const *values,
                               const char *const *references, takt_column_state *state,
                               takt_error *err);

#endif
