// SPDX-License-Identifier: MIT
// What instances of FMI 2.0 have in common, whatever their interface. Only for src/fmi.
#ifndef TAKT_FMI_FMI2_INSTANCE_H
#define TAKT_FMI_FMI2_INSTANCE_H

#include "fmi/scalars.h"

typedef struct takt_fmi2_instance {
    takt_fmu_instance common; ///< first
    const takt_fmi2_functions *fmi2; ///< of the library
    fmi2Component component;
    fmi2CallbackFunctions callbacks; ///< the FMU keeps a pointer to it
    takt_scalars scalars;
} takt_fmi2_instance;

/// Connects `scalars` with the functions of the library.
void takt_fmi2_init_scalars(takt_fmi2_instance *self);

/// For the tables of instance types.
takt_status takt_fmi2_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err);
takt_status takt_fmi2_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err);

#endif
