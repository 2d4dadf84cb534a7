// SPDX-License-Identifier: MIT
// Observer that writes a CSV file: `time` first, then one column per recorded variable. A thread of
// its own formats and writes; the simulation only copies numbers into a ring of rows and waits only
// when the ring is full. No row is lost.
//
// The file is written in place, not renamed at the end: the results so far can be watched while a
// run goes on and stay after a killed one. Rows reach the file at the latest half a second after
// they were recorded.
#ifndef TAKT_RECORD_CSV_WRITER_H
#define TAKT_RECORD_CSV_WRITER_H

#include "run/observer.h"

/// Opens the file ("-": standard output) and writes the header. Owned by the caller; the plan is
/// needed only during the call. A failure to write later on (a full disk, a closed pipe) stops the writer: every
/// further row fails with TAKT_ERR_OUTPUT, and `finish` does unless a row has. The message tells up
/// to which time the file is valid; an incomplete last row is cut off where the file allows it.
takt_status takt_csv_writer_open(const takt_plan *plan, const char *path, takt_observer **out,
                                 takt_error *err);

#endif
