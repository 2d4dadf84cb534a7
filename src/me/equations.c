// SPDX-License-Identifier: MIT
// Derivatives and event indicators at a point; see equations.h.
#include "me/equations.h"

#include <math.h>

// An event is the change between z > 0 and z <= 0: a zero counts as negative, also where integration starts.
static const double ZERO_INDICATOR = -1e-100;

// For a message, in case the integrator finds no way around this point.
static void note_discard(takt_me *me, double t, takt_ode_answer answer)
{
    if (answer == TAKT_ODE_FINE) return;
    me->is_discarded = true;
    me->i_bad = 0;
    me->t_bad = t;
}

// Brings the inputs that change within this step to time t.
static takt_status move_inputs(takt_me *me, double t, takt_error *err)
{
    const takt_access *inputs = me->motion.inputs;
    if (!inputs || t == me->t_moved) return TAKT_OK;
    const takt_values now = {.real = takt_motion_at(&me->motion, t)};
    me->t_moved = t;
    return me->calls->set(me->instance, inputs, &now, err);
}

takt_status takt_me_go_to(takt_me *me, double t, const double *x, takt_ode_answer *answer,
                          takt_error *err)
{
    takt_status st = me->calls->set_time(me->instance, t, err);
    if (!st) st = move_inputs(me, t, err);
    if (!st && me->n_states) st = me->calls->set_states(me->instance, x, me->n_states, answer, err);
    if (!st) note_discard(me, t, *answer);
    return st;
}

takt_status takt_me_go_surely(takt_me *me, double t, const double *x, takt_error *err)
{
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = takt_me_go_to(me, t, x, &answer, err);
    if (st || answer == TAKT_ODE_FINE) return st;
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "the FMU refuses its continuous states at t=%.15g s (discard)", t);
}

takt_status takt_me_derivatives(takt_me *me, double t, const double *x, double *dx,
                                takt_ode_answer *answer, takt_error *err)
{
    takt_status st = takt_me_go_to(me, t, x, answer, err);
    if (st || *answer != TAKT_ODE_FINE) return st;
    me->n_derivatives++;
    st = me->calls->get_derivatives(me->instance, dx, me->n_states, answer, err);
    note_discard(me, t, *answer);
    for (int i = 0; i < me->n_states && !st && *answer == TAKT_ODE_FINE; i++)
        if (!isfinite(dx[i])) {
            me->is_discarded = false;
            me->i_bad = i + 1;
            me->bad_value = dx[i];
            me->t_bad = t;
            *answer = TAKT_ODE_TOO_FAR;
        }
    return st;
}

takt_status takt_me_indicators(takt_me *me, double t, const double *x, double *g,
                               takt_ode_answer *answer, takt_error *err)
{
    takt_status st = takt_me_go_to(me, t, x, answer, err);
    if (st || *answer != TAKT_ODE_FINE) return st;
    st = me->calls->get_indicators(me->instance, g, me->n_indicators, answer, err);
    note_discard(me, t, *answer);
    for (int i = 0; i < me->n_indicators && !st && *answer == TAKT_ODE_FINE; i++)
        if (g[i] == 0) g[i] = ZERO_INDICATOR;
    return st;
}
