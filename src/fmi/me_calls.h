// SPDX-License-Identifier: MIT
// How calls for model exchange are made and judged in FMI 1.0 and 3.0. `self` is an instance with the members
// `common`, `component` and `functions`, which points to the functions of its version.
#ifndef TAKT_FMI_ME_CALLS_H
#define TAKT_FMI_ME_CALLS_H

#include "fmi/fmu_instance.h"
#include "num/ode.h"

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

static inline takt_status takt_me_judge(takt_fmu_instance *common, int status, const char *function,
                                        takt_ode_answer *answer, takt_error *err)
{
    if (status != TAKT_FMU_DISCARD) return takt_fmu_check(common, status, function, err);
    *answer = TAKT_ODE_TOO_FAR;
    return TAKT_OK;
}

#endif
