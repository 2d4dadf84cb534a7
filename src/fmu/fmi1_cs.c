// SPDX-License-Identifier: MIT
// FMUs of FMI 1.0 for co-simulation as instances: what they do not share with model exchange. There is no
// way to rewind.
#include <stdlib.h>

#include "fmu/cs_calls.h"
#include "fmu/abi.h"
#include "fmu/fmi1_instance.h"
#include "fmu/kinds.h"

// ---- life ----------------------------------------------------------------------------------------

static takt_status initialize(takt_fmi1_instance *self, takt_error *err)
{
    const takt_interval *interval = &self->interval;
    return TAKT_FMU_CALL(self, fmiInitializeSlave, err, interval->start,
                         interval->has_stop ? fmiTrue : fmiFalse, interval->stop);
}

static takt_status create(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    const takt_fmu *fmu = common->fmu;
    const takt_model *model = common->base.model;
    const fmiCallbackFunctions callbacks = {.logger = takt_fmi1_log_receive,
                                            .allocateMemory = takt_fmu_allocate,
                                            .freeMemory = takt_fmu_release,
                                            .stepFinished = takt_fmi1_log_step_finished};
    bool wants_all = takt_log_wants(common->base.log, TAKT_LEVEL_DEBUG);
    self->functions = &common->library->fmi1;
    self->initialize = initialize;
    takt_status st =
        TAKT_FMU_CREATE(self, fmiInstantiateSlave, err, common->base.name, fmu->description.guid,
                        fmu->location_uri, fmu->description.mime_type, 0, fmiFalse, fmiFalse,
                        callbacks, wants_all ? fmiTrue : fmiFalse);
    if (st && model->can.needs_tool)
        takt_within(err, st, "FMU %s is for tool coupling and needs %s to run", model->path,
                    model->tool ? model->tool : "the tool that made it");
    return st;
}

static takt_status terminate(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    return TAKT_FMU_ENTER(self, fmiTerminateSlave, err);
}

static void free_component(takt_fmu_instance *common)
{
    const takt_fmi1_functions *functions = ((takt_fmi1_instance *)common)->functions;
    if (!functions->fmiFreeSlaveInstance) return;
    takt_fmu_name_call(common, "fmiFreeSlaveInstance");
    functions->fmiFreeSlaveInstance(common->component);
    takt_fmu_end(common);
}

static takt_status fmi1_cs_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmu_kind kind = {.type = &takt_fmi1_cs,
                                       .size = sizeof(takt_fmi1_instance),
                                       .prepare = takt_fmi1_prepare,
                                       .create = create,
                                       .complete = takt_fmi1_complete,
                                       .terminate = terminate,
                                       .free = free_component,
                                       .clear = takt_fmi1_clear};
    return takt_fmu_instantiate(&kind, model, name, log, out, err);
}

// ---- steps ---------------------------------------------------------------------------------------

TAKT_STEP_CALLS(fmi, takt_fmi1_instance)

TAKT_COLD static takt_status end_step(takt_fmi1_instance *self, fmiStatus status, double t,
                                      double h, takt_step_result *result, takt_error *err)
{
    const takt_step_calls calls = step_calls(self);
    return takt_fmu_end_step(&self->common, &calls, (int)status, t, h, result, err);
}

static inline bool do_step(takt_fmu_instance *common, const takt_step *step,
                           takt_step_result *result, takt_status *st, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common; // steps are always final: no rewinding
    fmiStatus status = self->functions->fmiDoStep(common->component, step->t, step->h, fmiTrue);
    if (status == fmiOK) return true;
    *st = end_step(self, status, step->t, step->h, result, err);
    return false;
}

TAKT_CS_CALLS(fmi, takt_fmi1_instance)

const takt_instance_type takt_fmi1_cs = {
    .name = "FMI 1.0 co-simulation",
    .instantiate = fmi1_cs_instantiate,
    .destroy = takt_fmu_destroy,
    .enter_initialization = takt_fmi1_enter_initialization,
    .exit_initialization = takt_fmi1_exit_initialization,
    .set = takt_fmi1_set,
    .get = takt_fmi1_get,
    .step = cs_step,
    .can_advance = cs_can_advance,
    .advance = cs_advance,
    .call_names = cs_call_names,
    .terminate = takt_fmu_terminate,
    .get_derivatives = cs_get_derivatives,
    .set_motion = cs_set_motion,
    .motion_order = cs_motion_order,
    .has_code = takt_fmu_has_code,
    .close_model = takt_fmu_close,
};
