// SPDX-License-Identifier: MIT
// Which values the variants of a sweep have: those of a table, all combinations of ranges, or samples of ranges.
#ifndef TAKT_APP_SWEEP_PLAN_H
#define TAKT_APP_SWEEP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "sweep_sample.h"
#include "sweep_table.h"
#include "takt/text.h"

/// What one column of a plan is made of.
typedef struct sweep_range {
    const char *name; ///< "Tank.k"
    const char *place; ///< "--vary" or "ranges.csv:3", for messages
    double from, to;
    int64_t n; ///< points of a grid; 0: not said
    bool is_log; ///< points have equal ratios in place of differences
    bool is_integer; ///< samples are whole numbers
    const char **values; ///< a list in place of a range; NULL: none
} sweep_range;

typedef struct sweep_plan {
    int64_t n_variants;
    int n_columns;
    const char *path; ///< of the table; NULL: none
    cli_table table; ///< of variants, or of ranges
    sweep_range *ranges; ///< NULL: each row of the table is a variant
    char **texts; ///< owned, in which names and values of ranges lie
    int n_texts, range_capacity, text_capacity;
    bool is_sampled;
    sweep_sample sample;
} sweep_plan;

typedef struct sweep_plan_options {
    const char *path; ///< NULL: no table
    const char *const *vary; ///< "Tank.k=1:10:5"
    int n_vary;
    int64_t n_samples; ///< 0: a grid
    sweep_method method;
    uint64_t seed;
} sweep_plan_options;

/// Clear it in any case.
takt_status sweep_plan_open(sweep_plan *plan, const sweep_plan_options *options, takt_error *err);
void sweep_plan_clear(sweep_plan *plan);

/// The name of a column.
const char *sweep_plan_name(const sweep_plan *plan, int column);

/// The value of a variant, both from 0, as one would write it; perhaps in `room`.
const char *sweep_plan_value(const sweep_plan *plan, int64_t variant, int column,
                             char room[TAKT_NUMBER_SIZE]);

/// Where a variant is written: the line of the table; 0: nowhere.
int sweep_plan_line(const sweep_plan *plan, int64_t variant);

#endif
