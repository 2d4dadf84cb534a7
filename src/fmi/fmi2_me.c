// SPDX-License-Identifier: MIT
// FMUs of FMI 2.0 for model exchange (specification 2.0.5, section 3.2) as instances: what they do not share
// with co-simulation. The integration is in me.c; how calls are made and judged: see fmu_instance.h.
#include "fmi/fmi2_me.h"

#include <math.h>

#include "fmi/fmi2_instance.h"
#include "fmi/me.h"

typedef struct fmi2_me_instance {
    takt_fmi2_instance fmi2; // first
    takt_me me;
} fmi2_me_instance;

// Begins a call, makes it and judges its status.
#define CALL(self, function, err, ...)                                                             \
    (takt_fmu_begin(&(self)->common, (self)->fmi2->function != NULL, #function, err)               \
         ? TAKT_ERR_SIMULATION                                                                     \
         : takt_fmu_check(&(self)->common,                                                         \
                          (int)(self)->fmi2->function((self)->component, __VA_ARGS__), #function,  \
                          err))

// The same for functions that may say that this point is impossible.
#define TRY(self, function, answer, err, ...)                                                      \
    (takt_fmu_begin(&(self)->common, (self)->fmi2->function != NULL, #function, err)               \
         ? TAKT_ERR_SIMULATION                                                                     \
         : judge(self, (self)->fmi2->function((self)->component, __VA_ARGS__), #function, answer,  \
                 err))

static takt_status judge(takt_fmi2_instance *self, fmi2Status status, const char *function,
                         takt_ode_answer *answer, takt_error *err)
{
    if (status != fmi2Discard) return takt_fmu_check(&self->common, (int)status, function, err);
    *answer = TAKT_ODE_TOO_FAR;
    return TAKT_OK;
}

// ---- the equations -------------------------------------------------------------------------------

static takt_status set_time(takt_instance *instance, double t, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    self->common.time = t;
    return CALL(self, fmi2SetTime, err, t);
}

static takt_status set_states(takt_instance *instance, const double *x, int n,
                              takt_ode_answer *answer, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return TRY(self, fmi2SetContinuousStates, answer, err, x, (size_t)n);
}

static takt_status get_states(takt_instance *instance, double *x, int n, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return CALL(self, fmi2GetContinuousStates, err, x, (size_t)n);
}

static takt_status get_nominals(takt_instance *instance, double *nominal, int n, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return CALL(self, fmi2GetNominalsOfContinuousStates, err, nominal, (size_t)n);
}

static takt_status get_derivatives(takt_instance *instance, double *dx, int n,
                                   takt_ode_answer *answer, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return TRY(self, fmi2GetDerivatives, answer, err, dx, (size_t)n);
}

static takt_status get_indicators(takt_instance *instance, double *g, int n,
                                  takt_ode_answer *answer, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return TRY(self, fmi2GetEventIndicators, answer, err, g, (size_t)n);
}

// ---- events --------------------------------------------------------------------------------------

static takt_status completed_step(takt_instance *instance, bool is_final, bool *has_event,
                                  bool *terminates, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    if (self->common.fmu->description.me.skips_completed_step) return TAKT_OK;
    fmi2Boolean enters = fmi2False, ends = fmi2False;
    takt_status st = CALL(self, fmi2CompletedIntegratorStep, err, is_final ? fmi2True : fmi2False,
                          &enters, &ends);
    *has_event = !st && enters != fmi2False;
    *terminates = !st && ends != fmi2False;
    return st;
}

static takt_status update(takt_instance *instance, takt_me_update *out, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    fmi2EventInfo info = {0};
    takt_status st = CALL(self, fmi2NewDiscreteStates, err, &info);
    bool has_time = info.nextEventTimeDefined && !isnan(info.nextEventTime);
    *out = (takt_me_update){.needs_update = info.newDiscreteStatesNeeded,
                            .terminates = info.terminateSimulation,
                            .states_changed = info.valuesOfContinuousStatesChanged,
                            .nominals_changed = info.nominalsOfContinuousStatesChanged,
                            .next_time = has_time ? info.nextEventTime : INFINITY};
    return st;
}

#define MODE_FUNCTION(name, function)                                                              \
    static takt_status name(takt_instance *instance, takt_error *err)                              \
    {                                                                                              \
        takt_fmi2_instance *self = (takt_fmi2_instance *)instance;                                 \
        takt_status st =                                                                           \
            takt_fmu_begin(&self->common, self->fmi2->function != NULL, #function, err);           \
        if (st) return st;                                                                         \
        return takt_fmu_check(&self->common, (int)self->fmi2->function(self->component),           \
                              #function, err);                                                     \
    }
MODE_FUNCTION(enter_events, fmi2EnterEventMode)
MODE_FUNCTION(enter_continuous, fmi2EnterContinuousTimeMode)

static const takt_me_interface calls = {
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

static void fmi2_me_destroy(takt_instance *instance)
{
    if (instance) takt_me_clear(&((fmi2_me_instance *)instance)->me);
    takt_fmi2_destroy(instance);
}

static takt_status fmi2_me_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmi2_kind kind = {&takt_fmi2_me, fmi2ModelExchange, sizeof(fmi2_me_instance)};
    const takt_fmu *fmu = (const takt_fmu *)model;
    const takt_me_description *described = &fmu->description.me;
    takt_instance *instance = NULL;
    takt_status st = takt_fmi2_create(&kind, model, name, log, &instance, err);
    if (st) return st;
    st = takt_me_init(&((fmi2_me_instance *)instance)->me, instance, &calls, described->n_states,
                      described->n_indicators, &fmu->me_options, err);
    if (st)
        fmi2_me_destroy(instance);
    else
        *out = instance;
    return st;
}

static takt_status fmi2_me_enter_initialization(takt_instance *instance,
                                                const takt_interval *interval, takt_error *err)
{
    takt_me *me = &((fmi2_me_instance *)instance)->me;
    if (!(me->options.relative > 0) && interval->has_tolerance)
        me->options.relative = interval->tolerance;
    me->t = interval->start;
    return takt_fmi2_enter_initialization(instance, interval, err);
}

static takt_status fmi2_me_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_me *me = &((fmi2_me_instance *)instance)->me;
    takt_status st = takt_fmi2_exit_initialization(instance, err);
    return st ? st : takt_me_start(me, me->t, err);
}

static takt_status fmi2_me_set(takt_instance *instance, const takt_access *access,
                               const takt_values *values, takt_error *err)
{
    fmi2_me_instance *self = (fmi2_me_instance *)instance;
    takt_status st = TAKT_OK;
    if (self->fmi2.common.phase == TAKT_FMU_STEPPING)
        st = takt_me_prepare_set(&self->me, access, err);
    return st ? st : takt_fmi2_set(instance, access, values, err);
}

static takt_status fmi2_me_step(takt_instance *instance, double t, double h, bool is_final,
                                takt_step_result *result, takt_error *err)
{
    return takt_me_step(&((fmi2_me_instance *)instance)->me, t, h, is_final, result, err);
}

// ---- states --------------------------------------------------------------------------------------

static takt_status fmi2_me_save(takt_instance *instance, void **state, takt_error *err)
{
    fmi2_me_instance *self = (fmi2_me_instance *)instance;
    takt_me_state *saved = *state;
    takt_status st = takt_me_save(&self->me, &saved, err);
    *state = saved;
    if (st || self->me.options.saves_inputs) return st;
    return takt_fmi2_save(instance, &saved->fmu, err);
}

static takt_status fmi2_me_restore(takt_instance *instance, void *state, takt_error *err)
{
    const takt_me_state *saved = state;
    takt_status st = saved->fmu ? takt_fmi2_restore(instance, saved->fmu, err) : TAKT_OK;
    return st ? st : takt_me_restore(&((fmi2_me_instance *)instance)->me, saved, err);
}

static void fmi2_me_free_state(takt_instance *instance, void **state)
{
    takt_me_state *saved = *state;
    if (saved) takt_fmi2_free_state(instance, &saved->fmu);
    takt_me_free_state(&((fmi2_me_instance *)instance)->me, &saved);
    *state = NULL;
}

static takt_status fmi2_me_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                     takt_error *err)
{
    fmi2_me_instance *self = (fmi2_me_instance *)instance;
    const takt_me_state *saved = state;
    takt_packer packer = {.out = out};
    out->size = 0;
    takt_me_pack(&self->me, saved, &packer);
    if (packer.failed) return takt_fail_memory(err);
    if (!saved->fmu) return TAKT_OK;
    return takt_fmu_pack_state(&self->fmi2.common, &takt_fmi2_state_calls, saved->fmu, &packer,
                               err);
}

static takt_status fmi2_me_deserialize(takt_instance *instance, const void *data, size_t size,
                                       void **state, takt_error *err)
{
    fmi2_me_instance *self = (fmi2_me_instance *)instance;
    takt_unpacker unpacker = {.next = data, .left = size};
    takt_me_state *saved = *state;
    takt_status st = takt_me_save(&self->me, &saved, err);
    *state = saved;
    if (st) return st;
    takt_me_unpack(&self->me, saved, &unpacker);
    if (self->me.options.saves_inputs) return takt_unpack_end(&unpacker, err);
    takt_fmi2_free_state(instance, &saved->fmu);
    return takt_fmu_unpack_state(&self->fmi2.common, &takt_fmi2_state_calls, &unpacker, &saved->fmu,
                                 err);
}

const takt_instance_type takt_fmi2_me = {
    .name = "FMI 2.0 model exchange",
    .instantiate = fmi2_me_instantiate,
    .destroy = fmi2_me_destroy,
    .enter_initialization = fmi2_me_enter_initialization,
    .exit_initialization = fmi2_me_exit_initialization,
    .set = fmi2_me_set,
    .get = takt_fmi2_get,
    .step = fmi2_me_step,
    .terminate = takt_fmi2_terminate,
    .save = fmi2_me_save,
    .restore = fmi2_me_restore,
    .free_state = fmi2_me_free_state,
    .serialize = fmi2_me_serialize,
    .deserialize = fmi2_me_deserialize,
    .differentiate = takt_fmi2_differentiate,
    .close_model = takt_fmu_close,
};
