// SPDX-License-Identifier: MIT
// Inputs that change within a step. In FMI 1.0 and 2.0 the importing program gives their derivatives, and
// the kit moves them along straight lines; in FMI 3.0 it is asked for their values (the interface's
// host.update_inputs). The author sees no difference: see fmukit_inputs_at().
//
// Derivatives count for the step that follows. Where it ends, the inputs have moved to their values there.
#include "core.h"

bool fmukit_prepare_lines(fmukit_instance *fmu)
{
    if (!fmu->model->interpolates_inputs) return true;
    fmu->slopes = fmukit_alloc(fmu, 2 * fmu->model->n_variables, sizeof *fmu->slopes);
    return fmu->slopes != NULL;
}

void fmukit_clear_lines(fmukit_instance *fmu)
{
    for (size_t i = 0; fmu->slopes && i < fmu->model->n_variables; i++) fmu->slopes[i] = 0;
}

void fmukit_begin_lines(fmukit_instance *fmu)
{
    double *values = fmu->slopes + fmu->model->n_variables;
    fmu->lines_begin = fmu->time;
    for (size_t i = 0; i < fmu->model->n_variables; i++) {
        const fmukit_variable *variable = &fmu->model->variables[i];
        if (fmukit_can_move(fmu->model, variable) && !fmukit_is_array(variable))
            values[i] = *(const double *)fmukit_field_of(fmu, variable);
    }
}

void fmukit_inputs_at(fmukit_instance *fmu, double t)
{
    if (!fmu->slopes) return;
    if (fmu->host.update_inputs) {
        fmu->host.update_inputs(fmu, t);
        return;
    }
    const double *values = fmu->slopes + fmu->model->n_variables;
    for (size_t i = 0; i < fmu->model->n_variables; i++) {
        const fmukit_variable *variable = &fmu->model->variables[i];
        if (fmukit_can_move(fmu->model, variable) && fmu->slopes[i] != 0)
            *(double *)fmukit_field_of(fmu, variable) =
                values[i] + fmu->slopes[i] * (t - fmu->lines_begin);
    }
}

fmukit_status fmukit_set_input_derivatives(fmukit_instance *fmu, const unsigned *references,
                                           size_t n, const int *orders, const double *values)
{
    if (!fmu->slopes)
        return fmukit_fail(fmu, FMUKIT_ERROR, "the model cannot interpolate its inputs");
    if (!fmukit_are_given(fmu, references, values, n) ||
        !fmukit_are_given(fmu, references, orders, n))
        return FMUKIT_ERROR;
    for (size_t i = 0; i < n; i++) {
        const fmukit_variable *variable = fmukit_find(fmu, FMUKIT_REAL, references[i]);
        if (!variable) return FMUKIT_ERROR;
        if (!fmukit_can_move(fmu->model, variable))
            return fmukit_fail(fmu, FMUKIT_ERROR, "variable '%s' is no continuous input",
                               variable->name);
        if (orders[i] != 1)
            return fmukit_fail(fmu, FMUKIT_ERROR,
                               "derivatives of inputs can be of order 1, not of order %d",
                               orders[i]);
    }
    for (size_t i = 0; i < n; i++) fmu->slopes[references[i]] = values[i];
    return FMUKIT_OK;
}
