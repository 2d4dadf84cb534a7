// SPDX-License-Identifier: MIT
// What instances of FMI 2.0 have in common, whatever their interface. Only for src/fmi.
#ifndef TAKT_FMU_FMI2_INSTANCE_H
#define TAKT_FMU_FMI2_INSTANCE_H

#include "fmu/scalars.h"
#include "fmu/states.h"
#include "fmu/step.h"

typedef struct takt_fmi2_instance {
    takt_fmu_instance common; ///< first
    const takt_fmi2_functions *fmi2; ///< of the library
    fmi2Type interface;
    fmi2Component component;
    takt_scalars scalars;
    takt_step_signal signal; ///< of pending steps
} takt_fmi2_instance;

/// Connects `scalars` with the functions of the library.
void takt_fmi2_init_scalars(takt_fmi2_instance *self);

/// A kind of instances.
typedef struct takt_fmi2_kind {
    const takt_instance_type *type;
    fmi2Type interface;
} takt_fmi2_kind;

/// Instantiates the FMU for a kind.
takt_status takt_fmi2_create(const takt_fmi2_kind *kind, const takt_model *model, const char *name,
                             takt_log *log, takt_instance **out, takt_error *err);

/// For the tables of instance types.
void takt_fmi2_destroy(takt_instance *instance);
takt_status takt_fmi2_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err);
takt_status takt_fmi2_exit_initialization(takt_instance *instance, takt_error *err);
takt_status takt_fmi2_terminate(takt_instance *instance, takt_error *err);
takt_status takt_fmi2_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err);
takt_status takt_fmi2_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err);
takt_status takt_fmi2_differentiate(takt_instance *instance, const takt_access *unknowns,
                                    const takt_access *knowns, const double *seed,
                                    double *derivative, takt_error *err);

#endif
