// SPDX-License-Identifier: MIT
// Inputs that change within a step of an FMU of FMI 3.0 (specification 3.0.2, section 4.2.1.4). The FMU calls
// back whenever its integrator needs inputs, and we set them to the values of their polynomials: what
// earlier versions of FMI do inside the FMU from the derivatives. Outputs are not read there: other instances get the
// values at the end of the step, and derivatives then.
//
// The callback is called while we are in fmi3DoStep, by the thread that called it. It cannot fail, so
// what went wrong is kept until the step returns.
#include "fmu/fmi3_intermediate.h"

#include <math.h>

#include "fmu/fmi3_values.h"

takt_status takt_fmi3_intermediate_init(takt_fmi3_instance *self, takt_error *err)
{
    const takt_model *model = self->common.base.model;
    takt_fmi3_moving *moving = &self->moving;
    int n = 0;
    for (int i = 0; i < model->n_variables; i++) n += takt_model_interpolates(model, i);
    if (n == 0) return TAKT_OK;
    moving->refs = takt_arena_array(&self->arena, (size_t)n, sizeof *moving->refs);
    if (!moving->refs) return takt_fail_memory(err);
    for (int i = 0; i < model->n_variables; i++) {
        const takt_variable *variable = &model->variables[i];
        bool is_first = !variable->array || variable->array->first == i; // of an array's elements
        if (is_first && takt_model_interpolates(model, i))
            moving->refs[moving->n_refs++] = variable->reference;
    }
    return TAKT_OK;
}

void takt_fmi3_intermediate_clear(takt_fmi3_instance *self)
{
    takt_motion_clear(&self->moving.motion);
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

takt_status takt_fmi3_set_motion(takt_instance *instance, double t, const takt_access *inputs,
                                 int order, const double *derivatives, takt_error *err)
{
    takt_motion *motion = &((takt_fmi3_instance *)instance)->moving.motion;
    if (!takt_motion_begin(motion, t, inputs, order, derivatives)) return takt_fail_memory(err);
    takt_status st = learn_arrays(instance, inputs, derivatives, err);
    if (st) takt_motion_end(motion);
    return st;
}

void takt_fmi3_intermediate_begin(takt_fmi3_instance *self, double t_end)
{
    self->moving.t_end = t_end;
    self->moving.is_stepping = true;
}

takt_status takt_fmi3_intermediate_end(takt_fmi3_instance *self, bool more_follows, takt_error *err)
{
    self->moving.is_stepping = false;
    if (!more_follows) takt_motion_end(&self->moving.motion);
    takt_status st = self->moving.status;
    if (!st) return TAKT_OK;
    self->moving.status = TAKT_OK;
    return takt_fail(err, st, "within the step: %s", self->moving.err.message);
}

static void set_inputs(takt_fmi3_instance *self, double time)
{
    takt_fmi3_moving *moving = &self->moving;
    takt_motion *motion = &moving->motion;
    double within = fmin(fmax(time, motion->t), moving->t_end); // also if it is not a number
    const takt_values all = {.real = takt_motion_at(motion, within)};
    moving->status = takt_fmi3_set(&self->common.base, motion->inputs, &all, &moving->err);
}

TAKT_FMI_CALL void takt_fmi3_intermediate_update(fmi3InstanceEnvironment environment,
                                                 fmi3Float64 time, fmi3Boolean may_set,
                                                 fmi3Boolean may_get, fmi3Boolean is_finished,
                                                 fmi3Boolean can_return_early,
                                                 fmi3Boolean *return_early,
                                                 fmi3Float64 *return_time)
{
    (void)may_get, (void)is_finished, (void)can_return_early;
    if (return_early) *return_early = fmi3False;
    if (return_time) *return_time = time;
    takt_fmi3_instance *self =
        may_set ? (takt_fmi3_instance *)takt_fmu_contact_enter(environment) : NULL;
    if (!self) return;
    takt_fmu_contact_leave(environment); // the FMU may log while its inputs are set
    takt_fmi3_moving *moving = &self->moving;
    if (moving->is_stepping && moving->motion.inputs && !moving->status) set_inputs(self, time);
}
