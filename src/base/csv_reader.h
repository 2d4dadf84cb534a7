// SPDX-License-Identifier: MIT
// Reads CSV files: our own results, those of other programs, and tables made by hand.
//
// Accepted: a header line whose first cell is `time` (in any case, perhaps followed by its unit: "[s]",
// "[min]", "[h]"); comma, semicolon or tab between cells, found in the header; LF or CR LF; UTF-8 with
// or without a byte order mark; cells in quotes as in RFC 4180; blanks around cells and blank lines. A
// name may be followed by a blank and its unit: "T_out [degC]". Times must not decrease; equal times
// are a jump. Everything else is an error with file, line and column; all errors of a file are reported.
//
// What the first cell of a column is decides what it holds: quoted cells and those that do not look
// like a number are text. A name in quotes is taken as it is, without looking for a unit. In a file
// that quotes even its times, quotes mean nothing.
#ifndef TAKT_BASE_CSV_READER_H
#define TAKT_BASE_CSV_READER_H

#include "base/error.h"
#include "base/log.h"
#include "base/table.h"

/// The largest file in bytes and the most columns that are read.
enum { TAKT_CSV_MAX_SIZE = 2147483647 - 1, TAKT_CSV_MAX_COLUMNS = 1000000 };

/// Reads a file. The table is owned by the caller; all times are in seconds. Every problem goes to the
/// log (may be NULL) with its line, beyond a limit only their number; the message of a failure is that
/// number, or the first problem where there is no log.
takt_status takt_csv_read(const char *path, takt_log *log, takt_table **out, takt_error *err);

/// The same for data that drive a run: all numbers must be finite, and an incomplete last row, which
/// otherwise is left out with a warning, is an error. Messages name the file `shown`.
takt_status takt_csv_read_source(const char *path, const char *shown, takt_log *log,
                                 takt_table **out, takt_error *err);

/// Reads a table from memory, which is not needed afterwards; `file` names it in messages.
takt_status takt_csv_parse(const char *file, const char *data, size_t size, takt_log *log,
                           takt_table **out, takt_error *err);

#endif
