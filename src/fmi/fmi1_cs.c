// SPDX-License-Identifier: MIT
// FMUs of FMI 1.0 for co-simulation as instances: what they do not share with model exchange. There is no
// way to rewind.
#include "fmi/fmi1_cs.h"

#include <stdlib.h>

#include "fmi/fmi1_instance.h"
#include "fmi/fmu_advance.h"

typedef takt_fmi1_instance fmi1_instance;

// ---- instantiation -------------------------------------------------------------------------------

static takt_status create_component(fmi1_instance *self, takt_error *err)
{
    takt_fmu_instance *common = &self->common;
    const takt_fmu *fmu = common->fmu;
    takt_status st =
        takt_fmu_begin(common, self->fmi1->fmiInstantiateSlave != NULL, "fmiInstantiateSlave", err);
    if (st) return st;
    const fmiCallbackFunctions callbacks = {.logger = takt_fmi1_log_receive,
                                            .allocateMemory = calloc,
                                            .freeMemory = free,
                                            .stepFinished = takt_fmi1_log_step_finished};
    bool wants_all = takt_log_wants(common->base.log, TAKT_LEVEL_DEBUG);
    self->component = self->fmi1->fmiInstantiateSlave(
        common->base.name, fmu->description.guid, fmu->location_uri, fmu->description.mime_type, 0,
        fmiFalse, fmiFalse, callbacks, wants_all ? fmiTrue : fmiFalse);
    takt_fmu_end(common);
    if (!self->component) {
        st = takt_fmu_fail_instantiate(common, "fmiInstantiateSlave", err);
        if (common->base.model->can.needs_tool)
            takt_within(err, st, "FMU %s is for tool coupling and needs %s to run",
                        common->base.model->path,
                        common->base.model->tool ? common->base.model->tool
                                                 : "the tool that made it");
        return st;
    }
    takt_fmi1_log_identify(&self->listener, self->component);
    return TAKT_OK;
}

// Ends the FMU's part.
static void release(fmi1_instance *self)
{
    takt_fmu_instance *common = &self->common;
    if (common->phase < TAKT_FMU_TERMINATED && self->is_initialized &&
        self->fmi1->fmiTerminateSlave &&
        self->fmi1->fmiTerminateSlave(self->component) == fmiFatal) {
        takt_fmu_note_failure(common, fmiFatal);
        return;
    }
    if (self->fmi1->fmiFreeSlaveInstance) self->fmi1->fmiFreeSlaveInstance(self->component);
}

// ---- initialization and end ----------------------------------------------------------------------

static takt_status initialize_slave(fmi1_instance *self, takt_error *err)
{
    takt_status st = takt_fmu_begin(&self->common, self->fmi1->fmiInitializeSlave != NULL,
                                    "fmiInitializeSlave", err);
    if (st) return st;
    const takt_interval *interval = &self->interval;
    fmiStatus status = self->fmi1->fmiInitializeSlave(
        self->component, interval->start, interval->has_stop ? fmiTrue : fmiFalse, interval->stop);
    return takt_fmu_check(&self->common, (int)status, "fmiInitializeSlave", err);
}

static takt_status fmi1_cs_terminate(takt_instance *instance, takt_error *err)
{
    fmi1_instance *self = (fmi1_instance *)instance;
    takt_status st = takt_fmu_begin(&self->common, self->fmi1->fmiTerminateSlave != NULL,
                                    "fmiTerminateSlave", err);
    if (!st)
        st = takt_fmu_check(&self->common, (int)self->fmi1->fmiTerminateSlave(self->component),
                            "fmiTerminateSlave", err);
    if (self->common.phase < TAKT_FMU_FAILED)
        self->common.phase = TAKT_FMU_TERMINATED; // whatever it said, it is not asked again
    return st;
}

// ---- steps ---------------------------------------------------------------------------------------

static int get_status(takt_fmu_instance *common, int *status)
{
    fmi1_instance *self = (fmi1_instance *)common;
    fmiStatus value = fmiPending;
    fmiStatus asked = self->fmi1->fmiGetStatus(self->component, fmiDoStepStatus, &value);
    *status = (int)value;
    return (int)asked;
}

static int get_last_time(takt_fmu_instance *common, double *time)
{
    fmi1_instance *self = (fmi1_instance *)common;
    return (int)self->fmi1->fmiGetRealStatus(self->component, fmiLastSuccessfulTime, time);
}

static int get_text(takt_fmu_instance *common, const char **text)
{
    fmi1_instance *self = (fmi1_instance *)common;
    return (int)self->fmi1->fmiGetStringStatus(self->component, fmiPendingStatus, text);
}

static int cancel(takt_fmu_instance *common)
{
    fmi1_instance *self = (fmi1_instance *)common;
    return (int)self->fmi1->fmiCancelStep(self->component);
}

TAKT_COLD static takt_status end_step(fmi1_instance *self, fmiStatus status, double t, double h,
                                      takt_step_result *result, takt_error *err)
{
    const takt_step_calls calls = {
        .do_step_name = "fmiDoStep",
        .get_status_name = "fmiGetStatus",
        .get_status = self->fmi1->fmiGetStatus ? get_status : NULL,
        .get_text = self->fmi1->fmiGetStringStatus ? get_text : NULL,
        .cancel = self->fmi1->fmiCancelStep ? cancel : NULL,
        .signal = &self->signal,
        .get_last_time = self->fmi1->fmiGetRealStatus ? get_last_time : NULL,
    };
    return takt_fmu_end_step(&self->common, &calls, (int)status, t, h, result, err);
}

static inline bool do_step(takt_fmu_instance *common, const takt_step *step,
                           takt_step_result *result, takt_status *st, takt_error *err)
{
    fmi1_instance *self = (fmi1_instance *)common; // steps are always final: it is never rewound
    fmiStatus status = self->fmi1->fmiDoStep(self->component, step->t, step->h, fmiTrue);
    if (status == fmiOK) return true;
    *st = end_step(self, status, step->t, step->h, result, err);
    return false;
}

static takt_status fmi1_cs_step(takt_instance *instance, double t, double h, bool is_final,
                                takt_step_result *result, takt_error *err)
{
    fmi1_instance *self = (fmi1_instance *)instance;
    self->common.time = t;
    takt_status st = takt_fmu_begin(&self->common, self->fmi1->fmiDoStep != NULL, "fmiDoStep", err);
    return st ? st : takt_fmu_step(&self->common, do_step, t, h, is_final, result, err);
}

// ---- all in one ----------------------------------------------------------------------------------

static bool fmi1_cs_can_advance(const takt_instance *instance, const takt_exchange *exchange)
{
    const takt_fmi1_functions *fmi1 = ((const fmi1_instance *)instance)->fmi1;
    return takt_scalars_are_direct((const takt_fmu_instance *)instance, exchange) &&
           fmi1->fmiSetReal && fmi1->fmiDoStep && fmi1->fmiGetReal;
}

static int set_reals(takt_fmu_instance *common, const takt_direct *in, const double *values)
{
    fmi1_instance *self = (fmi1_instance *)common;
    return (int)self->fmi1->fmiSetReal(self->component, in->refs, in->n_refs, values);
}

static int get_reals(takt_fmu_instance *common, const takt_direct *out)
{
    fmi1_instance *self = (fmi1_instance *)common;
    return (int)self->fmi1->fmiGetReal(self->component, out->refs, out->n_refs, out->values);
}

static takt_status fmi1_cs_advance(takt_exchange *const *exchanges, int n, const takt_step *step,
                                   int *n_done, takt_step_result *result, takt_error *err)
{
    static const takt_fmu_calls calls = {"fmiSetReal", "fmiDoStep", "fmiGetReal",
                                         set_reals,    do_step,     get_reals};
    return takt_fmu_advance(&calls, exchanges, n, step, n_done, result, err);
}

// ---- derivatives -----------------------------------------------------------------------------------

static takt_status fmi1_cs_set_derivatives(takt_instance *instance, double t,
                                           const takt_access *inputs, const double *values,
                                           const double *derivatives, takt_error *err)
{
    fmi1_instance *self = (fmi1_instance *)instance;
    (void)t, (void)values; // both are known to the FMU
    return takt_scalars_set_derivatives(&self->scalars, &self->common, inputs, derivatives, err);
}

static takt_status fmi1_cs_get_derivatives(takt_instance *instance, const takt_access *outputs,
                                           double *derivatives, takt_error *err)
{
    fmi1_instance *self = (fmi1_instance *)instance;
    return takt_scalars_get_derivatives(&self->scalars, &self->common, outputs, derivatives, err);
}

static takt_status fmi1_cs_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmi1_kind kind = {&takt_fmi1_cs, sizeof(fmi1_instance), create_component,
                                        initialize_slave, release};
    return takt_fmi1_create(&kind, model, name, log, out, err);
}

const takt_instance_type takt_fmi1_cs = {
    .name = "FMI 1.0 co-simulation",
    .instantiate = fmi1_cs_instantiate,
    .destroy = takt_fmi1_destroy,
    .enter_initialization = takt_fmi1_enter_initialization,
    .exit_initialization = takt_fmi1_exit_initialization,
    .set = takt_fmi1_set,
    .get = takt_fmi1_get,
    .step = fmi1_cs_step,
    .can_advance = fmi1_cs_can_advance,
    .advance = fmi1_cs_advance,
    .terminate = fmi1_cs_terminate,
    .get_derivatives = fmi1_cs_get_derivatives,
    .set_derivatives = fmi1_cs_set_derivatives,
    .close_model = takt_fmu_close,
};
