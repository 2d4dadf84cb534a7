// SPDX-License-Identifier: MIT
// Columns of lists: cells such as "1 2 3", the elements of an array one behind the other. While a table is read, such a column is one;
// afterwards it is as many as there are elements: u[1], u[2], u[3].
#ifndef TAKT_BASE_CSV_LISTS_H
#define TAKT_BASE_CSV_LISTS_H

#include "base/error.h"
#include "base/table.h"

/// Column number i holds, for each row, `n` numbers in `numbers`.
typedef struct takt_csv_list {
    int n; ///< 0: it is no list
    double *numbers;
} takt_csv_list;

/// How many pieces without blanks the text has.
int takt_csv_count_pieces(const char *begin, const char *end);

/// Piece after piece: its beginning and end. `*at` is moved behind it; false: there is none left.
bool takt_csv_next_piece(const char **at, const char *end, const char **piece,
                         const char **piece_end);

/// Replaces the columns that are lists. A column of the new names that is there already is an error.
takt_status takt_csv_split_lists(takt_table *table, const takt_csv_list *lists, takt_error *err);

#endif
