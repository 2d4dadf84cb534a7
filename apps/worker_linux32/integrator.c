// SPDX-License-Identifier: MIT
// SUNDIALS is not there with 32 bits: the master integrates by its methods (remote/talk.h), and asks for the values of the equations, which are those
// that an integrator here would ask for. So results are the same.
#include "integrator.h"

#include <stdlib.h>
#include <string.h>

#include "num/ode_type.h"
#include "remote/server.h"
#include "remote/talk.h"

static takt_server *server; // an integrator has no other way to reach it

void takt_integrator_begin(void *context, takt_server *to)
{
    (void)context;
    server = to;
}

static takt_room begin(takt_talk what)
{
    takt_room room = takt_room_of(takt_region_talk(server->region), TAKT_REGION_TALK);
    takt_room_put_number(&room, what);
    return room;
}

// ---- evaluations ---------------------------------------------------------------------------------

// What the master wants to know, at the point that it has written down.
static takt_status evaluate(const takt_ode *ode, takt_talk what, takt_room *in, double *values,
                            takt_ode_answer *answer, takt_error *err)
{
    const takt_ode_problem *p = &ode->problem;
    const size_t size = (size_t)p->n * sizeof(double);
    double t = takt_room_take_real(in);
    double *x = malloc(2 * size);
    if (!x) return takt_fail_memory(err);
    takt_room_take_reals(in, x, p->n);
    if (what == TAKT_TALK_JACOBIAN) takt_room_take_reals(in, x + p->n, p->n);
    takt_status st =
        in->failed                      ? takt_serve_fail_message(err)
        : what == TAKT_TALK_DERIVATIVES ? p->derivatives(p->context, t, x, values, answer, err)
        : what == TAKT_TALK_ROOTS       ? p->roots(p->context, t, x, values, answer, err)
                                  : p->jacobian(p->context, t, x, x + p->n, values, answer, err);
    free(x);
    return st;
}

static int count(const takt_ode_problem *p, takt_talk what)
{
    return what == TAKT_TALK_JACOBIAN ? p->n * p->n : what == TAKT_TALK_ROOTS ? p->n_roots : p->n;
}

static takt_status tell_values(const takt_ode *ode, takt_talk what, takt_room *in, takt_error *err)
{
    int n = count(&ode->problem, what);
    double *values = calloc((size_t)n + 1, sizeof *values);
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_error own = {0};
    if (!values) return takt_fail_memory(err);
    takt_status st = evaluate(ode, what, in, values, &answer, &own);
    takt_room room = begin(TAKT_TALK_VALUES);
    takt_room_put_number(&room, st);
    takt_room_put_bytes(&room, own.message, st ? strlen(own.message) + 1 : 0);
    takt_room_put_number(&room, answer == TAKT_ODE_FINE);
    takt_room_put_reals(&room, values, n);
    free(values);
    return TAKT_OK;
}

// ---- asking --------------------------------------------------------------------------------------

// Until the master has done what the room asks for. `out` is what it says then.
static takt_status ask(const takt_ode *ode, takt_room *out, takt_error *err)
{
    for (;;) {
        takt_serve_talk(server);
        if (server->has_ended) return takt_fail(err, TAKT_ERR_SIMULATION, "the master is gone");
        takt_room in = takt_room_of(takt_region_talk(server->region), TAKT_REGION_TALK);
        takt_talk what = (takt_talk)takt_room_take_number(&in, 0, TAKT_N_TALKS - 1);
        if (what == TAKT_TALK_DONE) {
            takt_status st = (takt_status)takt_room_take_number(&in, TAKT_OK, TAKT_ERR_CRASH);
            const char *text = takt_room_take_text(&in);
            *out = in;
            return st ? takt_fail(err, st, "%s", text ? text : "") : TAKT_OK;
        }
        bool is_question = what == TAKT_TALK_DERIVATIVES || what == TAKT_TALK_ROOTS ||
                           (what == TAKT_TALK_JACOBIAN && ode->problem.jacobian);
        if (in.failed || !is_question) return takt_serve_fail_message(err);
        takt_status st = tell_values(ode, what, &in, err);
        if (st) return st;
    }
}

// ---- the integrator ------------------------------------------------------------------------------

static takt_status create(takt_ode *ode, takt_error *err)
{
    const takt_ode_problem *p = &ode->problem;
    takt_room room = begin(TAKT_TALK_CREATE), unused;
    takt_room_put_number(&room, ode->method);
    takt_room_put_number(&room, p->n);
    takt_room_put_number(&room, p->n_roots);
    takt_room_put_number(&room, p->jacobian != NULL);
    takt_room_put_real(&room, p->relative);
    takt_status st = ask(ode, &unused, err);
    if (!st) ode->own = ode; // there is something to be destroyed
    return st;
}

static void destroy(takt_ode *ode)
{
    takt_error err;
    takt_room unused;
    if (!ode->own || server->has_ended) return;
    begin(TAKT_TALK_DESTROY);
    ask(ode, &unused, &err);
}

static takt_status restart(takt_ode *ode, takt_error *err)
{
    takt_room room = begin(TAKT_TALK_RESTART), unused;
    takt_room_put_real(&room, ode->t);
    takt_room_put_reals(&room, ode->x, ode->problem.n);
    takt_room_put_reals(&room, ode->problem.absolute, ode->problem.n);
    return ask(ode, &unused, err);
}

static takt_status step(takt_ode *ode, double t_end, bool *has_root, takt_error *err)
{
    takt_room room = begin(TAKT_TALK_STEP), out;
    takt_room_put_real(&room, t_end);
    takt_status st = ask(ode, &out, err);
    if (st) return st;
    ode->t = takt_room_take_real(&out);
    takt_room_take_reals(&out, ode->x, ode->problem.n);
    *has_root = takt_room_take_number(&out, 0, 1);
    return out.failed ? takt_serve_fail_message(err) : TAKT_OK;
}

const takt_ode_type takt_ode_cvode = {create, destroy, restart, step};
