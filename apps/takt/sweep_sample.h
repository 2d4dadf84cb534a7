// SPDX-License-Identifier: MIT
// Points that fill the unit cube: Sobol's sequence, Latin hypercubes, random points. The same seed gives the same points.
#ifndef TAKT_APP_SWEEP_SAMPLE_H
#define TAKT_APP_SWEEP_SAMPLE_H

#include <stdint.h>

#include "takt/status.h"

/// The words of the option --method, in this order.
#define SWEEP_METHOD_WORDS "sobol|lhs|random"
typedef enum sweep_method { SWEEP_SOBOL, SWEEP_LHS, SWEEP_RANDOM } sweep_method;

enum { SWEEP_SOBOL_DIMENSIONS = 21 }; ///< as many have direction numbers here

typedef struct sweep_sample {
    sweep_method method;
    uint64_t seed; ///< of Sobol's sequence 0: the sequence itself, which begins in a corner
    int64_t n; ///< points
    int n_dimensions;
    uint32_t *cells; ///< of a Latin hypercube: per dimension a permutation
} sweep_sample;

/// Prepares `n` points. Clear it in any case.
takt_status sweep_sample_init(sweep_sample *sample, sweep_method method, uint64_t seed, int64_t n,
                              int n_dimensions, takt_error *err);
void sweep_sample_clear(sweep_sample *sample);

/// A coordinate of point i, from 0 to 1 (exclusive).
double sweep_sample_at(const sweep_sample *sample, int64_t i, int dimension);

#endif
