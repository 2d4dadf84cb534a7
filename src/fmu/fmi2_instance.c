// SPDX-License-Identifier: MIT
// Life, initialization and states of FMUs of FMI 2.0 (specification 2.0.5, section 2.1), which are the same
// for co-simulation and model exchange; see fmi2_instance.h.
#include "fmu/fmi2_instance.h"

#include <stdlib.h>

#include "fmu/fmi2_log.h"

// ---- states --------------------------------------------------------------------------------------

TAKT_STATE_CALLS(state_calls, takt_fmi2_instance, fmi2, fmi2GetFMUstate, fmi2SetFMUstate,
                 fmi2FreeFMUstate, fmi2SerializedFMUstateSize, fmi2SerializeFMUstate,
                 fmi2DeSerializeFMUstate);

// ---- instantiation -------------------------------------------------------------------------------

// The status is asked for afterwards.
static void step_finished(fmi2ComponentEnvironment environment, fmi2Status status)
{
    (void)status;
    takt_fmi2_instance *self = (takt_fmi2_instance *)takt_fmu_contact_enter(environment);
    if (!self) return;
    takt_step_signal_send(&self->signal);
    takt_fmu_contact_leave(environment);
}

// Asks for messages about problems where the FMU offers them; without that many FMUs keep silent about
// why a call failed. An FMU that refuses is as good as before.
static void ask_for_problems(takt_fmi2_instance *self)
{
    fmi2String categories[TAKT_FMU_MAX_CATEGORIES];
    size_t n = takt_fmu_problem_categories(&self->common, categories);
    if (n == 0 || !self->fmi2->fmi2SetDebugLogging) return;
    fmi2Status status = self->fmi2->fmi2SetDebugLogging(self->component, fmi2True, n, categories);
    if (status == fmi2Fatal) takt_fmu_note_failure(&self->common, status);
}

static takt_status create_component(takt_fmi2_instance *self, takt_error *err)
{
    takt_status st =
        takt_fmu_begin(&self->common, self->fmi2->fmi2Instantiate != NULL, "fmi2Instantiate", err);
    if (st) return st;
    bool wants_all = takt_log_wants(self->common.base.log, TAKT_LEVEL_DEBUG);
    takt_fmu_contact *contact = self->common.contact;
    contact->fmi2 = (fmi2CallbackFunctions){.logger = takt_fmi2_log_receive,
                                            .allocateMemory = calloc,
                                            .freeMemory = free,
                                            .stepFinished = step_finished,
                                            .componentEnvironment = contact};
    self->component = self->fmi2->fmi2Instantiate(self->common.base.name, self->interface,
                                                  self->common.fmu->description.guid,
                                                  self->common.fmu->resource_uri, &contact->fmi2,
                                                  fmi2False, wants_all ? fmi2True : fmi2False);
    takt_fmu_end(&self->common);
    if (self->component) {
        if (!wants_all) ask_for_problems(self);
        return TAKT_OK;
    }
    return takt_fmu_fail_instantiate(&self->common, "fmi2Instantiate", err);
}

takt_status takt_fmi2_create(const takt_fmi2_kind *kind, const takt_model *model, const char *name,
                             takt_log *log, takt_instance **out, takt_error *err)
{
    takt_fmi2_instance *self = calloc(1, sizeof *self);
    if (!self) return takt_fail_memory(err);
    self->common.states = &state_calls;
    self->interface = kind->interface;
    takt_status st = takt_fmu_instance_init(&self->common, kind->type, model, name, log, err);
    if (!st) st = takt_step_signal_init(&self->signal, err);
    if (!st) {
        self->fmi2 = &self->common.library->fmi2;
        takt_fmi2_init_scalars(self);
        st = create_component(self, err);
    }
    if (st && self->fmi2 && !self->component && takt_fmu_change_to_copy(&self->common)) {
        self->fmi2 = &self->common.library->fmi2;
        st = create_component(self, err);
    }
    if (!st) st = takt_scalars_set_string_starts(&self->scalars, &self->common, err);
    if (st)
        takt_fmi2_destroy(&self->common.base);
    else
        *out = &self->common.base;
    return st;
}

// Ends the FMU's part as far as it still may be called.
static void free_component(takt_fmi2_instance *self)
{
    if (!self->component || !takt_fmu_may_free(&self->common)) return;
    if (self->common.phase == TAKT_FMU_STEPPING && self->fmi2->fmi2Terminate &&
        self->fmi2->fmi2Terminate(self->component) == fmi2Fatal) {
        takt_fmu_note_failure(&self->common, fmi2Fatal);
        return;
    }
    if (self->fmi2->fmi2FreeInstance) self->fmi2->fmi2FreeInstance(self->component);
}

void takt_fmi2_destroy(takt_instance *instance)
{
    if (!instance) return;
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    free_component(self);
    takt_fmu_instance_clear(&self->common);
    takt_scalars_clear(&self->scalars);
    takt_step_signal_clear(&self->signal);
    free(self);
}

// ---- initialization and end ----------------------------------------------------------------------

takt_status takt_fmi2_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    const takt_fmi2_functions *fmi2 = self->fmi2;
    self->common.time = interval->start;
    takt_status st = takt_fmu_begin(&self->common, fmi2->fmi2SetupExperiment != NULL,
                                    "fmi2SetupExperiment", err);
    if (!st)
        st = takt_fmu_check(&self->common,
                            fmi2->fmi2SetupExperiment(self->component, interval->has_tolerance,
                                                      interval->tolerance, interval->start,
                                                      interval->has_stop, interval->stop),
                            "fmi2SetupExperiment", err);
    if (!st)
        st = takt_fmu_begin(&self->common, fmi2->fmi2EnterInitializationMode != NULL,
                            "fmi2EnterInitializationMode", err);
    if (!st)
        st = takt_fmu_check(&self->common, fmi2->fmi2EnterInitializationMode(self->component),
                            "fmi2EnterInitializationMode", err);
    if (!st) self->common.phase = TAKT_FMU_INITIALIZING;
    return st;
}

takt_status takt_fmi2_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    takt_status st = takt_fmu_begin(&self->common, self->fmi2->fmi2ExitInitializationMode != NULL,
                                    "fmi2ExitInitializationMode", err);
    if (!st)
        st = takt_fmu_check(&self->common, self->fmi2->fmi2ExitInitializationMode(self->component),
                            "fmi2ExitInitializationMode", err);
    if (!st) self->common.phase = TAKT_FMU_STEPPING;
    return st;
}

takt_status takt_fmi2_terminate(takt_instance *instance, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    takt_status st =
        takt_fmu_begin(&self->common, self->fmi2->fmi2Terminate != NULL, "fmi2Terminate", err);
    if (!st)
        st = takt_fmu_check(&self->common, self->fmi2->fmi2Terminate(self->component),
                            "fmi2Terminate", err);
    if (self->common.phase < TAKT_FMU_FAILED)
        self->common.phase = TAKT_FMU_TERMINATED; // whatever it said, it is not asked again
    return st;
}

// ---- derivatives --------------------------------------------------------------------------------

takt_status takt_fmi2_differentiate(takt_instance *instance, const takt_access *unknowns,
                                    const takt_access *knowns, const double *seed,
                                    double *derivative, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    if (unknowns->n_groups == 0) return TAKT_OK;
    if (knowns->n_groups == 0) {
        for (int i = 0; i < unknowns->n_values[TAKT_KIND_REAL]; i++) derivative[i] = 0;
        return TAKT_OK;
    }
    takt_status st = takt_fmu_begin(&self->common, self->fmi2->fmi2GetDirectionalDerivative != NULL,
                                    "fmi2GetDirectionalDerivative", err);
    if (st) return st;
    const takt_access_group *of = &unknowns->groups[0], *by = &knowns->groups[0];
    fmi2Status status =
        self->fmi2->fmi2GetDirectionalDerivative(self->component, of->refs, (size_t)of->n_refs,
                                                 by->refs, (size_t)by->n_refs, seed, derivative);
    return takt_fmu_check_access(&self->common, status, "fmi2GetDirectionalDerivative", of, err);
}
