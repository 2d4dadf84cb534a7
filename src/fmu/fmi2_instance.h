// SPDX-License-Identifier: MIT
// What instances of FMI 2.0 have in common, whatever their interface. Only for src/fmu.
#ifndef TAKT_FMU_FMI2_INSTANCE_H
#define TAKT_FMU_FMI2_INSTANCE_H

#include "fmu/scalars.h"
#include "fmu/states.h"
#include "fmu/step.h"

typedef struct takt_fmi2_instance {
    takt_fmu_instance common; ///< first
    const takt_fmi2_functions *functions; ///< of the library
    takt_scalars scalars;
    takt_step_signal signal; ///< of pending steps
} takt_fmi2_instance;

/// For takt_fmu_kind. A kind creates the component for its interface.
extern const takt_state_calls takt_fmi2_state_calls;
takt_status takt_fmi2_prepare(takt_fmu_instance *common, takt_error *err);
takt_status takt_fmi2_create(takt_fmu_instance *common, fmi2Type interface, takt_error *err);
takt_status takt_fmi2_complete(takt_fmu_instance *common, takt_error *err);
takt_status takt_fmi2_terminate(takt_fmu_instance *common, takt_error *err);
void takt_fmi2_free(takt_fmu_instance *common);
void takt_fmi2_clear(takt_fmu_instance *common);

/// For the tables of instance types.
takt_status takt_fmi2_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err);
takt_status takt_fmi2_exit_initialization(takt_instance *instance, takt_error *err);
takt_status takt_fmi2_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err);
takt_status takt_fmi2_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err);
takt_status takt_fmi2_differentiate(takt_instance *instance, const takt_access *unknowns,
                                    const takt_access *knowns, const double *seed,
                                    double *derivative, takt_error *err);

#endif
