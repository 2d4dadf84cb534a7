// SPDX-License-Identifier: MIT
// Polynomials through values at common points. As all variables share the points, what depends on the points
// is computed once, and each variable costs a few multiplications.
#ifndef TAKT_NUM_INTERPOLATION_H
#define TAKT_NUM_INTERPOLATION_H

enum { TAKT_MAX_POINTS = 7, TAKT_MAX_COEFFICIENTS = TAKT_MAX_POINTS };

/// The polynomial through n points x[j] (all different, n <= TAKT_MAX_POINTS) with the values v[j] has the value
/// sum weights[j] v[j] at `at`.
void takt_interpolation_weights(int n, const double *x, double at, double *weights);

/// Its coefficients: p(x) = sum c[d] x^d with c[d] = sum matrix[d * n + j] v[j]. Where a point is 0, c[0] is
/// exactly the value there.
void takt_interpolation_matrix(int n, const double *x, double *matrix);

/// The value of a polynomial with n coefficients, its mean from a to b, and the coefficients of the same
/// polynomial in x - a, in place.
double takt_polynomial_value(int n, const double *c, double x);
double takt_polynomial_mean(int n, const double *c, double a, double b);
void takt_polynomial_shift(int n, double *c, double a);

#endif
