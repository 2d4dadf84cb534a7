// SPDX-License-Identifier: MIT
// Points that fill the unit cube; see sweep_sample.h. Sobol's sequence in Gray code order with the direction numbers of
// S. Joe and F. Y. Kuo (SIAM J. Sci. Comput. 30, 2008), shifted by random bits if a seed is given; Latin hypercubes of
// M. D. McKay et al. (Technometrics 21, 1979); random bits by SplitMix64 (G. Steele et al., OOPSLA 2014) of seed,
// dimension and point.
#include "sweep_sample.h"

#include <stdlib.h>

#include "support.h"

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

static uint64_t random_bits(const sweep_sample *sample, int dimension, int64_t i)
{
    return mix(mix(mix(sample->seed) + (uint64_t)dimension) + (uint64_t)i);
}

static double to_unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

// ---- Sobol -------------------------------------------------------------------------------------

/// Degree and inner coefficients of a primitive polynomial, and the first direction numbers; of dimension 2 and on.
static const struct {
    int degree;
    unsigned coefficients;
    unsigned first[7];
} polynomials[SWEEP_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

enum { BITS = 32 };

// Direction numbers of one dimension.
static void find_directions(int dimension, uint32_t v[BITS])
{
    for (int k = 0; k < BITS; k++) v[k] = 1U << (BITS - 1 - k);
    if (dimension == 0) return;
    int s = polynomials[dimension - 1].degree;
    unsigned a = polynomials[dimension - 1].coefficients;
    for (int k = 0; k < s; k++) v[k] = polynomials[dimension - 1].first[k] << (BITS - 1 - k);
    for (int k = s; k < BITS; k++) {
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (int j = 1; j < s; j++)
            if (a >> (s - 1 - j) & 1) v[k] ^= v[k - j];
    }
}

static double sobol(const sweep_sample *sample, int64_t i, int dimension)
{
    uint32_t v[BITS], x = 0;
    find_directions(dimension, v);
    uint64_t gray = (uint64_t)i ^ ((uint64_t)i >> 1);
    for (int k = 0; k < BITS && gray >> k; k++)
        if (gray >> k & 1) x ^= v[k];
    if (sample->seed) x ^= (uint32_t)(random_bits(sample, dimension, -1) >> 32);
    return (double)x * 0x1p-32;
}

// ---- all ---------------------------------------------------------------------------------------

// A random order of the cells, by Fisher and Yates.
static void shuffle(const sweep_sample *sample, int dimension, uint32_t *cells)
{
    for (int64_t i = 0; i < sample->n; i++) cells[i] = (uint32_t)i;
    for (int64_t i = sample->n - 1; i > 0; i--) {
        uint64_t k = random_bits(sample, -1 - dimension, i) % (uint64_t)(i + 1);
        uint32_t one = cells[i];
        cells[i] = cells[k];
        cells[k] = one;
    }
}

takt_status sweep_sample_init(sweep_sample *sample, sweep_method method, uint64_t seed, int64_t n,
                              int n_dimensions, takt_error *err)
{
    *sample = (sweep_sample){.method = method, .seed = seed, .n = n, .n_dimensions = n_dimensions};
    if (method == SWEEP_SOBOL && n_dimensions > SWEEP_SOBOL_DIMENSIONS)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "--method sobol can vary %d values at most, not %d; use --method lhs",
                        SWEEP_SOBOL_DIMENSIONS, n_dimensions);
    if (method != SWEEP_LHS) return TAKT_OK;
    sample->cells = malloc((size_t)n * (size_t)n_dimensions * sizeof *sample->cells);
    if (!sample->cells) return cli_fail_memory(err);
    for (int d = 0; d < n_dimensions; d++) shuffle(sample, d, sample->cells + (int64_t)d * n);
    return TAKT_OK;
}

void sweep_sample_clear(sweep_sample *sample)
{
    free(sample->cells);
    sample->cells = NULL;
}

double sweep_sample_at(const sweep_sample *sample, int64_t i, int dimension)
{
    double inside = to_unit(random_bits(sample, dimension, i));
    switch (sample->method) {
    case SWEEP_SOBOL: return sobol(sample, i, dimension);
    case SWEEP_LHS:
        return ((double)sample->cells[(int64_t)dimension * sample->n + i] + inside) /
               (double)sample->n;
    case SWEEP_RANDOM: break;
    }
    return inside;
}
