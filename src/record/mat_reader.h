// SPDX-License-Identifier: MIT
// Reads MAT files of level 4 in the layout of mat_format.h, our own and those of other programs, in both
// orientations. Other content and other layouts are refused.
#ifndef TAKT_RECORD_MAT_READER_H
#define TAKT_RECORD_MAT_READER_H

#include "base/error.h"
#include "base/table.h"

/// Reads a file. The table is owned by the caller.
takt_status takt_mat_read(const char *path, takt_table **out, takt_error *err);

/// Reads a table from memory, which is not needed afterwards; `file` names it in messages.
takt_status takt_mat_parse(const char *file, const void *data, size_t size, takt_table **out,
                           takt_error *err);

/// A file of any size, some rows at a time; as takt_csv_stream.
typedef struct takt_mat_stream takt_mat_stream;
takt_status takt_mat_stream_open(const char *path, takt_mat_stream **out, takt_error *err);
takt_table *takt_mat_stream_table(takt_mat_stream *stream);
takt_status takt_mat_stream_next(takt_mat_stream *stream, takt_error *err);
void takt_mat_stream_close(takt_mat_stream *stream);

#endif
