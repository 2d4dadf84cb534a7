// SPDX-License-Identifier: MIT
// FMUs of FMI 3.0 for co-simulation (specification 3.0.2, section 4.2) as instances: what they do not share
// with model exchange. How calls are made and judged: see call.h.
//
// Event mode is used wherever the FMU has it. The FMU is in event mode right after initialization; the
// run handles those events and leaves event mode before the first step.
#include <math.h>

#include "fmu/advance.h"
#include "fmu/fmi3_dependencies.h"
#include "fmu/fmi3_derivatives.h"
#include "fmu/fmi3_intermediate.h"
#include "fmu/fmi3_life.h"
#include "fmu/fmi3_states.h"
#include "fmu/fmi3_ticks.h"
#include "fmu/fmi3_values.h"
#include "fmu/kinds.h"

// ---- instantiation -------------------------------------------------------------------------------

static takt_status prepare(takt_fmu_instance *common, takt_error *err)
{
    takt_status st = takt_fmi3_prepare(common, err);
    return st ? st : takt_fmi3_intermediate_init((takt_fmi3_instance *)common, err);
}

static takt_status call_instantiate(takt_fmi3_instance *self, bool uses_events, takt_error *err)
{
    const takt_fmu *fmu = self->common.fmu;
    bool may_return_early = uses_events && fmu->description.fmi3.might_return_early;
    self->uses_events = uses_events;
    return TAKT_FMU_CREATE(self, fmi3InstantiateCoSimulation, err, self->common.base.name,
                           fmu->description.guid, fmu->resource_path, fmi3False,
                           takt_fmi3_logs_all(self), uses_events, may_return_early,
                           self->moving.refs, self->moving.n_refs, self->common.contact,
                           takt_fmi3_log_message, takt_fmi3_intermediate_update);
}

static takt_status create(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)common;
    bool has_events = common->fmu->model.can.events;
    self->functions = &common->library->fmi3;
    takt_status st = call_instantiate(self, has_events, err);
    if (st && has_events) { // some FMUs promise more than they can do
        st = call_instantiate(self, false, err);
        if (!st)
            takt_log_write(
                common->base.log, TAKT_LEVEL_WARN,
                "instance '%s': the FMU refuses event mode, although its hasEventMode is "
                "true; it handles its events by itself",
                common->base.name);
    }
    return st ? st : takt_fmi3_created(self, err);
}

static takt_status fmi3_cs_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmu_kind kind = {.type = &takt_fmi3_cs,
                                       .size = sizeof(takt_fmi3_instance),
                                       .states = &takt_fmi3_state_calls,
                                       .prepare = prepare,
                                       .create = create,
                                       .terminate = takt_fmi3_terminate,
                                       .free = takt_fmi3_free,
                                       .clear = takt_fmi3_clear};
    return takt_fmu_instantiate(&kind, model, name, log, out, err);
}

static takt_status fmi3_cs_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    takt_status st = takt_fmi3_ticks_start(self, err);
    if (!st) st = TAKT_FMU_ENTER(self, fmi3ExitInitializationMode, err);
    if (st) return st;
    self->common.is_initialized = true;
    self->common.phase = self->uses_events ? TAKT_FMU_HANDLING_EVENTS : TAKT_FMU_STEPPING;
    return self->uses_events ? takt_fmi3_ticks_begin(self, err) : TAKT_OK;
}

// ---- steps ---------------------------------------------------------------------------------------

// What fmi3DoStep says besides its status. Booleans are bytes: an FMU may write any.
typedef struct step_answer {
    unsigned char has_event, terminates, is_early;
    double time;
} step_answer;

static takt_step_result judge(const takt_fmi3_instance *self, const step_answer *answer, double t,
                              double h)
{
    double end = t + h;
    bool is_known = answer->time >= t && answer->time <= end; // false when it is not a number
    double time = is_known ? answer->time : answer->is_early ? t : end;
    takt_step_result result = {.end = TAKT_STEP_DONE, .time = end};
    if (answer->terminates)
        result = (takt_step_result){.end = TAKT_STEP_TERMINATED, .time = time};
    else if (answer->is_early && time < end)
        result = (takt_step_result){.end = TAKT_STEP_EARLY, .time = time};
    result.has_event = answer->has_event && self->uses_events;
    return result;
}

// After a step about which there is something to say.
TAKT_COLD static takt_status end_step(takt_fmi3_instance *self, fmi3Status status,
                                      const step_answer *answer, double t, double h,
                                      takt_step_result *result, takt_error *err)
{
    takt_fmu_instance *common = &self->common;
    takt_fmu_end(common);
    bool is_discarded = false;
    bool is_early = status == fmi3OK && answer->is_early; // the rest of the step follows
    takt_status st = takt_fmi3_intermediate_end(self, is_early, err);
    if (!st) st = takt_fmu_check(common, (int)status, "fmi3DoStep", NULL, &is_discarded, err);
    if (st) return st;
    if (is_discarded) { // the FMU is where it was, and its answers mean nothing
        *result = (takt_step_result){.end = TAKT_STEP_DISCARDED, .time = t};
        return TAKT_OK;
    }
    *result = judge(self, answer, t, h);
    common->time = result->time;
    return TAKT_OK;
}

static inline bool do_step(takt_fmu_instance *common, const takt_step *step,
                           takt_step_result *result, takt_status *st, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)common;
    double t = step->t, h = step->h;
    step_answer answer = {.time = t + h};
    bool is_watched = self->moving.motion.inputs != NULL; // inputs may change within the step
    if (is_watched) takt_fmi3_intermediate_begin(self, t + h);
    fmi3Status status = self->functions->fmi3DoStep(
        self->common.component, t, h, step->is_final, (fmi3Boolean *)&answer.has_event,
        (fmi3Boolean *)&answer.terminates, (fmi3Boolean *)&answer.is_early, &answer.time);
    if (status == fmi3OK && !is_watched &&
        !(answer.has_event | answer.terminates | answer.is_early))
        return true;
    *st = end_step(self, status, &answer, t, h, result, err);
    return false;
}

static takt_status fmi3_cs_step(takt_instance *instance, double t, double h, bool is_final,
                                takt_step_result *result, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    self->common.time = t;
    takt_status st =
        takt_fmu_begin(&self->common, self->functions->fmi3DoStep != NULL, "fmi3DoStep", err);
    return st ? st : takt_fmu_step(&self->common, do_step, t, h, is_final, result, err);
}

// ---- all in one ----------------------------------------------------------------------------------

// What is kept of arrays for setting some elements need not follow: those that are set here are whole, and
// nobody else sets them after initialization.
static bool fmi3_cs_can_advance(const takt_instance *instance, const takt_coupling *coupling)
{
    const takt_fmi3_instance *self = (const takt_fmi3_instance *)instance;
    const takt_fmi3_functions *functions = self->functions;
    return coupling->is_direct && takt_fmi3_of(self)->n_clocked == 0 && functions->fmi3SetFloat64 &&
           functions->fmi3DoStep && functions->fmi3GetFloat64;
}

static int set_reals(takt_fmu_instance *common, const takt_direct *in, const double *values)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)common;
    return (int)self->functions->fmi3SetFloat64(self->common.component, in->refs, in->n_refs,
                                                values, in->n_values);
}

static int get_reals(takt_fmu_instance *common, const takt_direct *out)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)common;
    return (int)self->functions->fmi3GetFloat64(self->common.component, out->refs, out->n_refs,
                                                out->values, out->n_values);
}

static const char *const call_names[] = {"fmi3SetFloat64", "fmi3DoStep", "fmi3GetFloat64"};

// Inputs move by what the FMU asks for within its step: nothing is called before.
static int move(takt_fmu_instance *common, const takt_coupling_motion *motion)
{
    (void)common, (void)motion;
    return -1;
}

static takt_status end_move(takt_fmu_instance *common, const takt_coupling_motion *motion, double t,
                            int status, takt_error *err)
{
    (void)status;
    return takt_fmi3_set_motion(&common->base, t, motion->inputs, motion->order,
                                motion->derivatives, err);
}

static takt_status fmi3_cs_advance(takt_coupling *const *couplings, int n, const takt_step *step,
                                   int *n_done, takt_step_result *result, takt_error *err)
{
    static const takt_fmu_calls calls = {call_names, set_reals, move, end_move, do_step, get_reals};
    return takt_fmu_advance(&calls, couplings, n, step, n_done, result, err);
}

// ---- events --------------------------------------------------------------------------------------

static takt_status fmi3_cs_enter_events(takt_instance *instance, double t, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    self->common.time = t;
    if (!self->uses_events) return TAKT_OK;
    takt_status st = TAKT_FMU_ENTER(self, fmi3EnterEventMode, err);
    if (st) return st;
    self->common.phase = TAKT_FMU_HANDLING_EVENTS;
    self->must_evaluate = true;
    return takt_fmi3_ticks_begin(self, err);
}

static takt_status fmi3_cs_update_events(takt_instance *instance, takt_event *out, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    takt_fmi3_answer answer;
    *out = (takt_event){.next_time = INFINITY};
    if (!self->uses_events) return TAKT_OK;
    takt_status st = takt_fmi3_ticks_keep(self, err);
    if (!st) st = takt_fmi3_update(self, &answer, err);
    if (!st) st = takt_fmi3_ticks_plan(self, err);
    if (st) return st;
    self->must_evaluate = true;
    self->next_event = answer.has_next && !isnan(answer.next) ? answer.next : INFINITY;
    // A countdown of no time ticks at once.
    bool ticks_again = takt_fmi3_ticks_next(self) <= self->common.time;
    if (ticks_again) st = takt_fmi3_ticks_begin(self, err);
    if (st) return st;
    *out = (takt_event){.needs_update = answer.needs_update || ticks_again,
                        .terminates = answer.terminates,
                        .next_time = fmin(self->next_event, takt_fmi3_ticks_next(self))};
    return TAKT_OK;
}

static takt_status fmi3_cs_leave_events(takt_instance *instance, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    if (!self->uses_events) return TAKT_OK;
    takt_status st = TAKT_FMU_ENTER(self, fmi3EnterStepMode, err);
    if (!st) self->common.phase = TAKT_FMU_STEPPING;
    return st;
}

const takt_instance_type takt_fmi3_cs = {
    .name = "FMI 3.0 co-simulation",
    .instantiate = fmi3_cs_instantiate,
    .destroy = takt_fmu_destroy,
    .enter_initialization = takt_fmi3_enter_initialization,
    .exit_initialization = fmi3_cs_exit_initialization,
    .set = takt_fmi3_set,
    .get = takt_fmi3_get,
    .step = fmi3_cs_step,
    .can_advance = fmi3_cs_can_advance,
    .advance = fmi3_cs_advance,
    .call_names = call_names,
    .enter_events = fmi3_cs_enter_events,
    .update_events = fmi3_cs_update_events,
    .leave_events = fmi3_cs_leave_events,
    .terminate = takt_fmu_terminate,
    .save = takt_fmi3_save,
    .restore = takt_fmi3_restore,
    .free_state = takt_fmi3_free_state,
    .serialize = takt_fmi3_serialize,
    .deserialize = takt_fmi3_deserialize,
    .differentiate = takt_fmi3_differentiate,
    .depend = takt_fmi3_depend,
    .resize = takt_fmu_resize,
    .get_derivatives = takt_fmi3_get_derivatives,
    .set_motion = takt_fmi3_set_motion,
    .has_code = takt_fmu_has_code,
    .close_model = takt_fmu_close,
};
