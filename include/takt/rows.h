// SPDX-License-Identifier: MIT
// Rows of results handed to a function while a run goes on.
#ifndef TAKT_ROWS_H
#define TAKT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "takt/run.h"
#include "takt/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A column of the results: a recorded variable.
typedef struct takt_column_info {
    size_t size; ///< of this struct, set by the caller
    const char *name; ///< "Tank.level"; borrowed from the run, like `unit`
    takt_type type; ///< Float64, ...
    takt_kind kind; ///< in which of the arrays of a row its value lies
    int index; ///< its index there
    takt_causality causality; ///< output, local, ...
    const char *unit; ///< NULL: none
} takt_column_info;

/// A row of results. Arrays live during the call; each has the columns of its kind in their order.
typedef struct takt_row {
    size_t size; ///< of this struct, set by the library
    double time; ///< s; two rows of the same time are a jump
    const double *reals; ///< floats
    const int64_t *integers; ///< integers, Booleans, enumerations, clocks
    const void *const *bytes; ///< strings and binaries; a 0 that does not count is behind each
    const size_t *sizes; ///< of these
} takt_row;

/// Receives a row, in the thread that steps the run. It may read views and ask for statistics; what would change the run is refused (TAKT_ERR_USAGE), and
/// takt_run_destroy() ends the run behind the present call, which then fails. Returns 0; another value cancels the run as takt_run_cancel() does.
typedef int (*takt_row_fn)(void *context, const takt_row *row);

/// How many columns the results have, without the time, and one of them, by index from 0.
TAKT_API int takt_run_count_columns(const takt_run *run);
TAKT_API takt_status takt_run_get_column(const takt_run *run, int index, takt_column_info *out,
                                         takt_error *err);

/// Hands every row to a function, besides what is written to files. Call it before takt_run_initialize().
TAKT_API takt_status takt_run_observe(takt_run *run, takt_row_fn receive, void *context,
                                      takt_error *err);

#ifdef __cplusplus
}
#endif
#endif
