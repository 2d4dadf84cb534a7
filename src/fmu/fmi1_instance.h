// SPDX-License-Identifier: MIT
// What instances of FMI 1.0 have in common, whatever their interface. Only for src/fmu.
#ifndef TAKT_FMU_FMI1_INSTANCE_H
#define TAKT_FMU_FMI1_INSTANCE_H

#include "fmu/fmi1_log.h"
#include "fmu/scalars.h"
#include "fmu/step.h"

typedef struct takt_fmi1_instance {
    takt_fmu_instance common; ///< first
    const takt_fmi1_functions *functions; ///< of the library
    /// Ends initialization; called once.
    takt_status (*initialize)(struct takt_fmi1_instance *self, takt_error *err);
    takt_fmi1_listener listener;
    takt_scalars scalars;
    takt_step_signal signal; ///< of pending steps
    takt_interval interval;
} takt_fmi1_instance;

/// For takt_fmu_kind. A kind sets `initialize` when it creates the component.
takt_status takt_fmi1_prepare(takt_fmu_instance *common, takt_error *err);
takt_status takt_fmi1_complete(takt_fmu_instance *common, takt_error *err);
void takt_fmi1_clear(takt_fmu_instance *common);

/// For the tables of instance types.
takt_status takt_fmi1_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err);
takt_status takt_fmi1_exit_initialization(takt_instance *instance, takt_error *err);
takt_status takt_fmi1_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err);
takt_status takt_fmi1_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err);

#endif
