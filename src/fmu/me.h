// SPDX-License-Identifier: MIT
// Model exchange of an FMU, of any version: what its description and the user say. Only for src/fmu.
#ifndef TAKT_FMU_ME_H
#define TAKT_FMU_ME_H

#include "fmu/states.h"
#include "me/me.h"

/// Gives a new instance what integrates it.
takt_status takt_fmu_me_init(takt_fmu_instance *self, const takt_me_interface *calls,
                             takt_error *err);

/// Before initialization: when it begins, and the tolerance of the run, unless there is another.
void takt_fmu_me_begin(takt_instance *instance, const takt_interval *interval);

/// After initialization.
takt_status takt_fmu_me_start(takt_instance *instance, takt_error *err);

/// For the tables of instance types.
extern const takt_equations takt_fmu_equations;
takt_status takt_fmu_me_set(takt_instance *instance, const takt_access *access,
                            const takt_values *values, takt_error *err);
takt_status takt_fmu_me_step(takt_instance *instance, double t, double h, bool is_final,
                             takt_step_result *result, takt_error *err);
takt_status takt_fmu_me_enter_events(takt_instance *instance, double t, takt_error *err);
takt_status takt_fmu_me_update_events(takt_instance *instance, takt_event *out, takt_error *err);
takt_status takt_fmu_me_leave_events(takt_instance *instance, takt_error *err);
takt_status takt_fmu_me_set_motion(takt_instance *instance, double t, const takt_access *inputs,
                                   int order, const double *derivatives, takt_error *err);
bool takt_fmu_me_work(const takt_instance *instance, int i_member, takt_work *out);

/// States have the FMU's own, where it can save it, and the continuous states; else inputs stand for it.
takt_status takt_fmu_me_save(takt_instance *instance, void **state, takt_error *err);
takt_status takt_fmu_me_restore(takt_instance *instance, void *state, takt_error *err);
void takt_fmu_me_free_state(takt_instance *instance, void **state);
takt_status takt_fmu_me_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                  takt_error *err);
takt_status takt_fmu_me_deserialize(takt_instance *instance, const void *data, size_t size,
                                    void **state, takt_error *err);

#endif
