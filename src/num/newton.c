// SPDX-License-Identifier: MIT
// Damped Newton iteration for x = G(x), that is r(x) = G(x) - x = 0. The step is halved until the
// weighted residual shrinks. A solution is accepted only if the residual, the last step and the estimated
// error of x, which is the step that would follow, are small: with a large loop gain x may be almost right
// while G(x) is far from it, with one near 1 it is the other way round.
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

// By this factor a full step must shrink the residual to prove a matrix of wide difference quotients.
static const double PROOF = 0.1;

// Vectors of length n, and the matrix, inside the work space.
typedef struct vectors {
    double *x_try, *g, *g_try, *step, *scales, *doubt, *matrix;
} vectors;

// One iteration after the other.
typedef struct progress {
    double spread, precision; // of difference quotients
    double quotient_noise; // the largest error that rounding may have caused in one
    double residual, last_step, error; // in units of the tolerance
    bool is_proven; // the matrix did what it promised
} progress;

size_t takt_newton_work(int n)
{
    return 7 * (size_t)n + (size_t)n * (size_t)n;
}

static vectors divide_work(const takt_newton *newton)
{
    size_t n = (size_t)newton->n;
    double *w = newton->work;
    return (vectors){w, w + n, w + 2 * n, w + 3 * n, w + 4 * n, w + 6 * n, w + 7 * n};
}

static double absolute_of(const takt_newton *newton, int i)
{
    return newton->units ? newton->absolute * newton->units[i] : newton->absolute;
}

// Largest |a_i - b_i| in units of the tolerance at x, which `doubt` (NULL: none) widens; NaN and infinities
// give infinity.
static double distance(const takt_newton *newton, const double *a, const double *b, const double *x,
                       const double *doubt)
{
    double largest = 0;
    for (int i = 0; i < newton->n; i++) {
        double weight =
            newton->relative * fabs(x[i]) + absolute_of(newton, i) + (doubt ? 2 * doubt[i] : 0);
        double d = fabs(a[i] - b[i]) / weight;
        if (!(d <= DBL_MAX)) return INFINITY;
        largest = fmax(largest, d);
    }
    return largest;
}

double takt_newton_scale(const takt_newton *newton, int i, double x, double g)
{
    return fmax(fmax(fabs(x), fabs(g)), absolute_of(newton, i) / newton->relative);
}

// Differences must stand out from the noise of their terms.
static void choose_spread(const takt_newton *newton, const double *x, const vectors *v,
                          progress *at)
{
    double noise = DBL_EPSILON;
    for (int i = 0; i < newton->n && newton->noise; i++)
        noise = fmax(noise, newton->noise[i] / takt_newton_scale(newton, i, x[i], v->g[i]));
    at->spread = newton->spread > 0 ? newton->spread : sqrt(noise);
    at->precision = fmax(4 * noise / at->spread, newton->spread > 0 ? 0 : QUOTIENT_PRECISION);
}

// I - dG/dx by difference quotients, one evaluation per unknown. Rounding causes much noise if a large g
// depends on a small x.
static takt_status make_matrix(const takt_newton *newton, takt_fixed_point_fn function,
                               void *context, const double *x, const vectors *v, progress *at,
                               takt_error *err)
{
    int n = newton->n;
    at->quotient_noise = 0;
    choose_spread(newton, x, v, at);
    memcpy(v->x_try, x, (size_t)n * sizeof *x);
    for (int j = 0; j < n; j++) {
        double delta = at->spread * takt_newton_scale(newton, j, x[j], v->g[j]);
        v->x_try[j] = x[j] + delta;
        delta = v->x_try[j] - x[j]; // what was really added
        takt_status st = function(context, v->x_try, v->g_try, err);
        if (st) return st;
        v->x_try[j] = x[j];
        for (int i = 0; i < n; i++) {
            v->matrix[i * n + j] = (i == j ? 1 : 0) - (v->g_try[i] - v->g[i]) / delta;
            at->quotient_noise = fmax(at->quotient_noise, 2 * DBL_EPSILON * fabs(v->g[i] / delta));
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
                               void *context, double *x, const vectors *v, progress *at,
                               bool *is_better, takt_error *err)
{
    int n = newton->n;
    double factor = 1, before = distance(newton, v->g, x, x, NULL);
    *is_better = false;
    for (int k = 0; k <= MAX_HALVINGS && !*is_better; k++, factor /= 2) {
        for (int i = 0; i < n; i++) v->x_try[i] = x[i] + factor * v->step[i];
        takt_status st = function(context, v->x_try, v->g_try, err);
        if (st) return st;
        double trial = distance(newton, v->g_try, v->x_try, v->x_try, newton->noise);
        double after = distance(newton, v->g_try, v->x_try, x, NULL);
        if (!(after < before) && !(trial <= 1)) continue;
        *is_better = true;
        at->is_proven |= k == 0 && after <= PROOF * before;
        at->residual = trial;
        memcpy(v->g, v->g_try, (size_t)n * sizeof *x);
        memcpy(x, v->x_try, (size_t)n * sizeof *x);
    }
    return TAKT_OK;
}

// The step that would lead from x to the solution, and its length in units of the tolerance.
static double find_step(const takt_newton *newton, const double *x, const vectors *v)
{
    for (int i = 0; i < newton->n; i++) v->step[i] = v->g[i] - x[i];
    takt_lu_solve(newton->n, v->matrix, newton->pivots, v->step);
    for (int i = 0; i < newton->n; i++) v->x_try[i] = x[i] + v->step[i];
    return distance(newton, v->x_try, x, x, newton->noise ? newton->uncertainty : NULL);
}

// What noise of g leaves uncertain in x: |A^-1| times noise, for a decomposed A.
static void find_uncertainty(const takt_newton *newton, const vectors *v)
{
    int n = newton->n;
    if (!newton->noise) return;
    memset(newton->uncertainty, 0, (size_t)n * sizeof *newton->uncertainty);
    for (int j = 0; j < n; j++) {
        memset(v->doubt, 0, (size_t)n * sizeof *v->doubt);
        v->doubt[j] = newton->noise[j];
        takt_lu_solve(n, v->matrix, newton->pivots, v->doubt);
        for (int i = 0; i < n; i++) newton->uncertainty[i] += fabs(v->doubt[i]);
    }
}

// One iteration with a new matrix. It is the last one unless the residual has become smaller.
static takt_status iterate(const takt_newton *newton, takt_fixed_point_fn function, void *context,
                           double *x, const vectors *v, progress *at, bool *is_last,
                           takt_solution *out, takt_error *err)
{
    int n = newton->n;
    *is_last = true;
    takt_status st = make_matrix(newton, function, context, x, v, at, err);
    if (st) return st;
    takt_clear_cancelled(n, v->matrix, at->precision);
    if (!takt_lu_decompose(n, v->matrix, newton->pivots, v->scales, at->precision)) {
        *out = TAKT_SINGULAR;
        return TAKT_OK;
    }
    find_uncertainty(newton, v);
    at->last_step = find_step(newton, x, v);
    bool is_better;
    st = damped_step(newton, function, context, x, v, at, &is_better, err);
    if (st) return st;
    if (!is_better) {
        if (is_doubtful(n, v->matrix, at->quotient_noise)) *out = TAKT_SINGULAR;
        return TAKT_OK;
    }
    at->error = find_step(newton, x, v);
    *is_last = at->residual <= 1 && at->last_step <= 1 && at->error <= 1;
    if (*is_last && (at->is_proven || !(newton->spread > 0))) *out = TAKT_SOLVED;
    return TAKT_OK;
}

takt_status takt_newton_solve(const takt_newton *newton, takt_fixed_point_fn function,
                              void *context, double *x, takt_solution *out, takt_error *err)
{
    vectors v = divide_work(newton);
    progress at = {.residual = INFINITY};
    bool is_last = false;
    *out = TAKT_NOT_CONVERGED;
    takt_status st = function(context, x, v.g, err);
    if (!st) at.residual = distance(newton, v.g, x, x, newton->noise);
    for (int k = 0; k < newton->max_iterations && !st && !is_last && isfinite(at.residual); k++)
        st = iterate(newton, function, context, x, &v, &at, &is_last, out, err);
    return st;
}

takt_status takt_newton_solve_again(const takt_newton *newton, takt_fixed_point_fn function,
                                    void *context, double *x, bool *is_solved, takt_error *err)
{
    vectors v = divide_work(newton);
    double last_step = INFINITY;
    *is_solved = false;
    for (int k = 0; k < MAX_CHORDS; k++) {
        takt_status st = function(context, x, v.g, err);
        if (st) return st;
        double residual = distance(newton, v.g, x, x, newton->noise);
        double step = find_step(newton, x, &v);
        *is_solved = residual <= 1 && step <= 1;
        if (*is_solved || !(step < CHORD_RATE * last_step)) break;
        last_step = step;
        memcpy(x, v.x_try, (size_t)newton->n * sizeof *x);
    }
    return TAKT_OK;
}
