// SPDX-License-Identifier: MIT
// Saved states of FMUs; see states.h. FMUs that promise to turn them into bytes and cannot do it are
// common: every answer is checked.
#include "fmu/states.h"

// More than any state has: an FMU that says so is wrong.
#define MAX_STATE (sizeof(size_t) > 4 ? (int64_t)1 << 40 : INT32_MAX)

static const takt_state_calls *calls_of(const takt_fmu_instance *self)
{
    return self->kind->states;
}

takt_status takt_fmu_save(takt_instance *instance, void **state, takt_error *err)
{
    takt_fmu_instance *self = (takt_fmu_instance *)instance;
    return calls_of(self)->get(self, state, err);
}

takt_status takt_fmu_restore(takt_instance *instance, void *state, takt_error *err)
{
    takt_fmu_instance *self = (takt_fmu_instance *)instance;
    return calls_of(self)->set(self, state, err);
}

// Allowed also after an error. Some FMUs leave the pointer as it was.
void takt_fmu_free_state(takt_instance *instance, void **state)
{
    takt_fmu_instance *self = (takt_fmu_instance *)instance;
    if (*state && takt_fmu_may_free(self)) {
        int status = calls_of(self)->free(self, state);
        if (status == TAKT_FMU_FATAL) takt_fmu_note_failure(self, status);
    }
    *state = NULL;
}

// ---- as bytes ------------------------------------------------------------------------------------

takt_status takt_fmu_pack_state(takt_instance *instance, void *state, takt_packer *packer,
                                takt_error *err)
{
    takt_fmu_instance *self = (takt_fmu_instance *)instance;
    const takt_state_calls *calls = calls_of(self);
    size_t size = 0;
    takt_status st = calls->size(self, state, &size, err);
    if (st) return st;
    if (size == 0 || size > (size_t)MAX_STATE)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "%s: the FMU says that its state has %zu bytes, although it can "
                         "serialise its state",
                         calls->size_name, size);
    takt_pack_integer(packer, (int64_t)size);
    void *room = takt_pack_room(packer, size);
    return room ? calls->serialize(self, state, room, size, err) : takt_fail_memory(err);
}

takt_status takt_fmu_unpack_state(takt_instance *instance, takt_unpacker *unpacker, void **state,
                                  takt_error *err)
{
    takt_fmu_instance *self = (takt_fmu_instance *)instance;
    const takt_state_calls *calls = calls_of(self);
    takt_fmu_free_state(instance, state);
    int64_t size = takt_unpack_integer(unpacker, 1, MAX_STATE);
    takt_unpacker rest = {.failed = unpacker->failed || (uint64_t)size != unpacker->left,
                          .out_of_memory = unpacker->out_of_memory};
    takt_status st = takt_unpack_end(&rest, err);
    if (!st) st = calls->deserialize(self, unpacker->next, (size_t)size, state, err);
    if (!st && !*state)
        st = takt_fail(err, TAKT_ERR_SIMULATION, "%s returned no state", calls->deserialize_name);
    return st;
}

takt_status takt_fmu_serialize(takt_instance *instance, void *state, takt_bytes *out,
                               takt_error *err)
{
    takt_packer packer = {.out = out};
    out->size = 0;
    return takt_fmu_pack_state(instance, state, &packer, err);
}

takt_status takt_fmu_deserialize(takt_instance *instance, const void *data, size_t size,
                                 void **state, takt_error *err)
{
    takt_unpacker unpacker = {.next = data, .left = size};
    return takt_fmu_unpack_state(instance, &unpacker, state, err);
}
