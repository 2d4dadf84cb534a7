// SPDX-License-Identifier: MIT
// The last communication points; see history.h.
#include "run/history.h"

#include <string.h>

#include "base/compiler.h"

size_t takt_history_size(int n_values)
{
    return sizeof(takt_history) + TAKT_MAX_POINTS * (size_t)n_values * sizeof(double);
}

void takt_history_add(takt_history *history, double t, const double *y)
{
    history->latest = (history->latest + TAKT_MAX_POINTS - 1) % TAKT_MAX_POINTS;
    if (history->n < TAKT_MAX_POINTS) history->n++;
    history->t[history->latest] = t;
    memcpy(history->y + history->latest * history->n_values, y,
           (size_t)history->n_values * sizeof *y);
}

// One range, with a number of points that the compiler knows: then it adds several values at once.
TAKT_INLINE void predict(int k, const double *const *rows, const double *weights,
                         const takt_range *range, double *restrict out)
{
    for (int i = range->first; i < range->end; i++) {
        // From the latest value on: what is constant stays so to the last bit.
        double latest = rows[0][i], sum = 0;
        for (int j = 1; j < k; j++) sum += weights[j] * (rows[j][i] - latest);
        out[i] = latest + sum;
    }
}

static void predict_range(int k, const double *const *rows, const double *weights,
                          const takt_range *range, double *out)
{
    switch (k) {
    case 1: predict(1, rows, weights, range, out); break;
    case 2: predict(2, rows, weights, range, out); break;
    case 3: predict(3, rows, weights, range, out); break;
    case 4: predict(4, rows, weights, range, out); break;
    case 5: predict(5, rows, weights, range, out); break;
    case 6: predict(6, rows, weights, range, out); break;
    default: predict(TAKT_MAX_POINTS, rows, weights, range, out);
    }
}

void takt_history_predict(const takt_history *history, int k, double t, const takt_ranges *wanted,
                          double *out)
{
    double x[TAKT_MAX_POINTS], weights[TAKT_MAX_POINTS];
    const double *rows[TAKT_MAX_POINTS];
    double latest = takt_history_time(history, 0);
    for (int j = 0; j < k; j++) {
        x[j] = takt_history_time(history, j) - latest;
        rows[j] = takt_history_values(history, j);
    }
    takt_interpolation_weights(k, x, t - latest, weights);
    for (int r = 0; r < wanted->n; r++) predict_range(k, rows, weights, &wanted->of[r], out);
}
