// SPDX-License-Identifier: MIT
// FMUs of FMI 2.0 for co-simulation (specification 2.0.5, section 4.2) as instances: what they do not
// share with model exchange. How calls are made and judged: see fmu_instance.h.
#include "fmi/fmi2_cs.h"

#include "fmi/fmi2_instance.h"
#include "fmi/fmu_advance.h"
#include "fmi/fmu_step.h"

static takt_status fmi2_cs_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmi2_kind kind = {&takt_fmi2_cs, fmi2CoSimulation};
    return takt_fmi2_create(&kind, model, name, log, out, err);
}

// ---- steps ---------------------------------------------------------------------------------------

static int get_status(takt_fmu_instance *common, int *status)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    fmi2Status value = fmi2Pending;
    fmi2Status asked = self->fmi2->fmi2GetStatus(self->component, fmi2DoStepStatus, &value);
    *status = (int)value;
    return (int)asked;
}

static int get_last_time(takt_fmu_instance *common, double *time)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    return (int)self->fmi2->fmi2GetRealStatus(self->component, fmi2LastSuccessfulTime, time);
}

static int get_text(takt_fmu_instance *common, const char **text)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    return (int)self->fmi2->fmi2GetStringStatus(self->component, fmi2PendingStatus, text);
}

static int cancel(takt_fmu_instance *common)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    return (int)self->fmi2->fmi2CancelStep(self->component);
}

static bool get_terminated(takt_fmu_instance *common)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    fmi2Boolean value = fmi2False;
    fmi2Status asked = self->fmi2->fmi2GetBooleanStatus(self->component, fmi2Terminated, &value);
    return asked <= fmi2Warning && value;
}

TAKT_COLD static takt_status end_step(takt_fmi2_instance *self, fmi2Status status, double t,
                                      double h, takt_step_result *result, takt_error *err)
{
    const takt_fmi2_functions *fmi2 = self->fmi2;
    const takt_step_calls calls = {
        .do_step_name = "fmi2DoStep",
        .get_status_name = "fmi2GetStatus",
        .get_status = fmi2->fmi2GetStatus ? get_status : NULL,
        .get_text = fmi2->fmi2GetStringStatus ? get_text : NULL,
        .cancel = fmi2->fmi2CancelStep ? cancel : NULL,
        .signal = &self->signal,
        .get_last_time = fmi2->fmi2GetRealStatus ? get_last_time : NULL,
        .get_terminated = fmi2->fmi2GetBooleanStatus ? get_terminated : NULL,
    };
    return takt_fmu_end_step(&self->common, &calls, (int)status, t, h, result, err);
}

static inline bool do_step(takt_fmu_instance *common, const takt_step *step,
                           takt_step_result *result, takt_status *st, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    fmi2Status status = self->fmi2->fmi2DoStep(self->component, step->t, step->h,
                                               step->is_final ? fmi2True : fmi2False);
    if (status == fmi2OK) return true;
    *st = end_step(self, status, step->t, step->h, result, err);
    return false;
}

static takt_status fmi2_cs_step(takt_instance *instance, double t, double h, bool is_final,
                                takt_step_result *result, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    self->common.time = t;
    takt_status st =
        takt_fmu_begin(&self->common, self->fmi2->fmi2DoStep != NULL, "fmi2DoStep", err);
    return st ? st : takt_fmu_step(&self->common, do_step, t, h, is_final, result, err);
}

// ---- all in one ----------------------------------------------------------------------------------

static bool fmi2_cs_can_advance(const takt_instance *instance, const takt_exchange *exchange)
{
    const takt_fmi2_functions *fmi2 = ((const takt_fmi2_instance *)instance)->fmi2;
    return takt_scalars_are_direct((const takt_fmu_instance *)instance, exchange) &&
           fmi2->fmi2SetReal && fmi2->fmi2DoStep && fmi2->fmi2GetReal;
}

static int set_reals(takt_fmu_instance *common, const takt_direct *in, const double *values)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    return (int)self->fmi2->fmi2SetReal(self->component, in->refs, in->n_refs, values);
}

static int get_reals(takt_fmu_instance *common, const takt_direct *out)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    return (int)self->fmi2->fmi2GetReal(self->component, out->refs, out->n_refs, out->values);
}

static takt_status fmi2_cs_advance(takt_exchange *const *exchanges, int n, const takt_step *step,
                                   int *n_done, takt_step_result *result, takt_error *err)
{
    static const takt_fmu_calls calls = {"fmi2SetReal", "fmi2DoStep", "fmi2GetReal",
                                         set_reals,     do_step,      get_reals};
    return takt_fmu_advance(&calls, exchanges, n, step, n_done, result, err);
}

// ---- derivatives -----------------------------------------------------------------------------------

static takt_status fmi2_cs_set_derivatives(takt_instance *instance, double t,
                                           const takt_access *inputs, const double *values,
                                           const double *derivatives, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    (void)t, (void)values; // both are known to the FMU
    return takt_scalars_set_derivatives(&self->scalars, &self->common, inputs, derivatives, err);
}

static takt_status fmi2_cs_get_derivatives(takt_instance *instance, const takt_access *outputs,
                                           double *derivatives, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return takt_scalars_get_derivatives(&self->scalars, &self->common, outputs, derivatives, err);
}

const takt_instance_type takt_fmi2_cs = {
    .name = "FMI 2.0 co-simulation",
    .instantiate = fmi2_cs_instantiate,
    .destroy = takt_fmi2_destroy,
    .enter_initialization = takt_fmi2_enter_initialization,
    .exit_initialization = takt_fmi2_exit_initialization,
    .set = takt_fmi2_set,
    .get = takt_fmi2_get,
    .step = fmi2_cs_step,
    .can_advance = fmi2_cs_can_advance,
    .advance = fmi2_cs_advance,
    .terminate = takt_fmi2_terminate,
    .save = takt_fmu_save,
    .restore = takt_fmu_restore,
    .free_state = takt_fmu_free_state,
    .serialize = takt_fmu_serialize,
    .deserialize = takt_fmu_deserialize,
    .differentiate = takt_fmi2_differentiate,
    .get_derivatives = fmi2_cs_get_derivatives,
    .set_derivatives = fmi2_cs_set_derivatives,
    .close_model = takt_fmu_close,
};
