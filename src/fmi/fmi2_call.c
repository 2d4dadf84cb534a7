// SPDX-License-Identifier: MIT
// Making calls to an FMU of FMI 2.0 and judging their status (specification 2.0.5, section 2.1.3); see
// fmi2_instance.h.
#include <stdio.h>

#include "base/number.h"
#include "base/text.h"
#include "fmi/fmi2_instance.h"

// "at t=1.2", "during initialization": when something happened.
static void describe_moment(const takt_fmi2_instance *self, char *out, size_t size)
{
    char time[TAKT_NUMBER_SIZE];
    takt_number_write(time, self->time);
    if (self->phase == TAKT_FMI2_INSTANTIATED)
        snprintf(out, size, "before initialization");
    else if (self->phase == TAKT_FMI2_INITIALIZING)
        snprintf(out, size, "during initialization");
    else
        snprintf(out, size, "at t=%s", time);
}

takt_status takt_fmi2_begin(takt_fmi2_instance *self, bool is_there, const char *function,
                            takt_error *err)
{
    unsigned call = atomic_load_explicit(&self->log.call, memory_order_relaxed);
    atomic_store_explicit(&self->log.call, call + 1, memory_order_relaxed); // only we write it
    if (atomic_load_explicit(&self->library->is_dead, memory_order_relaxed))
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "%s cannot be called: FMU %s has failed fatally before", function,
                         self->base.model->path);
    if (self->phase >= TAKT_FMI2_FAILED)
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s cannot be called after the error before",
                         function);
    if (!is_there)
        return takt_fail(err, TAKT_ERR_SIMULATION, "the library of FMU %s has no function %s",
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

takt_status takt_fmi2_fail(takt_fmi2_instance *self, const char *function, const char *what,
                           fmi2Status status, takt_error *err)
{
    char status_text[64], said[TAKT_FMI2_TEXT_SIZE];
    describe_status((int)status, status_text, sizeof status_text);
    takt_fmi2_log_last(&self->log, said);
    return takt_fail(err, TAKT_ERR_SIMULATION, "%s%s failed (%s)%s%s", function, what, status_text,
                     said[0] ? "; the FMU says: " : "", said);
}

// Some FMUs warn in every step: the first warnings are enough for most users.
static void report_warning(takt_fmi2_instance *self, const char *function)
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

void takt_fmi2_note_failure(takt_fmi2_instance *self, fmi2Status status)
{
    self->phase = TAKT_FMI2_FAILED;
    if (status == fmi2Fatal) atomic_store(&self->library->is_dead, true);
}

takt_status takt_fmi2_check(takt_fmi2_instance *self, fmi2Status status, const char *function,
                            takt_error *err)
{
    if (status == fmi2OK) return TAKT_OK;
    if (status == fmi2Warning) {
        report_warning(self, function);
        return TAKT_OK;
    }
    takt_status st = takt_fmi2_fail(self, function, "", status, err);
    if (status != fmi2Discard) takt_fmi2_note_failure(self, status);
    return st;
}

// " of 'a', 'b' and 7 more": the variables of a call.
static void describe_variables(const takt_fmi2_instance *self, const takt_access_group *group,
                               takt_text *out)
{
    enum { MAX_NAMED = 3 };
    for (int i = 0; i < group->n_refs && i < MAX_NAMED; i++)
        takt_text_print(out, "%s'%s'", i ? ", " : " of ",
                        self->base.model->variables[group->variables[i]].name);
    if (group->n_refs > MAX_NAMED) takt_text_print(out, " and %d more", group->n_refs - MAX_NAMED);
}

takt_status takt_fmi2_check_access(takt_fmi2_instance *self, fmi2Status status,
                                   const char *function, const takt_access_group *group,
                                   takt_error *err)
{
    if (status == fmi2OK || status == fmi2Warning)
        return takt_fmi2_check(self, status, function, err);
    takt_text variables = {0};
    describe_variables(self, group, &variables);
    takt_status st =
        takt_fmi2_fail(self, function, variables.data ? variables.data : "", status, err);
    takt_text_clear(&variables);
    if (status != fmi2Discard) takt_fmi2_note_failure(self, status);
    return st;
}
