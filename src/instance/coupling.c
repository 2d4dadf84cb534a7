// SPDX-License-Identifier: MIT
// The coupling of instances around a step; see coupling.h and takt_instance_type::advance.
#include "instance/coupling.h"

static bool is_direct(const takt_access *access)
{
    const takt_access_batch *batch = &access->batches[0];
    return access->n_batches == 0 ||
           (access->n_batches == 1 && batch->type == TAKT_FLOAT64 && batch->is_whole);
}

static takt_direct direct(const takt_access *access, takt_values *values)
{
    if (access->n_batches == 0) return (takt_direct){0};
    const takt_access_batch *batch = &access->batches[0];
    return (takt_direct){batch->refs, (size_t)batch->n_refs, values->real + batch->first,
                         (size_t)batch->n_values};
}

void takt_coupling_prepare(takt_coupling *coupling)
{
    coupling->is_direct = is_direct(coupling->inputs) && is_direct(coupling->outputs);
    if (!coupling->is_direct) return;
    coupling->in = direct(coupling->inputs, coupling->input_values);
    coupling->out = direct(coupling->outputs, coupling->output_values);
    bool is_straight = coupling->is_private && coupling->n_sources > 0;
    for (int i = 1; i < coupling->n_sources; i++)
        is_straight &= coupling->sources[i] == coupling->sources[0] + i;
    coupling->straight = is_straight ? coupling->y + coupling->sources[0] : NULL;
}

static takt_status advance(const takt_coupling *coupling, const takt_step *step,
                           takt_step_result *result, takt_error *err)
{
    takt_instance *instance = coupling->instance;
    const takt_instance_type *type = instance->type;
    takt_status st = TAKT_OK;
    result->call = TAKT_CALL_SET;
    if (coupling->gathers) takt_coupling_gather(coupling);
    if (coupling->inputs->n_batches)
        st = type->set(instance, coupling->inputs, coupling->input_values, err);
    const takt_coupling_motion *motion = &coupling->motion;
    if (!st && motion->inputs)
        st = type->set_motion(instance, step->t, motion->inputs, motion->order, motion->derivatives,
                              err);
    if (st) return st;
    st = type->step(instance, step->t, step->h, step->is_final, result, err);
    result->call = TAKT_CALL_STEP;
    if (st || result->end != TAKT_STEP_DONE || coupling->outputs->n_batches == 0) return st;
    result->call = TAKT_CALL_GET;
    return type->get(instance, coupling->outputs, coupling->output_values, err);
}

takt_status takt_instance_advance(takt_coupling *const *couplings, int n, const takt_step *step,
                                  int *n_done, takt_step_result *result, takt_error *err)
{
    for (int i = 0; i < n; i++) {
        takt_coupling *coupling = couplings[i];
        const double *real = coupling->output_values->real;
        takt_status st = advance(coupling, step, result, err);
        *n_done = i;
        if (st || result->end != TAKT_STEP_DONE || result->has_event ||
            !takt_are_finite(real, (size_t)coupling->outputs->n_values[TAKT_KIND_REAL]))
            return st;
        takt_coupling_count(coupling);
    }
    *n_done = n;
    return TAKT_OK;
}
