// SPDX-License-Identifier: MIT
// Systems of nonlinear equations given as a fixed point, x = G(x): damped Newton iteration with
// difference quotients.
#ifndef TAKT_NUM_NEWTON_H
#define TAKT_NUM_NEWTON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/// Computes g = G(x). An error stops the solution.
typedef takt_status (*takt_fixed_point_fn)(void *context, const double *x, double *g,
                                           takt_error *err);

typedef enum takt_solution {
    TAKT_SOLVED,
    TAKT_NOT_CONVERGED, ///< within the limit, or damping did not help
    TAKT_SINGULAR, ///< the equations have no unique solution near x
} takt_solution;

typedef struct takt_newton {
    int n;
    double relative, absolute; ///< solved when |G(x) - x| and the error of x are within these
    const double *units; ///< n numbers: the absolute tolerance is in units of them; NULL: of 1
    int max_iterations;
    double *work; ///< takt_newton_work(n) numbers
    int *pivots; ///< n numbers
    const double *noise; ///< n numbers: by how much G(x) is uncertain; NULL: by rounding only
    double *uncertainty; ///< n numbers, if there is noise: receives what it leaves uncertain in x
    double spread; ///< of difference quotients, relative to x; 0: what noise and rounding ask for
} takt_newton;

/// How many numbers of work space a system of n equations needs.
size_t takt_newton_work(int n);

/// The size of unknown i where x and G(x) are these, for what is relative: no less than what the absolute tolerance says.
double takt_newton_scale(const takt_newton *newton, int i, double x, double g);

/// Solves x = G(x) from the start value x. Noise widens the tolerances by what it makes of G(x) and x. With a
/// spread of its own the matrix must prove itself: by a full step that makes the residual much smaller. A residual that is not finite is treated as a failed
/// attempt: the step is damped, and if that does not help the outcome is TAKT_NOT_CONVERGED. When
/// solved, the last call of G was made with the x that is returned.
takt_status takt_newton_solve(const takt_newton *newton, takt_fixed_point_fn g, void *context,
                              double *x, takt_solution *out, takt_error *err);

/// The same with the matrix of the last solution, which is still in the work space: one evaluation per
/// iteration, for a problem that has changed only a little. Where it does not converge quickly,
/// `*is_solved` is false and x means nothing.
takt_status takt_newton_solve_again(const takt_newton *newton, takt_fixed_point_fn g, void *context,
                                    double *x, bool *is_solved, takt_error *err);

#endif
