// SPDX-License-Identifier: MIT
// What the interfaces for model exchange of all versions share; see interface.h.
#include "interface.h"

#include <math.h>

fmukit_status fmukit_call_set_time(void *c, const fmukit_call *call, double t)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "time = %.15g", t);
    if (!fmu) return FMUKIT_ERROR;
    if (!isfinite(t)) return fmukit_fail(fmu, FMUKIT_ERROR, "%g is no time", t);
    if (t != fmu->time) fmu->is_stale = true;
    fmu->time = fmu->last_time = t;
    return FMUKIT_OK;
}

static bool is_count_right(fmukit_instance *fmu, size_t n, size_t expected, const void *values)
{
    if (!fmukit_are_given(fmu, fmu, values, expected)) return false;
    if (n == expected) return true;
    fmukit_fail(fmu, FMUKIT_ERROR, "there are %lu values, not %lu", (unsigned long)expected,
                (unsigned long)n);
    return false;
}

fmukit_status fmukit_call_set_states(void *c, const fmukit_call *call, const double *x, size_t n)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "nx = %lu", (unsigned long)n);
    if (!fmu || !is_count_right(fmu, n, fmukit_n_continuous(fmu), x)) return FMUKIT_ERROR;
    fmukit_write_states(fmu, x);
    return FMUKIT_OK;
}

fmukit_status fmukit_get_states(fmukit_instance *fmu, double *x)
{
    // During initialization they may still have to be computed.
    fmukit_status status = fmu->phase == FMUKIT_INITIALIZATION ? fmukit_refresh(fmu) : FMUKIT_OK;
    if (!fmukit_is_failure(status)) fmukit_read_states(fmu, x);
    return status;
}

fmukit_status fmukit_get_nominals(fmukit_instance *fmu, double *nominals)
{
    fmukit_read_nominals(fmu, nominals);
    return FMUKIT_OK;
}

fmukit_status fmukit_call_read(void *c, const fmukit_call *call, fmukit_read_fn *read,
                               size_t (*expected)(const fmukit_instance *fmu), double *values,
                               size_t n)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "n = %lu", (unsigned long)n);
    if (!fmu || !is_count_right(fmu, n, expected(fmu), values)) return FMUKIT_ERROR;
    return read(fmu, values);
}

fmukit_status fmukit_call_completed_step(void *c, const fmukit_call *call, bool *has_event)
{
    *has_event = false;
    fmukit_instance *fmu =
        fmukit_enter(c, call, "time = %.15g", c ? ((const fmukit_instance *)c)->time : 0);
    return fmu ? fmukit_complete_step(fmu, has_event) : FMUKIT_ERROR;
}

fmukit_status fmukit_enter_event_mode(fmukit_instance *fmu)
{
    fmu->phase = FMUKIT_EVENT_MODE;
    fmu->is_stale = true;
    return FMUKIT_OK;
}

fmukit_status fmukit_enter_continuous_time(fmukit_instance *fmu)
{
    fmukit_clear_clocks(fmu, true);
    fmu->phase = FMUKIT_CONTINUOUS_TIME;
    fmu->is_stale = true;
    return FMUKIT_OK;
}
