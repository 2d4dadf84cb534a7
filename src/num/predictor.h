// SPDX-License-Identifier: MIT
// Extrapolation of values from the last points that were kept, by the polynomial of order 0 to 4 that would
// have predicted the latest of them best.
#ifndef TAKT_NUM_PREDICTOR_H
#define TAKT_NUM_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>

enum { TAKT_PREDICTOR_POINTS = 5 };

/// A part of what is carried, together with the values.
typedef struct takt_predictor_state {
    int n_points;
    int order; ///< of the next prediction; less than n_points
    double t[TAKT_PREDICTOR_POINTS]; ///< newest first
} takt_predictor_state;

/// All memory belongs to the caller.
typedef struct takt_predictor {
    int n; ///< values
    takt_predictor_state *state; ///< all 0 at the beginning
    double *values; ///< TAKT_PREDICTOR_POINTS * n numbers; those of the newest point first
    double *work; ///< n numbers
} takt_predictor;

void takt_predictor_clear(takt_predictor *predictor);

/// May the state be used, after it has come from a file?
bool takt_predictor_is_sound(const takt_predictor_state *state);

/// Does it continue from these values at time t? Then t is that of the newest point, but for rounding within
/// a step of h, and no value has changed since.
bool takt_predictor_continues(const takt_predictor *predictor, double t, double h,
                              const double *values);

/// Adds the values of a point behind the others, and chooses the order. Values count in `units`,
/// which the first point does not need.
void takt_predictor_add(takt_predictor *predictor, double t, const double *values,
                        const double *units);

/// The values at t. There must be a point.
void takt_predictor_predict(const takt_predictor *predictor, double t, double *out);

#endif
