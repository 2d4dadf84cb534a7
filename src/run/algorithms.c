// SPDX-License-Identifier: MIT
// The list of algorithms; see algorithms.h.
#include "run/algorithms.h"

static const takt_algorithm_type *const types[] = {
    &takt_jacobi_algorithm, &takt_seidel_algorithm,       &takt_fixed_point_algorithm,
    &takt_newton_algorithm, &takt_quasi_newton_algorithm, &takt_anderson_algorithm,
};

const takt_algorithm_type *takt_algorithm_type_of(takt_algorithm algorithm)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i]->facts == &takt_algorithms[algorithm]) return types[i];
    return NULL;
}
