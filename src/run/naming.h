// SPDX-License-Identifier: MIT
// Names of values of y, for messages.
#ifndef TAKT_RUN_NAMING_H
#define TAKT_RUN_NAMING_H

#include "run/run.h"

/// The name of the output that value number `index` of y is: "component.variable"; "?" if it is none.
void takt_name_value(const takt_run *run, takt_kind kind, int index, char *text, size_t size);

/// The names of those real values of y for which `is_listed` is not 0 (NULL: of all), the first few: "a.y, b.y, ...".
void takt_name_values(const takt_run *run, const int *values, const int *is_listed, int n,
                      char *text, size_t size);

/// What is wrong with a loop whose matrix is singular, where the torn values `is_free` are not determined.
void takt_name_singular(const takt_run *run, const int *values, const int *is_free, int n,
                        bool has_solutions, char *text, size_t size);

#endif
