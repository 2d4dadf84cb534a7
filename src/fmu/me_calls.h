// SPDX-License-Identifier: MIT
// The equations of an FMU for model exchange behind takt_me_interface; only for fmiN_me.c.
#ifndef TAKT_FMU_ME_CALLS_H
#define TAKT_FMU_ME_CALLS_H

#include "fmu/call.h"
#include "me/me.h"

/// Judges a status other than OK; see takt_me_check().
TAKT_COLD static takt_status takt_me_judge(takt_fmu_instance *common, int status,
                                           const char *function, takt_ode_answer *answer,
                                           takt_error *err)
{
    bool is_discarded = false;
    takt_status st = takt_fmu_judge(common, status, function, NULL, &is_discarded, err);
    if (is_discarded) *answer = TAKT_ODE_TOO_FAR;
    return st;
}

/// Judges the status of a function that may say that this point is impossible.
static inline takt_status takt_me_check(takt_fmu_instance *common, int status, const char *function,
                                        takt_ode_answer *answer, takt_error *err)
{
    takt_fmu_end(common);
    return TAKT_LIKELY(status == TAKT_FMU_OK)
               ? TAKT_OK
               : takt_me_judge(common, status, function, answer, err);
}

/// Calls such a function; see TAKT_FMU_CALL().
#define TAKT_ME_TRY(self, function, answer, err, ...)                                              \
    TAKT_FMU_CALL_AS(self, function, ((self)->common.component, __VA_ARGS__), err, takt_me_check,  \
                     answer)

/// Defines set_time, set_states, get_states, get_nominals, get_derivatives and get_indicators of
/// takt_me_interface, which differ between versions in names only: the type of the instance and six functions.
#define TAKT_ME_EQUATIONS(Instance, Time, States, Get, Nominals, Derivatives, Indicators)          \
    static takt_status set_time(takt_instance *instance, double t, takt_error *err)                \
    {                                                                                              \
        Instance *self = (Instance *)instance;                                                     \
        self->common.time = t;                                                                     \
        return TAKT_FMU_CALL(self, Time, err, t);                                                  \
    }                                                                                              \
    static takt_status set_states(takt_instance *instance, const double *x, int n,                 \
                                  takt_ode_answer *answer, takt_error *err)                        \
    {                                                                                              \
        Instance *self = (Instance *)instance;                                                     \
        return TAKT_ME_TRY(self, States, answer, err, x, (size_t)n);                               \
    }                                                                                              \
    static takt_status get_states(takt_instance *instance, double *x, int n, takt_error *err)      \
    {                                                                                              \
        Instance *self = (Instance *)instance;                                                     \
        return TAKT_FMU_CALL(self, Get, err, x, (size_t)n);                                        \
    }                                                                                              \
    static takt_status get_nominals(takt_instance *instance, double *nominal, int n,               \
                                    takt_error *err)                                               \
    {                                                                                              \
        Instance *self = (Instance *)instance;                                                     \
        return TAKT_FMU_CALL(self, Nominals, err, nominal, (size_t)n);                             \
    }                                                                                              \
    static takt_status get_derivatives(takt_instance *instance, double *dx, int n,                 \
                                       takt_ode_answer *answer, takt_error *err)                   \
    {                                                                                              \
        Instance *self = (Instance *)instance;                                                     \
        return TAKT_ME_TRY(self, Derivatives, answer, err, dx, (size_t)n);                         \
    }                                                                                              \
    static takt_status get_indicators(takt_instance *instance, double *g, int n,                   \
                                      takt_ode_answer *answer, takt_error *err)                    \
    {                                                                                              \
        Instance *self = (Instance *)instance;                                                     \
        return TAKT_ME_TRY(self, Indicators, answer, err, g, (size_t)n);                           \
    }

#endif
