// SPDX-License-Identifier: MIT
// FMUs of FMI 2.0 for model exchange (specification 2.0.5, section 3.2) as instances: what they do not share
// with co-simulation. The integration is in src/me; how calls are made and judged: see call.h.
#include <math.h>

#include "fmu/fmi2_instance.h"
#include "fmu/kinds.h"
#include "fmu/me.h"
#include "fmu/me_calls.h"

// ---- the equations -------------------------------------------------------------------------------

TAKT_ME_EQUATIONS(takt_fmi2_instance, fmi2SetTime, fmi2SetContinuousStates, fmi2GetContinuousStates,
                  fmi2GetNominalsOfContinuousStates, fmi2GetDerivatives, fmi2GetEventIndicators)

// ---- events --------------------------------------------------------------------------------------

static takt_status completed_step(takt_instance *instance, bool is_final, bool *has_event,
                                  bool *terminates, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    if (self->common.fmu->description.me.skips_completed_step) return TAKT_OK;
    fmi2Boolean enters = fmi2False, ends = fmi2False;
    takt_status st = TAKT_FMU_CALL(self, fmi2CompletedIntegratorStep, err,
                                   is_final ? fmi2True : fmi2False, &enters, &ends);
    *has_event = !st && enters != fmi2False;
    *terminates = !st && ends != fmi2False;
    return st;
}

static takt_status update(takt_instance *instance, takt_me_update *out, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    fmi2EventInfo info = {0};
    takt_status st = TAKT_FMU_CALL(self, fmi2NewDiscreteStates, err, &info);
    bool has_time = info.nextEventTimeDefined && !isnan(info.nextEventTime);
    *out = (takt_me_update){.needs_update = info.newDiscreteStatesNeeded,
                            .terminates = info.terminateSimulation,
                            .states_changed = info.valuesOfContinuousStatesChanged,
                            .nominals_changed = info.nominalsOfContinuousStatesChanged,
                            .next_time = has_time ? info.nextEventTime : INFINITY};
    return st;
}

static takt_status enter_events(takt_instance *instance, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return TAKT_FMU_ENTER(self, fmi2EnterEventMode, err);
}

static takt_status enter_continuous(takt_instance *instance, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return TAKT_FMU_ENTER(self, fmi2EnterContinuousTimeMode, err);
}

static const takt_me_interface calls = {
    .set = takt_fmi2_set,
    .set_time = set_time,
    .set_states = set_states,
    .get_states = get_states,
    .get_nominals = get_nominals,
    .get_derivatives = get_derivatives,
    .get_indicators = get_indicators,
    .completed_step = completed_step,
    .enter_events = enter_events,
    .update = update,
    .enter_continuous = enter_continuous,
};

// ---- life ----------------------------------------------------------------------------------------

static takt_status create(takt_fmu_instance *common, takt_error *err)
{
    return takt_fmi2_create(common, fmi2ModelExchange, err);
}

static takt_status complete(takt_fmu_instance *common, takt_error *err)
{
    takt_status st = takt_fmi2_complete(common, err);
    return st ? st : takt_fmu_me_init(common, &calls, err);
}

static takt_status fmi2_me_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmu_kind kind = {.type = &takt_fmi2_me,
                                       .size = sizeof(takt_fmi2_instance),
                                       .states = &takt_fmi2_state_calls,
                                       .prepare = takt_fmi2_prepare,
                                       .create = create,
                                       .complete = complete,
                                       .terminate = takt_fmi2_terminate,
                                       .free = takt_fmi2_free,
                                       .clear = takt_fmi2_clear};
    return takt_fmu_instantiate(&kind, model, name, log, out, err);
}

static takt_status fmi2_me_enter_initialization(takt_instance *instance,
                                                const takt_interval *interval, takt_error *err)
{
    takt_fmu_me_begin(instance, interval);
    return takt_fmi2_enter_initialization(instance, interval, err);
}

static takt_status fmi2_me_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_status st = takt_fmi2_exit_initialization(instance, err);
    return st ? st : takt_fmu_me_start(instance, err);
}

const takt_instance_type takt_fmi2_me = {
    .name = "FMI 2.0 model exchange",
    .instantiate = fmi2_me_instantiate,
    .destroy = takt_fmu_destroy,
    .enter_initialization = fmi2_me_enter_initialization,
    .exit_initialization = fmi2_me_exit_initialization,
    .set = takt_fmu_me_set,
    .get = takt_fmi2_get,
    .step = takt_fmu_me_step,
    .enter_events = takt_fmu_me_enter_events,
    .update_events = takt_fmu_me_update_events,
    .leave_events = takt_fmu_me_leave_events,
    .terminate = takt_fmu_terminate,
    .save = takt_fmu_me_save,
    .restore = takt_fmu_me_restore,
    .free_state = takt_fmu_me_free_state,
    .serialize = takt_fmu_me_serialize,
    .deserialize = takt_fmu_me_deserialize,
    .differentiate = takt_fmi2_differentiate,
    .set_motion = takt_fmu_me_set_motion,
    .equations = &takt_fmu_equations,
    .work = takt_fmu_me_work,
    .has_code = takt_fmu_has_code,
    .close_model = takt_fmu_close,
};
