// SPDX-License-Identifier: MIT
// Result files of any kind.
#ifndef TAKT_RECORD_RESULTS_H
#define TAKT_RECORD_RESULTS_H

#include "base/error.h"
#include "base/log.h"
#include "base/table.h"

/// Does the path end in .mat?
bool takt_results_is_mat(const char *path);

/// What stands between the cells of a text file: a tab if the path ends in .tsv, else a comma.
char takt_results_separator(const char *path);

/// Reads a result file: MAT if its name ends in .mat, else CSV. Columns get unit and description from the
/// side file, if there is one. Problems of a CSV file go to `log` (may be NULL) one by one. The table is
/// owned by the caller.
takt_status takt_results_read(const char *path, takt_log *log, takt_table **out, takt_error *err);

/// A result file of any size, some rows at a time: takt_results_stream_next() fills the table, which the stream owns,
/// with the next rows; a table without rows is the end. What a column holds is known with the first rows.
typedef struct takt_results_stream takt_results_stream;
takt_status takt_results_stream_open(const char *path, takt_log *log, takt_results_stream **out,
                                     takt_error *err);
const takt_table *takt_results_stream_table(const takt_results_stream *stream);
takt_status takt_results_stream_next(takt_results_stream *stream, takt_error *err);
void takt_results_stream_close(takt_results_stream *stream);

/// What is made of results must not replace them: is `out` another file than `in`?
takt_status takt_results_check_target(const char *in, const char *out, takt_error *err);

/// "plant.csv.json" for "plant.csv", in `arena`; NULL when memory is exhausted.
char *takt_results_side_file(takt_arena *arena, const char *path);

#endif
