// SPDX-License-Identifier: MIT
// Life, initialization and events of FMUs of FMI 3.0 (specification 3.0.2, section 2.3), which are the same
// for co-simulation and model exchange; see fmi3_instance.h.
#include "fmu/fmi3_instance.h"

#include <math.h>
#include <stdlib.h>

// ---- callbacks -----------------------------------------------------------------------------------

void takt_fmi3_log_message(fmi3InstanceEnvironment environment, fmi3Status status,
                           fmi3String category, fmi3String message)
{
    takt_fmu_instance *self = message ? takt_fmu_contact_enter(environment) : NULL;
    if (!self) return;
    char text[TAKT_FMU_TEXT_SIZE];
    takt_fmu_log_copy(text, sizeof text, message);
    takt_fmu_log_receive(&self->log, (int)status, category, text);
    takt_fmu_contact_leave(environment);
}

// ---- states --------------------------------------------------------------------------------------

TAKT_STATE_CALLS(state_calls, takt_fmi3_instance, fmi3, fmi3GetFMUState, fmi3SetFMUState,
                 fmi3FreeFMUState, fmi3SerializedFMUStateSize, fmi3SerializeFMUState,
                 fmi3DeserializeFMUState);

// ---- life ----------------------------------------------------------------------------------------

// Asks for messages about problems where the FMU offers them. An FMU that refuses is as good as before.
void takt_fmi3_ask_for_problems(takt_fmi3_instance *self)
{
    fmi3String categories[TAKT_FMU_MAX_CATEGORIES];
    size_t n = takt_fmu_problem_categories(&self->common, categories);
    if (n == 0 || !self->fmi3->fmi3SetDebugLogging) return;
    fmi3Status status = self->fmi3->fmi3SetDebugLogging(self->component, fmi3True, n, categories);
    if (status == fmi3Fatal) takt_fmu_note_failure(&self->common, status);
}

takt_status takt_fmi3_create(const takt_fmi3_kind *kind, const takt_model *model, const char *name,
                             takt_log *log, takt_instance **out, takt_error *err)
{
    takt_fmi3_instance *self = calloc(1, sizeof *self);
    if (!self) return takt_fail_memory(err);
    self->common.states = &state_calls;
    self->next_event = INFINITY;
    takt_status st = takt_fmu_instance_init(&self->common, kind->type, model, name, log, err);
    if (!st) st = takt_fmi3_clocks_init(self, err);
    if (!st) {
        self->fmi3 = &self->common.library->fmi3;
        st = kind->create(self, err);
    }
    if (st && self->fmi3 && !self->component && takt_fmu_change_to_copy(&self->common)) {
        self->fmi3 = &self->common.library->fmi3;
        st = kind->create(self, err);
    }
    if (st)
        takt_fmi3_destroy(&self->common.base);
    else
        *out = &self->common.base;
    return st;
}

// Ends the FMU's part as far as it still may be called.
static void free_component(takt_fmi3_instance *self)
{
    if (!self->component || !takt_fmu_may_free(&self->common)) return;
    bool is_running =
        self->common.phase == TAKT_FMU_STEPPING || self->common.phase == TAKT_FMU_HANDLING_EVENTS;
    if (is_running && self->fmi3->fmi3Terminate &&
        self->fmi3->fmi3Terminate(self->component) == fmi3Fatal) {
        takt_fmu_note_failure(&self->common, fmi3Fatal);
        return;
    }
    if (self->fmi3->fmi3FreeInstance) self->fmi3->fmi3FreeInstance(self->component);
}

void takt_fmi3_destroy(takt_instance *instance)
{
    if (!instance) return;
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    free_component(self);
    takt_fmi3_values_clear(self);
    takt_fmi3_clocks_clear(self);
    takt_fmi3_intermediate_clear(self);
    takt_fmu_instance_clear(&self->common);
    takt_arena_clear(&self->arena);
    free(self);
}

// ---- initialization and end ----------------------------------------------------------------------

takt_status takt_fmi3_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    const takt_fmi3_functions *fmi3 = self->fmi3;
    self->common.time = interval->start;
    takt_status st = takt_fmu_begin(&self->common, fmi3->fmi3EnterInitializationMode != NULL,
                                    "fmi3EnterInitializationMode", err);
    if (!st)
        st = takt_fmu_check(&self->common,
                            (int)fmi3->fmi3EnterInitializationMode(
                                self->component, interval->has_tolerance, interval->tolerance,
                                interval->start, interval->has_stop, interval->stop),
                            "fmi3EnterInitializationMode", err);
    if (!st) self->common.phase = TAKT_FMU_INITIALIZING;
    return st;
}

takt_status takt_fmi3_terminate(takt_instance *instance, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    takt_status st =
        takt_fmu_begin(&self->common, self->fmi3->fmi3Terminate != NULL, "fmi3Terminate", err);
    if (!st)
        st = takt_fmu_check(&self->common, (int)self->fmi3->fmi3Terminate(self->component),
                            "fmi3Terminate", err);
    if (self->common.phase < TAKT_FMU_FAILED)
        self->common.phase = TAKT_FMU_TERMINATED; // whatever it said, it is not asked again
    return st;
}

// ---- events --------------------------------------------------------------------------------------

takt_status takt_fmi3_update(takt_fmi3_instance *self, takt_fmi3_answer *answer, takt_error *err)
{
    takt_status st = takt_fmu_begin(&self->common, self->fmi3->fmi3UpdateDiscreteStates != NULL,
                                    "fmi3UpdateDiscreteStates", err);
    if (st) return st;
    *answer = (takt_fmi3_answer){.next = INFINITY};
    fmi3Status status = self->fmi3->fmi3UpdateDiscreteStates(
        self->component, (fmi3Boolean *)&answer->needs_update, (fmi3Boolean *)&answer->terminates,
        (fmi3Boolean *)&answer->nominals, (fmi3Boolean *)&answer->states,
        (fmi3Boolean *)&answer->has_next, &answer->next);
    return takt_fmu_check(&self->common, (int)status, "fmi3UpdateDiscreteStates", err);
}
