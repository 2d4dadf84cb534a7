// SPDX-License-Identifier: MIT
// Ends of steps that FMI 1.0 and 2.0 have in common: pending and discarded steps. Only for src/fmu.
//
// A pending step goes on in the background. The FMU is asked for its status until it has ended: with
// pauses that grow, and at once when it calls stepFinished, which it may do from any thread.
#ifndef TAKT_FMU_STEP_H
#define TAKT_FMU_STEP_H

#include "base/thread.h"
#include "fmu/call.h"

/// What stepFinished reports, from any thread.
typedef struct takt_step_signal {
    takt_mutex lock; ///< protects what follows
    takt_condition ended;
    bool has_ended; ///< it was called since a step was waited for
    bool is_used; ///< the FMU calls it: no need to ask often
    bool is_ready; ///< lock and condition exist
} takt_step_signal;

takt_status takt_step_signal_init(takt_step_signal *signal, takt_error *err);
void takt_step_signal_clear(takt_step_signal *signal);
void takt_step_signal_send(takt_step_signal *signal);

/// What else an FMU is asked about a step. Functions are NULL where the library lacks them.
typedef struct takt_step_calls {
    const char *do_step_name, *get_status_name; ///< for messages
    int (*get_status)(takt_fmu_instance *self, int *status); ///< of a pending step
    int (*get_text)(takt_fmu_instance *self, const char **text); ///< what a pending step is doing
    int (*cancel)(takt_fmu_instance *self); ///< ends a pending step
    takt_step_signal *signal; ///< required
    int (*get_last_time)(takt_fmu_instance *self, double *time); ///< up to which it computed
    bool (*get_terminated)(takt_fmu_instance *self); ///< does it want the simulation to end?
} takt_step_calls;

/// Judges any status that a step returned: waits while it is pending, finds out how far a discarded
/// step came.
takt_status takt_fmu_end_step(takt_fmu_instance *self, const takt_step_calls *calls, int status,
                              double t, double h, takt_step_result *result, takt_error *err);

/// Defines step_calls(), which differs between the versions in names only. `FMI` is how they begin (fmi or
/// fmi2), `Instance` the type of instances, which has a takt_step_signal `signal`.
#define TAKT_STEP_CALLS(FMI, Instance)                                                             \
    static int get_status(takt_fmu_instance *common, int *status)                                  \
    {                                                                                              \
        FMI##Status value = FMI##Pending;                                                          \
        FMI##Status asked =                                                                        \
            ((Instance *)common)                                                                   \
                ->functions->FMI##GetStatus(common->component, FMI##DoStepStatus, &value);         \
        *status = (int)value;                                                                      \
        return (int)asked;                                                                         \
    }                                                                                              \
    static int get_last_time(takt_fmu_instance *common, double *time)                              \
    {                                                                                              \
        return (int)((Instance *)common)                                                           \
            ->functions->FMI##GetRealStatus(common->component, FMI##LastSuccessfulTime, time);     \
    }                                                                                              \
    static int get_text(takt_fmu_instance *common, const char **text)                              \
    {                                                                                              \
        return (int)((Instance *)common)                                                           \
            ->functions->FMI##GetStringStatus(common->component, FMI##PendingStatus, text);        \
    }                                                                                              \
    static int cancel(takt_fmu_instance *common)                                                   \
    {                                                                                              \
        return (int)((Instance *)common)->functions->FMI##CancelStep(common->component);           \
    }                                                                                              \
    static takt_step_calls step_calls(Instance *self)                                              \
    {                                                                                              \
        return (takt_step_calls){                                                                  \
            .do_step_name = #FMI "DoStep",                                                         \
            .get_status_name = #FMI "GetStatus",                                                   \
            .get_status = self->functions->FMI##GetStatus ? get_status : NULL,                     \
            .get_text = self->functions->FMI##GetStringStatus ? get_text : NULL,                   \
            .cancel = self->functions->FMI##CancelStep ? cancel : NULL,                            \
            .signal = &self->signal,                                                               \
            .get_last_time = self->functions->FMI##GetRealStatus ? get_last_time : NULL,           \
        };                                                                                         \
    }

#endif
