// SPDX-License-Identifier: MIT
// Observer that writes a CSV file: `time` first, then one column per recorded variable. A thread of
// its own formats and writes; the simulation only copies numbers into a ring of rows.
#ifndef TAKT_RECORD_CSV_WRITER_H
#define TAKT_RECORD_CSV_WRITER_H

#include "run/observer.h"

/// Opens the file ("-": standard output) and writes the header. Owned by the caller.
takt_status takt_csv_writer_open(const takt_plan *plan, const char *path, takt_observer **out,
                                 takt_error *err);

#endif
