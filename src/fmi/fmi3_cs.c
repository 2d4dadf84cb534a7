// SPDX-License-Identifier: MIT
// FMUs of FMI 3.0 for co-simulation (specification 3.0.2, section 4.2) as instances: what they do not share
// with model exchange. How calls are made and judged: see fmu_instance.h.
//
// Event mode is used wherever the FMU has it. The FMU is in event mode right after initialization; the
// run handles those events and leaves event mode before the first step.
#include "fmi/fmi3_cs.h"

#include <math.h>

#include "fmi/fmi3_instance.h"
#include "fmi/fmu_advance.h"

// ---- instantiation -------------------------------------------------------------------------------

static void call_instantiate(takt_fmi3_instance *self, bool wants_all)
{
    const takt_fmu *fmu = self->common.fmu;
    bool may_return_early = self->uses_events && fmu->description.fmi3.might_return_early;
    self->component = self->fmi3->fmi3InstantiateCoSimulation(
        self->common.base.name, fmu->description.guid, fmu->resource_path, fmi3False, wants_all,
        self->uses_events, may_return_early, self->lines.refs, self->lines.n_refs,
        self->common.contact, takt_fmi3_log_message, takt_fmi3_intermediate_update);
    takt_fmu_end(&self->common);
}

static takt_status create_component(takt_fmi3_instance *self, takt_error *err)
{
    static const char function[] = "fmi3InstantiateCoSimulation";
    takt_status st = self->lines.refs ? TAKT_OK : takt_fmi3_intermediate_init(self, err);
    if (!st)
        st = takt_fmu_begin(&self->common, self->fmi3->fmi3InstantiateCoSimulation != NULL,
                            function, err);
    if (st) return st;
    bool wants_all = takt_log_wants(self->common.base.log, TAKT_LEVEL_DEBUG);
    self->uses_events = self->common.fmu->model.can.events;
    call_instantiate(self, wants_all);
    if (!self->component && self->uses_events) { // some FMUs promise more than they can do
        self->uses_events = false;
        call_instantiate(self, wants_all);
        if (self->component)
            takt_log_write(
                self->common.base.log, TAKT_LEVEL_WARN,
                "instance '%s': the FMU refuses event mode, although its hasEventMode is "
                "true; it handles its events by itself",
                self->common.base.name);
    }
    if (!self->component) return takt_fmu_fail_instantiate(&self->common, function, err);
    if (!wants_all) takt_fmi3_ask_for_problems(self);
    return takt_fmi3_configure(self, err);
}

static takt_status fmi3_cs_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    static const takt_fmi3_kind kind = {&takt_fmi3_cs, create_component};
    return takt_fmi3_create(&kind, model, name, log, out, err);
}

static takt_status fmi3_cs_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    takt_status st = takt_fmi3_clocks_start(self, err);
    if (!st)
        st = takt_fmu_begin(&self->common, self->fmi3->fmi3ExitInitializationMode != NULL,
                            "fmi3ExitInitializationMode", err);
    if (!st)
        st = takt_fmu_check(&self->common,
                            (int)self->fmi3->fmi3ExitInitializationMode(self->component),
                            "fmi3ExitInitializationMode", err);
    if (st) return st;
    self->common.phase = self->uses_events ? TAKT_FMU_HANDLING_EVENTS : TAKT_FMU_STEPPING;
    return self->uses_events ? takt_fmi3_clocks_tick(self, err) : TAKT_OK;
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
    takt_status st = self->lines.inputs ? takt_fmi3_intermediate_end(self, err) : TAKT_OK;
    if (st) return st;
    if (status == fmi3Discard) { // the FMU is where it was, and its answers mean nothing
        *result = (takt_step_result){.end = TAKT_STEP_DISCARDED, .time = t};
        return TAKT_OK;
    }
    st = takt_fmu_check(common, (int)status, "fmi3DoStep", err);
    if (st) return st;
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
    bool is_watched = self->lines.inputs != NULL; // inputs may change within the step
    if (is_watched) takt_fmi3_intermediate_begin(self, t + h);
    fmi3Status status = self->fmi3->fmi3DoStep(
        self->component, t, h, step->is_final, (fmi3Boolean *)&answer.has_event,
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
        takt_fmu_begin(&self->common, self->fmi3->fmi3DoStep != NULL, "fmi3DoStep", err);
    return st ? st : takt_fmu_step(&self->common, do_step, t, h, is_final, result, err);
}

// ---- all in one ----------------------------------------------------------------------------------

// What is kept of arrays for setting parts of them need not follow: those that are set here are whole, and
// nobody else sets them after initialization.
static bool fmi3_cs_can_advance(const takt_instance *instance, const takt_exchange *exchange)
{
    const takt_fmi3_instance *self = (const takt_fmi3_instance *)instance;
    const takt_fmi3_functions *fmi3 = self->fmi3;
    return exchange->is_direct && takt_fmi3_of(self)->n_clocked == 0 && fmi3->fmi3SetFloat64 &&
           fmi3->fmi3DoStep && fmi3->fmi3GetFloat64;
}

static int set_reals(takt_fmu_instance *common, const takt_direct *in, const double *values)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)common;
    return (int)self->fmi3->fmi3SetFloat64(self->component, in->refs, in->n_refs, values,
                                           in->n_values);
}

static int get_reals(takt_fmu_instance *common, const takt_direct *out)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)common;
    return (int)self->fmi3->fmi3GetFloat64(self->component, out->refs, out->n_refs, out->values,
                                           out->n_values);
}

static takt_status fmi3_cs_advance(takt_exchange *const *exchanges, int n, const takt_step *step,
                                   int *n_done, takt_step_result *result, takt_error *err)
{
    static const takt_fmu_calls calls = {"fmi3SetFloat64", "fmi3DoStep", "fmi3GetFloat64",
                                         set_reals,        do_step,      get_reals};
    return takt_fmu_advance(&calls, exchanges, n, step, n_done, result, err);
}

// ---- events --------------------------------------------------------------------------------------

static takt_status fmi3_cs_enter_events(takt_instance *instance, double t, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    self->common.time = t;
    if (!self->uses_events) return TAKT_OK;
    takt_status st = takt_fmu_begin(&self->common, self->fmi3->fmi3EnterEventMode != NULL,
                                    "fmi3EnterEventMode", err);
    if (!st)
        st = takt_fmu_check(&self->common, (int)self->fmi3->fmi3EnterEventMode(self->component),
                            "fmi3EnterEventMode", err);
    if (st) return st;
    self->common.phase = TAKT_FMU_HANDLING_EVENTS;
    self->must_evaluate = true;
    return takt_fmi3_clocks_tick(self, err);
}

static takt_status fmi3_cs_update_events(takt_instance *instance, takt_event *out, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    takt_fmi3_answer answer;
    *out = (takt_event){.next_time = INFINITY};
    if (!self->uses_events) return TAKT_OK;
    takt_status st = takt_fmi3_clocks_keep(self, err);
    if (!st) st = takt_fmi3_update(self, &answer, err);
    if (!st) st = takt_fmi3_clocks_plan(self, err);
    if (st) return st;
    self->must_evaluate = true;
    self->next_event = answer.has_next && !isnan(answer.next) ? answer.next : INFINITY;
    // A countdown of no time ticks at once.
    bool ticks_again = takt_fmi3_clocks_next(self) <= self->common.time;
    if (ticks_again) st = takt_fmi3_clocks_tick(self, err);
    if (st) return st;
    *out = (takt_event){.needs_update = answer.needs_update || ticks_again,
                        .terminates = answer.terminates,
                        .next_time = fmin(self->next_event, takt_fmi3_clocks_next(self))};
    return TAKT_OK;
}

static takt_status fmi3_cs_leave_events(takt_instance *instance, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    if (!self->uses_events) return TAKT_OK;
    takt_status st = takt_fmu_begin(&self->common, self->fmi3->fmi3EnterStepMode != NULL,
                                    "fmi3EnterStepMode", err);
    if (!st)
        st = takt_fmu_check(&self->common, (int)self->fmi3->fmi3EnterStepMode(self->component),
                            "fmi3EnterStepMode", err);
    if (!st) self->common.phase = TAKT_FMU_STEPPING;
    return st;
}

const takt_instance_type takt_fmi3_cs = {
    .name = "FMI 3.0 co-simulation",
    .instantiate = fmi3_cs_instantiate,
    .destroy = takt_fmi3_destroy,
    .enter_initialization = takt_fmi3_enter_initialization,
    .exit_initialization = fmi3_cs_exit_initialization,
    .set = takt_fmi3_set,
    .get = takt_fmi3_get,
    .step = fmi3_cs_step,
    .can_advance = fmi3_cs_can_advance,
    .advance = fmi3_cs_advance,
    .enter_events = fmi3_cs_enter_events,
    .update_events = fmi3_cs_update_events,
    .leave_events = fmi3_cs_leave_events,
    .terminate = takt_fmi3_terminate,
    .save = takt_fmi3_save,
    .restore = takt_fmi3_restore,
    .free_state = takt_fmi3_free_state,
    .serialize = takt_fmi3_serialize,
    .deserialize = takt_fmi3_deserialize,
    .differentiate = takt_fmi3_differentiate,
    .depend = takt_fmi3_depend,
    .resize = takt_fmu_resize,
    .get_derivatives = takt_fmi3_get_derivatives,
    .set_derivatives = takt_fmi3_set_derivatives,
    .close_model = takt_fmu_close,
};
