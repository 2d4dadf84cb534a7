// SPDX-License-Identifier: MIT
// The table of counts and times at the end of a run.
#ifndef TAKT_APP_STATISTICS_H
#define TAKT_APP_STATISTICS_H

#include <stdio.h>

#include "takt/takt.h"

/// Prints the table: totals, then the calls of each instance (of many instances the most expensive
/// ones and the sum of all), then the loops.
void cli_statistics_print(const takt_statistics *statistics, FILE *file);

#endif
