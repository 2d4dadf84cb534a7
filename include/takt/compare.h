// SPDX-License-Identifier: MIT
// Comparing results with a reference.
#ifndef TAKT_COMPARE_H
#define TAKT_COMPARE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "takt/log.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How much values may differ. Start from takt_compare_options_default().
typedef struct takt_compare_options {
    size_t size; ///< of this struct, set by takt_compare_options_default()
    double relative, absolute; ///< |a - b| <= absolute + relative * |b| passes
    double time; ///< s; the values may be found this much earlier or later
} takt_compare_options;

/// Fills options with their defaults, as far as their `size` says. Mostly called by takt_compare_options_default().
TAKT_API void takt_compare_options_init(takt_compare_options *options);

/// relative 1e-6, absolute 1e-9, time 0.
static inline takt_compare_options takt_compare_options_default(void)
{
    takt_compare_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    takt_compare_options_init(&options);
    return options;
}

/// What a comparison found.
typedef struct takt_comparison {
    size_t size; ///< of this struct, set by the caller
    int n_columns; ///< of the reference, without the time
    int64_t n_rows; ///< of the reference
    int n_differing; ///< columns outside the tolerances, or missing in the result
    char worst[256]; ///< the column that exceeds its tolerance most; "": none does
    double time; ///< s; where it differs most
    double value, reference; ///< there; NaN for text and for what the result lacks
} takt_comparison;

/// Compares the results `result` with `reference` (MAT or CSV), column by column, at the times of
/// the reference, interpolating the result linearly; texts and, where a side file gives the type, values that are not
/// real hold until the next row. Columns that only one of them has are reported to `log`; those that only the
/// reference has count as differing.
TAKT_API takt_status takt_compare(const char *result, const char *reference,
                                  const takt_compare_options *options, takt_log *log,
                                  takt_comparison *out, takt_error *err);

#ifdef __cplusplus
}
#endif
#endif
