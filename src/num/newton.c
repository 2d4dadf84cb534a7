// SPDX-License-Identifier: MIT
// Damped Newton iteration for x = G(x), that is r(x) = G(x) - x = 0. The step is halved until the
// weighted residual shrinks. A solution is accepted only if both the residual and the last step are
// small: with a large loop gain x may be almost right while G(x) is far from it.
#include "num/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "num/dense.h"

enum { MAX_HALVINGS = 12, MAX_CHORDS = 8 };

// With an old matrix each step must be smaller than the one before by this factor.
static const double CHORD_RATE = 0.5;

// Relative error of the difference quotients.
static const double QUOTIENT_PRECISION = 1e-7;

// Vectors of length n, and the matrix, inside the work space.
typedef struct vectors {
    double *x_try, *g, *g_try, *step, *scales, *matrix;
} vectors;

size_t takt_newton_work(int n)
{
    return 6 * (size_t)n + (size_t)n * (size_t)n;
}

static vectors divide_work(const takt_newton *newton)
{
    size_t n = (size_t)newton->n;
    double *w = newton->work;
    return (vectors){w, w + n, w + 2 * n, w + 3 * n, w + 4 * n, w + 6 * n};
}

// Largest |a_i - b_i| in units of the tolerance at x; NaN and infinities give infinity.
static double distance(const takt_newton *newton, const double *a, const double *b, const double *x)
{
    double largest = 0;
    for (int i = 0; i < newton->n; i++) {
        double weight = newton->relative * fabs(x[i]) + newton->absolute;
        double d = fabs(a[i] - b[i]) / weight;
        if (!(d <= DBL_MAX)) return INFINITY;
        largest = fmax(largest, d);
    }
    return largest;
}

// I - dG/dx by difference quotients, one evaluation per unknown. `noise` is the largest error that
// rounding may have caused in an element: much if a large g depends on a small x.
static takt_status make_matrix(const takt_newton *newton, takt_fixed_point_fn function,
                               void *context, const double *x, const vectors *v, double *noise,
                               takt_error *err)
{
    int n = newton->n;
    *noise = 0;
    memcpy(v->x_try, x, (size_t)n * sizeof *x);
    for (int j = 0; j < n; j++) {
        double scale = fmax(fmax(fabs(x[j]), fabs(v->g[j])), newton->absolute / newton->relative);
        double delta = sqrt(DBL_EPSILON) * scale;
        v->x_try[j] = x[j] + delta;
        delta = v->x_try[j] - x[j]; // what was really added
        takt_status st = function(context, v->x_try, v->g_try, err);
        if (st) return st;
        v->x_try[j] = x[j];
        for (int i = 0; i < n; i++) {
            v->matrix[i * n + j] = (i == j ? 1 : 0) - (v->g_try[i] - v->g[i]) / delta;
            *noise = fmax(*noise, 2 * DBL_EPSILON * fabs(v->g[i] / delta));
        }
    }
    return TAKT_OK;
}

// May a decomposed matrix be singular without the noise of its elements?
static bool is_doubtful(int n, const double *matrix, double noise)
{
    for (int i = 0; i < n; i++)
        if (fabs(matrix[i * n + i]) <= n * noise) return true;
    return false;
}

// Goes along the Newton step, halving it until the residual shrinks. Old and new residual are measured
// in the same units: those of a larger x would let it seem smaller.
static takt_status damped_step(const takt_newton *newton, takt_fixed_point_fn function,
                               void *context, double *x, const vectors *v, double *residual,
                               bool *is_better, takt_error *err)
{
    int n = newton->n;
    double factor = 1;
    *is_better = false;
    for (int k = 0; k <= MAX_HALVINGS && !*is_better; k++, factor /= 2) {
        for (int i = 0; i < n; i++) v->x_try[i] = x[i] + factor * v->step[i];
        takt_status st = function(context, v->x_try, v->g_try, err);
        if (st) return st;
        double trial = distance(newton, v->g_try, v->x_try, v->x_try);
        bool is_smaller = distance(newton, v->g_try, v->x_try, x) < distance(newton, v->g, x, x);
        if (!is_smaller && !(trial <= 1)) continue;
        *is_better = true;
        *residual = trial;
        memcpy(v->g, v->g_try, (size_t)n * sizeof *x);
        memcpy(x, v->x_try, (size_t)n * sizeof *x);
    }
    return TAKT_OK;
}

takt_status takt_newton_solve(const takt_newton *newton, takt_fixed_point_fn function,
                              void *context, double *x, takt_solution *out, takt_error *err)
{
    int n = newton->n;
    vectors v = divide_work(newton);
    *out = TAKT_NOT_CONVERGED;
    takt_status st = function(context, x, v.g, err);
    double residual = st ? INFINITY : distance(newton, v.g, x, x);
    double last_step = INFINITY, noise;
    for (int k = 0; k < newton->max_iterations && !st && isfinite(residual); k++) {
        st = make_matrix(newton, function, context, x, &v, &noise, err);
        if (st) break;
        takt_clear_cancelled(n, v.matrix, QUOTIENT_PRECISION);
        if (!takt_lu_decompose(n, v.matrix, newton->pivots, v.scales, QUOTIENT_PRECISION)) {
            *out = TAKT_SINGULAR;
            break;
        }
        for (int i = 0; i < n; i++) v.step[i] = v.g[i] - x[i];
        takt_lu_solve(n, v.matrix, newton->pivots, v.step);
        memcpy(v.x_try, x, (size_t)n * sizeof *x);
        for (int i = 0; i < n; i++) v.x_try[i] += v.step[i];
        last_step = distance(newton, v.x_try, x, x);
        bool is_better;
        st = damped_step(newton, function, context, x, &v, &residual, &is_better, err);
        if (!st && !is_better && is_doubtful(n, v.matrix, noise)) *out = TAKT_SINGULAR;
        if (st || !is_better) break;
        if (residual <= 1 && last_step <= 1) {
            *out = TAKT_SOLVED;
            break;
        }
    }
    return st;
}

takt_status takt_newton_solve_again(const takt_newton *newton, takt_fixed_point_fn function,
                                    void *context, double *x, bool *is_solved, takt_error *err)
{
    int n = newton->n;
    vectors v = divide_work(newton);
    double last_step = INFINITY;
    *is_solved = false;
    for (int k = 0; k < MAX_CHORDS; k++) {
        takt_status st = function(context, x, v.g, err);
        if (st) return st;
        double residual = distance(newton, v.g, x, x);
        for (int i = 0; i < n; i++) v.step[i] = v.g[i] - x[i];
        takt_lu_solve(n, v.matrix, newton->pivots, v.step);
        for (int i = 0; i < n; i++) v.x_try[i] = x[i] + v.step[i];
        double step = distance(newton, v.x_try, x, x);
        *is_solved = residual <= 1 && step <= 1;
        if (*is_solved || !(step < CHORD_RATE * last_step)) break;
        last_step = step;
        memcpy(x, v.x_try, (size_t)n * sizeof *x);
    }
    return TAKT_OK;
}
