// SPDX-License-Identifier: MIT
// One-sided difference quotients D over the spreads s, 2 s, 4 s: 2 D(s) - D(2 s) is exact to second order, and what it
// differs from 2 D(2 s) - D(4 s) by is its error, besides noise. Quotients over tiny spreads are no proof: a value that
// cancels from large ones has their rounding, which nobody sees.
#include "num/regular.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "num/dense.h"
#include "num/singular.h"

// Relative: the least spread. Noise asks for more: its error noise / s and that of curvature, s^2, become equal.
static const double LEAST_SPREAD = 1e-4, MOST_SPREAD = 1e-2;

// So many times the noise may be in a quotient.
static const double SLACK = 8;

// A matrix that is exact to this, and singular within it, is singular.
static const double EXACT = 1e-5;

// Parts of the work space. Vectors of n numbers, but for scales (2 n) and matrices.
typedef struct parts {
    double *x_try, *g, *g_try, *b, *scales, *matrix, *errors;
    double spread;
} parts;

size_t takt_regular_work(int n)
{
    size_t least = 6 * (size_t)n + 2 * (size_t)n * (size_t)n;
    return least > takt_newton_work(n) ? least : takt_newton_work(n);
}

static parts divide(const takt_newton *newton)
{
    size_t n = (size_t)newton->n;
    double *w = newton->work;
    return (parts){.x_try = w,
                   .g = w + n,
                   .g_try = w + 2 * n,
                   .b = w + 3 * n,
                   .scales = w + 4 * n,
                   .matrix = w + 6 * n,
                   .errors = w + 6 * n + n * n};
}

static double noise_of(const takt_newton *newton, const parts *at, const double *x, int i)
{
    double rounding = 2 * DBL_EPSILON * takt_newton_scale(newton, i, x[i], at->g[i]);
    return newton->noise ? fmax(newton->noise[i], rounding) : rounding;
}

static void choose_spread(const takt_newton *newton, const double *x, parts *at)
{
    double largest = 0;
    for (int i = 0; i < newton->n; i++)
        largest = fmax(largest,
                       noise_of(newton, at, x, i) / takt_newton_scale(newton, i, x[i], at->g[i]));
    at->spread = fmax(LEAST_SPREAD, fmin(MOST_SPREAD, cbrt(largest)));
}

// Column j of the matrix and of its errors. On the way the matrix has D(s), and the errors D(2 s).
static takt_status make_column(const takt_newton *newton, takt_fixed_point_fn function,
                               void *context, const double *x, double sign, int j, parts *at,
                               takt_error *err)
{
    int n = newton->n;
    double size = sign * at->spread * takt_newton_scale(newton, j, x[j], at->g[j]);
    for (int k = 0; k < 3; k++) {
        at->x_try[j] = x[j] + (1 << k) * size;
        double delta = at->x_try[j] - x[j];
        takt_status st = function(context, at->x_try, at->g_try, err);
        if (st) return st;
        for (int i = 0; i < n; i++) {
            double d = (at->g_try[i] - at->g[i]) / delta;
            double *first = &at->matrix[i * n + j], *second = &at->errors[i * n + j];
            if (k < 2) {
                *(k ? second : first) = d;
                continue;
            }
            double fine = 2 * *first - *second, coarse = 2 * *second - d;
            *second = fabs(fine - coarse) + SLACK * noise_of(newton, at, x, i) / fabs(size);
            *first = (i == j) - fine;
        }
    }
    at->x_try[j] = x[j];
    return TAKT_OK;
}

// I - dG/dx on one side of x.
static takt_status make_matrix(const takt_newton *newton, takt_fixed_point_fn function,
                               void *context, const double *x, double sign, parts *at,
                               takt_error *err)
{
    takt_status st = TAKT_OK;
    memcpy(at->x_try, x, (size_t)newton->n * sizeof *x);
    for (int j = 0; j < newton->n && !st; j++)
        st = make_column(newton, function, context, x, sign, j, at, err);
    return st;
}

// What an element would be without the cancellation of 1 - D on the diagonal.
static double terms_of(const parts *at, int n, int i, int j)
{
    double a = at->matrix[i * n + j];
    return i == j ? fmax(1, fabs(1 - a)) : fabs(a);
}

// The largest error of an element, relative to the largest in its row and column: what takt_lu_decompose() calls
// precision. Not finite if the matrix is not.
static double precision_of(int n, const parts *at)
{
    double *rows = at->scales, *columns = at->scales + n, largest = 0;
    for (int i = 0; i < n; i++) {
        rows[i] = 0;
        for (int j = 0; j < n; j++) rows[i] = fmax(rows[i], terms_of(at, n, i, j));
    }
    for (int j = 0; j < n; j++) {
        columns[j] = 0;
        for (int i = 0; i < n; i++) columns[j] = fmax(columns[j], terms_of(at, n, i, j) / rows[i]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double e = at->errors[i * n + j] / (rows[i] * columns[j]);
            if (!(e <= DBL_MAX)) return INFINITY;
            largest = fmax(largest, e);
        }
    return largest;
}

// What is left on the diagonal where 1 and D cancel may be noise.
static void clear_cancelled(int n, const parts *at)
{
    for (int i = 0; i < n; i++)
        if (fabs(at->matrix[i * n + i]) <= at->errors[i * n + i]) at->matrix[i * n + i] = 0;
}

// Raises the uncertainty to |A^-1 r| + |A^-1| noise, for a decomposed A and the residual r that is left.
static void find_uncertainty(const takt_newton *newton, const double *x, const parts *at)
{
    int n = newton->n;
    double *sum = at->scales;
    for (int i = 0; i < n; i++) at->b[i] = at->g[i] - x[i];
    takt_lu_solve(n, at->matrix, newton->pivots, at->b);
    for (int i = 0; i < n; i++) sum[i] = fabs(at->b[i]);
    for (int j = 0; j < n; j++) {
        memset(at->b, 0, (size_t)n * sizeof *at->b);
        at->b[j] = noise_of(newton, at, x, j);
        takt_lu_solve(n, at->matrix, newton->pivots, at->b);
        for (int i = 0; i < n; i++) sum[i] += fabs(at->b[i]);
    }
    for (int i = 0; i < n; i++) newton->uncertainty[i] = fmax(newton->uncertainty[i], sum[i]);
}

takt_status takt_regular_judge(const takt_newton *newton, takt_fixed_point_fn function,
                               void *context, const double *x, takt_regularity *out,
                               takt_error *err)
{
    int n = newton->n;
    parts at = divide(newton);
    takt_status st = function(context, x, at.g, err);
    if (!st) choose_spread(newton, x, &at);
    memset(newton->uncertainty, 0, (size_t)n * sizeof *newton->uncertainty);
    *out = TAKT_IS_REGULAR;
    for (int side = 1; side >= -1 && !st && *out == TAKT_IS_REGULAR; side -= 2) {
        st = make_matrix(newton, function, context, x, side, &at, err);
        if (st) break;
        double precision = n * precision_of(n, &at);
        clear_cancelled(n, &at);
        if (takt_lu_decompose(n, at.matrix, newton->pivots, at.scales, precision))
            find_uncertainty(newton, x, &at);
        else
            *out = precision <= EXACT ? TAKT_IS_SINGULAR : TAKT_IS_UNCLEAR;
    }
    return st;
}

takt_status takt_regular_explain(const takt_newton *newton, takt_fixed_point_fn function,
                                 void *context, const double *x, int *is_free, bool *has_solutions,
                                 takt_error *err)
{
    int n = newton->n;
    bool is_any_free = false;
    parts at = divide(newton);
    takt_status st = function(context, x, at.g, err);
    if (!st) choose_spread(newton, x, &at);
    for (int side = 1; side >= -1 && !st && !is_any_free; side -= 2) {
        st = make_matrix(newton, function, context, x, side, &at, err);
        if (st) break;
        double precision = fmin(EXACT, precision_of(n, &at));
        clear_cancelled(n, &at);
        for (int i = 0; i < n; i++) at.b[i] = at.g[i] - x[i];
        *has_solutions = takt_singular_explain(n, at.matrix, at.b, precision, is_free, at.scales);
        for (int i = 0; i < n; i++) is_any_free |= is_free[i] != 0;
    }
    return st;
}
