// SPDX-License-Identifier: MIT
// Equations in another process; see forward_equations.h. The worker's side is served_equations.c.
#include "remote/forward_equations.h"

#include <math.h>
#include <stdlib.h>

static takt_remote *remote(takt_instance *instance)
{
    return (takt_remote *)instance;
}

static takt_me *me_of(takt_instance *instance)
{
    remote(instance)->is_in_group = true;
    return &remote(instance)->me;
}

// ---- calls ---------------------------------------------------------------------------------------

static takt_status call(takt_instance *instance, takt_op op, takt_error *err)
{
    takt_remote_begin(remote(instance), op);
    return takt_remote_call(remote(instance), NULL, err);
}

static takt_status set(takt_instance *instance, const takt_access *access,
                       const takt_values *values, takt_error *err)
{
    takt_room *room = takt_remote_begin(remote(instance), TAKT_OP_ME_SET);
    takt_room_put_access(room, access);
    takt_room_put_values(room, values, access->n_values);
    return takt_remote_post(remote(instance), err);
}

static takt_status set_time(takt_instance *instance, double t, takt_error *err)
{
    takt_room *room = takt_remote_begin(remote(instance), TAKT_OP_ME_SET_TIME);
    takt_room_put_real(room, t);
    return takt_remote_post(remote(instance), err);
}

static takt_status take_answer(takt_instance *instance, takt_room *room, takt_ode_answer *answer,
                               takt_error *err)
{
    bool is_fine = takt_room_take_number(room, 0, 1);
    if (!is_fine) *answer = TAKT_ODE_TOO_FAR;
    return takt_remote_check(remote(instance), room, err);
}

static takt_status set_states(takt_instance *instance, const double *x, int n,
                              takt_ode_answer *answer, takt_error *err)
{
    takt_room result, *room = takt_remote_begin(remote(instance), TAKT_OP_ME_SET_STATES);
    takt_room_put_reals(room, x, n);
    takt_status st = takt_remote_call(remote(instance), &result, err);
    return st ? st : take_answer(instance, &result, answer, err);
}

// Numbers that the worker reads, one per state or indicator; `answer` is NULL where the FMU cannot refuse.
static takt_status read(takt_instance *instance, takt_op op, double *out, int n,
                        takt_ode_answer *answer, takt_error *err)
{
    takt_room result;
    takt_remote_begin(remote(instance), op);
    takt_status st = takt_remote_call(remote(instance), &result, err);
    if (st) return st;
    takt_room_take_reals(&result, out, n);
    return answer ? take_answer(instance, &result, answer, err)
                  : takt_remote_check(remote(instance), &result, err);
}

static takt_status get_states(takt_instance *instance, double *x, int n, takt_error *err)
{
    return read(instance, TAKT_OP_ME_GET_STATES, x, n, NULL, err);
}

static takt_status get_nominals(takt_instance *instance, double *nominal, int n, takt_error *err)
{
    return read(instance, TAKT_OP_ME_GET_NOMINALS, nominal, n, NULL, err);
}

static takt_status get_derivatives(takt_instance *instance, double *dx, int n,
                                   takt_ode_answer *answer, takt_error *err)
{
    return read(instance, TAKT_OP_ME_GET_DERIVATIVES, dx, n, answer, err);
}

static takt_status get_indicators(takt_instance *instance, double *g, int n,
                                  takt_ode_answer *answer, takt_error *err)
{
    return read(instance, TAKT_OP_ME_GET_INDICATORS, g, n, answer, err);
}

static takt_status completed_step(takt_instance *instance, bool is_final, bool *has_event,
                                  bool *terminates, takt_error *err)
{
    takt_room answer, *room = takt_remote_begin(remote(instance), TAKT_OP_ME_COMPLETED_STEP);
    takt_room_put_number(room, is_final);
    takt_room_put_number(room, *has_event); // which stay as they are where the FMU is not asked
    takt_room_put_number(room, *terminates);
    takt_status st = takt_remote_call(remote(instance), &answer, err);
    if (st) return st;
    *has_event = takt_room_take_number(&answer, 0, 1);
    *terminates = takt_room_take_number(&answer, 0, 1);
    return takt_remote_check(remote(instance), &answer, err);
}

static takt_status enter_events(takt_instance *instance, takt_error *err)
{
    return call(instance, TAKT_OP_ME_ENTER_EVENTS, err);
}

static takt_status update(takt_instance *instance, takt_me_update *out, takt_error *err)
{
    takt_room answer;
    takt_remote_begin(remote(instance), TAKT_OP_ME_UPDATE);
    takt_status st = takt_remote_call(remote(instance), &answer, err);
    if (st) return st;
    takt_me_update own = {.needs_update = takt_room_take_number(&answer, 0, 1)};
    own.terminates = takt_room_take_number(&answer, 0, 1);
    own.states_changed = takt_room_take_number(&answer, 0, 1);
    own.nominals_changed = takt_room_take_number(&answer, 0, 1);
    own.next_time = takt_room_take_real(&answer);
    *out = own;
    return takt_remote_check(remote(instance), &answer, err);
}

static takt_status enter_continuous(takt_instance *instance, takt_error *err)
{
    return call(instance, TAKT_OP_ME_ENTER_CONTINUOUS, err);
}

static const takt_me_interface calls = {
    .set = set,
    .set_time = set_time,
    .set_states = set_states,
    .get_states = get_states,
    .get_nominals = get_nominals,
    .get_derivatives = get_derivatives,
    .get_indicators = get_indicators,
    .completed_step = completed_step,
    .enter_events = enter_events,
    .update = update,
    .enter_continuous = enter_continuous,
};

const takt_equations takt_forward_equations = {.me = me_of};

// ---- what a group sees ---------------------------------------------------------------------------

takt_status takt_forward_take_equations(takt_remote *self, const takt_me_options *options,
                                        takt_room *answer, takt_error *err)
{
    enum { MOST = 10 * 1000 * 1000 }; // more than any FMU has
    takt_me *me = &self->me;
    me->instance = &self->base;
    me->calls = &calls;
    me->options = *options;
    me->n_states = (int)takt_room_take_number(answer, 0, MOST);
    me->n_indicators = (int)takt_room_take_number(answer, 0, MOST);
    me->next_event = INFINITY;
    me->x = calloc((size_t)me->n_states + 1, sizeof *me->x);
    return me->x ? takt_remote_check(self, answer, err) : takt_fail_memory(err);
}

void takt_forward_follow(takt_remote *self)
{
    const takt_me *me = &self->me;
    if (!self->is_in_group) return;
    takt_room *room = takt_remote_begin(self, TAKT_OP_ME_FOLLOW);
    takt_room_put_real(room, me->t);
    takt_room_put_number(room, me->is_in_events);
    takt_room_put_reals(room, me->x, me->n_states);
}

void takt_forward_note_mode(takt_remote *self)
{
    self->me.is_in_events = self->worker.region->is_in_events != 0;
    self->me.terminates = self->worker.region->terminates != 0;
}
