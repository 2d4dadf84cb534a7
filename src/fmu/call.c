// SPDX-License-Identifier: MIT
// Judging what calls to an FMU return (FMI 2.0.5, section 2.1.3; FMI 3.0.2, section 2.2.4); see call.h.
#include "fmu/call.h"

#include <stdio.h>

#include "base/number.h"
#include "base/text.h"
#include "fmu/trace.h"

// ---- what messages say ---------------------------------------------------------------------------

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

static void describe_status(const takt_fmu_instance *self, int status, char *out, size_t size)
{
    static const char *const names[] = {"OK", "warning", "discard", "error", "fatal", "pending"};
    int n_names = self->fmu->description.fmi_major < 3 ? TAKT_FMU_PENDING + 1 : TAKT_FMU_PENDING;
    if (status >= 0 && status < n_names)
        snprintf(out, size, "status %s", names[status]);
    else
        snprintf(out, size, "status %d, which %s does not know", status, self->base.model->version);
}

// " of 'a', 'b' and 7 more": the variables of a call, if it is about any.
static void describe_variables(const takt_fmu_instance *self, const takt_access_batch *batch,
                               takt_text *out)
{
    enum { MAX_NAMED = 3 };
    if (!batch) return;
    for (int i = 0; i < batch->n_refs && i < MAX_NAMED; i++)
        takt_text_print(out, "%s'%s'", i ? ", " : " of ",
                        self->base.model->variables[batch->variables[i]].name);
    if (batch->n_refs > MAX_NAMED) takt_text_print(out, " and %d more", batch->n_refs - MAX_NAMED);
}

// ---- failures ------------------------------------------------------------------------------------

takt_status takt_fmu_refuse(const takt_fmu_instance *self, const char *function, takt_error *err)
{
    if (atomic_load_explicit(&self->library->is_dead, memory_order_relaxed))
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "%s cannot be called: FMU %s has failed fatally before", function,
                         self->base.model->path);
    if (self->phase >= TAKT_FMU_FAILED)
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s cannot be called after the earlier error",
                         function);
    return takt_fail(err, TAKT_ERR_SIMULATION, "the library of FMU %s has no function %s",
                     self->base.model->path, function);
}

takt_status takt_fmu_fail(takt_fmu_instance *self, const char *function,
                          const takt_access_batch *batch, int status, takt_error *err)
{
    char status_text[64], said[TAKT_FMU_TEXT_SIZE];
    takt_text variables = {0};
    describe_status(self, status, status_text, sizeof status_text);
    describe_variables(self, batch, &variables);
    takt_fmu_log_last(&self->log, said);
    takt_status st = takt_fail(err, TAKT_ERR_SIMULATION, "%s%s failed (%s)%s%s", function,
                               variables.data ? variables.data : "", status_text,
                               said[0] ? "; the FMU says: " : "", said);
    takt_text_clear(&variables);
    return st;
}

takt_status takt_fmu_fail_range(takt_fmu_instance *self, int variable, const char *value,
                                const char *type, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "variable '%s' is set to %s, which is no value of type %s",
                     self->base.model->variables[variable].name, value, type);
}

void takt_fmu_note_failure(takt_fmu_instance *self, int status)
{
    self->phase = TAKT_FMU_FAILED;
    if (status == TAKT_FMU_FATAL) atomic_store(&self->library->is_dead, true);
}

// ---- floating-point mode -------------------------------------------------------------------------

static const char *describe_floats(uint64_t mode, uint64_t usual)
{
    uint64_t changed = mode ^ usual;
    if (changed & TAKT_FLOAT_ROUNDING) return "how numbers are rounded";
    if (changed & TAKT_FLOAT_TRAPS) return "which floating-point exceptions end the program";
    if (changed & TAKT_FLOAT_PRECISION) return "how the x87 unit computes";
    return "that tiny numbers count as zero";
}

void takt_fmu_restore_floats(takt_fmu_instance *self)
{
    uint64_t mode = takt_float_mode();
    if (mode == self->float_mode) return;
    takt_float_mode_set(self->float_mode);
    if (self->has_told_floats) return;
    self->has_told_floats = true;
    const char *function = takt_instance_calling(&self->base);
    takt_log_write(
        self->base.log, TAKT_LEVEL_WARN,
        "instance '%s': FMU %s changes %s (in %s); that is undone after each of its calls, "
        "so that the others compute as they should",
        self->base.name, self->base.model->path, describe_floats(mode, self->float_mode),
        function ? function : "a call");
}

// ---- results of calls ----------------------------------------------------------------------------

takt_status takt_fmu_take_component(takt_fmu_instance *self, void *component, const char *function,
                                    takt_error *err)
{
    takt_fmu_end(self);
    self->component = component;
    takt_trace_created(self, function);
    if (component) return TAKT_OK;
    char said[TAKT_FMU_TEXT_SIZE];
    takt_fmu_log_last(&self->log, said);
    return takt_fail(err, TAKT_ERR_SIMULATION, "%s of FMU %s returned no instance%s%s", function,
                     self->base.model->path, said[0] ? "; the FMU says: " : "", said);
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

takt_status takt_fmu_judge(takt_fmu_instance *self, int status, const char *function,
                           const takt_access_batch *batch, bool *is_discarded, takt_error *err)
{
    if (status == TAKT_FMU_WARNING) {
        report_warning(self, function);
        return TAKT_OK;
    }
    if (status == TAKT_FMU_DISCARD && is_discarded) {
        *is_discarded = true;
        return TAKT_OK;
    }
    takt_status st = takt_fmu_fail(self, function, batch, status, err);
    if (status != TAKT_FMU_DISCARD) takt_fmu_note_failure(self, status);
    return st;
}
