// SPDX-License-Identifier: MIT
// Restarting; see revive.h.
#include "remote/revive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instance/pack.h"

enum { MAX_REVIVALS = 3 }; // in one step

// ---- messages, once more -------------------------------------------------------------------------

void takt_revive_note(takt_remote *self)
{
    takt_packer packer = {.out = &self->journal};
    const takt_region *region = self->worker.region;
    size_t size = region->ask_size;
    if (size > TAKT_REGION_ROOM) return;
    takt_pack_integer(&packer, (int64_t)size);
    takt_pack(&packer, takt_region_ask(self->worker.region), size);
}

// What hangs in a restart is given up like in any other call.
static bool has_answered(takt_remote *self)
{
    takt_room answer;
    double timeout = self->kind->options.timeout;
    return !takt_worker_receive(&self->worker, timeout > 0 ? timeout : INFINITY, NULL, &answer,
                                NULL);
}

static bool repeat(takt_remote *self, const char *message, size_t size)
{
    takt_room room = takt_worker_room(&self->worker);
    void *place = takt_room_next(&room, size);
    if (!place) return false;
    memcpy(place, message, size);
    takt_worker_send(&self->worker, takt_region_ask(self->worker.region) + size);
    return has_answered(self);
}

static bool repeat_all(takt_remote *self)
{
    takt_unpacker rest = {.next = self->journal.data, .left = self->journal.size};
    while (rest.left > 0) {
        size_t size = (size_t)takt_unpack_integer(&rest, 0, TAKT_REGION_ROOM);
        const char *message = takt_unpack_place(&rest, size);
        if (!message || !repeat(self, message, size)) return false;
    }
    return true;
}

// ---- states --------------------------------------------------------------------------------------

static bool give_state(takt_remote *self, int64_t number, const takt_bytes *bytes, bool restores)
{
    takt_room room = takt_worker_room(&self->worker);
    takt_room_put_number(&room, TAKT_OP_DESERIALIZE);
    takt_room_put_number(&room, number);
    takt_room_put_bytes(&room, bytes->data, bytes->size);
    if (restores) takt_room_put_number(&room, TAKT_OP_RESTORE);
    if (restores) takt_room_put_number(&room, number);
    if (room.failed) return false;
    takt_worker_send(&self->worker, room.at);
    return has_answered(self);
}

static bool give_states(takt_remote *self)
{
    if (self->has_last && !give_state(self, TAKT_LAST_STATE, &self->last, true)) return false;
    for (const takt_remote_state *at = self->live; at; at = at->next_live)
        if (at->bytes.data && !give_state(self, at->number, &at->bytes, false)) return false;
    return true;
}

// ---- reviving ------------------------------------------------------------------------------------

static bool begin_again(takt_remote *self)
{
    takt_worker_clear(&self->worker);
    if (!takt_nest_is_alive(self->kind->nest)) return false;
    if (takt_remote_start(self, NULL)) return false;
    return repeat_all(self) && give_states(self);
}

bool takt_revive(takt_remote *self, const takt_error *why)
{
    const takt_region *region = self->worker.region;
    size_t size = region->ask_size;
    bool may = takt_remote_restarts(self) && self->is_initialized && !self->is_ended;
    if (!may || size > TAKT_REGION_ROOM || self->n_revived++ >= MAX_REVIVALS) return false;
    char *message = malloc(size + 1);
    if (!message) return false;
    memcpy(message, takt_region_ask(self->worker.region), size);
    bool is_done = begin_again(self);
    if (is_done) {
        takt_room room = takt_worker_room(&self->worker);
        memcpy(takt_room_next(&room, size), message, size);
        takt_worker_send(&self->worker, takt_region_ask(self->worker.region) + size);
        takt_log_doubt(self->base.log, NULL, 0,
                       "instance '%s': FMU %s %s; it was restarted from its state after the last "
                       "step",
                       self->base.name, self->base.model->path, why ? why->message : "ended");
    }
    free(message);
    if (!is_done && self->worker.region) self->worker.has_gone = true;
    return is_done;
}
