// SPDX-License-Identifier: MIT
// FMUs of FMI 2.0 for co-simulation (specification 2.0.5, sections 2.1 and 4.2) as instances.
//
// Every call to the FMU goes the same way: begin() refuses it where no call is allowed any more, the
// function is called, check() turns the returned status into ours. After fmi2Error an instance may
// only be freed; after fmi2Fatal no instance of the library may be called at all.
#include "fmi/fmi2_cs.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "base/text.h"
#include "fmi/fmi2_log.h"
#include "fmi/fmu_model.h"

typedef enum phase {
    INSTANTIATED,
    INITIALIZING,
    STEPPING,
    TERMINATED,
    FAILED, // only freeing is allowed
    STUCK, // in a step that never ended: not even freeing is allowed
} phase;

typedef struct fmi2_cs {
    takt_instance base; // first
    takt_fmu *fmu;
    takt_library *library;
    const takt_fmi2_functions *fmi2; // of the library
    fmi2Component component;
    fmi2CallbackFunctions callbacks; // the FMU keeps a pointer to it
    takt_fmi2_log log;
    phase phase;
    double time; // s; for messages
    int n_warnings;
    int *integers; // room for converting values; grows to the largest access and is then reused
    fmi2String *strings;
    int n_integers, n_strings;
} fmi2_cs;

// ---- calls and their status ----------------------------------------------------------------------

// "at t=1.2", "during initialization": when something happened.
static void describe_moment(const fmi2_cs *self, char *out, size_t size)
{
    char time[TAKT_NUMBER_SIZE];
    takt_number_write(time, self->time);
    if (self->phase == INSTANTIATED)
        snprintf(out, size, "before initialization");
    else if (self->phase == INITIALIZING)
        snprintf(out, size, "during initialization");
    else
        snprintf(out, size, "at t=%s", time);
}

// Prepares a call. Fails where none is allowed, or where the library lacks the function.
static takt_status begin(fmi2_cs *self, bool is_there, const char *function, takt_error *err)
{
    atomic_fetch_add_explicit(&self->log.call, 1, memory_order_relaxed);
    if (atomic_load_explicit(&self->library->is_dead, memory_order_relaxed))
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "instance '%s': %s cannot be called: FMU %s has failed fatally before",
                         self->base.name, function, self->base.model->path);
    if (self->phase >= FAILED)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "instance '%s': %s cannot be called after the error before",
                         self->base.name, function);
    if (!is_there)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "instance '%s': the library of FMU %s has no function %s", self->base.name,
                         self->base.model->path, function);
    return TAKT_OK;
}

static void describe_status(int status, char *out, size_t size)
{
    static const char *const names[] = {"OK", "warning", "discard", "error", "fatal", "pending"};
    if (status >= 0 && status < (int)(sizeof names / sizeof *names))
        snprintf(out, size, "status %s", names[status]);
    else
        snprintf(out, size, "status %d, which FMI 2.0 does not know", status);
}

// Reports a failed call. `what` may name the variables: " of 'a', 'b'".
static takt_status fail_call(fmi2_cs *self, const char *function, const char *what, int status,
                             takt_error *err)
{
    char moment[64], status_text[64], said[TAKT_FMI2_TEXT_SIZE];
    describe_moment(self, moment, sizeof moment);
    describe_status(status, status_text, sizeof status_text);
    takt_fmi2_log_last(&self->log, said);
    return takt_fail(err, TAKT_ERR_SIMULATION, "instance '%s': %s%s failed %s (%s)%s%s",
                     self->base.name, function, what, moment, status_text,
                     said[0] ? "; the FMU says: " : "", said);
}

// Some FMUs warn in every step: the first warnings are enough for most users.
static void report_warning(fmi2_cs *self, const char *function)
{
    enum { MAX_SHOWN = 10 };
    char moment[64];
    describe_moment(self, moment, sizeof moment);
    self->n_warnings++;
    takt_log_write(self->base.log,
                   self->n_warnings <= MAX_SHOWN ? TAKT_LEVEL_WARN : TAKT_LEVEL_DEBUG,
                   "instance '%s': %s returned a warning %s%s", self->base.name, function, moment,
                   self->n_warnings == MAX_SHOWN ? "; further warnings are not shown" : "");
}

// Draws the consequences of a status other than OK, warning and discard.
static void note_failure(fmi2_cs *self, int status)
{
    self->phase = FAILED;
    if (status == fmi2Fatal) atomic_store(&self->library->is_dead, true);
}

static takt_status check(fmi2_cs *self, fmi2Status status, const char *function, takt_error *err)
{
    if (status == fmi2OK) return TAKT_OK;
    if (status == fmi2Warning) {
        report_warning(self, function);
        return TAKT_OK;
    }
    takt_status st = fail_call(self, function, "", (int)status, err);
    if (status != fmi2Discard) note_failure(self, (int)status);
    return st;
}

// " of 'a', 'b' and 7 more": the variables of a call.
static void describe_variables(const fmi2_cs *self, const takt_access_group *group, takt_text *out)
{
    enum { MAX_NAMED = 3 };
    for (int i = 0; i < group->n_refs && i < MAX_NAMED; i++)
        takt_text_print(out, "%s'%s'", i ? ", " : " of ",
                        self->base.model->variables[group->variables[i]].name);
    if (group->n_refs > MAX_NAMED) takt_text_print(out, " and %d more", group->n_refs - MAX_NAMED);
}

// Like check(), for calls that set or get variables, which the message names.
static takt_status check_access(fmi2_cs *self, fmi2Status status, const char *function,
                                const takt_access_group *group, takt_error *err)
{
    if (status == fmi2OK || status == fmi2Warning) return check(self, status, function, err);
    takt_text variables = {0};
    describe_variables(self, group, &variables);
    takt_status st =
        fail_call(self, function, variables.data ? variables.data : "", (int)status, err);
    takt_text_clear(&variables);
    if (status != fmi2Discard) note_failure(self, (int)status);
    return st;
}

// ---- instantiation -------------------------------------------------------------------------------

// Steps are waited for by asking, so there is nothing to do; but an FMU may call it all the same.
static void step_finished(fmi2ComponentEnvironment environment, fmi2Status status)
{
    (void)environment, (void)status;
}

// Asks for messages about problems where the FMU offers them; without that many FMUs keep silent about
// why a call failed. An FMU that refuses is as good as before.
static void ask_for_problems(fmi2_cs *self)
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
    if (status == fmi2Fatal) note_failure(self, status);
}

static takt_status create_component(fmi2_cs *self, takt_error *err)
{
    takt_status st = begin(self, self->fmi2->fmi2Instantiate != NULL, "fmi2Instantiate", err);
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
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "instance '%s': fmi2Instantiate of FMU %s returned no instance%s%s",
                     self->base.name, self->base.model->path, said[0] ? "; the FMU says: " : "",
                     said);
}

static bool has_string_start(const takt_variable *variable)
{
    return variable->type == TAKT_STRING && variable->has_start &&
           variable->initial == TAKT_EXACT && variable->variability != TAKT_CONSTANT;
}

// Sets String variables to their start values. It should not be necessary, but FMUs of MapleSim crash
// when their state is saved before.
static takt_status set_string_starts(fmi2_cs *self, takt_error *err)
{
    const takt_model *model = self->base.model;
    takt_status st = TAKT_OK;
    for (int i = 0; i < model->n_variables && !st; i++) {
        const takt_variable *variable = &model->variables[i];
        if (!has_string_start(variable)) continue;
        st = begin(self, self->fmi2->fmi2SetString != NULL, "fmi2SetString", err);
        if (st) break;
        const takt_access_group group = {.n_refs = 1, .variables = &i};
        fmi2Status status = self->fmi2->fmi2SetString(self->component, &variable->reference, 1,
                                                      &variable->start.text);
        if (status != fmi2Discard) st = check_access(self, status, "fmi2SetString", &group, err);
    }
    return st;
}

static void fmi2_cs_destroy(takt_instance *instance);

static takt_status fmi2_cs_instantiate(const takt_model *model, const char *name, takt_log *log,
                                       takt_instance **out, takt_error *err)
{
    fmi2_cs *self = calloc(1, sizeof *self);
    if (!self) return takt_fail_memory(err);
    self->base = (takt_instance){.type = &takt_fmi2_cs, .model = model, .name = name, .log = log};
    self->fmu = (takt_fmu *)model; // the library is loaded with the first instance
    takt_fmi2_log_init(&self->log, log, model, name);
    takt_status st = takt_fmu_acquire_library(self->fmu, &self->library, err);
    if (st) takt_within(err, st, "instance '%s'", name);
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
static void free_component(fmi2_cs *self)
{
    if (!self->component || self->library->is_dead || self->phase == STUCK) return;
    if (self->phase == STEPPING && self->fmi2->fmi2Terminate &&
        self->fmi2->fmi2Terminate(self->component) == fmi2Fatal) {
        note_failure(self, fmi2Fatal);
        return;
    }
    if (self->fmi2->fmi2FreeInstance) self->fmi2->fmi2FreeInstance(self->component);
}

static void fmi2_cs_destroy(takt_instance *instance)
{
    if (!instance) return;
    fmi2_cs *self = (fmi2_cs *)instance;
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
    fmi2_cs *self = (fmi2_cs *)instance;
    const takt_fmi2_functions *fmi2 = self->fmi2;
    self->time = interval->start;
    takt_status st = begin(self, fmi2->fmi2SetupExperiment != NULL, "fmi2SetupExperiment", err);
    if (!st)
        st = check(self,
                   fmi2->fmi2SetupExperiment(self->component, interval->has_tolerance,
                                             interval->tolerance, interval->start,
                                             interval->has_stop, interval->stop),
                   "fmi2SetupExperiment", err);
    if (!st)
        st = begin(self, fmi2->fmi2EnterInitializationMode != NULL, "fmi2EnterInitializationMode",
                   err);
    if (!st)
        st = check(self, fmi2->fmi2EnterInitializationMode(self->component),
                   "fmi2EnterInitializationMode", err);
    if (!st) self->phase = INITIALIZING;
    return st;
}

static takt_status fmi2_cs_exit_initialization(takt_instance *instance, takt_error *err)
{
    fmi2_cs *self = (fmi2_cs *)instance;
    takt_status st = begin(self, self->fmi2->fmi2ExitInitializationMode != NULL,
                           "fmi2ExitInitializationMode", err);
    if (!st)
        st = check(self, self->fmi2->fmi2ExitInitializationMode(self->component),
                   "fmi2ExitInitializationMode", err);
    if (!st) self->phase = STEPPING;
    return st;
}

static takt_status fmi2_cs_terminate(takt_instance *instance, takt_error *err)
{
    fmi2_cs *self = (fmi2_cs *)instance;
    takt_status st = begin(self, self->fmi2->fmi2Terminate != NULL, "fmi2Terminate", err);
    if (!st) st = check(self, self->fmi2->fmi2Terminate(self->component), "fmi2Terminate", err);
    if (self->phase < FAILED) self->phase = TERMINATED; // whatever it said, it is not asked again
    return st;
}

// ---- values --------------------------------------------------------------------------------------

static bool reserve_integers(fmi2_cs *self, int n)
{
    if (n <= self->n_integers) return true;
    int *grown = reallocarray(self->integers, (size_t)n, sizeof *grown);
    if (!grown) return false;
    self->integers = grown;
    self->n_integers = n;
    return true;
}

static bool reserve_strings(fmi2_cs *self, int n)
{
    if (n <= self->n_strings) return true;
    fmi2String *grown = reallocarray(self->strings, (size_t)n, sizeof *grown);
    if (!grown) return false;
    self->strings = grown;
    self->n_strings = n;
    return true;
}

static takt_status set_reals(fmi2_cs *self, const takt_access_group *group,
                             const takt_values *values, takt_error *err)
{
    takt_status st = begin(self, self->fmi2->fmi2SetReal != NULL, "fmi2SetReal", err);
    if (st) return st;
    fmi2Status status = self->fmi2->fmi2SetReal(self->component, group->refs, (size_t)group->n_refs,
                                                values->real + group->first);
    return check_access(self, status, "fmi2SetReal", group, err);
}

static takt_status get_reals(fmi2_cs *self, const takt_access_group *group, takt_values *values,
                             takt_error *err)
{
    takt_status st = begin(self, self->fmi2->fmi2GetReal != NULL, "fmi2GetReal", err);
    if (st) return st;
    fmi2Status status = self->fmi2->fmi2GetReal(self->component, group->refs, (size_t)group->n_refs,
                                                values->real + group->first);
    return check_access(self, status, "fmi2GetReal", group, err);
}

static takt_status fail_range(fmi2_cs *self, const takt_access_group *group, int i, int64_t value,
                              takt_error *err)
{
    return takt_fail(
        err, TAKT_ERR_SIMULATION,
        "instance '%s': variable '%s' is set to %lld, which is no value of type Integer",
        self->base.name, self->base.model->variables[group->variables[i]].name, (long long)value);
}

static takt_status set_integers(fmi2_cs *self, const takt_access_group *group,
                                const takt_values *values, takt_error *err)
{
    takt_status st = begin(self, self->fmi2->fmi2SetInteger != NULL, "fmi2SetInteger", err);
    if (st) return st;
    if (!reserve_integers(self, group->n_refs)) return takt_fail_memory(err);
    const int64_t *given = values->integer + group->first;
    for (int i = 0; i < group->n_refs; i++) {
        if (given[i] < INT_MIN || given[i] > INT_MAX)
            return fail_range(self, group, i, given[i], err);
        self->integers[i] = (int)given[i];
    }
    fmi2Status status = self->fmi2->fmi2SetInteger(self->component, group->refs,
                                                   (size_t)group->n_refs, self->integers);
    return check_access(self, status, "fmi2SetInteger", group, err);
}

static takt_status get_integers(fmi2_cs *self, const takt_access_group *group, takt_values *values,
                                takt_error *err)
{
    takt_status st = begin(self, self->fmi2->fmi2GetInteger != NULL, "fmi2GetInteger", err);
    if (st) return st;
    if (!reserve_integers(self, group->n_refs)) return takt_fail_memory(err);
    fmi2Status status = self->fmi2->fmi2GetInteger(self->component, group->refs,
                                                   (size_t)group->n_refs, self->integers);
    st = check_access(self, status, "fmi2GetInteger", group, err);
    for (int i = 0; i < group->n_refs && !st; i++)
        values->integer[group->first + i] = self->integers[i];
    return st;
}

static takt_status set_booleans(fmi2_cs *self, const takt_access_group *group,
                                const takt_values *values, takt_error *err)
{
    takt_status st = begin(self, self->fmi2->fmi2SetBoolean != NULL, "fmi2SetBoolean", err);
    if (st) return st;
    if (!reserve_integers(self, group->n_refs)) return takt_fail_memory(err);
    for (int i = 0; i < group->n_refs; i++)
        self->integers[i] = values->integer[group->first + i] != 0 ? fmi2True : fmi2False;
    fmi2Status status = self->fmi2->fmi2SetBoolean(self->component, group->refs,
                                                   (size_t)group->n_refs, self->integers);
    return check_access(self, status, "fmi2SetBoolean", group, err);
}

static takt_status get_booleans(fmi2_cs *self, const takt_access_group *group, takt_values *values,
                                takt_error *err)
{
    takt_status st = begin(self, self->fmi2->fmi2GetBoolean != NULL, "fmi2GetBoolean", err);
    if (st) return st;
    if (!reserve_integers(self, group->n_refs)) return takt_fail_memory(err);
    fmi2Status status = self->fmi2->fmi2GetBoolean(self->component, group->refs,
                                                   (size_t)group->n_refs, self->integers);
    st = check_access(self, status, "fmi2GetBoolean", group, err);
    for (int i = 0; i < group->n_refs && !st; i++)
        values->integer[group->first + i] = self->integers[i] != fmi2False;
    return st;
}

static takt_status set_strings(fmi2_cs *self, const takt_access_group *group,
                               const takt_values *values, takt_error *err)
{
    takt_status st = begin(self, self->fmi2->fmi2SetString != NULL, "fmi2SetString", err);
    if (st) return st;
    if (!reserve_strings(self, group->n_refs)) return takt_fail_memory(err);
    for (int i = 0; i < group->n_refs; i++) {
        const char *data = values->bytes[group->first + i].data;
        self->strings[i] = data ? data : "";
    }
    fmi2Status status = self->fmi2->fmi2SetString(self->component, group->refs,
                                                  (size_t)group->n_refs, self->strings);
    return check_access(self, status, "fmi2SetString", group, err);
}

static takt_status get_strings(fmi2_cs *self, const takt_access_group *group, takt_values *values,
                               takt_error *err)
{
    takt_status st = begin(self, self->fmi2->fmi2GetString != NULL, "fmi2GetString", err);
    if (st) return st;
    if (!reserve_strings(self, group->n_refs)) return takt_fail_memory(err);
    for (int i = 0; i < group->n_refs; i++) self->strings[i] = NULL;
    fmi2Status status = self->fmi2->fmi2GetString(self->component, group->refs,
                                                  (size_t)group->n_refs, self->strings);
    st = check_access(self, status, "fmi2GetString", group, err);
    for (int i = 0; i < group->n_refs && !st; i++) {
        const char *text = self->strings[i] ? self->strings[i] : "";
        if (!takt_bytes_assign(&values->bytes[group->first + i], text, strlen(text)))
            st = takt_fail_memory(err);
    }
    return st;
}

typedef takt_status (*set_fn)(fmi2_cs *, const takt_access_group *, const takt_values *,
                              takt_error *);
typedef takt_status (*get_fn)(fmi2_cs *, const takt_access_group *, takt_values *, takt_error *);

// By type; the description of FMI 2.0 has no others.
static const struct {
    set_fn set;
    get_fn get;
} accessors[TAKT_N_TYPES] = {[TAKT_FLOAT64] = {set_reals, get_reals},
                             [TAKT_INT32] = {set_integers, get_integers},
                             [TAKT_ENUMERATION] = {set_integers, get_integers},
                             [TAKT_BOOLEAN] = {set_booleans, get_booleans},
                             [TAKT_STRING] = {set_strings, get_strings}};

static takt_status fmi2_cs_set(takt_instance *instance, const takt_access *access,
                               const takt_values *values, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < access->n_groups && !st; i++)
        st = accessors[access->groups[i].type].set((fmi2_cs *)instance, &access->groups[i], values,
                                                   err);
    return st;
}

static takt_status fmi2_cs_get(takt_instance *instance, const takt_access *access,
                               takt_values *values, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < access->n_groups && !st; i++)
        st = accessors[access->groups[i].type].get((fmi2_cs *)instance, &access->groups[i], values,
                                                   err);
    return st;
}

// ---- steps ---------------------------------------------------------------------------------------

static void pause_for(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

// Waits for the end of an asynchronous step and its status.
static takt_status wait_for_step(fmi2_cs *self, fmi2Status *status, takt_error *err)
{
    const long longest = 10000000;
    if (!self->fmi2->fmi2GetStatus) {
        takt_status st = fail_call(self, "fmi2DoStep", "", fmi2Pending, err);
        self->phase = STUCK;
        return takt_within(err, st, "FMU %s has no function fmi2GetStatus to wait for a step",
                           self->base.model->path);
    }
    for (long pause = 10000; *status == fmi2Pending;
         pause = pause < longest ? 2 * pause : longest) {
        pause_for(pause);
        fmi2Status asked = self->fmi2->fmi2GetStatus(self->component, fmi2DoStepStatus, status);
        if (asked != fmi2OK && asked != fmi2Warning) {
            takt_status st = check(self, asked, "fmi2GetStatus", err);
            if (self->phase < FAILED) self->phase = STUCK;
            return st;
        }
    }
    return TAKT_OK;
}

// After a discarded step: does the FMU want to end the simulation, and how far has it come?
static void ask_about_discard(fmi2_cs *self, double t, double h, takt_step_result *result)
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
    if (!(reached >= t && reached <= t + h)) reached = t; // also when it is not a number
    result->end = is_terminated ? TAKT_STEP_TERMINATED : TAKT_STEP_DISCARDED;
    result->time = reached;
    self->time = reached;
}

static takt_status fmi2_cs_step(takt_instance *instance, double t, double h, bool is_final,
                                takt_step_result *result, takt_error *err)
{
    fmi2_cs *self = (fmi2_cs *)instance;
    self->time = t;
    takt_status st = begin(self, self->fmi2->fmi2DoStep != NULL, "fmi2DoStep", err);
    if (st) return st;
    fmi2Status status =
        self->fmi2->fmi2DoStep(self->component, t, h, is_final ? fmi2True : fmi2False);
    if (status == fmi2Pending) st = wait_for_step(self, &status, err);
    if (st) return st;
    if (status == fmi2Discard) {
        ask_about_discard(self, t, h, result);
        return TAKT_OK;
    }
    st = check(self, status, "fmi2DoStep", err);
    if (st) return st;
    self->time = t + h;
    *result = (takt_step_result){TAKT_STEP_DONE, t + h};
    return TAKT_OK;
}

// ---- states --------------------------------------------------------------------------------------

static takt_status fmi2_cs_save(takt_instance *instance, void **state, takt_error *err)
{
    fmi2_cs *self = (fmi2_cs *)instance;
    takt_status st = begin(self, self->fmi2->fmi2GetFMUstate != NULL, "fmi2GetFMUstate", err);
    if (st) return st;
    return check(self, self->fmi2->fmi2GetFMUstate(self->component, state), "fmi2GetFMUstate", err);
}

static takt_status fmi2_cs_restore(takt_instance *instance, void *state, takt_error *err)
{
    fmi2_cs *self = (fmi2_cs *)instance;
    takt_status st = begin(self, self->fmi2->fmi2SetFMUstate != NULL, "fmi2SetFMUstate", err);
    if (st) return st;
    return check(self, self->fmi2->fmi2SetFMUstate(self->component, state), "fmi2SetFMUstate", err);
}

// Allowed also after an error. Some FMUs leave the pointer as it was.
static void fmi2_cs_free_state(takt_instance *instance, void **state)
{
    fmi2_cs *self = (fmi2_cs *)instance;
    bool may_call = *state && !self->library->is_dead && self->phase != STUCK;
    if (may_call && self->fmi2->fmi2FreeFMUstate) {
        fmi2Status status = self->fmi2->fmi2FreeFMUstate(self->component, state);
        if (status == fmi2Fatal) note_failure(self, status);
    }
    *state = NULL;
}

static takt_status fmi2_cs_differentiate(takt_instance *instance, const takt_access *unknowns,
                                         const takt_access *knowns, const double *seed,
                                         double *derivative, takt_error *err)
{
    fmi2_cs *self = (fmi2_cs *)instance;
    if (unknowns->n_groups == 0) return TAKT_OK;
    if (knowns->n_groups == 0) {
        for (int i = 0; i < unknowns->n_values[TAKT_KIND_REAL]; i++) derivative[i] = 0;
        return TAKT_OK;
    }
    takt_status st = begin(self, self->fmi2->fmi2GetDirectionalDerivative != NULL,
                           "fmi2GetDirectionalDerivative", err);
    if (st) return st;
    const takt_access_group *of = &unknowns->groups[0], *by = &knowns->groups[0];
    fmi2Status status =
        self->fmi2->fmi2GetDirectionalDerivative(self->component, of->refs, (size_t)of->n_refs,
                                                 by->refs, (size_t)by->n_refs, seed, derivative);
    return check_access(self, status, "fmi2GetDirectionalDerivative", of, err);
}

const takt_instance_type takt_fmi2_cs = {
    .name = "FMI 2.0 co-simulation",
    .instantiate = fmi2_cs_instantiate,
    .destroy = fmi2_cs_destroy,
    .enter_initialization = fmi2_cs_enter_initialization,
    .exit_initialization = fmi2_cs_exit_initialization,
    .set = fmi2_cs_set,
    .get = fmi2_cs_get,
    .step = fmi2_cs_step,
    .terminate = fmi2_cs_terminate,
    .save = fmi2_cs_save,
    .restore = fmi2_cs_restore,
    .free_state = fmi2_cs_free_state,
    .differentiate = fmi2_cs_differentiate,
    .close_model = takt_fmu_close,
};
