// SPDX-License-Identifier: MIT
// The table of outcomes in examples/README.md, between two marks.
#ifndef TAKT_TESTS_SYSTEM_COUPLING_TABLE_H
#define TAKT_TESTS_SYSTEM_COUPLING_TABLE_H

#include "system/coupling/measure.h"

/// The table of the outcomes of all examples; owned by the caller.
char *coupling_table_print(coupling_outcome outcomes[][N_ALGORITHMS]);

/// The table that a text holds; owned by the caller. NULL: a mark is missing.
char *coupling_table_find(const char *text);

/// Writes the table into a file that has the marks.
void coupling_table_replace(const char *path, const char *table);

#endif
