// SPDX-License-Identifier: MIT
// States of FMUs as bytes; see fmu_states.h. FMUs that promise it and cannot do it are common: every
// answer is checked.
#include "fmi/fmu_states.h"

// More than any state has: an FMU that says so is wrong.
#define MAX_STATE ((size_t)1 << 40)

// Judges what a call returned.
static takt_status check(takt_fmu_instance *self, int status, const char *function, takt_error *err)
{
    if (status == TAKT_FMU_NO_FUNCTION) return takt_fmu_begin(self, false, function, err);
    return takt_fmu_check(self, status, function, err);
}

takt_status takt_fmu_pack_state(takt_fmu_instance *self, const takt_state_calls *calls, void *state,
                                takt_packer *packer, takt_error *err)
{
    size_t size = 0;
    takt_status st = takt_fmu_begin(self, true, calls->size_name, err);
    if (!st) st = check(self, calls->size(self, state, &size), calls->size_name, err);
    if (st) return st;
    if (size == 0 || size > MAX_STATE)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "%s: the FMU says that its state has %zu bytes, although it can "
                         "serialise its state",
                         calls->size_name, size);
    takt_pack_integer(packer, (int64_t)size);
    void *room = takt_pack_room(packer, size);
    if (!room) return takt_fail_memory(err);
    st = takt_fmu_begin(self, true, calls->serialize_name, err);
    if (st) return st;
    return check(self, calls->serialize(self, state, room, size), calls->serialize_name, err);
}

takt_status takt_fmu_unpack_state(takt_fmu_instance *self, const takt_state_calls *calls,
                                  takt_unpacker *unpacker, void **state, takt_error *err)
{
    int64_t size = takt_unpack_integer(unpacker, 1, (int64_t)MAX_STATE);
    takt_unpacker rest = {.failed = unpacker->failed || (uint64_t)size != unpacker->left,
                          .out_of_memory = unpacker->out_of_memory};
    takt_status st = takt_unpack_end(&rest, err);
    if (!st) st = takt_fmu_begin(self, true, calls->deserialize_name, err);
    if (st) return st;
    st = check(self, calls->deserialize(self, unpacker->next, (size_t)size, state),
               calls->deserialize_name, err);
    if (!st && !*state)
        st = takt_fail(err, TAKT_ERR_SIMULATION, "%s returned no state", calls->deserialize_name);
    return st;
}
