// SPDX-License-Identifier: MIT
// Extrapolation of values; see predictor.h. Polynomials in the form of Lagrange.
#include "num/predictor.h"

#include <math.h>
#include <string.h>

#include "base/sound.h"
#include "base/times.h"

void takt_predictor_clear(takt_predictor *predictor)
{
    predictor->state->n_points = predictor->state->order = 0;
}

bool takt_predictor_is_sound(const takt_predictor_state *state)
{
    int most = state->n_points > 0 ? state->n_points - 1 : 0;
    return takt_sound_within(state->n_points, 0, TAKT_PREDICTOR_POINTS) &&
           takt_sound_within(state->order, 0, most);
}

bool takt_predictor_continues(const takt_predictor *predictor, double t, double h,
                              const double *values)
{
    const takt_predictor_state *state = predictor->state;
    if (state->n_points == 0 || !takt_times_equal(state->t[0], t, h)) return false;
    for (int i = 0; i < predictor->n; i++)
        if (values[i] != predictor->values[i]) return false;
    return true;
}

static void predict(const takt_predictor *predictor, int order, double t, double *out)
{
    const double *times = predictor->state->t, *values = predictor->values;
    memset(out, 0, (size_t)predictor->n * sizeof *out);
    for (int k = 0; k <= order; k++, values += predictor->n) {
        double factor = 1;
        for (int j = 0; j <= order; j++)
            if (j != k) factor *= (t - times[j]) / (times[k] - times[j]);
        for (int i = 0; i < predictor->n; i++) out[i] += factor * values[i];
    }
}

void takt_predictor_predict(const takt_predictor *predictor, double t, double *out)
{
    predict(predictor, predictor->state->order, t, out);
}

// The order that would have predicted the values best; a larger one only if it is really better.
static int best_order(const takt_predictor *predictor, double t, const double *values,
                      const double *units)
{
    int best = 0;
    double smallest = INFINITY;
    for (int order = 0; order < predictor->state->n_points; order++) {
        double error = 0;
        predict(predictor, order, t, predictor->work);
        for (int i = 0; i < predictor->n; i++)
            error = fmax(error, fabs(predictor->work[i] - values[i]) / units[i]);
        if (!(error < smallest)) continue;
        smallest = error;
        best = order;
    }
    return best;
}

void takt_predictor_add(takt_predictor *predictor, double t, const double *values,
                        const double *units)
{
    takt_predictor_state *state = predictor->state;
    size_t n = (size_t)predictor->n, size = n * sizeof *values;
    state->order = best_order(predictor, t, values, units);
    memmove(predictor->values + n, predictor->values, (TAKT_PREDICTOR_POINTS - 1) * size);
    memmove(state->t + 1, state->t, (TAKT_PREDICTOR_POINTS - 1) * sizeof *state->t);
    memcpy(predictor->values, values, size);
    state->t[0] = t;
    if (state->n_points < TAKT_PREDICTOR_POINTS) state->n_points++;
    // With two points only the order 0 has proved anything; a straight line is the better guess.
    if (state->n_points == 2) state->order = 1;
}
