// SPDX-License-Identifier: MIT
/// @file
/// Result files that an FMU writes by itself, and that stay right when the importing program repeats steps, goes back
/// to a saved state, or goes on from one in another process.
///
/// Rows are collected in memory during a step. They are appended to the file once the importing program cannot go back
/// behind them (it says so with each step), or when they have become many. Those that are not in the file yet are part
/// of the state. When the instance goes on from a saved state, the file is
///   - cut behind the rows that the state knows of, if it has later ones,
///   - continued, if it has none (then there may be a gap, with a warning if rows are missing),
///   - started, if it is not there.
/// This happens when the next rows are written, not before: going back and forth loses nothing.
///
/// The file is text: a line of names, `time` first, then a line per row, with commas. Numbers have all their digits.
#ifndef FMUKIT_RESULTS_H
#define FMUKIT_RESULTS_H

#include <fmukit/fmukit.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fmukit_results fmukit_results;

/// For `create`: results with n columns besides the time. Names are copied. NULL: out of memory. Owned by the caller.
fmukit_results *fmukit_results_create(fmukit_instance *fmu, const char *const *names, size_t n);
/// For `destroy`. Rows that have not been written are; failures go to the log. Accepts NULL.
void fmukit_results_destroy(fmukit_results *results);

/// Where the file is: `file` in `folder`, which exists, e.g. the value of a parameter `ResultsRootDir`. An empty folder is the
/// current one. Until it is known, rows stay in memory. For `initialize`, which may be called repeatedly: the last one counts.
fmukit_status fmukit_results_place(fmukit_results *results, const char *folder, const char *file);

/// For the beginning of `step`, at time t: writes what cannot be taken back.
fmukit_status fmukit_results_begin_step(fmukit_results *results, double t);
/// A row of n values. Times must not decrease.
fmukit_status fmukit_results_row(fmukit_results *results, double t, const double *values);
/// For `terminate`: writes all rows.
fmukit_status fmukit_results_finish(fmukit_results *results);

/// For `state`.
void fmukit_results_state(fmukit_stream *s, fmukit_results *results);

#ifdef __cplusplus
}
#endif
#endif
