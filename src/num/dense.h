// SPDX-License-Identifier: MIT
// Small dense linear systems: LU decomposition with partial pivoting, in place.
#ifndef TAKT_NUM_DENSE_H
#define TAKT_NUM_DENSE_H

#include <stdbool.h>

/// Decomposes the n x n matrix `a` (row by row) in place; `pivots` receives n row numbers, `scales` is
/// work space for 2 n numbers. Returns false when the matrix is not finite, or singular: a pivot is
/// not larger than `precision` after rows and columns have been scaled to a largest element of 1, so
/// that units do not matter. Where the elements are inexact, `precision` says how much.
bool takt_lu_decompose(int n, double *a, int *pivots, double *scales, double precision);

/// Sets to 0 those elements on the diagonal of the matrix a = I - D in which both terms cancel but
/// for the relative error `precision` of D: what is left of them is noise.
void takt_clear_cancelled(int n, double *a, double precision);

/// Solves a x = b for a decomposed `a`; b is replaced by x.
void takt_lu_solve(int n, const double *a, const int *pivots, double *b);

/// Are these row numbers that a decomposition may have left?
bool takt_lu_is_sound(int n, const int *pivots);

#endif
