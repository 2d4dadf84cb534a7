// SPDX-License-Identifier: MIT
// FMUs of FMI 2.0 for co-simulation (specification 2.0.5, sections 2.1 and 4.2) as instances. How calls
// are made and judged: see fmi2_instance.h.
#include "fmi/fmi2_cs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmi/fmi2_instance.h"

// ---- instantiation -------------------------------------------------------------------------------

// Steps are waited for by asking, so there is nothing to do; but an FMU may call it all the same.
static void step_finished(fmi2ComponentEnvironment environment, fmi2Status status)
{
    (void)environment, (void)status;
}

// Asks for messages about problems where the FMU offers them; without that many FMUs keep silent about
// why a call failed. An FMU that refuses is as good as before.
static void ask_for_problems(takt_fmi2_instance *self)
{
    static const char *const wanted[] = {"logStatusWarning", "logStatusDiscard", "logStatusError",
                                         "logStatusFatal"};
    enum { N_WANTED = sizeof wanted / sizeof *wanted };
    const takt_description *description = &self->fmu->description;
    fmi2String categories[N_WANTED];
    size_t n = 0;
    for (int i = 0; i < description->n_categories; i++)
        for (int k = 0; k < N_WANTED && n < N_WANTED; k++)
            if (strcmp(description->categories[i], wanted[k]) == 0) categories[n++] = wanted[k];
    if (n == 0 || !self->fmi2->fmi2SetDebugLogging) return;
    fmi2Status status = self->fmi2->fmi2SetDebugLogging(self->component, fmi2True, n, categories);
    if (status == fmi2Fatal) takt_fmi2_note_failure(self, status);
}

static takt_status create_component(takt_fmi2_instance *self, takt_error *err)
{
    takt_status st =
        takt_fmi2_begin(self, self->fmi2->fmi2Instantiate != NULL, "fmi2Instantiate", err);
    if (st) return st;
    bool wants_all = takt_log_wants(self->base.log, TAKT_LEVEL_DEBUG);
    self->callbacks = (fmi2CallbackFunctions){.logger = takt_fmi2_log_receive,
                                              .allocateMemory = calloc,
                                              .freeMemory = free,
                                              .stepFinished = step_finished,
                                              .componentEnvironment = &self->log};
    self->component = self->fmi2->fmi2Instantiate(
        self->base.name, fmi2CoSimulation, self->fmu->description.guid, self->fmu->resource_uri,
        &self->callbacks, fmi2False, wants_all ? fmi2True : fmi2False);
    if (self->component) {
        if (!wants_all) ask_for_problems(self);
        return TAKT_OK;
    }
    char said[TAKT_FMI2_TEXT_SIZE];
    takt_fmi2_log_last(&self->log, said);
    return takt_fail(err, TAKT_ERR_SIMULATION, "fmi2Instantiate of FMU %s returned no instance%s%s",
                     self->base.model->path, said[0] ? "; the FMU says: " : "", said);
}

static bool has_string_start(const takt_variable *variable)
{
    return variable->type == TAKT_STRING && variable->has_start &&
           variable->initial == TAKT_EXACT && variable->variability != TAKT_CONSTANT;
}

// Sets String variables to their start values. It should not be necessary, but FMUs of MapleSim crash
// when their state is saved before.
static takt_status set_string_starts(takt_fmi2_instance *self, takt_error *err)
{
    const takt_model *model = self->base.model;
    takt_status st = TAKT_OK;
    for (int i = 0; i < model->n_variables && !st; i++) {
        const takt_variable *variable = &model->variables[i];
        if (!has_string_start(variable)) continue;
        st = takt_fmi2_begin(self, self->fmi2->fmi2SetString != NULL, "fmi2SetString", err);
        if (st) break;
        const takt_access_group group = {.n_refs = 1, .variables = &i};
        fmi2Status status = self->fmi2->fmi2SetString(self->component, &variable->reference, 1,
                                                      &variable->start.text);
        if (status != fmi2Discard)
            st = takt_fmi2_check_access(self, status, "fmi2SetString", &group, err);
    }
    return st;
}

static void fmi2_cs_destroy(takt_instance *instance);

static takt_status fmi2_cs_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    takt_fmi2_instance *self = calloc(1, sizeof *self);
    if (!self) return takt_fail_memory(err);
    self->base = (takt_instance){.type = &takt_fmi2_cs, .model = model, .name = name, .log = log};
    self->fmu = (takt_fmu *)model; // the library is loaded with the first instance
    takt_fmi2_log_init(&self->log, log, model, name);
    takt_status st = takt_fmu_acquire_library(self->fmu, &self->library, err);
    if (!st) {
        self->fmi2 = &self->library->fmi2;
        st = create_component(self, err);
    }
    if (!st) st = set_string_starts(self, err);
    if (st)
        fmi2_cs_destroy(&self->base);
    else
        *out = &self->base;
    return st;
}

// Ends the FMU's part as far as it still may be called.
static void free_component(takt_fmi2_instance *self)
{
    if (!self->component || self->library->is_dead || self->phase == TAKT_FMI2_STUCK) return;
    if (self->phase == TAKT_FMI2_STEPPING && self->fmi2->fmi2Terminate &&
        self->fmi2->fmi2Terminate(self->component) == fmi2Fatal) {
        takt_fmi2_note_failure(self, fmi2Fatal);
        return;
    }
    if (self->fmi2->fmi2FreeInstance) self->fmi2->fmi2FreeInstance(self->component);
}

static void fmi2_cs_destroy(takt_instance *instance)
{
    if (!instance) return;
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    free_component(self);
    if (self->library) takt_fmu_release_library(self->fmu, self->library);
    takt_fmi2_log_clear(&self->log);
    free(self->integers);
    free(self->strings);
    free(self);
}

// ---- initialization and end ----------------------------------------------------------------------

static takt_status fmi2_cs_enter_initialization(takt_instance *instance,
                                                const takt_interval *interval, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    const takt_fmi2_functions *fmi2 = self->fmi2;
    self->time = interval->start;
    takt_status st =
        takt_fmi2_begin(self, fmi2->fmi2SetupExperiment != NULL, "fmi2SetupExperiment", err);
    if (!st)
        st = takt_fmi2_check(self,
                             fmi2->fmi2SetupExperiment(self->component, interval->has_tolerance,
                                                       interval->tolerance, interval->start,
                                                       interval->has_stop, interval->stop),
                             "fmi2SetupExperiment", err);
    if (!st)
        st = takt_fmi2_begin(self, fmi2->fmi2EnterInitializationMode != NULL,
                             "fmi2EnterInitializationMode", err);
    if (!st)
        st = takt_fmi2_check(self, fmi2->fmi2EnterInitializationMode(self->component),
                             "fmi2EnterInitializationMode", err);
    if (!st) self->phase = TAKT_FMI2_INITIALIZING;
    return st;
}

static takt_status fmi2_cs_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    takt_status st = takt_fmi2_begin(self, self->fmi2->fmi2ExitInitializationMode != NULL,
                                     "fmi2ExitInitializationMode", err);
    if (!st)
        st = takt_fmi2_check(self, self->fmi2->fmi2ExitInitializationMode(self->component),
                             "fmi2ExitInitializationMode", err);
    if (!st) self->phase = TAKT_FMI2_STEPPING;
    return st;
}

static takt_status fmi2_cs_terminate(takt_instance *instance, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    takt_status st = takt_fmi2_begin(self, self->fmi2->fmi2Terminate != NULL, "fmi2Terminate", err);
    if (!st)
        st =
            takt_fmi2_check(self, self->fmi2->fmi2Terminate(self->component), "fmi2Terminate", err);
    if (self->phase < TAKT_FMI2_FAILED)
        self->phase = TAKT_FMI2_TERMINATED; // whatever it said, it is not asked again
    return st;
}

// ---- steps ---------------------------------------------------------------------------------------

static void pause_for(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

// Waits for the end of an asynchronous step and its status.
static takt_status wait_for_step(takt_fmi2_instance *self, fmi2Status *status, takt_error *err)
{
    const long longest = 10000000;
    if (!self->fmi2->fmi2GetStatus) {
        takt_status st = takt_fmi2_fail(self, "fmi2DoStep", "", fmi2Pending, err);
        self->phase = TAKT_FMI2_STUCK;
        return takt_within(err, st, "FMU %s has no function fmi2GetStatus to wait for a step",
                           self->base.model->path);
    }
    for (long pause = 10000; *status == fmi2Pending;
         pause = pause < longest ? 2 * pause : longest) {
        pause_for(pause);
        fmi2Status asked = self->fmi2->fmi2GetStatus(self->component, fmi2DoStepStatus, status);
        if (asked != fmi2OK && asked != fmi2Warning) {
            takt_status st = takt_fmi2_check(self, asked, "fmi2GetStatus", err);
            if (self->phase < TAKT_FMI2_FAILED) self->phase = TAKT_FMI2_STUCK;
            return st;
        }
    }
    return TAKT_OK;
}

// After a discarded step: does the FMU want to end the simulation, and how far has it come?
static void ask_about_discard(takt_fmi2_instance *self, double t, double h,
                              takt_step_result *result)
{
    const takt_fmi2_functions *fmi2 = self->fmi2;
    fmi2Boolean is_terminated = fmi2False;
    if (!fmi2->fmi2GetBooleanStatus ||
        fmi2->fmi2GetBooleanStatus(self->component, fmi2Terminated, &is_terminated) > fmi2Warning)
        is_terminated = fmi2False;
    fmi2Real reached = t;
    if (!fmi2->fmi2GetRealStatus ||
        fmi2->fmi2GetRealStatus(self->component, fmi2LastSuccessfulTime, &reached) > fmi2Warning)
        reached = t;
    if (reached > t + h && reached <= t + h * (1 + 1e-9)) reached = t + h; // rounding
    if (!(reached >= t && reached <= t + h)) reached = t; // also when it is not a number
    result->end = is_terminated ? TAKT_STEP_TERMINATED : TAKT_STEP_DISCARDED;
    result->time = reached;
    self->time = reached;
}

static takt_status fmi2_cs_step(takt_instance *instance, double t, double h, bool is_final,
                                takt_step_result *result, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    self->time = t;
    takt_status st = takt_fmi2_begin(self, self->fmi2->fmi2DoStep != NULL, "fmi2DoStep", err);
    if (st) return st;
    fmi2Status status =
        self->fmi2->fmi2DoStep(self->component, t, h, is_final ? fmi2True : fmi2False);
    if (status == fmi2Pending) st = wait_for_step(self, &status, err);
    if (st) return st;
    if (status == fmi2Discard) {
        ask_about_discard(self, t, h, result);
        return TAKT_OK;
    }
    st = takt_fmi2_check(self, status, "fmi2DoStep", err);
    if (st) return st;
    self->time = t + h;
    *result = (takt_step_result){.end = TAKT_STEP_DONE, .time = t + h};
    return TAKT_OK;
}

// ---- states --------------------------------------------------------------------------------------

static takt_status fmi2_cs_save(takt_instance *instance, void **state, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    takt_status st =
        takt_fmi2_begin(self, self->fmi2->fmi2GetFMUstate != NULL, "fmi2GetFMUstate", err);
    if (st) return st;
    return takt_fmi2_check(self, self->fmi2->fmi2GetFMUstate(self->component, state),
                           "fmi2GetFMUstate", err);
}

static takt_status fmi2_cs_restore(takt_instance *instance, void *state, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    takt_status st =
        takt_fmi2_begin(self, self->fmi2->fmi2SetFMUstate != NULL, "fmi2SetFMUstate", err);
    if (st) return st;
    return takt_fmi2_check(self, self->fmi2->fmi2SetFMUstate(self->component, state),
                           "fmi2SetFMUstate", err);
}

// Allowed also after an error. Some FMUs leave the pointer as it was.
static void fmi2_cs_free_state(takt_instance *instance, void **state)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    bool may_call = *state && !self->library->is_dead && self->phase != TAKT_FMI2_STUCK;
    if (may_call && self->fmi2->fmi2FreeFMUstate) {
        fmi2Status status = self->fmi2->fmi2FreeFMUstate(self->component, state);
        if (status == fmi2Fatal) takt_fmi2_note_failure(self, status);
    }
    *state = NULL;
}

static takt_status fmi2_cs_differentiate(takt_instance *instance, const takt_access *unknowns,
                                         const takt_access *knowns, const double *seed,
                                         double *derivative, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    if (unknowns->n_groups == 0) return TAKT_OK;
    if (knowns->n_groups == 0) {
        for (int i = 0; i < unknowns->n_values[TAKT_KIND_REAL]; i++) derivative[i] = 0;
        return TAKT_OK;
    }
    takt_status st = takt_fmi2_begin(self, self->fmi2->fmi2GetDirectionalDerivative != NULL,
                                     "fmi2GetDirectionalDerivative", err);
    if (st) return st;
    const takt_access_group *of = &unknowns->groups[0], *by = &knowns->groups[0];
    fmi2Status status =
        self->fmi2->fmi2GetDirectionalDerivative(self->component, of->refs, (size_t)of->n_refs,
                                                 by->refs, (size_t)by->n_refs, seed, derivative);
    return takt_fmi2_check_access(self, status, "fmi2GetDirectionalDerivative", of, err);
}

const takt_instance_type takt_fmi2_cs = {
    .name = "FMI 2.0 co-simulation",
    .instantiate = fmi2_cs_instantiate,
    .destroy = fmi2_cs_destroy,
    .enter_initialization = fmi2_cs_enter_initialization,
    .exit_initialization = fmi2_cs_exit_initialization,
    .set = takt_fmi2_set,
    .get = takt_fmi2_get,
    .step = fmi2_cs_step,
    .terminate = fmi2_cs_terminate,
    .save = fmi2_cs_save,
    .restore = fmi2_cs_restore,
    .free_state = fmi2_cs_free_state,
    .differentiate = fmi2_cs_differentiate,
    .close_model = takt_fmu_close,
};
