// SPDX-License-Identifier: MIT
// Which of many values are meant: neighbours as one range, so that what is done to all of them is a plain loop.
#ifndef TAKT_RUN_RANGES_H
#define TAKT_RUN_RANGES_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct takt_range {
    int first, end; ///< end: behind the last one
} takt_range;

typedef struct takt_ranges {
    takt_range *of;
    int n;
} takt_ranges;

/// Makes room for any ranges of n values. Returns false when memory is exhausted.
bool takt_ranges_create(takt_arena *arena, int n_values, takt_ranges *out);

/// Lists the values that are marked.
void takt_ranges_list(takt_ranges *ranges, const bool *marks, int n_values);

#endif
