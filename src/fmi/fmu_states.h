// SPDX-License-Identifier: MIT
// States of FMUs as bytes, the same for FMI 2.0 and 3.0; only for src/fmi.
#ifndef TAKT_FMI_FMU_STATES_H
#define TAKT_FMI_FMU_STATES_H

#include "fmi/fmu_instance.h"
#include "instance/pack.h"

/// The three calls of a version. Each returns the status of the FMU, or NO_FUNCTION.
typedef struct takt_state_calls {
    const char *size_name, *serialize_name, *deserialize_name;
    int (*size)(takt_fmu_instance *self, void *state, size_t *size);
    int (*serialize)(takt_fmu_instance *self, void *state, void *bytes, size_t size);
    int (*deserialize)(takt_fmu_instance *self, const void *bytes, size_t size, void **state);
} takt_state_calls;

enum { TAKT_FMU_NO_FUNCTION = -1 };

/// Appends the FMU's state, with its size.
takt_status takt_fmu_pack_state(takt_fmu_instance *self, const takt_state_calls *calls, void *state,
                                takt_packer *packer, takt_error *err);

/// Reads it, to the end of the bytes. `*state` must be NULL.
takt_status takt_fmu_unpack_state(takt_fmu_instance *self, const takt_state_calls *calls,
                                  takt_unpacker *unpacker, void **state, takt_error *err);

#endif
