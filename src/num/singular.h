// SPDX-License-Identifier: MIT
// What is wrong with linear equations whose matrix is singular.
#ifndef TAKT_NUM_SINGULAR_H
#define TAKT_NUM_SINGULAR_H

#include <stdbool.h>

/// For a x = b with the n x n matrix `a` (row by row), both of which are destroyed. Elements are exact but for `precision`,
/// relative to the largest in their row and column. is_free[j] says whether unknown j is not determined: it takes part
/// in what may be added to a solution. `room` has 2 n numbers. Returns whether there are solutions: then infinitely many.
/// A matrix that is not singular has none that is free.
bool takt_singular_explain(int n, double *a, double *b, double precision, int *is_free,
                           double *room);

#endif
