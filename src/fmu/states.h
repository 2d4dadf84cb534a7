// SPDX-License-Identifier: MIT
// Saved states of FMUs, also as bytes, the same for FMI 2.0 and 3.0; only for src/fmi.
#ifndef TAKT_FMU_STATES_H
#define TAKT_FMU_STATES_H

#include "fmu/instance.h"
#include "instance/pack.h"

/// The calls of a version, with their names. Each returns the status of the FMU, or NO_FUNCTION.
typedef struct takt_state_calls {
    const char *get_name, *set_name, *size_name, *serialize_name, *deserialize_name;
    int (*get)(takt_fmu_instance *self, void **state);
    int (*set)(takt_fmu_instance *self, void *state);
    int (*free)(takt_fmu_instance *self, void **state);
    int (*size)(takt_fmu_instance *self, void *state, size_t *size);
    int (*serialize)(takt_fmu_instance *self, void *state, void *bytes, size_t size);
    int (*deserialize)(takt_fmu_instance *self, const void *bytes, size_t size, void **state);
} takt_state_calls;

enum { TAKT_FMU_NO_FUNCTION = -1 };

/// Defines such calls; they differ between versions in names only: the type of the instance, its member
/// `functions`, and six functions.
#define TAKT_STATE_CALL(name, parameters, type, functions, Function, ...)                          \
    static int name parameters                                                                     \
    {                                                                                              \
        type *self = (type *)instance;                                                             \
        if (!self->functions->Function) return TAKT_FMU_NO_FUNCTION;                               \
        return (int)self->functions->Function(self->component, __VA_ARGS__);                       \
    }
#define TAKT_STATE_CALLS(table, type, functions, Get, Set, Free, Size, Serialize, Deserialize)     \
    TAKT_STATE_CALL(get_state, (takt_fmu_instance * instance, void **state), type, functions, Get, \
                    state)                                                                         \
    TAKT_STATE_CALL(set_state, (takt_fmu_instance * instance, void *state), type, functions, Set,  \
                    state)                                                                         \
    TAKT_STATE_CALL(free_state, (takt_fmu_instance * instance, void **state), type, functions,     \
                    Free, state)                                                                   \
    TAKT_STATE_CALL(state_size, (takt_fmu_instance * instance, void *state, size_t *size), type,   \
                    functions, Size, state, size)                                                  \
    TAKT_STATE_CALL(serialize_state,                                                               \
                    (takt_fmu_instance * instance, void *state, void *bytes, size_t size), type,   \
                    functions, Serialize, state, bytes, size)                                      \
    TAKT_STATE_CALL(deserialize_state,                                                             \
                    (takt_fmu_instance * instance, const void *bytes, size_t size, void **state),  \
                    type, functions, Deserialize, bytes, size, state)                              \
    static const takt_state_calls table = {                                                        \
        .get_name = #Get,                                                                          \
        .set_name = #Set,                                                                          \
        .size_name = #Size,                                                                        \
        .serialize_name = #Serialize,                                                              \
        .deserialize_name = #Deserialize,                                                          \
        .get = get_state,                                                                          \
        .set = set_state,                                                                          \
        .free = free_state,                                                                        \
        .size = state_size,                                                                        \
        .serialize = serialize_state,                                                              \
        .deserialize = deserialize_state,                                                          \
    }

/// For tables of instance types whose states are those of the FMU, and for others about the FMU's part.
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
