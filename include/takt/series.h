// SPDX-License-Identifier: MIT
// Results kept in memory: all rows of a run in arrays.
#ifndef TAKT_SERIES_H
#define TAKT_SERIES_H

#include <stdint.h>

#include "takt/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/// All rows of a run.
typedef struct takt_series takt_series;

/// Keeps every row in memory. Call it before takt_run_initialize(). Owned by the caller; what was kept stays when the run ends. Columns
/// are those of takt_run_get_column(), whose `kind` and `index` say where values lie.
TAKT_API takt_status takt_run_collect(takt_run *run, takt_series **out, takt_error *err);
TAKT_API void takt_series_destroy(takt_series *series); ///< accepts NULL

/// How many rows there are by now.
TAKT_API int64_t takt_series_count(const takt_series *series);

/// Times and values, row by row: real number `index` of row `i` is takt_series_reals()[i * n + index], where `n` is how many columns of
/// this kind there are. The arrays move when rows are added. NULL: there is nothing.
TAKT_API const double *takt_series_times(const takt_series *series);
TAKT_API const double *takt_series_reals(const takt_series *series);
TAKT_API const int64_t *takt_series_integers(const takt_series *series);
TAKT_API int takt_series_width(const takt_series *series, takt_kind kind); ///< `n`

/// The string or binary number `index` of a row; "" if there is none. A 0 that does not count is behind it.
TAKT_API const void *takt_series_bytes(const takt_series *series, int64_t row, int index,
                                       size_t *size);

#ifdef __cplusplus
}
#endif
#endif
