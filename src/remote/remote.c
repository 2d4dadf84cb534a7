// SPDX-License-Identifier: MIT
// Messages of a forwarding instance; see remote.h.
#include "remote/remote.h"

#include <math.h>
#include <string.h>

#include "instance/crashed.h"
#include "remote/revive.h"

takt_room *takt_remote_begin(takt_remote *self, takt_op op)
{
    if (!self->is_waiting) self->ask = takt_worker_room(&self->worker);
    self->is_waiting = true;
    self->has_just_stepped = false;
    self->fetched_values = NULL;
    takt_room_put_number(&self->ask, op);
    return &self->ask;
}

static takt_status refuse(const takt_remote *self, takt_error *err)
{
    return takt_fail(err, self->failure,
                     "cannot be called any more: the process it was in has ended");
}

takt_status takt_remote_send(takt_remote *self, takt_error *err)
{
    self->is_waiting = false;
    if (self->failure) return refuse(self, err);
    if (self->ask.failed)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "the values of one call are more than a worker can be given (%d MB)",
                         TAKT_REGION_ROOM / 1024 / 1024);
    takt_worker_send(&self->worker, self->ask.at);
    return TAKT_OK;
}

// The sandbox has refused something: that may be why the FMU fails, or does without it.
static void tell_refused(takt_remote *self)
{
    char what[TAKT_REGION_NOTE];
    takt_worker_refused(&self->worker, what);
    if (!what[0] || strcmp(what, self->told) == 0) return;
    memcpy(self->told, what, sizeof what);
    const char *help = "--sandbox-read PATH allows to read a file or folder";
    if (strncmp(what, "writing ", 8) == 0)
        help = "--sandbox-write PATH allows to write a file or folder";
    if (strchr(what, '(')) help = "if it needs that, run it with --sandbox=false";
    takt_log_write(self->base.log, TAKT_LEVEL_WARN,
                   "instance '%s': the sandbox refused FMU %s %s; %s", self->base.name,
                   self->base.model->path, what, help);
}

// One message, sent and answered.
static takt_status receive(takt_remote *self, takt_room *answer, takt_error *err)
{
    double timeout = self->kind->options.timeout;
    takt_status st = takt_worker_receive(&self->worker, timeout > 0 ? timeout : INFINITY,
                                         self->base.log, answer, err);
    tell_refused(self);
    return st;
}

takt_status takt_remote_receive(takt_remote *self, takt_room *answer, takt_error *err)
{
    takt_room room;
    takt_status st = receive(self, &room, err);
    while (self->worker.has_gone && takt_revive(self, err)) st = receive(self, &room, err);
    if (self->worker.has_gone) self->failure = st;
    if (st == TAKT_ERR_CRASH) st = takt_crashed_begin(&self->base, st, err);
    if (st) return st;
    if (takt_remote_restarts(self) && !self->has_last) takt_revive_note(self);
    if (answer) *answer = room;
    return TAKT_OK;
}

takt_status takt_remote_call(takt_remote *self, takt_room *answer, takt_error *err)
{
    takt_status st = takt_remote_send(self, err);
    return st ? st : takt_remote_receive(self, answer, err);
}

// Many calls that wait are sent before the room is full.
takt_status takt_remote_post(takt_remote *self, takt_error *err)
{
    bool is_short = self->ask.end - self->ask.at > TAKT_REGION_ROOM / 2;
    bool may_wait = self->is_initialized && is_short && !self->failure;
    return may_wait ? TAKT_OK : takt_remote_call(self, NULL, err);
}

takt_status takt_remote_check(const takt_remote *self, const takt_room *answer, takt_error *err)
{
    if (!answer->failed) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "its process has given an answer that makes no sense; FMU %s has probably "
                     "written over memory that is not its own",
                     self->base.model->path);
}
