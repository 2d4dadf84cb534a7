// SPDX-License-Identifier: MIT
// FMUs of FMI 3.0 for model exchange (specification 3.0.2, section 3.2) as instances: what they do not share
// with co-simulation. The integration is in src/me. Clocks do not tick here.
#include "fmu/fmi3_me.h"

#include <math.h>

#include "fmu/fmi3_instance.h"
#include "fmu/me.h"
#include "fmu/me_calls.h"

#define CALL(self, function, err, ...)                                                             \
    TAKT_ME_CALL(self, fmi3, function, err, (self)->component, __VA_ARGS__)

// ---- the equations -------------------------------------------------------------------------------

TAKT_ME_EQUATIONS(takt_fmi3_instance, fmi3, fmi3SetTime, fmi3SetContinuousStates,
                  fmi3GetContinuousStates, fmi3GetNominalsOfContinuousStates,
                  fmi3GetContinuousStateDerivatives, fmi3GetEventIndicators)

// ---- events --------------------------------------------------------------------------------------

static takt_status completed_step(takt_instance *instance, bool is_final, bool *has_event,
                                  bool *terminates, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    if (self->common.fmu->description.me.skips_completed_step) return TAKT_OK;
    unsigned char enters = 0, ends = 0; // an FMU may write any byte
    takt_status st = CALL(self, fmi3CompletedIntegratorStep, err, is_final, (fmi3Boolean *)&enters,
                          (fmi3Boolean *)&ends);
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
    return TAKT_ME_CALL(self, fmi3, fmi3EnterEventMode, err, self->component);
}

static takt_status enter_continuous(takt_instance *instance, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    return TAKT_ME_CALL(self, fmi3, fmi3EnterContinuousTimeMode, err, self->component);
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

static takt_status create_component(takt_fmi3_instance *self, takt_error *err)
{
    static const char function[] = "fmi3InstantiateModelExchange";
    const takt_fmu *fmu = self->common.fmu;
    takt_status st = takt_fmu_begin(&self->common, self->fmi3->fmi3InstantiateModelExchange != NULL,
                                    function, err);
    if (st) return st;
    bool wants_all = takt_log_wants(self->common.base.log, TAKT_LEVEL_DEBUG);
    self->component = self->fmi3->fmi3InstantiateModelExchange(
        self->common.base.name, fmu->description.guid, fmu->resource_path, fmi3False, wants_all,
        self->common.contact, takt_fmi3_log_message);
    takt_fmu_end(&self->common);
    if (!self->component) return takt_fmu_fail_instantiate(&self->common, function, err);
    if (!wants_all) takt_fmi3_ask_for_problems(self);
    return takt_fmi3_configure(self, err);
}

static takt_status fmi3_me_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmi3_kind kind = {&takt_fmi3_me, create_component};
    takt_status st = takt_fmi3_create(&kind, model, name, log, out, err);
    return st ? st : takt_fmu_me_init(out, &calls, err);
}

static takt_status fmi3_me_enter_initialization(takt_instance *instance,
                                                const takt_interval *interval, takt_error *err)
{
    takt_fmu_me_begin(instance, interval);
    return takt_fmi3_enter_initialization(instance, interval, err);
}

// Do the FMU and its description agree about a number? An FMU that cannot tell is believed.
static takt_status check_number(takt_fmi3_instance *self, const char *function,
                                fmi3GetNumberOfContinuousStatesTYPE *ask, int described,
                                const char *what, takt_error *err)
{
    size_t n = 0;
    if (!ask) return TAKT_OK;
    takt_status st = takt_fmu_begin(&self->common, true, function, err);
    if (!st) st = takt_fmu_check(&self->common, (int)ask(self->component, &n), function, err);
    if (st || n == (size_t)described) return st;
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "the FMU has %lu %s (%s), but its modelDescription.xml lists %d",
                     (unsigned long)n, what, function, described);
}

static takt_status check_numbers(takt_fmi3_instance *self, takt_error *err)
{
    const takt_me_description *me = &self->common.fmu->description.me;
    takt_status st = check_number(self, "fmi3GetNumberOfContinuousStates",
                                  self->fmi3->fmi3GetNumberOfContinuousStates, me->n_states,
                                  "continuous states", err);
    return st ? st
              : check_number(self, "fmi3GetNumberOfEventIndicators",
                             self->fmi3->fmi3GetNumberOfEventIndicators, me->n_indicators,
                             "event indicators", err);
}

static takt_status fmi3_me_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    takt_status st = check_numbers(self, err);
    if (!st) st = TAKT_ME_CALL(self, fmi3, fmi3ExitInitializationMode, err, self->component);
    if (st) return st;
    self->common.phase = TAKT_FMU_STEPPING;
    return takt_fmu_me_start(instance, err);
}

const takt_instance_type takt_fmi3_me = {
    .name = "FMI 3.0 model exchange",
    .instantiate = fmi3_me_instantiate,
    .destroy = takt_fmi3_destroy,
    .enter_initialization = fmi3_me_enter_initialization,
    .exit_initialization = fmi3_me_exit_initialization,
    .set = takt_fmu_me_set,
    .get = takt_fmi3_get,
    .step = takt_fmu_me_step,
    .terminate = takt_fmi3_terminate,
    .save = takt_fmu_me_save,
    .restore = takt_fmu_me_restore,
    .free_state = takt_fmu_me_free_state,
    .serialize = takt_fmu_me_serialize,
    .deserialize = takt_fmu_me_deserialize,
    .differentiate = takt_fmi3_differentiate,
    .depend = takt_fmi3_depend,
    .resize = takt_fmu_resize,
    .set_derivatives = takt_fmu_me_set_derivatives,
    .equations = &takt_fmu_equations,
    .work = takt_fmu_me_work,
    .close_model = takt_fmu_close,
};
