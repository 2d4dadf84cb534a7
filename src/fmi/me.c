// SPDX-License-Identifier: MIT
// Integration of a model-exchange FMU (FMI 2.0.5, section 3; FMI 3.0.2, section 3). Between events the
// states follow x' = f(t, x), integrated by num/ode.h up to the end of the step, the next time event, or a
// change of sign of an event indicator, whichever comes first. At an event the FMU updates its discrete
// states until they rest; then the integrator begins anew.
#include "fmi/me.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_UPDATES = 1000, // of discrete states at one event
    MAX_EVENTS = 1000, // without time going on: chattering
};

// Absolute tolerances are this part of the relative one, times the nominal value.
static const double ABSOLUTE_FACTOR = 0.01;

// ---- the equations ---------------------------------------------------------------------------------

static takt_status go_to(takt_me *me, double t, const double *x, takt_ode_answer *answer,
                         takt_error *err)
{
    takt_status st = me->calls->set_time(me->instance, t, err);
    if (!st && me->n_states) st = me->calls->set_states(me->instance, x, me->n_states, answer, err);
    return st;
}

static takt_status derivatives(void *context, double t, const double *x, double *dx,
                               takt_ode_answer *answer, takt_error *err)
{
    takt_me *me = context;
    takt_status st = go_to(me, t, x, answer, err);
    if (st || *answer != TAKT_ODE_FINE) return st;
    st = me->calls->get_derivatives(me->instance, dx, me->n_states, answer, err);
    for (int i = 0; i < me->n_states && !st && *answer == TAKT_ODE_FINE; i++)
        if (!isfinite(dx[i])) *answer = TAKT_ODE_TOO_FAR;
    return st;
}

static takt_status indicators(void *context, double t, const double *x, double *g,
                              takt_ode_answer *answer, takt_error *err)
{
    takt_me *me = context;
    takt_status st = go_to(me, t, x, answer, err);
    if (st || *answer != TAKT_ODE_FINE) return st;
    return me->calls->get_indicators(me->instance, g, me->n_indicators, answer, err);
}

static takt_status step_done(void *context, double t, const double *x, bool *stops, takt_error *err)
{
    takt_me *me = context;
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = go_to(me, t, x, &answer, err);
    if (!st)
        st = me->calls->completed_step(me->instance, me->is_final, &me->has_event, &me->terminates,
                                       err);
    *stops = me->has_event || me->terminates;
    return st;
}

// ---- life ------------------------------------------------------------------------------------------

takt_status takt_me_init(takt_me *me, takt_instance *instance, const takt_me_interface *calls,
                         int n_states, int n_indicators, const takt_me_options *options,
                         takt_error *err)
{
    *me = (takt_me){.instance = instance,
                    .calls = calls,
                    .n_states = n_states,
                    .n_indicators = n_indicators,
                    .next_event = INFINITY,
                    .relative = options->relative};
    size_t n = (size_t)n_states + 1;
    me->x = calloc(n, sizeof *me->x);
    me->nominal = calloc(n, sizeof *me->nominal);
    me->absolute = calloc(n, sizeof *me->absolute);
    if (!me->x || !me->nominal || !me->absolute) {
        takt_me_clear(me);
        return takt_fail_memory(err);
    }
    takt_ode_problem problem = {.n = n_states,
                                .n_roots = n_indicators,
                                .relative = options->relative,
                                .absolute = me->absolute,
                                .h_fixed = options->h_fixed,
                                .context = me,
                                .derivatives = derivatives,
                                .roots = indicators,
                                .step_done = step_done};
    takt_status st = takt_ode_create(options->method, &problem, &me->ode, err);
    if (st) takt_me_clear(me);
    return st;
}

void takt_me_clear(takt_me *me)
{
    takt_ode_destroy(me->ode);
    free(me->x);
    free(me->nominal);
    free(me->absolute);
    *me = (takt_me){0};
}

// ---- events ----------------------------------------------------------------------------------------

static takt_status read_nominals(takt_me *me, takt_error *err)
{
    if (!me->n_states) return TAKT_OK;
    takt_status st = me->calls->get_nominals(me->instance, me->nominal, me->n_states, err);
    for (int i = 0; i < me->n_states && !st; i++) {
        double size = isfinite(me->nominal[i]) && me->nominal[i] != 0 ? fabs(me->nominal[i]) : 1;
        me->absolute[i] = ABSOLUTE_FACTOR * me->relative * size;
    }
    return st;
}

// In event mode: updates until nothing changes, then on to continuous time.
static takt_status settle(takt_me *me, takt_error *err)
{
    takt_me_update update = {.needs_update = true};
    bool states_changed = false, nominals_changed = false;
    for (int k = 0; update.needs_update && k < MAX_UPDATES; k++) {
        update = (takt_me_update){.next_time = INFINITY};
        takt_status st = me->calls->update(me->instance, &update, err);
        if (st) return st;
        states_changed |= update.states_changed;
        nominals_changed |= update.nominals_changed;
        me->terminates |= update.terminates;
        if (update.terminates) break;
    }
    if (update.needs_update && !update.terminates)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "the discrete states do not come to rest after %d updates", MAX_UPDATES);
    me->next_event = update.next_time;
    takt_status st = me->calls->enter_continuous(me->instance, err);
    if (!st && states_changed && me->n_states)
        st = me->calls->get_states(me->instance, me->x, me->n_states, err);
    if (!st && nominals_changed) st = read_nominals(me, err);
    return st;
}

takt_status takt_me_start(takt_me *me, double t, takt_step_result *result, takt_error *err)
{
    me->t = t;
    takt_status st = settle(me, err);
    if (!st && me->n_states) st = me->calls->get_states(me->instance, me->x, me->n_states, err);
    if (!st) st = read_nominals(me, err);
    me->needs_restart = true;
    *result = (takt_step_result){.end = me->terminates ? TAKT_STEP_TERMINATED : TAKT_STEP_DONE,
                                 .time = t};
    return st;
}

// An event at the present point. Many of them without time going on are chattering.
static takt_status handle_event(takt_me *me, double t_before, takt_error *err)
{
    me->n_events = me->t > t_before ? 1 : me->n_events + 1;
    if (me->n_events > MAX_EVENTS)
        return takt_fail(
            err, TAKT_ERR_SIMULATION,
            "more than %d events at t=%.15g s: the model chatters between two discrete "
            "states",
            MAX_EVENTS, me->t);
    takt_status st = me->calls->enter_events(me->instance, err);
    if (!st) st = settle(me, err);
    if (!st && me->next_event < me->t)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "the model demands an event at t=%.15g s, which is past at t=%.15g s",
                         me->next_event, me->t);
    me->needs_restart = true;
    return st;
}

// ---- stepping --------------------------------------------------------------------------------------

static takt_status restart(takt_me *me, takt_error *err)
{
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = go_to(me, me->t, me->x, &answer, err);
    if (!st) st = takt_ode_restart(me->ode, me->t, me->x, err);
    me->needs_restart = st != TAKT_OK;
    return st;
}

takt_status takt_me_step(takt_me *me, double t, double h, bool is_final, takt_step_result *result,
                         takt_error *err)
{
    double t_end = t + h;
    me->is_final = is_final;
    me->terminates = me->has_event = false;
    me->t = t;
    me->needs_restart = true; // inputs are held, and may have jumped
    takt_status st = TAKT_OK;
    while (!st && me->t < t_end && !me->terminates) {
        double t_before = me->t, target = fmin(t_end, me->next_event);
        takt_ode_end end = TAKT_ODE_REACHED;
        if (me->needs_restart) st = restart(me, err);
        if (!st && target > me->t)
            st = takt_ode_integrate(me->ode, target, &me->t, me->x, &end, err);
        if (st || me->terminates) break;
        bool is_time_event = me->t >= me->next_event;
        if (end == TAKT_ODE_ROOT || me->has_event || is_time_event)
            st = handle_event(me, t_before, err);
        me->has_event = false;
    }
    takt_ode_answer answer = TAKT_ODE_FINE;
    if (!st) st = go_to(me, me->t, me->x, &answer, err);
    *result = (takt_step_result){.end = me->terminates ? TAKT_STEP_TERMINATED : TAKT_STEP_DONE,
                                 .time = me->t};
    return st;
}

// ---- coming back -----------------------------------------------------------------------------------

typedef struct saved {
    double t, next_event;
    double x[];
} saved;

size_t takt_me_state_size(const takt_me *me)
{
    return sizeof(saved) + (size_t)me->n_states * sizeof(double);
}

void takt_me_save(const takt_me *me, void *state)
{
    saved *to = state;
    to->t = me->t;
    to->next_event = me->next_event;
    memcpy(to->x, me->x, (size_t)me->n_states * sizeof *me->x);
}

takt_status takt_me_restore(takt_me *me, const void *state, takt_error *err)
{
    const saved *from = state;
    me->t = from->t;
    me->next_event = from->next_event;
    me->n_events = 0;
    me->needs_restart = true;
    memcpy(me->x, from->x, (size_t)me->n_states * sizeof *me->x);
    takt_ode_answer answer = TAKT_ODE_FINE;
    return go_to(me, me->t, me->x, &answer, err);
}
