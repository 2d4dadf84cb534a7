// SPDX-License-Identifier: MIT
// Model exchange as an instance: the equations of an FMU, integrated inside each step. What differs
// between versions of FMI is behind takt_me_interface; all else is here.
#ifndef TAKT_FMI_ME_H
#define TAKT_FMI_ME_H

#include "instance/instance.h"
#include "num/ode.h"

/// After an update of the discrete states in event mode.
typedef struct takt_me_update {
    bool needs_update; ///< again
    bool terminates;
    bool states_changed; ///< the continuous ones
    bool nominals_changed;
    double next_time; ///< s; of the next time event; infinite: none
} takt_me_update;

/// The functions of one version. All are required but `jacobian`.
typedef struct takt_me_interface {
    takt_status (*set_time)(takt_instance *instance, double t, takt_error *err);
    takt_status (*set_states)(takt_instance *instance, const double *x, int n,
                              takt_ode_answer *answer, takt_error *err);
    takt_status (*get_states)(takt_instance *instance, double *x, int n, takt_error *err);
    takt_status (*get_nominals)(takt_instance *instance, double *nominal, int n, takt_error *err);
    takt_status (*get_derivatives)(takt_instance *instance, double *dx, int n,
                                   takt_ode_answer *answer, takt_error *err);
    takt_status (*get_indicators)(takt_instance *instance, double *g, int n,
                                  takt_ode_answer *answer, takt_error *err);
    takt_status (*completed_step)(takt_instance *instance, bool is_final, bool *has_event,
                                  bool *terminates, takt_error *err);
    takt_status (*enter_events)(takt_instance *instance, takt_error *err);
    takt_status (*update)(takt_instance *instance, takt_me_update *out, takt_error *err);
    takt_status (*enter_continuous)(takt_instance *instance, takt_error *err);
} takt_me_interface;

typedef struct takt_me_options {
    takt_ode_method method;
    double relative; ///< tolerance
    double h_fixed; ///< s; of the methods with fixed steps
} takt_me_options;

/// The integrating part of an instance.
typedef struct takt_me {
    takt_instance *instance; ///< borrowed
    const takt_me_interface *calls;
    takt_ode *ode;
    int n_states, n_indicators;
    double *x, *nominal, *absolute;
    double t; ///< s
    double next_event; ///< s; infinite: none
    double relative;
    bool needs_restart; ///< inputs or states changed since the last step
    bool is_final; ///< of the step that is going on
    bool has_event, terminates; ///< said at the end of an internal step
    int n_events; ///< in a row without time going on
} takt_me;

takt_status takt_me_init(takt_me *me, takt_instance *instance, const takt_me_interface *calls,
                         int n_states, int n_indicators, const takt_me_options *options,
                         takt_error *err);
void takt_me_clear(takt_me *me);

/// After initialization mode: updates discrete states until they rest and reads the states.
takt_status takt_me_start(takt_me *me, double t, takt_step_result *result, takt_error *err);

/// Integrates from t to t + h, handling state events, time events and step events on the way.
takt_status takt_me_step(takt_me *me, double t, double h, bool is_final, takt_step_result *result,
                         takt_error *err);

/// What is needed to come back to a point: the size of it in bytes, saving, and coming back.
size_t takt_me_state_size(const takt_me *me);
void takt_me_save(const takt_me *me, void *state);
takt_status takt_me_restore(takt_me *me, const void *state, takt_error *err);

#endif
