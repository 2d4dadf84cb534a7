// SPDX-License-Identifier: MIT
// Events: changes of discrete states at one time, started by the importing program or, where it does
// not handle events, by the kit; and clocks, which tick only there.
#include "core.h"

#include <math.h>

enum { MAX_ITERATIONS = 1000 }; // changes that lead to changes, at the same time

void fmukit_clear_clocks(fmukit_instance *fmu, bool inputs_too)
{
    for (size_t i = 0; fmu->has_clocks && i < fmu->model->n_variables; i++) {
        const fmukit_variable *variable = &fmu->model->variables[i];
        if (variable->type == FMUKIT_CLOCK && (inputs_too || variable->causality != FMUKIT_INPUT))
            *(bool *)fmukit_field_of(fmu, variable) = false;
    }
}

bool fmukit_is_ticking(const fmukit_instance *fmu, const fmukit_variable *variable)
{
    for (const char *const *name = variable->clocks; *name; name++) {
        size_t i = fmukit_find_variable(fmu->model, *name);
        if (*(const bool *)fmukit_field_of(fmu, &fmu->model->variables[i])) return true;
    }
    return false;
}

fmukit_status fmukit_update_discrete(fmukit_instance *fmu, fmukit_event *event)
{
    *event = (fmukit_event){0};
    fmukit_status status = fmukit_refresh(fmu);
    if (fmukit_is_failure(status)) return status;
    const fmukit_functions *f = &fmu->model->functions;
    if (f->event) {
        fmukit_status answer = f->event(fmu, fmu->data, fmu->time, event);
        status = fmukit_worse(status, fmukit_judge(fmu, answer, "event"));
    }
    if (fmukit_is_failure(status)) return status;
    fmukit_clear_clocks(fmu, true);
    fmu->is_stale = true;
    fmu->is_jumping = false;
    fmu->wants_end = event->terminate;
    fmu->has_next_event = event->has_next_time;
    fmu->next_event = event->has_next_time ? event->next_time : 0;
    if (!event->has_next_time || (event->next_time >= fmu->time && isfinite(event->next_time)))
        return status;
    fmu->phase = FMUKIT_IN_ERROR;
    return fmukit_fail(fmu, FMUKIT_ERROR,
                       "the model announces an event at %.15g, but the time is already %.15g",
                       event->next_time, fmu->time);
}

fmukit_status fmukit_note_signs(fmukit_instance *fmu)
{
    fmukit_status status = fmukit_refresh(fmu);
    if (!fmu->signs || fmukit_is_failure(status)) return status;
    size_t n = fmukit_n_indicators(fmu);
    status = fmukit_worse(status, fmukit_read_indicators(fmu, fmu->work));
    for (size_t i = 0; i < n && !fmukit_is_failure(status); i++) fmu->signs[i] = fmu->work[i] > 0;
    return status;
}

fmukit_status fmukit_inputs_cause_event(fmukit_instance *fmu, bool *answer)
{
    *answer = false;
    const fmukit_functions *f = &fmu->model->functions;
    if (f->step || !f->event) return FMUKIT_OK; // the author looks at them, or nothing can change
    *answer = fmu->is_jumping;
    if (!fmu->signs) return FMUKIT_OK;
    size_t n = fmukit_n_indicators(fmu);
    fmukit_status status = fmukit_read_indicators(fmu, fmu->work);
    for (size_t i = 0; i < n && !fmukit_is_failure(status); i++)
        *answer |= fmu->signs[i] != (fmu->work[i] > 0);
    return status;
}

fmukit_status fmukit_handle_event(fmukit_instance *fmu)
{
    fmukit_event event = {.again = true};
    fmukit_status worst = FMUKIT_OK;
    for (int i = 0; event.again && i < MAX_ITERATIONS; i++) {
        fmukit_status status = fmukit_update_discrete(fmu, &event);
        if (fmukit_is_failure(status)) return status;
        worst = fmukit_worse(worst, status);
        if (event.terminate) return worst;
    }
    if (!event.again) return fmukit_worse(worst, fmukit_note_signs(fmu));
    fmu->phase = FMUKIT_IN_ERROR;
    return fmukit_fail(fmu, FMUKIT_ERROR, "the event at time %.15g does not end after %d changes",
                       fmu->time, MAX_ITERATIONS);
}
