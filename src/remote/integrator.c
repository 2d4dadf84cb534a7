// SPDX-License-Identifier: MIT
// CVODE for equations in another process; see integrator.h. The worker's side is apps/worker_linux32/integrator.c.
#include "remote/integrator.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/ode_type.h"
#include "remote/talk.h"

struct takt_integrator {
    takt_region *region; // borrowed
    takt_ode ode;
    bool is_made;
    double *absolute; // tolerances
    takt_integrator_turn *turn;
    void *context;
    bool has_failed; // a turn
};

// ---- the equations -------------------------------------------------------------------------------

static takt_room begin(const takt_integrator *self, takt_talk what)
{
    takt_room room = takt_room_of(takt_region_talk(self->region), TAKT_REGION_TALK);
    takt_room_put_number(&room, what);
    return room;
}

// Texts of the worker end, and have nothing but letters.
static takt_status fail_as_told(takt_status st, const char *text, size_t size, takt_error *err)
{
    char copy[TAKT_MESSAGE_SIZE];
    size_t n = 0;
    for (; text && n + 1 < sizeof copy && n < size && text[n]; n++)
        copy[n] = (unsigned char)text[n] >= ' ' ? text[n] : '?';
    copy[n] = 0;
    return takt_fail(err, st, "%s", copy);
}

static takt_status fail_senseless(takt_error *err)
{
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "its process says what makes no sense while it is integrated; the FMU has "
                     "probably written over memory that is not its own");
}

// The worker evaluates what the room asks for.
static takt_status evaluate(takt_integrator *self, double *values, int n, takt_ode_answer *answer,
                            takt_error *err)
{
    self->has_failed = self->has_failed || !self->turn(self->context);
    if (self->has_failed) return takt_fail(err, TAKT_ERR_CRASH, "its process does not answer");
    takt_room room = takt_room_of(takt_region_talk(self->region), TAKT_REGION_TALK);
    size_t size;
    int64_t what = takt_room_take_number(&room, TAKT_TALK_VALUES, TAKT_TALK_VALUES);
    takt_status st = (takt_status)takt_room_take_number(&room, TAKT_OK, TAKT_ERR_CRASH);
    const char *text = takt_room_take_bytes(&room, &size);
    bool is_fine = takt_room_take_number(&room, 0, 1);
    takt_room_take_reals(&room, values, n);
    if (room.failed || what != TAKT_TALK_VALUES) return fail_senseless(err);
    if (st) return fail_as_told(st, text, size, err);
    *answer = is_fine ? TAKT_ODE_FINE : TAKT_ODE_TOO_FAR;
    return TAKT_OK;
}

static takt_status derivatives(void *context, double t, const double *x, double *dx,
                               takt_ode_answer *answer, takt_error *err)
{
    takt_integrator *self = context;
    takt_room room = begin(self, TAKT_TALK_DERIVATIVES);
    takt_room_put_real(&room, t);
    takt_room_put_reals(&room, x, self->ode.problem.n);
    return evaluate(self, dx, self->ode.problem.n, answer, err);
}

static takt_status roots(void *context, double t, const double *x, double *g,
                         takt_ode_answer *answer, takt_error *err)
{
    takt_integrator *self = context;
    takt_room room = begin(self, TAKT_TALK_ROOTS);
    takt_room_put_real(&room, t);
    takt_room_put_reals(&room, x, self->ode.problem.n);
    return evaluate(self, g, self->ode.problem.n_roots, answer, err);
}

static takt_status jacobian(void *context, double t, const double *x, const double *dx,
                            double *matrix, takt_ode_answer *answer, takt_error *err)
{
    takt_integrator *self = context;
    int n = self->ode.problem.n;
    takt_room room = begin(self, TAKT_TALK_JACOBIAN);
    takt_room_put_real(&room, t);
    takt_room_put_reals(&room, x, n);
    takt_room_put_reals(&room, dx, n);
    return evaluate(self, matrix, n * n, answer, err);
}

// ---- what a worker asks for ------------------------------------------------------------------------

static void forget(takt_integrator *self)
{
    if (self->is_made) takt_ode_cvode.destroy(&self->ode);
    free(self->ode.x);
    free(self->absolute);
    self->ode = (takt_ode){0};
    self->absolute = NULL;
    self->is_made = false;
}

// The matrix must fit into the room, which bounds the memory that a worker can make us take.
static takt_status create(takt_integrator *self, takt_room *in, takt_error *err)
{
    enum { MOST = 2800 };
    static_assert((size_t)MOST * MOST * sizeof(double) + 3 * TAKT_MESSAGE_SIZE < TAKT_REGION_TALK,
                  "a matrix has room");
    int64_t method = takt_room_take_number(in, 0, TAKT_N_ODE_METHODS - 1);
    int64_t n = takt_room_take_number(in, 1, INT32_MAX),
            n_roots = takt_room_take_number(in, 0, 1 << 20);
    bool has_jacobian = takt_room_take_number(in, 0, 1);
    double relative = takt_room_take_real(in);
    bool is_ours = method == TAKT_CVODE_BDF || method == TAKT_CVODE_ADAMS;
    if (in->failed || !is_ours || !(relative > 0 && relative < 1)) return fail_senseless(err);
    if (n > MOST)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "FMUs with 32 bits and more than %d states need fixed steps (--solver rk4 "
                         "--solver-step H)",
                         MOST);
    forget(self);
    self->absolute = calloc((size_t)n, sizeof *self->absolute);
    double *x = calloc((size_t)n, sizeof *x);
    self->ode = (takt_ode){.type = &takt_ode_cvode, .method = (takt_ode_method)method, .x = x};
    self->ode.problem = (takt_ode_problem){.n = (int)n,
                                           .n_roots = (int)n_roots,
                                           .relative = relative,
                                           .absolute = self->absolute,
                                           .context = self,
                                           .derivatives = derivatives,
                                           .roots = roots,
                                           .jacobian = has_jacobian ? jacobian : NULL};
    if (!x || !self->absolute) return takt_fail_memory(err);
    self->is_made = true;
    return takt_ode_cvode.create(&self->ode, err);
}

static takt_status restart(takt_integrator *self, takt_room *in, takt_error *err)
{
    takt_ode *ode = &self->ode;
    if (!self->is_made) return fail_senseless(err);
    ode->t = takt_room_take_real(in);
    takt_room_take_reals(in, ode->x, ode->problem.n);
    takt_room_take_reals(in, self->absolute, ode->problem.n);
    bool is_fine = !in->failed && isfinite(ode->t);
    for (int i = 0; i < ode->problem.n; i++) is_fine = is_fine && self->absolute[i] >= 0;
    return is_fine ? takt_ode_cvode.restart(ode, err) : fail_senseless(err);
}

static takt_status step(takt_integrator *self, takt_room *in, bool *has_root, takt_error *err)
{
    double t_end = takt_room_take_real(in);
    if (!self->is_made || in->failed || !isfinite(t_end)) return fail_senseless(err);
    return takt_ode_cvode.step(&self->ode, t_end, has_root, err);
}

static void answer(const takt_integrator *self, bool is_step, takt_status st, bool has_root,
                   const takt_error *err)
{
    takt_room room = begin(self, TAKT_TALK_DONE);
    takt_room_put_number(&room, st);
    takt_room_put_text(&room, st ? err->message : "");
    if (!is_step || st) return;
    takt_room_put_real(&room, self->ode.t);
    takt_room_put_reals(&room, self->ode.x, self->ode.problem.n);
    takt_room_put_number(&room, has_root);
}

void takt_integrator_serve(takt_integrator *self, takt_integrator_turn *turn, void *context)
{
    takt_error err = {0};
    takt_room in = takt_room_of(takt_region_talk(self->region), TAKT_REGION_TALK);
    int64_t what = takt_room_take_number(&in, 0, TAKT_N_TALKS);
    takt_status st = TAKT_OK;
    bool has_root = false;
    self->turn = turn;
    self->context = context;
    self->has_failed = false;
    switch (what) {
    case TAKT_TALK_CREATE: st = create(self, &in, &err); break;
    case TAKT_TALK_RESTART: st = restart(self, &in, &err); break;
    case TAKT_TALK_STEP: st = step(self, &in, &has_root, &err); break;
    case TAKT_TALK_DESTROY: forget(self); break;
    default: st = fail_senseless(&err);
    }
    if (!self->has_failed) answer(self, what == TAKT_TALK_STEP, st, has_root, &err);
}

// ---- life ----------------------------------------------------------------------------------------

takt_integrator *takt_integrator_create(takt_region *region)
{
    takt_integrator *self = calloc(1, sizeof *self);
    if (self) self->region = region;
    return self;
}

void takt_integrator_destroy(takt_integrator *self)
{
    if (self) forget(self);
    free(self);
}
