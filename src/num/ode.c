// SPDX-License-Identifier: MIT
// What all integrators have in common: memory, restart, and the loop over internal steps; see ode.h.
#include "num/ode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/ode_watch.h"

// Steps below this fraction of the time that has been reached, or has passed, lead nowhere; so many in a row are a
// failure. The end does not count: it may be far away, and first steps are short.
static const double TINY_STEP = 1e-14;
enum { MAX_TINY_STEPS = 100 };

static void lay_out_watch(takt_ode_watch *watch, double *room, size_t n)
{
    double **const vectors[] = {&watch->start, &watch->at, &watch->before, &watch->slopes,
                                &watch->curvatures};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, room += n) *vectors[i] = room;
    watch->roots = room;
}

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
    ode->x = calloc(6 * n + 2 * n_roots + 1, sizeof *ode->x);
    if (ode->x) lay_out_watch(&ode->watch, ode->x + n, n);
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
    ode->is_fresh = true;
    return ode->type->restart(ode, err);
}

// One internal step; before the first one since a restart a look at what is near.
static takt_status step(takt_ode *ode, double t_end, bool *has_root, takt_error *err)
{
    takt_status st = TAKT_OK;
    bool is_watched = ode->is_fresh && ode->problem.n_roots > 0;
    if (is_watched) st = takt_ode_watch_start(ode, t_end, has_root, err);
    ode->is_fresh = false;
    if (st || *has_root) return st;
    ode->watch.n_unresolved = 0;
    return ode->type->step(ode, t_end, has_root, err);
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
        st = step(ode, t_end, &has_root, err);
        bool is_tiny = ode->t - t_before <= TINY_STEP * fmax(fabs(t_before), t_before - t_start);
        n_tiny = is_tiny ? n_tiny + 1 : 0;
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
