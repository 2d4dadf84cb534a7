// SPDX-License-Identifier: MIT
// Saved states of FMUs, also as bytes, the same for FMI 2.0 and 3.0. Only for src/fmu.
#ifndef TAKT_FMU_STATES_H
#define TAKT_FMU_STATES_H

#include "fmu/call.h"
#include "instance/pack.h"

/// The calls of a version.
typedef struct takt_state_calls {
    takt_status (*get)(takt_fmu_instance *self, void **state, takt_error *err);
    takt_status (*set)(takt_fmu_instance *self, void *state, takt_error *err);
    int (*free)(takt_fmu_instance *self, void **state); ///< returns the FMU's status
    takt_status (*size)(takt_fmu_instance *self, void *state, size_t *size, takt_error *err);
    takt_status (*serialize)(takt_fmu_instance *self, void *state, void *bytes, size_t size,
                             takt_error *err);
    takt_status (*deserialize)(takt_fmu_instance *self, const void *bytes, size_t size,
                               void **state, takt_error *err);
    const char *size_name, *deserialize_name; ///< for messages
} takt_state_calls;

/// Defines such calls; they differ between versions in names only: the type of the instance and six functions.
#define TAKT_STATE_CALL(name, parameters, Instance, Function, ...)                                 \
    static takt_status name parameters                                                             \
    {                                                                                              \
        Instance *self = (Instance *)common;                                                       \
        return TAKT_FMU_CALL(self, Function, err, __VA_ARGS__);                                    \
    }
#define TAKT_STATE_CALLS(table, Instance, Get, Set, Free, Size, Serialize, Deserialize)            \
    TAKT_STATE_CALL(get_state, (takt_fmu_instance * common, void **state, takt_error *err),        \
                    Instance, Get, state)                                                          \
    TAKT_STATE_CALL(set_state, (takt_fmu_instance * common, void *state, takt_error *err),         \
                    Instance, Set, state)                                                          \
    static int free_state(takt_fmu_instance *common, void **state)                                 \
    {                                                                                              \
        Instance *self = (Instance *)common;                                                       \
        if (!self->functions->Free) return TAKT_FMU_OK;                                            \
        takt_fmu_name_call(common, #Free);                                                         \
        int status = (int)self->functions->Free(common->component, state);                         \
        takt_fmu_end(common);                                                                      \
        return status;                                                                             \
    }                                                                                              \
    TAKT_STATE_CALL(state_size,                                                                    \
                    (takt_fmu_instance * common, void *state, size_t *size, takt_error *err),      \
                    Instance, Size, state, size)                                                   \
    TAKT_STATE_CALL(                                                                               \
        serialize_state,                                                                           \
        (takt_fmu_instance * common, void *state, void *bytes, size_t size, takt_error *err),      \
        Instance, Serialize, state, bytes, size)                                                   \
    TAKT_STATE_CALL(deserialize_state,                                                             \
                    (takt_fmu_instance * common, const void *bytes, size_t size, void **state,     \
                     takt_error *err),                                                             \
                    Instance, Deserialize, bytes, size, state)                                     \
    const takt_state_calls table = {                                                               \
        .get = get_state,                                                                          \
        .set = set_state,                                                                          \
        .free = free_state,                                                                        \
        .size = state_size,                                                                        \
        .serialize = serialize_state,                                                              \
        .deserialize = deserialize_state,                                                          \
        .size_name = #Size,                                                                        \
        .deserialize_name = #Deserialize,                                                          \
    }

/// For tables of instance types whose states are those of the FMU, and for others about that of the FMU.
takt_status takt_fmu_save(takt_instance *instance, void **state, takt_error *err);
takt_status takt_fmu_restore(takt_instance *instance, void *state, takt_error *err);
void takt_fmu_free_state(takt_instance *instance, void **state);
takt_status takt_fmu_serialize(takt_instance *instance, void *state, takt_bytes *out,
                               takt_error *err);
takt_status takt_fmu_deserialize(takt_instance *instance, const void *data, size_t size,
                                 void **state, takt_error *err);

/// Appends the FMU's state, with its size.
takt_status takt_fmu_pack_state(takt_instance *instance, void *state, takt_packer *packer,
                                takt_error *err);

/// Reads it, to the end of the bytes, in place of the state that may be there.
takt_status takt_fmu_unpack_state(takt_instance *instance, takt_unpacker *unpacker, void **state,
                                  takt_error *err);

#endif
