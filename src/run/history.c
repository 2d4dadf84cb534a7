// SPDX-License-Identifier: MIT
// The last communication points; see history.h.
#include "run/history.h"

#include <string.h>

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

void takt_history_predict(const takt_history *history, int k, double t, const bool *is_wanted,
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
    for (int i = 0; i < history->n_values; i++) {
        if (!is_wanted[i]) continue;
        // From the latest value on: what is constant stays so to the last bit.
        double sum = 0;
        for (int j = 1; j < k; j++) sum += weights[j] * (rows[j][i] - rows[0][i]);
        out[i] = rows[0][i] + sum;
    }
}
