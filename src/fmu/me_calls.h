// SPDX-License-Identifier: MIT
// How calls for model exchange are made and judged. `self` is an instance with the members `common`, `component` and
// `functions`, which points to the functions of its version.
#ifndef TAKT_FMU_ME_CALLS_H
#define TAKT_FMU_ME_CALLS_H

#include "fmu/instance.h"
#include "me/me.h"

/// Begins a call, makes it and judges its status. The arguments begin with `self->component`.
#define TAKT_ME_CALL(self, functions, function, err, ...)                                          \
    (takt_fmu_begin(&(self)->common, (self)->functions->function != NULL, #function, err)          \
         ? TAKT_ERR_SIMULATION                                                                     \
         : takt_fmu_check(&(self)->common, (int)(self)->functions->function(__VA_ARGS__),          \
                          #function, err))

/// The same for functions that may say that this point is impossible.
#define TAKT_ME_TRY(self, functions, function, answer, err, ...)                                   \
    (takt_fmu_begin(&(self)->common, (self)->functions->function != NULL, #function, err)          \
         ? TAKT_ERR_SIMULATION                                                                     \
         : takt_me_judge(&(self)->common, (int)(self)->functions->function(__VA_ARGS__),           \
                         #function, answer, err))

/// Defines set_time, set_states, get_states, get_nominals, get_derivatives and get_indicators of takt_me_interface, which
/// differ between versions in names only: the type of the instance, its member `functions`, and six functions.
#define TAKT_ME_EQUATIONS(type, functions, Time, States, Get, Nominals, Derivatives, Indicators)   \
    static takt_status set_time(takt_instance *instance, double t, takt_error *err)                \
    {                                                                                              \
        type *self = (type *)instance;                                                             \
        self->common.time = t;                                                                     \
        return TAKT_ME_CALL(self, functions, Time, err, self->component, t);                       \
    }                                                                                              \
    static takt_status set_states(takt_instance *instance, const double *x, int n,                 \
                                  takt_ode_answer *answer, takt_error *err)                        \
    {                                                                                              \
        type *self = (type *)instance;                                                             \
        return TAKT_ME_TRY(self, functions, States, answer, err, self->component, x, (size_t)n);   \
    }                                                                                              \
    static takt_status get_states(takt_instance *instance, double *x, int n, takt_error *err)      \
    {                                                                                              \
        type *self = (type *)instance;                                                             \
        return TAKT_ME_CALL(self, functions, Get, err, self->component, x, (size_t)n);             \
    }                                                                                              \
    static takt_status get_nominals(takt_instance *instance, double *nominal, int n,               \
                                    takt_error *err)                                               \
    {                                                                                              \
        type *self = (type *)instance;                                                             \
        return TAKT_ME_CALL(self, functions, Nominals, err, self->component, nominal, (size_t)n);  \
    }                                                                                              \
    static takt_status get_derivatives(takt_instance *instance, double *dx, int n,                 \
                                       takt_ode_answer *answer, takt_error *err)                   \
    {                                                                                              \
        type *self = (type *)instance;                                                             \
        return TAKT_ME_TRY(self, functions, Derivatives, answer, err, self->component, dx,         \
                           (size_t)n);                                                             \
    }                                                                                              \
    static takt_status get_indicators(takt_instance *instance, double *g, int n,                   \
                                      takt_ode_answer *answer, takt_error *err)                    \
    {                                                                                              \
        type *self = (type *)instance;                                                             \
        return TAKT_ME_TRY(self, functions, Indicators, answer, err, self->component, g,           \
                           (size_t)n);                                                             \
    }

static inline takt_status takt_me_judge(takt_fmu_instance *common, int status, const char *function,
                                        takt_ode_answer *answer, takt_error *err)
{
    takt_fmu_end(common);
    if (status != TAKT_FMU_DISCARD) return takt_fmu_check(common, status, function, err);
    *answer = TAKT_ODE_TOO_FAR;
    return TAKT_OK;
}

#endif
