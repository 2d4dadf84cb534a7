// SPDX-License-Identifier: MIT
// Euler's method and the classical Runge-Kutta method with fixed steps. A change of sign of an event
// function is found by repeating the step with other lengths (bisection), which these one-step
// methods allow without loss.
#include <math.h>
#include <string.h>

#include "num/ode_type.h"

// Relative width of the bracket at which a root counts as found.
static const double ROOT_PRECISION = 1e-13;

enum { MAX_HALVINGS = 40 };

static double *state_vector(const takt_ode *ode, int i)
{
    return ode->work + i * ode->problem.n;
}

static double *root_vector(const takt_ode *ode, int i)
{
    return ode->work + 5 * ode->problem.n + i * ode->problem.n_roots;
}

static takt_status create(takt_ode *ode, takt_error *err)
{
    (void)ode, (void)err;
    return TAKT_OK;
}

static void destroy(takt_ode *ode)
{
    (void)ode;
}

static takt_status roots(takt_ode *ode, double t, const double *x, double *g,
                         takt_ode_answer *answer, takt_error *err)
{
    const takt_ode_problem *p = &ode->problem;
    *answer = TAKT_ODE_FINE;
    return p->n_roots ? p->roots(p->context, t, x, g, answer, err) : TAKT_OK;
}

static takt_status restart(takt_ode *ode, takt_error *err)
{
    takt_ode_answer answer;
    return roots(ode, ode->t, ode->x, root_vector(ode, 0), &answer, err);
}

// x_new = x + h f(t, x), or the fourth-order combination of four slopes.
static takt_status advance(takt_ode *ode, double h, double *x_new, takt_ode_answer *answer,
                           takt_error *err)
{
    static const double nodes[] = {0, 0.5, 0.5, 1}, weights[] = {1, 2, 2, 1};
    const takt_ode_problem *p = &ode->problem;
    int n_stages = ode->method == TAKT_EULER ? 1 : 4;
    double *slope = state_vector(ode, 1), *sum = state_vector(ode, 2), *at = state_vector(ode, 3);
    *answer = TAKT_ODE_FINE;
    for (int i = 0; i < p->n; i++) sum[i] = 0;
    for (int k = 0; k < n_stages; k++) {
        for (int i = 0; i < p->n; i++) at[i] = ode->x[i] + (k ? nodes[k] * h * slope[i] : 0);
        takt_status st = TAKT_OK;
        if (p->n) st = p->derivatives(p->context, ode->t + nodes[k] * h, at, slope, answer, err);
        if (st || *answer != TAKT_ODE_FINE) return st;
        for (int i = 0; i < p->n; i++) sum[i] += (n_stages == 1 ? 1 : weights[k] / 6) * slope[i];
    }
    for (int i = 0; i < p->n; i++) x_new[i] = ode->x[i] + h * sum[i];
    return TAKT_OK;
}

static bool changes_sign(const takt_ode *ode, const double *before, const double *after)
{
    for (int i = 0; i < ode->problem.n_roots; i++)
        if ((before[i] > 0) != (after[i] > 0)) return true;
    return false;
}

// A step of length h with the event functions behind it; a shorter one where this is too far.
static takt_status try_step(takt_ode *ode, double *h, takt_error *err)
{
    for (int k = 0; k < MAX_HALVINGS; k++, *h /= 2) {
        takt_ode_answer answer;
        takt_status st = advance(ode, *h, state_vector(ode, 0), &answer, err);
        if (!st && answer == TAKT_ODE_FINE)
            st = roots(ode, ode->t + *h, state_vector(ode, 0), root_vector(ode, 1), &answer, err);
        if (st || answer == TAKT_ODE_FINE) return st;
    }
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: the equations cannot be evaluated even very near", ode->t);
}

// Narrows the length of the step down to just behind the first change of sign.
static takt_status find_root(takt_ode *ode, double *h, takt_error *err)
{
    double near = 0, far = *h;
    while (far - near > ROOT_PRECISION * fmax(fabs(ode->t), far)) {
        double middle = near + (far - near) / 2;
        if (!(middle > near && middle < far)) break;
        double length = middle;
        takt_status st = try_step(ode, &length, err);
        if (st) return st;
        if (length < middle || !changes_sign(ode, root_vector(ode, 0), root_vector(ode, 1)))
            near = middle;
        else
            far = middle;
    }
    *h = far;
    return try_step(ode, h, err);
}

takt_status takt_ode_fixed_step(takt_ode *ode, double h, double t_end, bool *has_root,
                                takt_error *err)
{
    h = fmin(h, t_end - ode->t);
    // One step a little longer rather than a tiny one at the end.
    if (t_end - ode->t < h * (1 + 1e-9)) h = t_end - ode->t;
    double wanted = h;
    takt_status st = try_step(ode, &h, err);
    *has_root = !st && changes_sign(ode, root_vector(ode, 0), root_vector(ode, 1));
    if (*has_root) st = find_root(ode, &h, err);
    if (st) return st;
    bool is_last = h == wanted && !*has_root && wanted == t_end - ode->t;
    ode->t = is_last ? t_end : ode->t + h;
    memcpy(ode->x, state_vector(ode, 0), (size_t)ode->problem.n * sizeof *ode->x);
    memcpy(root_vector(ode, 0), root_vector(ode, 1),
           (size_t)ode->problem.n_roots * sizeof *ode->work);
    return TAKT_OK;
}

static takt_status step(takt_ode *ode, double t_end, bool *has_root, takt_error *err)
{
    return takt_ode_fixed_step(ode, ode->problem.h_fixed, t_end, has_root, err);
}

const takt_ode_type takt_ode_fixed = {create, destroy, restart, step};
