// SPDX-License-Identifier: MIT
// Reads CSV files: our own results, those of other programs, and tables made by hand.
//
// Accepted: a header line whose first cell is `time` (in any case, perhaps followed by "[s]"); comma,
// semicolon or tab between cells, found in the header; LF or CR LF; UTF-8 with or without a byte
// order mark; cells in quotes as in RFC 4180; blanks around cells and blank lines. Times must not
// decrease; equal times are a jump. Everything else is an error with file, line and column.
#ifndef TAKT_RECORD_CSV_READER_H
#define TAKT_RECORD_CSV_READER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"

/// A column has numbers or texts, one per row; the other pointer is NULL. What its first cell is
/// decides: quoted cells and those that do not look like a number are text. (In a file that quotes
/// even its times, quotes mean nothing.)
typedef struct takt_table_column {
    const char *name;
    double *numbers;
    const char **texts;
} takt_table_column;

typedef struct takt_table {
    takt_arena arena; ///< owns all below
    const char *file; ///< its name, for messages
    takt_table_column *columns; ///< columns[0] is the time, in seconds
    int n_columns, n_rows;
    takt_map names; ///< name -> column
} takt_table;

/// The largest file in bytes and the most columns that are read.
enum { TAKT_CSV_MAX_SIZE = 2147483647 - 1, TAKT_CSV_MAX_COLUMNS = 1000000 };

/// Reads a file. The table is owned by the caller.
takt_status takt_csv_read(const char *path, takt_table **out, takt_error *err);

/// Reads a table from memory, which is not needed any more afterwards; `file` names it in messages.
takt_status takt_csv_parse(const char *file, const char *data, size_t size, takt_table **out,
                           takt_error *err);

/// Accepts NULL.
void takt_table_destroy(takt_table *table);

#endif
