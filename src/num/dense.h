// SPDX-License-Identifier: MIT
// Small dense linear systems: LU decomposition with partial pivoting, in place.
#ifndef TAKT_NUM_DENSE_H
#define TAKT_NUM_DENSE_H

#include <stdbool.h>

/// Decomposes the n x n matrix `a` (row by row) in place; `pivots` receives n row numbers. Returns
/// false when the matrix is not finite, or singular: a pivot is not larger than `precision` times the
/// largest element. Where the elements are inexact, `precision` says how much.
bool takt_lu_decompose(int n, double *a, int *pivots, double precision);

/// Solves a x = b for a decomposed `a`; b is replaced by x.
void takt_lu_solve(int n, const double *a, const int *pivots, double *b);

#endif
