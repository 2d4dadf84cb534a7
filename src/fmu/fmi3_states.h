// SPDX-License-Identifier: MIT
// Saved states of co-simulation in FMI 3.0; for the tables of instance types.
#ifndef TAKT_FMU_FMI3_STATES_H
#define TAKT_FMU_FMI3_STATES_H

#include "fmu/fmi3_instance.h"

takt_status takt_fmi3_save(takt_instance *instance, void **state, takt_error *err);
takt_status takt_fmi3_restore(takt_instance *instance, void *state, takt_error *err);
void takt_fmi3_free_state(takt_instance *instance, void **state);
takt_status takt_fmi3_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                takt_error *err);
takt_status takt_fmi3_deserialize(takt_instance *instance, const void *data, size_t size,
                                  void **state, takt_error *err);

#endif
