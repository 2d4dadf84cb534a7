// SPDX-License-Identifier: MIT
// Model exchange of an FMU, of any version: what its description and the user say. Only for src/fmi.
#ifndef TAKT_FMI_FMU_ME_H
#define TAKT_FMI_FMU_ME_H

#include "fmi/fmu_states.h"
#include "me/me.h"

/// Prepares the integrating part of an instance. End it with takt_me_clear(), also after a failure.
takt_status takt_fmu_init_me(takt_me *me, takt_instance *instance, const takt_me_interface *calls,
                             takt_error *err);

/// Before initialization: when it begins, and the tolerance of the run, unless there is another.
void takt_fmu_me_begin(takt_me *me, const takt_interval *interval);

/// For the tables of instance types; they use the members of takt_instance_type::equations.
takt_status takt_fmu_me_set(takt_instance *instance, const takt_access *access,
                            const takt_values *values, takt_error *err);
takt_status takt_fmu_me_step(takt_instance *instance, double t, double h, bool is_final,
                             takt_step_result *result, takt_error *err);
takt_status takt_fmu_me_set_derivatives(takt_instance *instance, double t,
                                        const takt_access *inputs, const double *values,
                                        const double *derivatives, takt_error *err);
bool takt_fmu_me_work(const takt_instance *instance, int i_part, takt_work *out);

/// The same for tables of types, with the calls about states of a version; NULL: it has none, so that the
/// continuous states and inputs are all there is. `free_fmu` frees a state of the FMU.
takt_status takt_fmu_me_serialize(takt_instance *instance, const takt_state_calls *calls,
                                  const takt_me_state *state, takt_bytes *out, takt_error *err);
takt_status takt_fmu_me_deserialize(takt_instance *instance, const takt_state_calls *calls,
                                    void (*free_fmu)(takt_instance *instance, void **state),
                                    const takt_bytes *bytes, void **state, takt_error *err);

#endif
