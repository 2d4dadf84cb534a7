// SPDX-License-Identifier: MIT
// After an event an event function is often 0, rises and falls again, and the integrator knows nothing yet about the
// time scale of this: its first steps are as long as the tolerances of the states allow, and both ends of a step may
// have the same sign. So where an event function is near 0, the way ahead is walked with explicit steps that grow from
// the resolution of time, as far as the motion is not yet large compared to the tolerances. What the walk computes
// is used only if it finds a change of sign. In formulas: t, h, x, x' = f, g.
#include "num/ode_watch.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { GROWTH = 4, MAX_UNRESOLVED = 100 };

// So far ahead is an event function looked at in order to learn its sign at 0+, in s: less than time can resolve.
static const double AT_ONCE = 1e-100;

// How far to walk: so many times the way after which the curvature of the states is as large as their tolerances.
static const double REACH = 30;

// Event functions change by so many times what is estimated, at most.
static const double SAFETY = 8;

// The largest element of v, measured in tolerances.
static double in_tolerances(const takt_ode *ode, const double *v)
{
    const takt_ode_problem *p = &ode->problem;
    double largest = 0;
    for (int i = 0; i < p->n; i++)
        largest =
            fmax(largest, fabs(v[i]) / (p->relative * fabs(ode->x[i]) + p->absolute[i] + DBL_MIN));
    return largest;
}

static takt_status slopes_at(takt_ode *ode, double t, const double *x, double *dx,
                             takt_ode_answer *answer, takt_error *err)
{
    const takt_ode_problem *p = &ode->problem;
    return p->n && *answer == TAKT_ODE_FINE ? p->derivatives(p->context, t, x, dx, answer, err)
                                            : TAKT_OK;
}

// x + h x' + h^2/2 x''
static void go_ahead(takt_ode *ode, double h)
{
    takt_ode_watch *w = &ode->watch;
    for (int i = 0; i < ode->problem.n; i++)
        w->at[i] = ode->x[i] + h * (w->slopes[i] + h / 2 * w->curvatures[i]);
}

// The first and second derivatives of x at the beginning, and how far to walk.
static takt_status find_reach(takt_ode *ode, double h_max, double *reach, takt_ode_answer *answer,
                              takt_error *err)
{
    takt_ode_watch *w = &ode->watch;
    int n = ode->problem.n;
    memset(w->curvatures, 0, (size_t)n * sizeof *w->curvatures);
    takt_status st = slopes_at(ode, ode->t, ode->x, w->slopes, answer, err);
    if (st || *answer != TAKT_ODE_FINE) return st;
    double h = fmin(h_max, 1 / fmax(in_tolerances(ode, w->slopes), DBL_MIN));
    go_ahead(ode, h);
    st = slopes_at(ode, ode->t + h, w->at, w->curvatures, answer, err);
    if (st || *answer != TAKT_ODE_FINE) return st;
    for (int i = 0; i < n; i++) w->curvatures[i] = (w->curvatures[i] - w->slopes[i]) / h;
    *reach = fmin(h_max, REACH * sqrt(2 / fmax(in_tolerances(ode, w->curvatures), DBL_MIN)));
    return TAKT_OK;
}

// May an event function change its sign within `reach`? Does one at once, sooner than time can resolve?
static takt_status look_ahead(takt_ode *ode, double reach, bool *is_near, bool *is_at_once,
                              takt_ode_answer *answer, takt_error *err)
{
    const takt_ode_problem *p = &ode->problem;
    takt_ode_watch *w = &ode->watch;
    double *g = w->roots, *ahead = g + p->n_roots;
    takt_status st = p->roots(p->context, ode->t, ode->x, g, answer, err);
    go_ahead(ode, reach / 2);
    if (!st && *answer == TAKT_ODE_FINE)
        st = p->roots(p->context, ode->t + reach / 2, w->at, ahead, answer, err);
    if (st || *answer != TAKT_ODE_FINE) return st;
    for (int i = 0; i < p->n_roots; i++) *is_near |= fabs(g[i]) <= SAFETY * fabs(ahead[i] - g[i]);
    if (!*is_near) return TAKT_OK;
    go_ahead(ode, AT_ONCE);
    st = p->roots(p->context, ode->t, w->at, ahead, answer, err);
    for (int i = 0; i < p->n_roots && !st && *answer == TAKT_ODE_FINE; i++)
        *is_at_once |= (g[i] > 0) != (ahead[i] > 0);
    return st;
}

// Are steps of this length too long for an explicit method? As Hairer and Wanner find out whether equations are stiff
// (Solving Ordinary Differential Equations II, IV.2); `slopes` are those before the step and become those behind it.
static takt_status is_stiff(takt_ode *ode, double h, const double *before, bool *answer,
                            takt_error *err)
{
    takt_ode_watch *w = &ode->watch;
    takt_ode_answer possible = TAKT_ODE_FINE;
    takt_status st = slopes_at(ode, ode->t, ode->x, w->at, &possible, err);
    *answer = possible != TAKT_ODE_FINE;
    if (st || *answer) return st;
    for (int i = 0; i < ode->problem.n; i++) {
        w->curvatures[i] = w->at[i] - w->slopes[i];
        w->slopes[i] = w->at[i];
        w->at[i] = ode->x[i] - before[i];
    }
    *answer = h * in_tolerances(ode, w->curvatures) > in_tolerances(ode, w->at);
    return TAKT_OK;
}

static takt_status note_unresolved(takt_ode *ode, takt_error *err)
{
    if (++ode->watch.n_unresolved <= MAX_UNRESOLVED) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: events follow each other faster than time can resolve", ode->t);
}

// To t_end, or behind a change of sign.
static takt_status walk(takt_ode *ode, double t_end, bool is_at_once, bool *found, takt_error *err)
{
    takt_ode_watch *w = &ode->watch;
    double h = 4 * DBL_EPSILON * fmax(fabs(ode->t), t_end - ode->t);
    bool is_stopped = false;
    takt_status st = takt_ode_fixed.restart(ode, err);
    while (!st && ode->t < t_end && !*found && !is_stopped) {
        double t = ode->t;
        memcpy(w->before, ode->x, (size_t)ode->problem.n * sizeof *w->before);
        st = takt_ode_fixed_step(ode, h, t_end, found, err);
        if (!st && !*found && is_at_once) { // there and back again
            *found = true;
            st = note_unresolved(ode, err);
        }
        if (!st && ode->problem.n) st = is_stiff(ode, ode->t - t, w->before, &is_stopped, err);
        h *= GROWTH;
    }
    if (is_stopped && !is_at_once) *found = false;
    return st;
}

takt_status takt_ode_watch_start(takt_ode *ode, double t_end, bool *found, takt_error *err)
{
    takt_ode_watch *w = &ode->watch;
    const double t = ode->t;
    bool is_fixed = ode->type == &takt_ode_fixed, is_near = false, is_at_once = false;
    double reach = 0, h_max = t_end - t;
    if (is_fixed) h_max = fmin(h_max, ode->problem.h_fixed);
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = find_reach(ode, h_max, &reach, &answer, err);
    if (is_fixed) reach = h_max;
    if (!st && answer == TAKT_ODE_FINE)
        st = look_ahead(ode, reach, &is_near, &is_at_once, &answer, err);
    if (st || answer != TAKT_ODE_FINE || !is_near) return st;
    memcpy(w->start, ode->x, (size_t)ode->problem.n * sizeof *w->start);
    st = walk(ode, t + reach, is_at_once, found, err);
    if (st || *found) return st;
    ode->t = t;
    memcpy(ode->x, w->start, (size_t)ode->problem.n * sizeof *w->start);
    return is_fixed ? takt_ode_fixed.restart(ode, err) : TAKT_OK;
}
