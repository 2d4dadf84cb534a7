// SPDX-License-Identifier: MIT
// FMUs of FMI 3.0 for model exchange (specification 3.0.2, section 3.2) as instances: what they do not share
// with co-simulation. The integration is in src/me. Clocks do not tick here.
#include <math.h>

#include "fmu/fmi3_dependencies.h"
#include "fmu/fmi3_derivatives.h"
#include "fmu/fmi3_life.h"
#include "fmu/fmi3_values.h"
#include "fmu/kinds.h"
#include "fmu/me.h"
#include "fmu/me_calls.h"

// ---- the equations -------------------------------------------------------------------------------

TAKT_ME_EQUATIONS(takt_fmi3_instance, fmi3SetTime, fmi3SetContinuousStates, fmi3GetContinuousStates,
                  fmi3GetNominalsOfContinuousStates, fmi3GetContinuousStateDerivatives,
                  fmi3GetEventIndicators)

// ---- events --------------------------------------------------------------------------------------

static takt_status completed_step(takt_instance *instance, bool is_final, bool *has_event,
                                  bool *terminates, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    if (self->common.fmu->description.me.skips_completed_step) return TAKT_OK;
    unsigned char enters = 0, ends = 0; // an FMU may write any byte
    takt_status st = TAKT_FMU_CALL(self, fmi3CompletedIntegratorStep, err, is_final,
                                   (fmi3Boolean *)&enters, (fmi3Boolean *)&ends);
    *has_event = !st && enters;
    *terminates = !st && ends;
    return st;
}

static takt_status update(takt_instance *instance, takt_me_update *out, takt_error *err)
{
    takt_fmi3_answer answer = {0};
    takt_status st = takt_fmi3_update((takt_fmi3_instance *)instance, &answer, err);
    bool has_time = answer.has_next && !isnan(answer.next);
    *out = (takt_me_update){.needs_update = answer.needs_update,
                            .terminates = answer.terminates,
                            .states_changed = answer.states,
                            .nominals_changed = answer.nominals,
                            .next_time = has_time ? answer.next : INFINITY};
    return st;
}

static takt_status enter_events(takt_instance *instance, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    return TAKT_FMU_ENTER(self, fmi3EnterEventMode, err);
}

static takt_status enter_continuous(takt_instance *instance, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    return TAKT_FMU_ENTER(self, fmi3EnterContinuousTimeMode, err);
}

static const takt_me_interface calls = {
    .set = takt_fmi3_set,
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
    takt_fmi3_instance *self = (takt_fmi3_instance *)common;
    const takt_fmu *fmu = common->fmu;
    self->functions = &common->library->fmi3;
    takt_status st =
        TAKT_FMU_CREATE(self, fmi3InstantiateModelExchange, err, common->base.name,
                        fmu->description.guid, fmu->resource_path, fmi3False,
                        takt_fmi3_logs_all(self), common->contact, takt_fmi3_log_message);
    return st ? st : takt_fmi3_created(self, err);
}

static takt_status complete(takt_fmu_instance *common, takt_error *err)
{
    return takt_fmu_me_init(common, &calls, err);
}

static takt_status fmi3_me_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmu_kind kind = {.type = &takt_fmi3_me,
                                       .size = sizeof(takt_fmi3_instance),
                                       .states = &takt_fmi3_state_calls,
                                       .prepare = takt_fmi3_prepare,
                                       .create = create,
                                       .complete = complete,
                                       .terminate = takt_fmi3_terminate,
                                       .free = takt_fmi3_free,
                                       .clear = takt_fmi3_clear};
    return takt_fmu_instantiate(&kind, model, name, log, out, err);
}

static takt_status fmi3_me_enter_initialization(takt_instance *instance,
                                                const takt_interval *interval, takt_error *err)
{
    takt_fmu_me_begin(instance, interval);
    return takt_fmi3_enter_initialization(instance, interval, err);
}

static takt_status check_number(size_t n, int described, const char *function, const char *what,
                                takt_error *err)
{
    if (n == (size_t)described) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "the FMU has %lu %s (%s), but its modelDescription.xml lists %d",
                     (unsigned long)n, what, function, described);
}

// Do the FMU and its description agree about numbers? An FMU that cannot say is believed.
static takt_status check_numbers(takt_fmi3_instance *self, takt_error *err)
{
    const takt_me_description *me = &self->common.fmu->description.me;
    size_t n_states = (size_t)me->n_states, n_indicators = (size_t)me->n_indicators;
    takt_status st = TAKT_OK;
    if (self->functions->fmi3GetNumberOfContinuousStates)
        st = TAKT_FMU_CALL(self, fmi3GetNumberOfContinuousStates, err, &n_states);
    if (!st)
        st = check_number(n_states, me->n_states, "fmi3GetNumberOfContinuousStates",
                          "continuous states", err);
    if (!st && self->functions->fmi3GetNumberOfEventIndicators)
        st = TAKT_FMU_CALL(self, fmi3GetNumberOfEventIndicators, err, &n_indicators);
    return st ? st
              : check_number(n_indicators, me->n_indicators, "fmi3GetNumberOfEventIndicators",
                             "event indicators", err);
}

static takt_status fmi3_me_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    takt_status st = check_numbers(self, err);
    if (!st) st = TAKT_FMU_ENTER(self, fmi3ExitInitializationMode, err);
    if (st) return st;
    self->common.phase = TAKT_FMU_STEPPING;
    self->common.is_initialized = true;
    return takt_fmu_me_start(instance, err);
}

const takt_instance_type takt_fmi3_me = {
    .name = "FMI 3.0 model exchange",
    .instantiate = fmi3_me_instantiate,
    .destroy = takt_fmu_destroy,
    .enter_initialization = fmi3_me_enter_initialization,
    .exit_initialization = fmi3_me_exit_initialization,
    .set = takt_fmu_me_set,
    .get = takt_fmi3_get,
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
    .differentiate = takt_fmi3_differentiate,
    .depend = takt_fmi3_depend,
    .resize = takt_fmu_resize,
    .set_motion = takt_fmu_me_set_motion,
    .equations = &takt_fmu_equations,
    .work = takt_fmu_me_work,
    .has_code = takt_fmu_has_code,
    .close_model = takt_fmu_close,
};
