// SPDX-License-Identifier: MIT
// Inputs that change within a step of an FMU of FMI 3.0.
#ifndef TAKT_FMU_FMI3_INTERMEDIATE_H
#define TAKT_FMU_FMI3_INTERMEDIATE_H

#include "fmu/fmi3_instance.h"

/// The inputs that can be set within a step, as fmi3InstantiateCoSimulation wants to know them: all of
/// them, because connections are not known here.
takt_status takt_fmi3_intermediate_init(takt_fmi3_instance *self, takt_error *err);
void takt_fmi3_intermediate_clear(takt_fmi3_instance *self);

takt_status takt_fmi3_set_motion(takt_instance *instance, double t, const takt_access *inputs,
                                 int order, const double *derivatives, takt_error *err);

/// Around the call of a step: inputs can be set until it ends, then they rest, unless more of it follows. Ending
/// fails if they could not be set.
void takt_fmi3_intermediate_begin(takt_fmi3_instance *self, double t_end);
takt_status takt_fmi3_intermediate_end(takt_fmi3_instance *self, bool more_follows,
                                       takt_error *err);

/// The callback. Sets the inputs that change within the step.
TAKT_FMI_CALL void takt_fmi3_intermediate_update(fmi3InstanceEnvironment environment,
                                                 fmi3Float64 time, fmi3Boolean may_set,
                                                 fmi3Boolean may_get, fmi3Boolean is_finished,
                                                 fmi3Boolean can_return_early,
                                                 fmi3Boolean *return_early,
                                                 fmi3Float64 *return_time);

#endif
