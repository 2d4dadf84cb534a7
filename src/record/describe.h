// SPDX-License-Identifier: MIT
// The side file of results: what is known about each column.
#ifndef TAKT_RECORD_DESCRIBE_H
#define TAKT_RECORD_DESCRIBE_H

#include "plan/plan.h"

/// Writes unit, type, causality, variability and description of every column as JSON (layout:
/// docs/reference/files.md) beside the result file `results`.
takt_status takt_results_describe(const takt_plan *plan, const char *results, takt_error *err);

#endif
