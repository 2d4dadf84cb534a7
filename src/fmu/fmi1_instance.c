// SPDX-License-Identifier: MIT
// Life, initialization and values of FMUs of FMI 1.0, which are the same for co-simulation and model
// exchange; see fmi1_instance.h.
//
// FMI 1.0 has no initialization mode: a single call, fmiInitializeSlave or fmiInitialize, ends
// initialization. Values that are set before it are start values and inputs for it; outputs can be read
// after it. So the call is put off until an output is asked for or initialization ends: by then the plan
// has set all inputs that can be known. Where inputs change again (loops), they are set after it, and
// count for the outputs only as far as the FMU computes them without a step.
#include "fmu/fmi1_instance.h"

#include "fmu/trace.h"

// ---- values --------------------------------------------------------------------------------------

// A Boolean of FMI 1.0 is one byte: the array of int is packed in place.
static takt_status set_Boolean(takt_fmu_instance *common, const takt_access_batch *batch,
                               void *values, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    const int *from = values;
    fmiBoolean *to = values;
    for (int i = 0; i < batch->n_refs; i++) to[i] = from[i] ? fmiTrue : fmiFalse;
    return TAKT_FMU_ACCESS(self, fmiSetBoolean, batch, err, batch->refs, (size_t)batch->n_refs, to);
}

static takt_status get_Boolean(takt_fmu_instance *common, const takt_access_batch *batch,
                               void *values, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    const fmiBoolean *from = values;
    int *to = values;
    takt_status st = TAKT_FMU_ACCESS(self, fmiGetBoolean, batch, err, batch->refs,
                                     (size_t)batch->n_refs, values);
    if (st) return st;
    for (int i = batch->n_refs; i-- > 0;)
        to[i] = from[i] != fmiFalse; // from the end: there is room
    return TAKT_OK;
}

TAKT_SCALAR_CALLS(scalar_calls, fmi, takt_fmi1_instance);

takt_status takt_fmi1_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)instance;
    return takt_scalars_set(&self->scalars, &self->common, access, values, err);
}

// ---- life ----------------------------------------------------------------------------------------

takt_status takt_fmi1_prepare(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    takt_status st = takt_step_signal_init(&self->signal, err);
    if (st) return st;
    self->scalars.calls = &scalar_calls;
    self->listener = (takt_fmi1_listener){
        .log = &common->log, .name = common->base.name, .signal = &self->signal};
    takt_fmi1_log_enter(&self->listener);
    return TAKT_OK;
}

takt_status takt_fmi1_complete(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    takt_fmi1_log_identify(&self->listener, common->component); // as the FMU calls it
    takt_status st = takt_fmi1_trace(self, err);
    if (st) return st;
    return takt_scalars_set_string_starts(&self->scalars, common, err);
}

void takt_fmi1_clear(takt_fmu_instance *common)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    takt_fmi1_log_remove(&self->listener);
    takt_scalars_clear(&self->scalars);
    takt_step_signal_clear(&self->signal);
}

// ---- initialization ------------------------------------------------------------------------------

takt_status takt_fmi1_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)instance;
    (void)err;
    self->interval = *interval;
    self->common.time = interval->start;
    self->common.phase = TAKT_FMU_INITIALIZING;
    return TAKT_OK;
}

// Makes the call that was put off, once.
static takt_status initialize(takt_fmi1_instance *self, takt_error *err)
{
    if (self->common.is_initialized || self->common.phase != TAKT_FMU_INITIALIZING) return TAKT_OK;
    takt_status st = self->initialize(self, err);
    self->common.is_initialized = st == TAKT_OK;
    return st;
}

takt_status takt_fmi1_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)instance;
    takt_status st = initialize(self, err);
    if (!st) self->common.phase = TAKT_FMU_STEPPING;
    return st;
}

takt_status takt_fmi1_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)instance;
    takt_status st = initialize(self, err);
    return st ? st : takt_scalars_get(&self->scalars, &self->common, access, values, err);
}
