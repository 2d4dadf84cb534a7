// SPDX-License-Identifier: MIT
// Making calls to an FMU and judging their status (FMI 2.0.5, section 2.1.3; FMI 3.0.2, section 2.2.4);
// see fmu_instance.h.
#include "fmu/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "me/me.h"

takt_status takt_fmu_instance_init(takt_fmu_instance *self, const takt_instance_type *type,
                                   const takt_model *model, const char *name, takt_log *log,
                                   takt_error *err)
{
    self->base = (takt_instance){.type = type, .model = model, .name = name, .log = log};
    self->fmu = (takt_fmu *)model; // the library is loaded with the first instance
    takt_fmu_log_init(&self->log, log, model, name);
    self->base.n_calls = &self->log.call;
    self->contact = takt_fmu_add_contact(self->fmu, self);
    if (!self->contact) return takt_fail_memory(err);
    return takt_fmu_acquire_library(self->fmu, &self->library, err);
}

void takt_fmu_instance_clear(takt_fmu_instance *self)
{
    if (self->contact) takt_fmu_contact_end(self->contact);
    if (self->library && self->phase == TAKT_FMU_STUCK)
        atomic_store(&self->library->stays_loaded, true); // its step may still be running
    if (self->library) takt_fmu_release_library(self->fmu, self->library);
    takt_fmu_log_clear(&self->log);
    if (self->me) takt_me_clear(self->me);
    free(self->me);
}

bool takt_fmu_change_to_copy(takt_fmu_instance *self)
{
    takt_library *copy = NULL;
    if (self->library->is_dead || takt_fmu_acquire_copy(self->fmu, &copy, NULL)) return false;
    takt_fmu_release_library(self->fmu, self->library);
    self->library = copy;
    takt_log_write(self->base.log, TAKT_LEVEL_INFO,
                   "instance '%s': FMU %s refuses a second instance; a copy of its library is used",
                   self->base.name, self->base.model->path);
    return true;
}

bool takt_fmu_may_free(const takt_fmu_instance *self)
{
    return self->library && !self->library->is_dead && self->phase != TAKT_FMU_STUCK;
}

size_t takt_fmu_problem_categories(const takt_fmu_instance *self,
                                   const char *out[TAKT_FMU_MAX_CATEGORIES])
{
    static const char *const wanted[TAKT_FMU_MAX_CATEGORIES] = {
        "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal"};
    const takt_description *description = &self->fmu->description;
    size_t n = 0;
    for (int i = 0; i < description->n_categories; i++)
        for (int k = 0; k < TAKT_FMU_MAX_CATEGORIES && n < TAKT_FMU_MAX_CATEGORIES; k++)
            if (strcmp(description->categories[i], wanted[k]) == 0) out[n++] = wanted[k];
    return n;
}

// "at t=1.2", "during initialization": when something happened.
static void describe_moment(const takt_fmu_instance *self, char *out, size_t size)
{
    char time[TAKT_NUMBER_SIZE];
    takt_number_write(time, self->time);
    if (self->phase == TAKT_FMU_INSTANTIATED)
        snprintf(out, size, "before initialization");
    else if (self->phase == TAKT_FMU_INITIALIZING)
        snprintf(out, size, "during initialization");
    else
        snprintf(out, size, "at t=%s", time);
}

takt_status takt_fmu_refuse(const takt_fmu_instance *self, const char *function, takt_error *err)
{
    if (atomic_load_explicit(&self->library->is_dead, memory_order_relaxed))
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "%s cannot be called: FMU %s has failed fatally before", function,
                         self->base.model->path);
    if (self->phase >= TAKT_FMU_FAILED)
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s cannot be called after the error before",
                         function);
    return takt_fail(err, TAKT_ERR_SIMULATION, "the library of FMU %s has no function %s",
                     self->base.model->path, function);
}

static void describe_status(const takt_fmu_instance *self, int status, char *out, size_t size)
{
    static const char *const names[] = {"OK", "warning", "discard", "error", "fatal", "pending"};
    int n_names = self->fmu->description.fmi_major < 3 ? TAKT_FMU_PENDING + 1 : TAKT_FMU_PENDING;
    if (status >= 0 && status < n_names)
        snprintf(out, size, "status %s", names[status]);
    else
        snprintf(out, size, "status %d, which %s does not know", status, self->base.model->version);
}

takt_status takt_fmu_fail(takt_fmu_instance *self, const char *function, const char *what,
                          int status, takt_error *err)
{
    char status_text[64], said[TAKT_FMU_TEXT_SIZE];
    describe_status(self, status, status_text, sizeof status_text);
    takt_fmu_log_last(&self->log, said);
    return takt_fail(err, TAKT_ERR_SIMULATION, "%s%s failed (%s)%s%s", function, what, status_text,
                     said[0] ? "; the FMU says: " : "", said);
}

takt_status takt_fmu_fail_instantiate(takt_fmu_instance *self, const char *function,
                                      takt_error *err)
{
    char said[TAKT_FMU_TEXT_SIZE];
    takt_fmu_log_last(&self->log, said);
    return takt_fail(err, TAKT_ERR_SIMULATION, "%s of FMU %s returned no instance%s%s", function,
                     self->base.model->path, said[0] ? "; the FMU says: " : "", said);
}

takt_status takt_fmu_fail_range(takt_fmu_instance *self, int variable, const char *value,
                                const char *type, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "variable '%s' is set to %s, which is no value of type %s",
                     self->base.model->variables[variable].name, value, type);
}

// Some FMUs warn in every step: the first warnings are enough for most users.
static void report_warning(takt_fmu_instance *self, const char *function)
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

void takt_fmu_note_failure(takt_fmu_instance *self, int status)
{
    self->phase = TAKT_FMU_FAILED;
    if (status == TAKT_FMU_FATAL) atomic_store(&self->library->is_dead, true);
}

takt_status takt_fmu_judge(takt_fmu_instance *self, int status, const char *function,
                           takt_error *err)
{
    if (status == TAKT_FMU_WARNING) {
        report_warning(self, function);
        return TAKT_OK;
    }
    takt_status st = takt_fmu_fail(self, function, "", status, err);
    if (status != TAKT_FMU_DISCARD) takt_fmu_note_failure(self, status);
    return st;
}

// " of 'a', 'b' and 7 more": the variables of a call.
static void describe_variables(const takt_fmu_instance *self, const takt_access_group *group,
                               takt_text *out)
{
    enum { MAX_NAMED = 3 };
    for (int i = 0; i < group->n_refs && i < MAX_NAMED; i++)
        takt_text_print(out, "%s'%s'", i ? ", " : " of ",
                        self->base.model->variables[group->variables[i]].name);
    if (group->n_refs > MAX_NAMED) takt_text_print(out, " and %d more", group->n_refs - MAX_NAMED);
}

takt_status takt_fmu_check_access(takt_fmu_instance *self, int status, const char *function,
                                  const takt_access_group *group, takt_error *err)
{
    if (status == TAKT_FMU_OK || status == TAKT_FMU_WARNING)
        return takt_fmu_check(self, status, function, err);
    takt_fmu_end(self);
    takt_text variables = {0};
    describe_variables(self, group, &variables);
    takt_status st =
        takt_fmu_fail(self, function, variables.data ? variables.data : "", status, err);
    takt_text_clear(&variables);
    if (status != TAKT_FMU_DISCARD) takt_fmu_note_failure(self, status);
    return st;
}
