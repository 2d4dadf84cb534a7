// SPDX-License-Identifier: MIT
// The last communication points: all real values of y there, so that they can be predicted and drawn through.
// Begins anew after events, because nothing can be predicted across them.
#ifndef TAKT_RUN_HISTORY_H
#define TAKT_RUN_HISTORY_H

#include "num/interpolation.h"
#include "run/ranges.h"
#include "run/run.h"

/// One piece of memory, so that it can be copied as it is.
typedef struct takt_history {
    int n; ///< points that are known; 0: none yet
    int latest; ///< row of the latest one; older ones lie behind it, in a circle
    int n_values;
    double t[TAKT_MAX_POINTS]; ///< s; by row
    double y[]; ///< by row
} takt_history;

size_t takt_history_size(int n_values);

/// Point number j, 0 being the latest.
static inline int takt_history_row(const takt_history *history, int j)
{
    return (history->latest + j) % TAKT_MAX_POINTS;
}

static inline double takt_history_time(const takt_history *history, int j)
{
    return history->t[takt_history_row(history, j)];
}

static inline const double *takt_history_values(const takt_history *history, int j)
{
    return history->y + takt_history_row(history, j) * history->n_values;
}

/// Adds a point; the oldest one may be lost.
void takt_history_add(takt_history *history, double t, const double *y);

/// The polynomial of the latest k points at time t, of the values that are wanted; others of `out` stay as they are.
void takt_history_predict(const takt_history *history, int k, double t, const takt_ranges *wanted,
                          double *out);

#endif
