// SPDX-License-Identifier: MIT
// A table of values over time, as read from a file: results of a run, or data that drive one.
#ifndef TAKT_BASE_TABLE_H
#define TAKT_BASE_TABLE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"

/// A column has numbers or texts, one per row; the other pointer is NULL. Columns may share their
/// numbers.
typedef struct takt_table_column {
    const char *name;
    const char *unit; ///< of measurement; NULL: not said
    const char *description; ///< NULL: none
    const char *type; ///< name of its FMI type; NULL: not said
    const char *variability; ///< in FMI's words; NULL: not said
    const double *numbers;
    const char **texts;
    const char *
        array; ///< of which it is an element; its elements stand one after the other. NULL: it is none
    int element, n_elements; ///< which one, from 0; how many there are
    const int64_t
        *large; ///< whole numbers from 2^53 on, of which `numbers` has only the first digits; above
    ///< 2^63 the bits of a uint64_t; 0: an ordinary number. NULL: there are none
} takt_table_column;

typedef struct takt_table {
    takt_arena arena; ///< owns all below
    const char *file; ///< its name, for messages
    takt_table_column *columns; ///< columns[0] is the time, in seconds; it does not decrease
    int n_columns, n_rows;
    takt_map names; ///< name -> column
    int n_more_owners; ///< besides the first one
} takt_table;

/// Makes the caller one more owner, and returns the table.
takt_table *takt_table_share(takt_table *table);

/// Every owner calls this, in the same thread; the last call frees the table. Accepts NULL.
void takt_table_destroy(takt_table *table);

#endif
