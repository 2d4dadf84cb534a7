// SPDX-License-Identifier: MIT
// Continuous states, their derivatives and event indicators: gathered from the fields of the author's
// struct, in the order of the derivatives and of the indicators in his table; elements of arrays as C
// orders them.
#include "core.h"

#include <string.h>

// Vectors of states that the integrator needs; comparing states needs two.
enum { N_VECTORS = 10 };

size_t fmukit_max_indicators(const fmukit_model *model)
{
    size_t n = 0;
    for (size_t i = 0; i < model->n_variables; i++)
        if (model->variables[i].is_indicator) n += fmukit_capacity(&model->variables[i]);
    return n;
}

bool fmukit_prepare_states(fmukit_instance *fmu)
{
    const fmukit_model *model = fmu->model;
    size_t n_indicators = fmukit_max_indicators(model), n = 0, room = 2 * n_indicators;
    for (size_t i = 0; i < model->n_variables; i++) {
        const fmukit_variable *v = &model->variables[i];
        n += v->derivative_of != NULL;
        if (v->derivative_of) room += N_VECTORS * fmukit_capacity(v);
    }
    if (room == 0) return true;
    if (n_indicators) fmu->signs = fmukit_alloc(fmu, n_indicators, sizeof *fmu->signs);
    if (n_indicators && !fmu->signs) return false;
    fmu->states = fmukit_alloc(fmu, n + 1, sizeof *fmu->states);
    fmu->work = fmukit_alloc(fmu, room, sizeof *fmu->work);
    if (!fmu->states || !fmu->work) return false;
    for (size_t i = 0; i < model->n_variables; i++) {
        const fmukit_variable *v = &model->variables[i];
        if (!v->derivative_of) continue;
        size_t state = fmukit_find_variable(model, v->derivative_of);
        fmu->states[fmu->n_states++] = (fmukit_state){&model->variables[state], v};
    }
    return true;
}

// ---- elements --------------------------------------------------------------------------------------

static double *element(const fmukit_instance *fmu, const fmukit_variable *variable, size_t k)
{
    return (double *)fmukit_field_of(fmu, variable) + fmukit_place(fmu, variable, k);
}

// Appends all elements of a variable to `values`; returns the end.
static double *read_elements(const fmukit_instance *fmu, const fmukit_variable *variable,
                             double *values)
{
    size_t n = fmukit_n_elements(fmu, variable);
    for (size_t k = 0; k < n; k++) *values++ = *element(fmu, variable, k);
    return values;
}

size_t fmukit_n_continuous(const fmukit_instance *fmu)
{
    size_t n = 0;
    for (size_t i = 0; i < fmu->n_states; i++) n += fmukit_n_elements(fmu, fmu->states[i].variable);
    return n;
}

size_t fmukit_n_indicators(const fmukit_instance *fmu)
{
    size_t n = 0;
    for (size_t i = 0; i < fmu->model->n_variables; i++) {
        const fmukit_variable *v = &fmu->model->variables[i];
        if (v->is_indicator) n += fmukit_n_elements(fmu, v);
    }
    return n;
}

// ---- values ----------------------------------------------------------------------------------------

void fmukit_read_states(const fmukit_instance *fmu, double *x)
{
    for (size_t i = 0; i < fmu->n_states; i++) x = read_elements(fmu, fmu->states[i].variable, x);
}

void fmukit_write_states(fmukit_instance *fmu, const double *x)
{
    for (size_t i = 0; i < fmu->n_states; i++) {
        const fmukit_variable *v = fmu->states[i].variable;
        size_t n = fmukit_n_elements(fmu, v);
        for (size_t k = 0; k < n; k++) *element(fmu, v, k) = *x++;
    }
    fmu->is_stale = true;
}

void fmukit_read_nominals(const fmukit_instance *fmu, double *nominals)
{
    for (size_t i = 0; i < fmu->n_states; i++) {
        const fmukit_variable *v = fmu->states[i].variable;
        size_t n = fmukit_n_elements(fmu, v);
        for (size_t k = 0; k < n; k++) *nominals++ = v->nominal != 0 ? v->nominal : 1;
    }
}

fmukit_status fmukit_read_derivatives(fmukit_instance *fmu, double *derivatives)
{
    fmukit_status status = fmukit_refresh(fmu);
    for (size_t i = 0; i < fmu->n_states && !fmukit_is_failure(status); i++)
        derivatives = read_elements(fmu, fmu->states[i].derivative, derivatives);
    return status;
}

fmukit_status fmukit_read_indicators(fmukit_instance *fmu, double *indicators)
{
    fmukit_status status = fmukit_refresh(fmu);
    for (size_t i = 0; i < fmu->model->n_variables && !fmukit_is_failure(status); i++) {
        const fmukit_variable *v = &fmu->model->variables[i];
        if (v->is_indicator) indicators = read_elements(fmu, v, indicators);
    }
    return status;
}

// ---- steps and events ------------------------------------------------------------------------------

fmukit_status fmukit_complete_step(fmukit_instance *fmu, bool *has_event)
{
    const fmukit_functions *f = &fmu->model->functions;
    *has_event = false;
    if (!f->step_completed) return FMUKIT_OK;
    fmukit_status status = fmukit_refresh(fmu);
    if (fmukit_is_failure(status)) return status;
    status = f->step_completed(fmu, fmu->data, fmu->time, has_event);
    fmu->is_stale = true;
    return fmukit_judge(fmu, status, "step_completed");
}

fmukit_status fmukit_update_states(fmukit_instance *fmu, fmukit_event *event, bool *are_changed)
{
    size_t n = fmukit_n_continuous(fmu);
    if (n) fmukit_read_states(fmu, fmu->work);
    fmukit_status status = fmukit_update_discrete(fmu, event);
    *are_changed = false;
    if (n == 0 || fmukit_is_failure(status)) return status;
    fmukit_read_states(fmu, fmu->work + n);
    *are_changed = memcmp(fmu->work, fmu->work + n, n * sizeof *fmu->work) != 0;
    return status;
}
