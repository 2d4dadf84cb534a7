// SPDX-License-Identifier: MIT
// Inputs that change within a step of an FMU of FMI 3.0 (specification 3.0.2, section 4.2.1.4). The FMU calls
// back whenever its integrator needs inputs, and we set them to u + u' (time - t): what earlier versions
// of FMI do inside the FMU from the derivatives. Outputs are not read there: other instances get the
// values at the end of the step, and derivatives then.
//
// The callback is called while we are in fmi3DoStep, by the thread that called it. It cannot fail, so
// what went wrong is kept until the step returns.
#include "fmu/fmi3_intermediate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/fmi3_values.h"

takt_status takt_fmi3_intermediate_init(takt_fmi3_instance *self, takt_error *err)
{
    const takt_model *model = self->common.base.model;
    takt_fmi3_lines *lines = &self->lines;
    int n = 0;
    for (int i = 0; i < model->n_variables; i++) n += takt_model_interpolates(model, i);
    if (n == 0) return TAKT_OK;
    lines->refs = takt_arena_array(&self->arena, (size_t)n, sizeof *lines->refs);
    if (!lines->refs) return takt_fail_memory(err);
    for (int i = 0; i < model->n_variables; i++) {
        const takt_variable *variable = &model->variables[i];
        bool is_first = !variable->array || variable->array->first == i; // of an array's elements
        if (is_first && takt_model_interpolates(model, i))
            lines->refs[lines->n_refs++] = variable->reference;
    }
    return TAKT_OK;
}

void takt_fmi3_intermediate_clear(takt_fmi3_instance *self)
{
    free(self->lines.room);
}

static bool reserve(takt_fmi3_lines *lines, int n)
{
    if (n <= lines->n_room) return true;
    double *room = realloc(lines->room, 3 * (size_t)n * sizeof *room);
    if (!room) return false;
    lines->room = room;
    lines->n_room = n;
    return true;
}

// FMI sets only whole arrays. Where some elements are ours, setting them once outside of a step lets the
// instance learn the others, which it could not ask for within the step.
static takt_status learn_arrays(takt_instance *instance, const takt_access *inputs,
                                const double *values, takt_error *err)
{
    const takt_values all = {.real = (double *)values};
    bool is_whole = inputs->n_batches == 0 || inputs->batches[0].is_whole;
    return is_whole ? TAKT_OK : takt_fmi3_set(instance, inputs, &all, err);
}

takt_status takt_fmi3_set_derivatives(takt_instance *instance, double t, const takt_access *inputs,
                                      const double *values, const double *derivatives,
                                      takt_error *err)
{
    takt_fmi3_lines *lines = &((takt_fmi3_instance *)instance)->lines;
    int n = inputs->n_values[TAKT_KIND_REAL];
    lines->inputs = NULL;
    if (!reserve(lines, n)) return takt_fail_memory(err);
    memcpy(lines->room, values, (size_t)n * sizeof *values);
    memcpy(lines->room + n, derivatives, (size_t)n * sizeof *derivatives);
    takt_status st = learn_arrays(instance, inputs, values, err);
    if (st) return st;
    lines->t = t;
    lines->inputs = inputs;
    return TAKT_OK;
}

void takt_fmi3_intermediate_begin(takt_fmi3_instance *self, double t_end)
{
    self->lines.t_end = t_end;
    self->lines.is_stepping = true;
}

takt_status takt_fmi3_intermediate_end(takt_fmi3_instance *self, takt_error *err)
{
    self->lines.is_stepping = false;
    takt_status st = self->lines.status;
    if (!st) return TAKT_OK;
    self->lines.status = TAKT_OK;
    return takt_fail(err, st, "within the step: %s", self->lines.err.message);
}

static void set_inputs(takt_fmi3_instance *self, double time)
{
    takt_fmi3_lines *lines = &self->lines;
    int n = lines->inputs->n_values[TAKT_KIND_REAL];
    const double *values = lines->room, *derivatives = values + n;
    double *now = lines->room + 2 * n;
    double passed =
        fmin(fmax(time, lines->t), lines->t_end) - lines->t; // also if it is not a number
    for (int i = 0; i < n; i++) now[i] = values[i] + derivatives[i] * passed;
    const takt_values all = {.real = now};
    lines->status = takt_fmi3_set(&self->common.base, lines->inputs, &all, &lines->err);
}

void takt_fmi3_intermediate_update(fmi3InstanceEnvironment environment, fmi3Float64 time,
                                   fmi3Boolean may_set, fmi3Boolean may_get,
                                   fmi3Boolean is_finished, fmi3Boolean can_return_early,
                                   fmi3Boolean *return_early, fmi3Float64 *return_time)
{
    (void)may_get, (void)is_finished, (void)can_return_early;
    if (return_early) *return_early = fmi3False;
    if (return_time) *return_time = time;
    takt_fmi3_instance *self =
        may_set ? (takt_fmi3_instance *)takt_fmu_contact_enter(environment) : NULL;
    if (!self) return;
    takt_fmu_contact_leave(environment); // the FMU may log while its inputs are set
    takt_fmi3_lines *lines = &self->lines;
    if (lines->is_stepping && lines->inputs && !lines->status) set_inputs(self, time);
}
