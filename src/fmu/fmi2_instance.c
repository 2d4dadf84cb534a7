// SPDX-License-Identifier: MIT
// Life, initialization, values and states of FMUs of FMI 2.0 (specification 2.0.5, section 2.1), which are
// the same for co-simulation and model exchange; see fmi2_instance.h.
#include "fmu/fmi2_instance.h"

#include <stdlib.h>

#include "fmu/messages.h"
#include "fmu/trace.h"

// ---- values and states ---------------------------------------------------------------------------

TAKT_SCALAR_ACCESS(fmi2, takt_fmi2_instance, Boolean)
TAKT_SCALAR_CALLS(scalar_calls, fmi2, takt_fmi2_instance);

TAKT_STATE_CALLS(takt_fmi2_state_calls, takt_fmi2_instance, fmi2GetFMUstate, fmi2SetFMUstate,
                 fmi2FreeFMUstate, fmi2SerializedFMUstateSize, fmi2SerializeFMUstate,
                 fmi2DeSerializeFMUstate);

takt_status takt_fmi2_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return takt_scalars_set(&self->scalars, &self->common, access, values, err);
}

takt_status takt_fmi2_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return takt_scalars_get(&self->scalars, &self->common, access, values, err);
}

takt_status takt_fmi2_differentiate(takt_instance *instance, const takt_access *unknowns,
                                    const takt_access *knowns, const double *seed,
                                    double *derivative, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    if (unknowns->n_batches == 0) return TAKT_OK;
    if (knowns->n_batches == 0) {
        for (int i = 0; i < unknowns->n_values[TAKT_KIND_REAL]; i++) derivative[i] = 0;
        return TAKT_OK;
    }
    const takt_access_batch *of = &unknowns->batches[0], *by = &knowns->batches[0];
    return TAKT_FMU_ACCESS(self, fmi2GetDirectionalDerivative, of, err, of->refs,
                           (size_t)of->n_refs, by->refs, (size_t)by->n_refs, seed, derivative);
}

// ---- callbacks -----------------------------------------------------------------------------------

static TAKT_FMI_CALL void receive_message(fmi2ComponentEnvironment environment, fmi2String instance,
                                          fmi2Status status, fmi2String category,
                                          fmi2String message, ...)
{
    (void)instance; // we know better which one it is
    takt_fmu_instance *self = takt_fmu_contact_enter(environment);
    if (!self) return;
    takt_fmu_arguments arguments;
    TAKT_FMU_ARGUMENTS_START(arguments, message);
    takt_fmu_log_format(&self->log, (int)status, category, message, arguments);
    TAKT_FMU_ARGUMENTS_END(arguments);
    takt_fmu_contact_leave(environment);
}

// The status is asked for afterwards.
static TAKT_FMI_CALL void step_finished(fmi2ComponentEnvironment environment, fmi2Status status)
{
    (void)status;
    takt_fmi2_instance *self = (takt_fmi2_instance *)takt_fmu_contact_enter(environment);
    if (!self) return;
    takt_step_signal_send(&self->signal);
    takt_fmu_contact_leave(environment);
}

// ---- life ----------------------------------------------------------------------------------------

takt_status takt_fmi2_prepare(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    self->scalars.calls = &scalar_calls;
    return takt_step_signal_init(&self->signal, err);
}

// Asks for messages about problems where the FMU offers them; without that many FMUs keep silent about
// why a call failed. An FMU that refuses is as good as before.
static void ask_for_problems(takt_fmi2_instance *self)
{
    fmi2String categories[TAKT_FMU_MAX_CATEGORIES];
    size_t n = takt_fmu_problem_categories(&self->common, categories);
    if (n == 0 || !self->functions->fmi2SetDebugLogging) return;
    takt_fmu_name_call(&self->common, "fmi2SetDebugLogging");
    fmi2Status status =
        self->functions->fmi2SetDebugLogging(self->common.component, fmi2True, n, categories);
    takt_fmu_end(&self->common);
    if (status == fmi2Fatal) takt_fmu_note_failure(&self->common, (int)status);
}

takt_status takt_fmi2_create(takt_fmu_instance *common, fmi2Type interface, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    const takt_fmu *fmu = common->fmu;
    bool wants_all = takt_log_wants(common->base.log, TAKT_LEVEL_DEBUG);
    takt_fmu_contact *contact = common->contact;
    contact->fmi2 = (fmi2CallbackFunctions){.logger = receive_message,
                                            .allocateMemory = takt_fmu_allocate,
                                            .freeMemory = takt_fmu_release,
                                            .stepFinished = step_finished,
                                            .componentEnvironment = contact};
    self->functions = &common->library->fmi2;
    takt_status st = TAKT_FMU_CREATE(self, fmi2Instantiate, err, common->base.name, interface,
                                     fmu->description.guid, fmu->resource_uri, &contact->fmi2,
                                     fmi2False, wants_all ? fmi2True : fmi2False);
    if (!st) st = takt_fmi2_trace(self, err);
    if (!st && !wants_all) ask_for_problems(self);
    return st;
}

takt_status takt_fmi2_complete(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    return takt_scalars_set_string_starts(&self->scalars, common, err);
}

takt_status takt_fmi2_terminate(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    return TAKT_FMU_ENTER(self, fmi2Terminate, err);
}

void takt_fmi2_free(takt_fmu_instance *common)
{
    const takt_fmi2_functions *functions = ((takt_fmi2_instance *)common)->functions;
    if (!functions->fmi2FreeInstance) return;
    takt_fmu_name_call(common, "fmi2FreeInstance");
    functions->fmi2FreeInstance(common->component);
    takt_fmu_end(common);
}

void takt_fmi2_clear(takt_fmu_instance *common)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    takt_scalars_clear(&self->scalars);
    takt_step_signal_clear(&self->signal);
}

// ---- initialization ------------------------------------------------------------------------------

takt_status takt_fmi2_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    self->common.time = interval->start;
    takt_status st =
        TAKT_FMU_CALL(self, fmi2SetupExperiment, err, interval->has_tolerance, interval->tolerance,
                      interval->start, interval->has_stop, interval->stop);
    if (!st) st = TAKT_FMU_ENTER(self, fmi2EnterInitializationMode, err);
    if (!st) self->common.phase = TAKT_FMU_INITIALIZING;
    return st;
}

takt_status takt_fmi2_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    takt_status st = TAKT_FMU_ENTER(self, fmi2ExitInitializationMode, err);
    if (st) return st;
    self->common.phase = TAKT_FMU_STEPPING;
    self->common.is_initialized = true;
    return TAKT_OK;
}
