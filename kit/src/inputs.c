// SPDX-License-Identifier: MIT
// Inputs that change within a step. In FMI 1.0 and 2.0 the importing program gives their derivatives, and
// the kit moves them along polynomials; in FMI 3.0 it is asked for their values (the interface's
// host.update_inputs). The author sees no difference: see fmukit_inputs_at().
//
// Derivatives count for the step that follows, and belong to it and not to the state of the instance. Where the
// step ends, the inputs have moved to their values there.
#include "core.h"

#include <math.h>

// An input that can move: its value at the beginning of the step, then its derivatives by time.
struct fmukit_moving {
    double *field;
    double derivatives[FMUKIT_MAX_INPUT_ORDER + 1];
};

bool fmukit_prepare_moving(fmukit_instance *fmu)
{
    const fmukit_model *model = fmu->model;
    fmu->may_move = fmukit_interpolates(model);
    if (!fmu->may_move || fmu->host.update_inputs) return true;
    fmu->moving = fmukit_alloc(fmu, model->n_variables, sizeof *fmu->moving);
    if (!fmu->moving) return false;
    for (size_t i = 0; i < model->n_variables; i++) // there are no arrays in these versions
        if (fmukit_can_move(model, &model->variables[i]))
            fmu->moving[fmu->n_moving++].field = fmukit_field_of(fmu, &model->variables[i]);
    return true;
}

void fmukit_hold_inputs(fmukit_instance *fmu)
{
    fmu->input_order = 0;
    for (size_t i = 0; i < fmu->n_moving; i++)
        for (int d = 1; d <= FMUKIT_MAX_INPUT_ORDER; d++) fmu->moving[i].derivatives[d] = 0;
}

void fmukit_begin_moving(fmukit_instance *fmu)
{
    fmu->moving_since = fmu->time;
    fmu->moved_to = fmu->host.update_inputs ? NAN : fmu->time;
    for (size_t i = 0; i < fmu->n_moving; i++)
        fmu->moving[i].derivatives[0] = *fmu->moving[i].field;
}

// Horner's scheme: u + s (u' + s/2 (u'' + s/3 (u''' + ...)))
static void move(fmukit_instance *fmu, double passed)
{
    for (size_t i = 0; i < fmu->n_moving; i++) {
        const double *derivatives = fmu->moving[i].derivatives;
        double value = derivatives[fmu->input_order];
        for (int d = fmu->input_order; d > 0; d--) value = derivatives[d - 1] + passed / d * value;
        *fmu->moving[i].field = value;
    }
    fmu->is_stale = true;
}

void fmukit_inputs_at(fmukit_instance *fmu, double t)
{
    if (!fmu->may_move || t == fmu->moved_to) return;
    fmu->moved_to = t;
    if (fmu->host.update_inputs)
        fmu->host.update_inputs(fmu, t);
    else if (fmu->input_order > 0)
        move(fmu, t - fmu->moving_since);
}

static struct fmukit_moving *find_moving(fmukit_instance *fmu, const fmukit_variable *variable)
{
    size_t i = 0;
    while (i < fmu->n_moving && fmu->moving[i].field != fmukit_field_of(fmu, variable)) i++;
    return i < fmu->n_moving ? &fmu->moving[i] : NULL;
}

fmukit_status fmukit_set_input_derivatives(fmukit_instance *fmu, const unsigned *references,
                                           size_t n, const int *orders, const double *values)
{
    if (!fmu->may_move)
        return fmukit_fail(fmu, FMUKIT_ERROR, "the model cannot interpolate its inputs");
    if (!fmukit_are_given(fmu, references, values, n) ||
        !fmukit_are_given(fmu, references, orders, n))
        return FMUKIT_ERROR;
    for (size_t i = 0; i < n; i++) {
        const fmukit_variable *variable = fmukit_find(fmu, FMUKIT_REAL, references[i]);
        if (!variable) return FMUKIT_ERROR;
        if (!find_moving(fmu, variable))
            return fmukit_fail(fmu, FMUKIT_ERROR, "variable '%s' is no continuous input",
                               variable->name);
        if (orders[i] < 1 || orders[i] > FMUKIT_MAX_INPUT_ORDER)
            return fmukit_fail(
                fmu, FMUKIT_ERROR,
                "derivatives of inputs can be of the orders 1 to %d, not of order %d",
                FMUKIT_MAX_INPUT_ORDER, orders[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const fmukit_variable *variable = &fmu->model->variables[references[i]];
        find_moving(fmu, variable)->derivatives[orders[i]] = values[i];
        if (orders[i] > fmu->input_order) fmu->input_order = orders[i];
    }
    return FMUKIT_OK;
}
