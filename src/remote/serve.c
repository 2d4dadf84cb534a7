// SPDX-License-Identifier: MIT
// The loop of a worker, and its log; see serve.h.
#include "remote/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote/server.h"
#include "remote/wake.h"

// ---- turns ---------------------------------------------------------------------------------------

// Waits for a message. Returns false when the master is gone.
static bool wait_for_message(takt_server *self)
{
    const double patience = 2; // s
    takt_region *region = self->region;
    self->patience.may_spin = region->may_spin;
    while (!takt_wake_wait(&region->asked, self->seen, patience, &self->patience))
        if (self->options->is_orphan(self->options->context)) return false;
    self->seen = atomic_load(&region->asked.count);
    return true;
}

static void answer(takt_server *self, bool is_partial)
{
    takt_region *region = self->region;
    region->is_partial = is_partial;
    self->is_answering = false;
    atomic_store(&region->replied, self->seen);
    takt_wake_post(&region->answered);
}

static void begin_log(takt_server *self)
{
    self->log_room = takt_room_of(takt_region_log(self->region), TAKT_REGION_LOG);
    self->region->log_size = 0;
    self->is_answering = true;
}

void takt_serve_flush(takt_server *self)
{
    const takt_serve_options *options = self->options;
    self->region->is_partial = true;
    if (!options->turn) answer(self, true);
    bool has_next =
        options->turn ? options->turn(options->context, self->region) : wait_for_message(self);
    if (!has_next) self->has_ended = true;
    begin_log(self);
}

void takt_serve_talk(takt_server *self)
{
    self->region->wants_integrator = true;
    takt_serve_flush(self);
    self->region->wants_integrator = false;
}

// ---- log -----------------------------------------------------------------------------------------

// What is longer than the room, is cut; which has to end with a 0.
static void put_message(takt_room *room, const takt_message *message)
{
    takt_room_put_number(room, message->level);
    takt_room_put_number(room, message->is_doubt);
    takt_room_put_number(room, message->line);
    takt_room_put_text(room, message->file);
    takt_room_put_text(room, message->source);
    takt_room_put_text(room, message->text);
}

// Called with the lock of the log. Between messages of the master nobody would read a full log: then the rest is lost.
static void receive(void *context, const takt_message *message)
{
    takt_server *self = context;
    takt_room room = self->log_room;
    put_message(&room, message);
    if (room.failed && self->is_answering) {
        takt_serve_flush(self);
        room = self->log_room;
        put_message(&room, message);
    }
    if (room.failed) return;
    self->log_room = room;
    self->region->log_size = (uint64_t)(room.at - takt_region_log(self->region));
}

takt_log *takt_serve_log_create(takt_server *self, takt_level level, bool is_strict)
{
    takt_log *log = takt_log_create(level, receive, self);
    if (log) takt_log_set_strict(log, is_strict);
    return log;
}

// ---- messages ------------------------------------------------------------------------------------

static takt_status do_calls(takt_server *self, takt_room *in, takt_room *out, takt_error *err)
{
    takt_status st = TAKT_OK;
    self->has_stepped = true;
    while (!st && in->at < in->end && !in->failed) {
        int64_t op = takt_room_take_number(in, 0, TAKT_N_OPS - 1);
        takt_serve_fn *call = takt_serve_find(op);
        if (!call || (!self->instance && op != TAKT_OP_INSTANTIATE && op != TAKT_OP_DESTROY)) break;
        atomic_store_explicit(&self->region->note.op, (unsigned)op, memory_order_relaxed);
        st = call(self, in, out, err);
    }
    if (st) return st;
    if (in->at < in->end || in->failed)
        return takt_fail(err, TAKT_ERR_SIMULATION, "the worker got a message that it cannot read");
    return out->failed
               ? takt_fail(err, TAKT_ERR_SIMULATION,
                           "the values of one call are more than a worker can pass on (%d MB)",
                           TAKT_REGION_ROOM / 1024 / 1024)
               : TAKT_OK;
}

static void note_work(takt_server *self)
{
    const takt_instance *instance = self->instance;
    takt_region *region = self->region;
    takt_work work;
    if (!instance) return;
    if (instance->type->work && instance->type->work(instance, 0, &work)) {
        region->n_derivatives = work.derivatives;
        region->n_directional = work.directional;
    }
    if (instance->type->equations) {
        const takt_me *me = instance->type->equations->me(self->instance);
        region->is_in_events = me->is_in_events;
        region->terminates = me->terminates;
    }
    if (instance->type->motion_order) region->motion_order = instance->type->motion_order(instance);
}

static void do_message(takt_server *self)
{
    takt_region *region = self->region;
    takt_error err;
    takt_room in = takt_room_of(takt_region_ask(region), region->ask_size);
    takt_room out = takt_room_of(takt_region_answer(region), TAKT_REGION_ROOM);
    takt_status st = do_calls(self, &in, &out, &err);
    region->status = st;
    if (st) memcpy(region->text, err.message, sizeof region->text);
    region->answer_size = (uint64_t)(out.at - takt_region_answer(region));
    atomic_store_explicit(&region->note.op, TAKT_OP_NONE, memory_order_relaxed);
    note_work(self);
}

takt_server *takt_serve_begin(takt_region *region, const takt_model *model,
                              const takt_serve_options *options)
{
    takt_server *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->region = region;
    self->model = model;
    self->options = options;
    if (options->begin) options->begin(options->context, self);
    return self;
}

bool takt_serve_message(takt_server *self)
{
    begin_log(self);
    do_message(self);
    self->region->is_partial = false;
    self->is_answering = false;
    return !self->has_ended;
}

void takt_serve_end(takt_server *self)
{
    takt_error unused;
    if (!self) return;
    if (self->instance) takt_serve_destroy(self, NULL, NULL, &unused);
    takt_serve_clear_accesses(self);
    takt_log_destroy(self->log);
    free(self->states);
    free(self->name);
    free(self);
}

bool takt_serve(takt_region *region, const takt_model *model, const takt_serve_options *options)
{
    takt_server *self = takt_serve_begin(region, model, options);
    if (!self) return false;
    bool is_asked = true;
    while (!self->has_ended && (is_asked = wait_for_message(self))) {
        takt_serve_message(self);
        answer(self, false);
    }
    self->instance = is_asked ? self->instance : NULL; // whose FMU may be what keeps the process
    takt_serve_end(self);
    return is_asked;
}
