// SPDX-License-Identifier: MIT
// The interfaces of FMI 1.0 on top of the core. One table says which function may be called in which
// phase (FMI 1.0 for co-simulation, section 3.4; for model exchange, section 2.7). Both are in one
// library; the description says which one an FMU has. The names of functions begin with that of the
// model, so this file is compiled once per FMU, with FMUKIT_PREFIX "<name>_". Model exchange has no
// event mode here: an instance is always in continuous time.
#include "fmi1_instance.h"

#define JOIN_NOW(a, b) a##b
#define JOIN(a, b) JOIN_NOW(a, b)
#define PREFIXED(name) JOIN(FMUKIT_PREFIX, name)

#define DECLARE(result, name, parameters) FMUKIT_EXPORT result PREFIXED(name) parameters;
FMI1_COMMON_FUNCTIONS(DECLARE)
FMI1_CS_FUNCTIONS(DECLARE)
FMI1_ME_FUNCTIONS(DECLARE)
#undef DECLARE

static const fmukit_interface fmi1 = {.version = 1,
                                      .step_complete = "step complete",
                                      .boolean_size = sizeof(fmiBoolean),
                                      .enumeration_type = FMUKIT_INTEGER};

// ---- order of calls --------------------------------------------------------------------------------------

#define CALL_ID(result, name, parameters) CALL_##name,
typedef enum call_id {
    FMI1_COMMON_FUNCTIONS(CALL_ID) FMI1_CS_FUNCTIONS(CALL_ID) FMI1_ME_FUNCTIONS(CALL_ID) N_CALLS
} call_id;
#undef CALL_ID

enum {
    INSTANTIATED = FMUKIT_INSTANTIATED,
    COMPLETE = FMUKIT_STEP_COMPLETE,
    IN_PROGRESS = FMUKIT_STEP_IN_PROGRESS,
    FAILED = FMUKIT_STEP_FAILED,
    CANCELED = FMUKIT_STEP_CANCELED,
    TERMINATED = FMUKIT_TERMINATED,
    IN_ERROR = FMUKIT_IN_ERROR,
    CONTINUOUS = FMUKIT_CONTINUOUS_TIME,

    READABLE = COMPLETE | FAILED | CANCELED | CONTINUOUS | TERMINATED | IN_ERROR,
    AT_REST = INSTANTIATED | READABLE,
    WRITABLE = INSTANTIATED | COMPLETE | CONTINUOUS,
    HAS_STATUS = COMPLETE | IN_PROGRESS | FAILED | TERMINATED,
};

#define ALLOW(name, phases) [CALL_##name] = {#name, phases, 0}
#define ALLOW_ALSO(name, phases, tolerated) [CALL_##name] = {#name, phases, tolerated}
static const fmukit_call calls[N_CALLS] = {
    ALLOW(fmiInstantiateSlave, 0),
    ALLOW(fmiSetDebugLogging, AT_REST | IN_PROGRESS),
    ALLOW(fmiFreeSlaveInstance, AT_REST),
    ALLOW(fmiInitializeSlave, INSTANTIATED),
    ALLOW_ALSO(fmiTerminateSlave, COMPLETE | FAILED, AT_REST),
    ALLOW(fmiResetSlave, AT_REST),
    ALLOW_ALSO(fmiGetReal, READABLE, INSTANTIATED),
    ALLOW_ALSO(fmiGetInteger, READABLE, INSTANTIATED),
    ALLOW_ALSO(fmiGetBoolean, READABLE, INSTANTIATED),
    ALLOW_ALSO(fmiGetString, READABLE, INSTANTIATED),
    ALLOW_ALSO(fmiSetReal, WRITABLE, FAILED | TERMINATED),
    ALLOW_ALSO(fmiSetInteger, WRITABLE, FAILED | TERMINATED),
    ALLOW_ALSO(fmiSetBoolean, WRITABLE, FAILED | TERMINATED),
    ALLOW_ALSO(fmiSetString, WRITABLE, FAILED | TERMINATED),
    ALLOW_ALSO(fmiSetRealInputDerivatives, WRITABLE, FAILED),
    ALLOW(fmiGetRealOutputDerivatives, READABLE),
    ALLOW_ALSO(fmiDoStep, COMPLETE, FAILED),
    ALLOW(fmiCancelStep, IN_PROGRESS),
    ALLOW_ALSO(fmiGetStatus, HAS_STATUS, AT_REST),
    ALLOW_ALSO(fmiGetRealStatus, HAS_STATUS, AT_REST),
    ALLOW_ALSO(fmiGetIntegerStatus, HAS_STATUS, AT_REST),
    ALLOW_ALSO(fmiGetBooleanStatus, HAS_STATUS, AT_REST),
    ALLOW_ALSO(fmiGetStringStatus, HAS_STATUS, AT_REST),
    ALLOW(fmiInstantiateModel, 0),
    ALLOW(fmiFreeModelInstance, AT_REST),
    ALLOW(fmiSetTime, INSTANTIATED | CONTINUOUS),
    ALLOW(fmiSetContinuousStates, CONTINUOUS),
    ALLOW(fmiCompletedIntegratorStep, CONTINUOUS),
    ALLOW(fmiInitialize, INSTANTIATED),
    ALLOW(fmiGetDerivatives, CONTINUOUS | TERMINATED),
    ALLOW(fmiGetEventIndicators, CONTINUOUS | TERMINATED),
    ALLOW(fmiEventUpdate, CONTINUOUS),
    ALLOW_ALSO(fmiGetContinuousStates, CONTINUOUS | TERMINATED, INSTANTIATED),
    ALLOW(fmiGetNominalContinuousStates, AT_REST),
    ALLOW(fmiGetStateValueReferences, AT_REST),
    ALLOW_ALSO(fmiTerminate, CONTINUOUS, AT_REST),
};
#undef ALLOW_ALSO
#undef ALLOW

#define CALL(name) &calls[CALL_##name]

// ---- translation -------------------------------------------------------------------------------------------

static fmiStatus to_fmi1(fmukit_status status)
{
    return (fmiStatus)fmukit_status_number(status);
}

static void log_message(fmukit_instance *fmu, fmukit_status status, const char *category,
                        const char *text)
{
    const fmi1_instance *instance = (const fmi1_instance *)fmu;
    // There is no environment pointer; before it is instantiated the importing program cannot know
    // the instance.
    fmiComponent c = fmu->phase ? fmu : NULL;
    if (instance->callbacks.logger)
        instance->callbacks.logger(c, fmu->name, to_fmi1(status), category, "%s", text);
}

// ---- creation and end --------------------------------------------------------------------------------------------------

const char *PREFIXED(fmiGetTypesPlatform)(void)
{
    return FMI1_TYPES_PLATFORM;
}

const char *PREFIXED(fmiGetVersion)(void)
{
    return FMI1_VERSION;
}

const char *PREFIXED(fmiGetModelTypesPlatform)(void)
{
    return FMI1_TYPES_PLATFORM;
}

static fmiComponent instantiate(fmi1_instance *early, const fmukit_call *call,
                                const fmukit_request *request, fmiBoolean is_logging)
{
    const fmiCallbackFunctions *callbacks = &early->callbacks;
    early->core.interface = &fmi1;
    early->core.host = fmukit_choose_host(callbacks->allocateMemory, callbacks->freeMemory);
    early->core.host.log = log_message;
    early->core.enabled_categories = is_logging ? ~0u : FMUKIT_LOG_ALWAYS;
    early->core.call = call->name;
    return fmukit_instantiate(&early->core, sizeof *early, request);
}

fmiComponent PREFIXED(fmiInstantiateSlave)(fmiString instanceName, fmiString fmuGUID,
                                           fmiString fmuLocation, fmiString mimeType,
                                           fmiReal timeout, fmiBoolean visible,
                                           fmiBoolean interactive, fmiCallbackFunctions functions,
                                           fmiBoolean loggingOn)
{
    (void)mimeType, (void)timeout, (void)visible, (void)interactive;
    fmi1_instance early = {.callbacks = functions};
    const fmukit_request request = {.name = instanceName,
                                    .token = fmuGUID,
                                    .resources = fmuLocation,
                                    .inside = "resources",
                                    .refusal = fmukit_refusal(FMUKIT_CO_SIMULATION)};
    return instantiate(&early, CALL(fmiInstantiateSlave), &request, loggingOn);
}

fmiComponent PREFIXED(fmiInstantiateModel)(fmiString instanceName, fmiString GUID,
                                           fmiModelCallbackFunctions functions,
                                           fmiBoolean loggingOn)
{
    fmi1_instance early = {.callbacks = {.logger = functions.logger,
                                         .allocateMemory = functions.allocateMemory,
                                         .freeMemory = functions.freeMemory}};
    early.core.is_model_exchange = early.core.uses_events = true;
    const fmukit_request request = {
        .name = instanceName, .token = GUID, .refusal = fmukit_refusal(FMUKIT_MODEL_EXCHANGE)};
    return instantiate(&early, CALL(fmiInstantiateModel), &request, loggingOn);
}

void PREFIXED(fmiFreeSlaveInstance)(fmiComponent c)
{
    fmukit_free_instance(c, CALL(fmiFreeSlaveInstance));
}

void PREFIXED(fmiFreeModelInstance)(fmiComponent c)
{
    fmukit_free_instance(c, CALL(fmiFreeModelInstance));
}

fmiStatus PREFIXED(fmiSetDebugLogging)(fmiComponent c, fmiBoolean loggingOn)
{
    return to_fmi1(
        fmukit_call_set_logging(c, CALL(fmiSetDebugLogging), loggingOn != fmiFalse, 0, NULL));
}

fmiStatus PREFIXED(fmiInitializeSlave)(fmiComponent c, fmiReal tStart, fmiBoolean stopTimeDefined,
                                       fmiReal tStop)
{
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmiInitializeSlave), "tStart = %.15g", tStart);
    if (!fmu) return fmiError;
    fmukit_status status = fmukit_set_up(fmu, 0, tStart, stopTimeDefined != fmiFalse, tStop);
    if (!fmukit_is_failure(status)) status = fmukit_enter_initialization(fmu);
    if (!fmukit_is_failure(status)) status = fmukit_exit_initialization(fmu);
    return to_fmi1(status);
}

#define SIMPLE(name, function)                                                                     \
    fmiStatus PREFIXED(name)(fmiComponent c)                                                       \
    {                                                                                              \
        return to_fmi1(fmukit_call_simple(c, CALL(name), function));                               \
    }
SIMPLE(fmiTerminateSlave, fmukit_terminate)
SIMPLE(fmiTerminate, fmukit_terminate)
SIMPLE(fmiResetSlave, fmukit_reset)
SIMPLE(fmiCancelStep, fmukit_cancel)

// ---- values ------------------------------------------------------------------------------------------------------

#define GET_AND_SET(Type, TYPE)                                                                    \
    fmiStatus PREFIXED(fmiGet##Type)(fmiComponent c, const fmiValueReference vr[], size_t nvr,     \
                                     fmi##Type value[])                                            \
    {                                                                                              \
        const fmukit_access access = {FMUKIT_##TYPE, vr, nvr, nvr};                                \
        return to_fmi1(fmukit_call_get(c, CALL(fmiGet##Type), &access, value));                    \
    }                                                                                              \
    fmiStatus PREFIXED(fmiSet##Type)(fmiComponent c, const fmiValueReference vr[], size_t nvr,     \
                                     const fmi##Type value[])                                      \
    {                                                                                              \
        const fmukit_access access = {FMUKIT_##TYPE, vr, nvr, nvr};                                \
        return to_fmi1(fmukit_call_set(c, CALL(fmiSet##Type), &access, value));                    \
    }
GET_AND_SET(Real, REAL)
GET_AND_SET(Integer, INTEGER)
GET_AND_SET(Boolean, BOOLEAN)
GET_AND_SET(String, STRING)

fmiStatus PREFIXED(fmiSetRealInputDerivatives)(fmiComponent c, const fmiValueReference vr[],
                                               size_t nvr, const fmiInteger order[],
                                               const fmiReal value[])
{
    return to_fmi1(fmukit_call_set_input_derivatives(c, CALL(fmiSetRealInputDerivatives), vr, nvr,
                                                     order, value));
}

fmiStatus PREFIXED(fmiGetRealOutputDerivatives)(fmiComponent c, const fmiValueReference vr[],
                                                size_t nvr, const fmiInteger order[],
                                                fmiReal value[])
{
    return to_fmi1(fmukit_call_get_output_derivatives(c, CALL(fmiGetRealOutputDerivatives), vr, nvr,
                                                      order, value, nvr));
}

// ---- steps -----------------------------------------------------------------------------------------------------------

fmiStatus PREFIXED(fmiDoStep)(fmiComponent c, fmiReal currentCommunicationPoint,
                              fmiReal communicationStepSize, fmiBoolean newStep)
{
    // What begins where the FMU is repeats nothing, whatever is said.
    const fmukit_instance *where = c;
    if (newStep || (where && fmukit_is_at(where, currentCommunicationPoint, communicationStepSize)))
        return to_fmi1(fmukit_call_step(c, CALL(fmiDoStep), currentCommunicationPoint,
                                        communicationStepSize, true));
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmiDoStep), "newStep = fmiFalse");
    if (fmu) fmukit_fail(fmu, FMUKIT_ERROR, "the FMU cannot repeat a step");
    return fmiError;
}

fmiStatus PREFIXED(fmiGetStatus)(fmiComponent c, const fmiStatusKind s, fmiStatus *value)
{
    fmukit_status status = fmukit_call_ask(c, CALL(fmiGetStatus), (int)s, FMUKIT_ASK_STEP, value);
    if (status != FMUKIT_OK) return to_fmi1(status);
    bool is_just_finished;
    *value = to_fmi1(fmukit_ask_step(c, &is_just_finished));
    const fmi1_instance *instance = c;
    if (is_just_finished && instance->callbacks.stepFinished)
        instance->callbacks.stepFinished(c, *value);
    return fmiOK;
}

fmiStatus PREFIXED(fmiGetRealStatus)(fmiComponent c, const fmiStatusKind s, fmiReal *value)
{
    fmukit_status status =
        fmukit_call_ask(c, CALL(fmiGetRealStatus), (int)s, FMUKIT_ASK_LAST_TIME, value);
    if (status == FMUKIT_OK) *value = ((const fmukit_instance *)c)->last_time;
    return to_fmi1(status);
}

fmiStatus PREFIXED(fmiGetIntegerStatus)(fmiComponent c, const fmiStatusKind s, fmiInteger *value)
{
    return to_fmi1(fmukit_call_ask(c, CALL(fmiGetIntegerStatus), (int)s, -1, value));
}

fmiStatus PREFIXED(fmiGetBooleanStatus)(fmiComponent c, const fmiStatusKind s, fmiBoolean *value)
{
    return to_fmi1(fmukit_call_ask(c, CALL(fmiGetBooleanStatus), (int)s, -1, value));
}

fmiStatus PREFIXED(fmiGetStringStatus)(fmiComponent c, const fmiStatusKind s, fmiString *value)
{
    fmukit_status status =
        fmukit_call_ask(c, CALL(fmiGetStringStatus), (int)s, FMUKIT_ASK_PENDING, value);
    if (status == FMUKIT_OK) *value = fmukit_phase_name(c);
    return to_fmi1(status);
}

// ---- model exchange --------------------------------------------------------------------------------------------------

// One change, or all of them until nothing changes any more.
static fmukit_status update(fmukit_instance *fmu, bool is_single, fmiEventInfo *info)
{
    enum { MAX_CHANGES = 1000 };
    fmukit_event event = {.again = true};
    fmukit_status worst = FMUKIT_OK;
    *info = (fmiEventInfo){.stateValuesChanged = fmiFalse};
    for (int i = 0; event.again && i < MAX_CHANGES; i++) {
        bool are_changed;
        fmukit_status status = fmukit_update_states(fmu, &event, &are_changed);
        if (fmukit_is_failure(status)) return status;
        worst = fmukit_worse(worst, status);
        if (are_changed) info->stateValuesChanged = fmiTrue;
        if (is_single || event.terminate) break;
    }
    info->iterationConverged = !event.again;
    info->terminateSimulation = event.terminate;
    info->upcomingTimeEvent = event.has_next_time;
    info->nextEventTime = event.next_time;
    if (is_single || event.terminate || !event.again) return worst;
    fmu->phase = FMUKIT_IN_ERROR;
    return fmukit_fail(fmu, FMUKIT_ERROR, "the event at time %.15g does not end after %d changes",
                       fmu->time, MAX_CHANGES);
}

fmiStatus PREFIXED(fmiInitialize)(fmiComponent c, fmiBoolean toleranceControlled,
                                  fmiReal relativeTolerance, fmiEventInfo *eventInfo)
{
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmiInitialize), "called");
    if (!fmu || !fmukit_is_given(fmu, eventInfo, "eventInfo")) return fmiError;
    double tolerance = toleranceControlled ? relativeTolerance : 0;
    fmukit_status status = fmukit_set_up(fmu, tolerance, fmu->time, false, 0);
    if (!fmukit_is_failure(status)) status = fmukit_enter_initialization(fmu);
    if (!fmukit_is_failure(status)) status = fmukit_exit_initialization(fmu);
    if (!fmukit_is_failure(status)) status = fmukit_worse(status, update(fmu, false, eventInfo));
    if (!fmukit_is_failure(status))
        status = fmukit_worse(status, fmukit_enter_continuous_time(fmu));
    return to_fmi1(status);
}

fmiStatus PREFIXED(fmiEventUpdate)(fmiComponent c, fmiBoolean intermediateResults,
                                   fmiEventInfo *eventInfo)
{
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmiEventUpdate), "intermediateResults = %d",
                                        intermediateResults != fmiFalse);
    if (!fmu || !fmukit_is_given(fmu, eventInfo, "eventInfo")) return fmiError;
    return to_fmi1(update(fmu, intermediateResults != fmiFalse, eventInfo));
}

fmiStatus PREFIXED(fmiCompletedIntegratorStep)(fmiComponent c, fmiBoolean *callEventUpdate)
{
    bool has_event;
    fmukit_status status =
        fmukit_call_completed_step(c, CALL(fmiCompletedIntegratorStep), &has_event);
    if (callEventUpdate) *callEventUpdate = has_event;
    return to_fmi1(status);
}

fmiStatus PREFIXED(fmiSetTime)(fmiComponent c, fmiReal time)
{
    return to_fmi1(fmukit_call_set_time(c, CALL(fmiSetTime), time));
}

fmiStatus PREFIXED(fmiSetContinuousStates)(fmiComponent c, const fmiReal x[], size_t nx)
{
    return to_fmi1(fmukit_call_set_states(c, CALL(fmiSetContinuousStates), x, nx));
}

#define READ(name, function, count)                                                                \
    fmiStatus PREFIXED(name)(fmiComponent c, fmiReal values[], size_t n)                           \
    {                                                                                              \
        return to_fmi1(fmukit_call_read(c, CALL(name), function, count, values, n));               \
    }
READ(fmiGetDerivatives, fmukit_read_derivatives, fmukit_n_continuous)
READ(fmiGetEventIndicators, fmukit_read_indicators, fmukit_n_indicators)
READ(fmiGetContinuousStates, fmukit_get_states, fmukit_n_continuous)
READ(fmiGetNominalContinuousStates, fmukit_get_nominals, fmukit_n_continuous)

fmiStatus PREFIXED(fmiGetStateValueReferences)(fmiComponent c, fmiValueReference vrx[], size_t nx)
{
    fmukit_instance *fmu =
        fmukit_enter(c, CALL(fmiGetStateValueReferences), "nx = %lu", (unsigned long)nx);
    if (!fmu || !fmukit_are_given(fmu, fmu, vrx, nx)) return fmiError;
    if (nx != fmu->n_states) { // there are no arrays in this version
        fmukit_fail(fmu, FMUKIT_ERROR, "there are %lu states", (unsigned long)fmu->n_states);
        return fmiError;
    }
    for (size_t i = 0; i < nx; i++)
        vrx[i] = (fmiValueReference)(fmu->states[i].variable - fmu->model->variables);
    return fmiOK;
}
