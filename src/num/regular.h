// SPDX-License-Identifier: MIT
// Is a solution of x = G(x) the only one nearby? Values may agree by chance: x = x holds for any. The answer is in the
// matrix I - dG/dx, which must be regular, on both sides of x where G bends.
#ifndef TAKT_NUM_REGULAR_H
#define TAKT_NUM_REGULAR_H

#include "num/newton.h"

typedef enum takt_regularity {
    TAKT_IS_REGULAR,
    TAKT_IS_SINGULAR, ///< within what the matrix is exact to
    TAKT_IS_UNCLEAR, ///< the matrix is not exact enough: G jumps, or is noisy
} takt_regularity;

/// How many numbers takt_newton::work needs for a system of n equations; at least takt_newton_work(n).
size_t takt_regular_work(int n);

/// Judges the solution x. `noise` says by how much G(x) is uncertain, rounding included; `uncertainty` receives what that
/// and the residual leave uncertain in x. Makes 6 n + 1 evaluations.
takt_status takt_regular_judge(const takt_newton *newton, takt_fixed_point_fn g, void *context,
                               const double *x, takt_regularity *out, takt_error *err);

/// Where the matrix at x is singular: is_free (n numbers; may be `pivots`) receives which unknowns are not determined,
/// and `has_solutions` whether there are any: then infinitely many.
takt_status takt_regular_explain(const takt_newton *newton, takt_fixed_point_fn g, void *context,
                                 const double *x, int *is_free, bool *has_solutions,
                                 takt_error *err);

#endif
