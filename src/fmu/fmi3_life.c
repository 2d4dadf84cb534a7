// SPDX-License-Identifier: MIT
// Life, initialization and events of FMUs of FMI 3.0 (specification 3.0.2, section 2.3); see fmi3_life.h.
#include "fmu/fmi3_life.h"

#include <math.h>

#include "fmu/fmi3_clocks.h"
#include "fmu/fmi3_configure.h"
#include "fmu/fmi3_intermediate.h"
#include "fmu/fmi3_values.h"
#include "fmu/trace.h"

TAKT_STATE_CALLS(takt_fmi3_state_calls, takt_fmi3_instance, fmi3GetFMUState, fmi3SetFMUState,
                 fmi3FreeFMUState, fmi3SerializedFMUStateSize, fmi3SerializeFMUState,
                 fmi3DeserializeFMUState);

// ---- messages ------------------------------------------------------------------------------------

TAKT_FMI_CALL void takt_fmi3_log_message(fmi3InstanceEnvironment environment, fmi3Status status,
                                         fmi3String category, fmi3String message)
{
    takt_fmu_instance *self = message ? takt_fmu_contact_enter(environment) : NULL;
    if (!self) return;
    char text[TAKT_FMU_TEXT_SIZE];
    takt_fmu_log_copy(text, sizeof text, message);
    takt_fmu_log_receive(&self->log, (int)status, category, text);
    takt_fmu_contact_leave(environment);
}

bool takt_fmi3_logs_all(const takt_fmi3_instance *self)
{
    return takt_log_wants(self->common.base.log, TAKT_LEVEL_DEBUG);
}

// Asks for messages about problems where the FMU offers them. An FMU that refuses is as good as before.
static void ask_for_problems(takt_fmi3_instance *self)
{
    fmi3String categories[TAKT_FMU_MAX_CATEGORIES];
    size_t n = takt_fmu_problem_categories(&self->common, categories);
    if (n == 0 || !self->functions->fmi3SetDebugLogging) return;
    takt_fmu_name_call(&self->common, "fmi3SetDebugLogging");
    fmi3Status status =
        self->functions->fmi3SetDebugLogging(self->common.component, fmi3True, n, categories);
    takt_fmu_end(&self->common);
    if (status == fmi3Fatal) takt_fmu_note_failure(&self->common, (int)status);
}

// ---- life ----------------------------------------------------------------------------------------

takt_status takt_fmi3_prepare(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)common;
    self->next_event = INFINITY;
    return takt_fmi3_clocks_init(self, err);
}

takt_status takt_fmi3_created(takt_fmi3_instance *self, takt_error *err)
{
    takt_status st = takt_fmi3_trace(self, err);
    if (st) return st;
    if (!takt_fmi3_logs_all(self)) ask_for_problems(self);
    return takt_fmi3_configure(self, err);
}

takt_status takt_fmi3_terminate(takt_fmu_instance *common, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)common;
    return TAKT_FMU_ENTER(self, fmi3Terminate, err);
}

void takt_fmi3_free(takt_fmu_instance *common)
{
    const takt_fmi3_functions *functions = ((takt_fmi3_instance *)common)->functions;
    if (!functions->fmi3FreeInstance) return;
    takt_fmu_name_call(common, "fmi3FreeInstance");
    functions->fmi3FreeInstance(common->component);
    takt_fmu_end(common);
}

void takt_fmi3_clear(takt_fmu_instance *common)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)common;
    takt_fmi3_values_clear(self);
    takt_fmi3_clocks_clear(self);
    takt_fmi3_intermediate_clear(self);
    takt_arena_clear(&self->arena);
}

// ---- initialization and events -------------------------------------------------------------------

takt_status takt_fmi3_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    self->common.time = interval->start;
    takt_status st =
        TAKT_FMU_CALL(self, fmi3EnterInitializationMode, err, interval->has_tolerance,
                      interval->tolerance, interval->start, interval->has_stop, interval->stop);
    if (!st) self->common.phase = TAKT_FMU_INITIALIZING;
    return st;
}

takt_status takt_fmi3_update(takt_fmi3_instance *self, takt_fmi3_answer *answer, takt_error *err)
{
    *answer = (takt_fmi3_answer){.next = INFINITY};
    return TAKT_FMU_CALL(self, fmi3UpdateDiscreteStates, err, (fmi3Boolean *)&answer->needs_update,
                         (fmi3Boolean *)&answer->terminates, (fmi3Boolean *)&answer->nominals,
                         (fmi3Boolean *)&answer->states, (fmi3Boolean *)&answer->has_next,
                         &answer->next);
}
