// SPDX-License-Identifier: MIT
// What all integrators have in common: memory, restart, and the loop over internal steps; see ode.h.
#include "num/ode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/ode_type.h"

// Steps below this fraction of the time lead nowhere; so many in a row are a failure.
static const double TINY_STEP = 1e-14;
enum { MAX_TINY_STEPS = 100 };

takt_status takt_ode_create(takt_ode_method method, const takt_ode_problem *problem, takt_ode **out,
                            takt_error *err)
{
    takt_ode *ode = calloc(1, sizeof *ode);
    if (!ode) return takt_fail_memory(err);
    bool is_fixed = method == TAKT_EULER || method == TAKT_RK4 || problem->n == 0;
    ode->type = is_fixed ? &takt_ode_fixed : &takt_ode_cvode;
    ode->method = method;
    ode->problem = *problem;
    size_t n = (size_t)problem->n, n_roots = (size_t)problem->n_roots;
    ode->x = calloc(n + 1, sizeof *ode->x);
    ode->work = calloc(5 * n + 3 * n_roots + 1, sizeof *ode->work);
    takt_status st = ode->x && ode->work ? ode->type->create(ode, err) : takt_fail_memory(err);
    if (st) {
        takt_ode_destroy(ode);
        return st;
    }
    *out = ode;
    return TAKT_OK;
}

void takt_ode_destroy(takt_ode *ode)
{
    if (!ode) return;
    ode->type->destroy(ode);
    free(ode->x);
    free(ode->work);
    free(ode);
}

takt_status takt_ode_restart(takt_ode *ode, double t, const double *x, takt_error *err)
{
    ode->t = t;
    if (ode->problem.n) memcpy(ode->x, x, (size_t)ode->problem.n * sizeof *x);
    return ode->type->restart(ode, err);
}

takt_status takt_ode_integrate(takt_ode *ode, double t_end, double *t, double *x, takt_ode_end *end,
                               takt_error *err)
{
    const takt_ode_problem *problem = &ode->problem;
    bool has_root = false, stops = false;
    const double t_start = ode->t;
    int n_tiny = 0; // steps in a row that lead nowhere
    takt_status st = TAKT_OK;
    while (!st && ode->t < t_end && !has_root && !stops) {
        double t_before = ode->t;
        st = ode->type->step(ode, t_end, &has_root, err);
        n_tiny =
            ode->t - t_before > TINY_STEP * fmax(fabs(t_end), t_end - t_start) ? 0 : n_tiny + 1;
        if (!st && n_tiny > MAX_TINY_STEPS)
            st = takt_fail(
                err, TAKT_ERR_SIMULATION,
                "t=%.15g s: the integrator %s gets no further; its steps have become tiny", ode->t,
                takt_ode_method_name(ode->method));
        if (!st && problem->step_done)
            st = problem->step_done(problem->context, ode->t, ode->x, &stops, err);
    }
    if (st) return st;
    *t = ode->t;
    if (problem->n) memcpy(x, ode->x, (size_t)problem->n * sizeof *x);
    *end = has_root ? TAKT_ODE_ROOT : stops ? TAKT_ODE_STOPPED : TAKT_ODE_REACHED;
    return TAKT_OK;
}
