// SPDX-License-Identifier: MIT
// What instances of FMI 1.0 have in common, whatever their interface. Only for src/fmi.
#ifndef TAKT_FMU_FMI1_INSTANCE_H
#define TAKT_FMU_FMI1_INSTANCE_H

#include "fmu/fmi1_log.h"
#include "fmu/scalars.h"
#include "fmu/step.h"

typedef struct takt_fmi1_instance {
    takt_fmu_instance common; ///< first
    const struct takt_fmi1_kind *kind;
    const takt_fmi1_functions *fmi1; ///< of the library
    fmiComponent component;
    takt_fmi1_listener listener;
    takt_scalars scalars;
    takt_step_signal signal; ///< of pending steps
    takt_interval interval;
    bool is_initialized; ///< the call that ends initialization has been made
} takt_fmi1_instance;

/// A kind of instances: what the interfaces do differently.
typedef struct takt_fmi1_kind {
    const takt_instance_type *type;
    size_t size; ///< bytes, of its struct, which begins with a takt_fmi1_instance
    takt_status (*create)(takt_fmi1_instance *self, takt_error *err); ///< the component
    takt_status (*initialize)(takt_fmi1_instance *self, takt_error *err); ///< called once
    void (*release)(takt_fmi1_instance *self); ///< the component, which is there and may be freed
} takt_fmi1_kind;

/// Instantiates the FMU for a kind. What the struct has besides takt_fmi1_instance is zero.
takt_status takt_fmi1_create(const takt_fmi1_kind *kind, const takt_model *model, const char *name,
                             takt_log *log, takt_instance **out, takt_error *err);

/// For the tables of instance types.
void takt_fmi1_destroy(takt_instance *instance);
takt_status takt_fmi1_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err);
takt_status takt_fmi1_exit_initialization(takt_instance *instance, takt_error *err);
takt_status takt_fmi1_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err);
takt_status takt_fmi1_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err);

#endif
