// SPDX-License-Identifier: MIT
// The equations of the worker's instance, for a group in the master's process; see forward_equations.h.
#include <string.h>

#include "remote/server.h"

static takt_me *me_of(takt_server *self)
{
    const takt_equations *equations = self->model->type->equations;
    return equations ? equations->me(self->instance) : NULL;
}

// All calls need equations, which not every model has.
static takt_status check(takt_server *self, takt_me **out, takt_error *err)
{
    *out = me_of(self);
    return *out ? TAKT_OK : takt_serve_fail_message(err);
}

takt_status takt_serve_follow(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)out;
    takt_me *me;
    takt_status st = check(self, &me, err);
    if (st) return st;
    me->t = takt_room_take_real(in);
    me->is_in_events = takt_room_take_number(in, 0, 1);
    takt_room_take_reals(in, me->x, me->n_states);
    return TAKT_OK;
}

takt_status takt_serve_set_time(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)out;
    takt_me *me;
    takt_status st = check(self, &me, err);
    return st ? st : me->calls->set_time(self->instance, takt_room_take_real(in), err);
}

takt_status takt_serve_set_states(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    takt_me *me;
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = check(self, &me, err);
    if (st) return st;
    const double *x = takt_room_next(in, (uint64_t)me->n_states * sizeof *x);
    if (!x) return takt_serve_fail_message(err);
    st = me->calls->set_states(self->instance, x, me->n_states, &answer, err);
    takt_room_put_number(out, answer == TAKT_ODE_FINE);
    return st;
}

// ---- reading -------------------------------------------------------------------------------------

takt_status takt_serve_get_states(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)in;
    takt_me *me;
    takt_status st = check(self, &me, err);
    double *x = st ? NULL : takt_room_next(out, (uint64_t)me->n_states * sizeof *x);
    return x ? me->calls->get_states(self->instance, x, me->n_states, err) : st;
}

takt_status takt_serve_get_nominals(takt_server *self, takt_room *in, takt_room *out,
                                    takt_error *err)
{
    (void)in;
    takt_me *me;
    takt_status st = check(self, &me, err);
    double *x = st ? NULL : takt_room_next(out, (uint64_t)me->n_states * sizeof *x);
    return x ? me->calls->get_nominals(self->instance, x, me->n_states, err) : st;
}

takt_status takt_serve_evaluate_derivatives(takt_server *self, takt_room *in, takt_room *out,
                                            takt_error *err)
{
    (void)in;
    takt_me *me;
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = check(self, &me, err);
    double *dx = st ? NULL : takt_room_next(out, (uint64_t)me->n_states * sizeof *dx);
    if (dx) st = me->calls->get_derivatives(self->instance, dx, me->n_states, &answer, err);
    takt_room_put_number(out, answer == TAKT_ODE_FINE);
    return st;
}

takt_status takt_serve_evaluate_indicators(takt_server *self, takt_room *in, takt_room *out,
                                           takt_error *err)
{
    (void)in;
    takt_me *me;
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = check(self, &me, err);
    double *g = st ? NULL : takt_room_next(out, (uint64_t)me->n_indicators * sizeof *g);
    if (g) st = me->calls->get_indicators(self->instance, g, me->n_indicators, &answer, err);
    takt_room_put_number(out, answer == TAKT_ODE_FINE);
    return st;
}

// ---- events --------------------------------------------------------------------------------------

takt_status takt_serve_completed_step(takt_server *self, takt_room *in, takt_room *out,
                                      takt_error *err)
{
    takt_me *me;
    takt_status st = check(self, &me, err);
    bool is_final = takt_room_take_number(in, 0, 1);
    bool has_event = takt_room_take_number(in, 0, 1), terminates = takt_room_take_number(in, 0, 1);
    if (!st) st = me->calls->completed_step(self->instance, is_final, &has_event, &terminates, err);
    takt_room_put_number(out, has_event);
    takt_room_put_number(out, terminates);
    return st;
}

takt_status takt_serve_enter_event_mode(takt_server *self, takt_room *in, takt_room *out,
                                        takt_error *err)
{
    (void)in, (void)out;
    takt_me *me;
    takt_status st = check(self, &me, err);
    if (!st) st = me->calls->enter_events(self->instance, err);
    if (!st) me->is_in_events = true;
    return st;
}

takt_status takt_serve_update(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    (void)in;
    takt_me *me;
    takt_me_update update = {0};
    takt_status st = check(self, &me, err);
    if (!st) st = me->calls->update(self->instance, &update, err);
    takt_room_put_number(out, update.needs_update);
    takt_room_put_number(out, update.terminates);
    takt_room_put_number(out, update.states_changed);
    takt_room_put_number(out, update.nominals_changed);
    takt_room_put_real(out, update.next_time);
    return st;
}

takt_status takt_serve_enter_continuous(takt_server *self, takt_room *in, takt_room *out,
                                        takt_error *err)
{
    (void)in, (void)out;
    takt_me *me;
    takt_status st = check(self, &me, err);
    if (!st) st = me->calls->enter_continuous(self->instance, err);
    if (!st) me->is_in_events = false;
    return st;
}
