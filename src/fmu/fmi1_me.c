// SPDX-License-Identifier: MIT
// FMUs of FMI 1.0 for model exchange (FMI 1.0 for model exchange, chapter 2) as instances: what they do not
// share with co-simulation. The integration is in src/me. Like there, the call that initializes is put off
// until a value is read or initialization ends. There are no modes: fmiEventUpdate may be called at any time.
#include <math.h>
#include <stdlib.h>

#include "fmu/fmi1_instance.h"
#include "fmu/abi.h"
#include "fmu/kinds.h"
#include "fmu/me.h"
#include "fmu/me_calls.h"

typedef struct fmi1_me_instance {
    takt_fmi1_instance fmi1; // first
    bool has_first_update; // what fmiInitialize said has not been used yet
    takt_me_update first_update;
} fmi1_me_instance;

// ---- the equations -------------------------------------------------------------------------------

TAKT_ME_EQUATIONS(takt_fmi1_instance, fmiSetTime, fmiSetContinuousStates, fmiGetContinuousStates,
                  fmiGetNominalContinuousStates, fmiGetDerivatives, fmiGetEventIndicators)

// ---- events --------------------------------------------------------------------------------------

static takt_status completed_step(takt_instance *instance, bool is_final, bool *has_event,
                                  bool *terminates, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)instance;
    fmiBoolean calls_update = fmiFalse;
    (void)is_final;
    takt_status st = TAKT_FMU_CALL(self, fmiCompletedIntegratorStep, err, &calls_update);
    *has_event = !st && calls_update != fmiFalse;
    *terminates = false;
    return st;
}

// When other variables become states, their nominal values are others, too.
static takt_me_update translate(const fmiEventInfo *info)
{
    bool has_time = info->upcomingTimeEvent && !isnan(info->nextEventTime);
    return (takt_me_update){.needs_update = !info->iterationConverged,
                            .terminates = info->terminateSimulation,
                            .states_changed =
                                info->stateValuesChanged || info->stateValueReferencesChanged,
                            .nominals_changed = info->stateValueReferencesChanged,
                            .next_time = has_time ? info->nextEventTime : INFINITY};
}

static takt_status update(takt_instance *instance, takt_me_update *out, takt_error *err)
{
    fmi1_me_instance *both = (fmi1_me_instance *)instance;
    takt_fmi1_instance *self = &both->fmi1;
    if (both->has_first_update) {
        both->has_first_update = false;
        *out = both->first_update;
        return TAKT_OK;
    }
    fmiEventInfo info = {.iterationConverged = fmiTrue};
    takt_status st = TAKT_FMU_CALL(self, fmiEventUpdate, err, fmiFalse, &info);
    *out = translate(&info);
    return st;
}

static takt_status change_no_mode(takt_instance *instance, takt_error *err)
{
    (void)instance, (void)err;
    return TAKT_OK;
}

static const takt_me_interface calls = {
    .set = takt_fmi1_set,
    .set_time = set_time,
    .set_states = set_states,
    .get_states = get_states,
    .get_nominals = get_nominals,
    .get_derivatives = get_derivatives,
    .get_indicators = get_indicators,
    .completed_step = completed_step,
    .enter_events = change_no_mode,
    .update = update,
    .enter_continuous = change_no_mode,
};

// ---- life ----------------------------------------------------------------------------------------

static takt_status initialize(takt_fmi1_instance *self, takt_error *err)
{
    fmi1_me_instance *both = (fmi1_me_instance *)self;
    const takt_me_options *options = &self->common.me->options;
    fmiEventInfo info = {.iterationConverged = fmiTrue};
    takt_status st = set_time(&self->common.base, self->interval.start, err);
    if (!st)
        st = TAKT_FMU_CALL(self, fmiInitialize, err, options->relative > 0 ? fmiTrue : fmiFalse,
                           options->relative, &info);
    both->has_first_update = true;
    both->first_update = translate(&info);
    return st;
}

static takt_status create(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    const fmiModelCallbackFunctions callbacks = {.logger = takt_fmi1_log_receive,
                                                 .allocateMemory = takt_fmu_allocate,
                                                 .freeMemory = takt_fmu_release};
    bool wants_all = takt_log_wants(common->base.log, TAKT_LEVEL_DEBUG);
    self->functions = &common->library->fmi1;
    self->initialize = initialize;
    return TAKT_FMU_CREATE(self, fmiInstantiateModel, err, common->base.name,
                           common->fmu->description.guid, callbacks,
                           wants_all ? fmiTrue : fmiFalse);
}

static takt_status complete(takt_fmu_instance *common, takt_error *err)
{
    takt_status st = takt_fmi1_complete(common, err);
    return st ? st : takt_fmu_me_init(common, &calls, err);
}

static takt_status terminate(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    return TAKT_FMU_ENTER(self, fmiTerminate, err);
}

static void free_component(takt_fmu_instance *common)
{
    const takt_fmi1_functions *functions = ((takt_fmi1_instance *)common)->functions;
    if (!functions->fmiFreeModelInstance) return;
    takt_fmu_name_call(common, "fmiFreeModelInstance");
    functions->fmiFreeModelInstance(common->component);
    takt_fmu_end(common);
}

static takt_status fmi1_me_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmu_kind kind = {.type = &takt_fmi1_me,
                                       .size = sizeof(fmi1_me_instance),
                                       .prepare = takt_fmi1_prepare,
                                       .create = create,
                                       .complete = complete,
                                       .terminate = terminate,
                                       .free = free_component,
                                       .clear = takt_fmi1_clear};
    return takt_fmu_instantiate(&kind, model, name, log, out, err);
}

static takt_status fmi1_me_enter_initialization(takt_instance *instance,
                                                const takt_interval *interval, takt_error *err)
{
    takt_fmu_me_begin(instance, interval);
    return takt_fmi1_enter_initialization(instance, interval, err);
}

static takt_status fmi1_me_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_status st = takt_fmi1_exit_initialization(instance, err);
    return st ? st : takt_fmu_me_start(instance, err);
}

const takt_instance_type takt_fmi1_me = {
    .name = "FMI 1.0 model exchange",
    .instantiate = fmi1_me_instantiate,
    .destroy = takt_fmu_destroy,
    .enter_initialization = fmi1_me_enter_initialization,
    .exit_initialization = fmi1_me_exit_initialization,
    .set = takt_fmu_me_set,
    .get = takt_fmi1_get,
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
    .set_motion = takt_fmu_me_set_motion,
    .equations = &takt_fmu_equations,
    .work = takt_fmu_me_work,
    .has_code = takt_fmu_has_code,
    .close_model = takt_fmu_close,
};
