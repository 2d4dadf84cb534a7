// SPDX-License-Identifier: MIT
// CSV files of any size, some rows at a time; what is accepted says csv_reader.h.
#ifndef TAKT_BASE_CSV_STREAM_H
#define TAKT_BASE_CSV_STREAM_H

#include "base/error.h"
#include "base/log.h"
#include "base/table.h"

/// A file of any size, some rows at a time.
typedef struct takt_csv_stream takt_csv_stream;

/// Opens a file and reads its header. End it with takt_csv_stream_close(). Problems are reported as by takt_csv_read(), on the
/// way or at the end.
takt_status takt_csv_stream_open(const char *path, takt_log *log, takt_csv_stream **out,
                                 takt_error *err);

/// The table, owned by the stream, whose rows change with takt_csv_stream_next(). What a column holds is known with the
/// first rows.
takt_table *takt_csv_stream_table(takt_csv_stream *stream);

/// Reads the next rows; a table without rows is the end.
takt_status takt_csv_stream_next(takt_csv_stream *stream, takt_error *err);

/// Accepts NULL.
void takt_csv_stream_close(takt_csv_stream *stream);

#endif
