// SPDX-License-Identifier: MIT
// FMUs of FMI 2.0 for co-simulation (specification 2.0.5, section 4.2) as instances: what they do not
// share with model exchange. How calls are made and judged: see call.h.
#include "fmu/cs_calls.h"
#include "fmu/fmi2_instance.h"
#include "fmu/kinds.h"

static takt_status create(takt_fmu_instance *common, takt_error *err)
{
    return takt_fmi2_create(common, fmi2CoSimulation, err);
}

static takt_status fmi2_cs_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmu_kind kind = {.type = &takt_fmi2_cs,
                                       .size = sizeof(takt_fmi2_instance),
                                       .states = &takt_fmi2_state_calls,
                                       .prepare = takt_fmi2_prepare,
                                       .create = create,
                                       .complete = takt_fmi2_complete,
                                       .terminate = takt_fmi2_terminate,
                                       .free = takt_fmi2_free,
                                       .clear = takt_fmi2_clear};
    return takt_fmu_instantiate(&kind, model, name, log, out, err);
}

// ---- steps ---------------------------------------------------------------------------------------

TAKT_STEP_CALLS(fmi2, takt_fmi2_instance)

static bool get_terminated(takt_fmu_instance *common)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    fmi2Boolean value = fmi2False;
    fmi2Status asked =
        self->functions->fmi2GetBooleanStatus(common->component, fmi2Terminated, &value);
    return asked <= fmi2Warning && value;
}

TAKT_COLD static takt_status end_step(takt_fmi2_instance *self, fmi2Status status, double t,
                                      double h, takt_step_result *result, takt_error *err)
{
    takt_step_calls calls = step_calls(self);
    calls.get_terminated = self->functions->fmi2GetBooleanStatus ? get_terminated : NULL;
    return takt_fmu_end_step(&self->common, &calls, (int)status, t, h, result, err);
}

static inline bool do_step(takt_fmu_instance *common, const takt_step *step,
                           takt_step_result *result, takt_status *st, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    fmi2Status status = self->functions->fmi2DoStep(common->component, step->t, step->h,
                                                    step->is_final ? fmi2True : fmi2False);
    if (status == fmi2OK) return true;
    *st = end_step(self, status, step->t, step->h, result, err);
    return false;
}

TAKT_CS_CALLS(fmi2, takt_fmi2_instance)

const takt_instance_type takt_fmi2_cs = {
    .name = "FMI 2.0 co-simulation",
    .instantiate = fmi2_cs_instantiate,
    .destroy = takt_fmu_destroy,
    .enter_initialization = takt_fmi2_enter_initialization,
    .exit_initialization = takt_fmi2_exit_initialization,
    .set = takt_fmi2_set,
    .get = takt_fmi2_get,
    .step = cs_step,
    .can_advance = cs_can_advance,
    .advance = cs_advance,
    .call_names = cs_call_names,
    .terminate = takt_fmu_terminate,
    .save = takt_fmu_save,
    .restore = takt_fmu_restore,
    .free_state = takt_fmu_free_state,
    .serialize = takt_fmu_serialize,
    .deserialize = takt_fmu_deserialize,
    .differentiate = takt_fmi2_differentiate,
    .get_derivatives = cs_get_derivatives,
    .set_motion = cs_set_motion,
    .motion_order = cs_motion_order,
    .has_code = takt_fmu_has_code,
    .close_model = takt_fmu_close,
};
