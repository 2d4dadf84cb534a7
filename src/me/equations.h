// SPDX-License-Identifier: MIT
// The equations of an instance for model exchange: which functions give them, what an instance keeps for
// integrating them, and their values at a point.
#ifndef TAKT_ME_EQUATIONS_H
#define TAKT_ME_EQUATIONS_H

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

/// The functions of one kind of equations, like those of a version of FMI; required but for the last.
typedef struct takt_me_interface {
    /// Like takt_instance_type::set, but never changes the mode.
    takt_status (*set)(takt_instance *instance, const takt_access *access,
                       const takt_values *values, takt_error *err);
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
    /// Optional: an integration begins here. Evaluations keep something from one point to the next: now they forget it, but
    /// for takt_me::n_kept numbers, which follow from the state and are written to `kept`, or taken from there (`is_again`).
    takt_status (*begin)(takt_instance *instance, double *kept, bool is_again, takt_error *err);
} takt_me_interface;

typedef struct takt_me_options {
    takt_ode_method method;
    double relative; ///< tolerance; 0: that of the run, else TAKT_ME_TOLERANCE
    double h_fixed; ///< s; of the methods with fixed steps; 0: a tenth of the first step
    bool saves_inputs; ///< the FMU cannot save its state: what is set and the states stand for it
} takt_me_options;

#define TAKT_ME_TOLERANCE 1e-6

/// What the integrator has done since it began: steps to these times one after the other, with nothing set and no event.
/// Another process that does the same has an integrator with the same past.
typedef struct takt_me_past {
    double t; ///< s; of the beginning
    double *x; ///< n_states values there
    double *kept; ///< takt_me::n_kept values; see takt_me_interface::begin
    double *ends; ///< s; TAKT_ME_PAST at most; then a new integration begins
    int n_ends;
} takt_me_past;

enum { TAKT_ME_PAST = 1000 };

/// Changes the options for the instance of this name.
typedef void takt_solver_fn(const void *context, const char *instance, takt_me_options *options);

/// What an instance needs for integrating its equations.
typedef struct takt_me {
    takt_instance *instance; ///< borrowed
    const takt_me_interface *calls;
    takt_me_options options;
    takt_ode *ode; ///< made for the first step
    double h_first; ///< s; of the step for which it is made; 0: none yet
    int n_states, n_indicators;
    double *x, *nominal, *absolute;
    double t; ///< s
    double next_event; ///< s; infinite: none
    bool is_in_events; ///< event mode
    bool reports_events; ///< events at the end of a step are left to takt_me_update_events()
    double announced; ///< s; next_event as it was reported there
    bool
        is_put_off; ///< it demands events that are not later than now: they wait for the end of the step
    bool has_told_put_off; ///< the log knows
    bool states_changed, nominals_changed; ///< in the event that is going on
    bool needs_restart; ///< inputs or states changed since the last step
    int n_kept; ///< by evaluations
    takt_me_past past; ///< of the integrator, unless it needs a restart
    int64_t n_saved; ///< states saved so far
    bool is_final; ///< of the step that is going on
    bool has_event, terminates; ///< reported at the end of an internal step
    int n_events; ///< in a row while time stands still
    double t_events; ///< s; of the first of these
    int i_bad; ///< number of the last derivative that was not finite; 0: there was none
    double bad_value, t_bad;
    bool is_discarded; ///< the FMU refused the point at t_bad, later than that derivative
    int64_t n_derivatives; ///< evaluations so far
    takt_motion motion; ///< of inputs in the step that is going on
    double t_moved; ///< s; for which time they have been set; NaN: for none
    takt_arena arena; ///< of inputs and of the Jacobian
    takt_access inputs; ///< empty unless they are saved
    struct takt_me_jacobian *jacobian; ///< NULL: by difference quotients of CVODE, column by column
    int64_t n_jacobians; ///< made so far, other than by CVODE
    int64_t n_directional; ///< directional derivatives asked for so far
} takt_me;

/// Brings time, inputs and states to a point. An FMU may find the point impossible; takt_me_go_surely()
/// fails then.
takt_status takt_me_go_to(takt_me *me, double t, const double *x, takt_ode_answer *answer,
                          takt_error *err);
takt_status takt_me_go_surely(takt_me *me, double t, const double *x, takt_error *err);

/// The derivatives at a point, counted, and checked for being finite.
takt_status takt_me_derivatives(takt_me *me, double t, const double *x, double *dx,
                                takt_ode_answer *answer, takt_error *err);

/// The event indicators at a point, none of them 0.
takt_status takt_me_indicators(takt_me *me, double t, const double *x, double *g,
                               takt_ode_answer *answer, takt_error *err);

/// The equations of an instance, for a group that integrates them together with those of others. It uses
/// the functions of takt_me::calls, and keeps the fields t, x, is_in_events and n_derivatives up to date.
typedef struct takt_equations {
    takt_me *(*me)(takt_instance *instance);
} takt_equations;

/// Sets variables of an instance with equations, without changing its mode.
static inline takt_status takt_equations_set(takt_instance *instance, const takt_access *access,
                                             const takt_values *values, takt_error *err)
{
    return instance->type->equations->me(instance)->calls->set(instance, access, values, err);
}

#endif
