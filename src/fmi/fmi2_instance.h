// SPDX-License-Identifier: MIT
// What instances of FMI 2.0 have in common, whatever their interface: how calls are made and their
// status is judged, and how values are set and got. Only for src/fmi.
//
// Every call to the FMU goes the same way: takt_fmi2_begin() refuses it where no call is allowed any
// more, the function is called, takt_fmi2_check() turns the returned status into ours. After fmi2Error
// an instance may only be freed; after fmi2Fatal no instance of the library may be called at all.
#ifndef TAKT_FMI_FMI2_INSTANCE_H
#define TAKT_FMI_FMI2_INSTANCE_H

#include "fmi/fmi2_log.h"
#include "fmi/fmu_model.h"
#include "instance/instance.h"

typedef enum takt_fmi2_phase {
    TAKT_FMI2_INSTANTIATED,
    TAKT_FMI2_INITIALIZING,
    TAKT_FMI2_STEPPING,
    TAKT_FMI2_TERMINATED,
    TAKT_FMI2_FAILED, ///< only freeing is allowed
    TAKT_FMI2_STUCK, ///< in a step that never ended: not even freeing is allowed
} takt_fmi2_phase;

typedef struct takt_fmi2_instance {
    takt_instance base; ///< first
    takt_fmu *fmu;
    takt_library *library;
    const takt_fmi2_functions *fmi2; ///< of the library
    fmi2Component component;
    fmi2CallbackFunctions callbacks; ///< the FMU keeps a pointer to it
    takt_fmi2_log log;
    takt_fmi2_phase phase;
    double time; ///< s; for messages
    int n_warnings;
    int *integers; ///< room for converting values; grows to the largest access and is then reused
    fmi2String *strings;
    int n_integers, n_strings;
} takt_fmi2_instance;

/// Prepares a call. Fails where none is allowed, or where the library lacks the function.
takt_status takt_fmi2_begin(takt_fmi2_instance *self, bool is_there, const char *function,
                            takt_error *err);

/// Judges the status that a call returned. Discard is a failure here, but the instance can go on.
takt_status takt_fmi2_check(takt_fmi2_instance *self, fmi2Status status, const char *function,
                            takt_error *err);

/// The same for calls about variables, which the message names.
takt_status takt_fmi2_check_access(takt_fmi2_instance *self, fmi2Status status,
                                   const char *function, const takt_access_group *group,
                                   takt_error *err);

/// Draws the consequences of a status other than OK, warning and discard.
void takt_fmi2_note_failure(takt_fmi2_instance *self, fmi2Status status);

/// Reports a failed call without consequences. `what` may name the variables: " of 'a', 'b'".
takt_status takt_fmi2_fail(takt_fmi2_instance *self, const char *function, const char *what,
                           fmi2Status status, takt_error *err);

/// For the tables of instance types.
takt_status takt_fmi2_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err);
takt_status takt_fmi2_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err);

#endif
