// SPDX-License-Identifier: MIT
// Tables of values over time (CSV, TSV) as models: every column is an output.
//
// Real columns are interpolated linearly, all others and those that drive a discrete input hold the value
// of the last row. Two rows of the same time are a jump: the values of the second one hold from that time on. Before the first and after
// the last row the values there are held. A column of numbers is real unless a connection makes it
// another type (takt_instance_type::retype).
//
// Two parameters of each instance change that, unless a column has their name:
//   interpolation   "linear" or "hold", for real columns
//   events          false: steps may go over jumps and over changes of values that are held
#ifndef TAKT_TABLE_TABLE_H
#define TAKT_TABLE_TABLE_H

#include "instance/instance.h"

/// Is it the name of a table: does it end in .csv or .tsv?
bool takt_table_is_path(const char *path);

/// Opens a table. The result is owned by the caller; see takt_model_close(). Problems inside the file go
/// to `log` (may be NULL) one by one.
takt_status takt_table_open(const takt_model_source *source, takt_log *log, takt_model **out,
                            takt_error *err);

#endif
