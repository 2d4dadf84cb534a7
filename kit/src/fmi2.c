// SPDX-License-Identifier: MIT
// The interfaces of FMI 2.0 on top of the core. One table says which function may be called in which
// phase (FMI 2.0, sections 3.2.3 and 4.2.4); phases of the other interface are never reached.
// Everything else is translation.
#include "fmi2_instance.h"

#define DECLARE(result, name, parameters) FMUKIT_EXPORT result name parameters;
FMI2_COMMON_FUNCTIONS(DECLARE)
FMI2_CS_FUNCTIONS(DECLARE)
FMI2_ME_FUNCTIONS(DECLARE)
#undef DECLARE

static const fmukit_interface fmi2 = {.version = 2,
                                      .step_complete = "step complete",
                                      .boolean_size = sizeof(fmi2Boolean),
                                      .enumeration_type = FMUKIT_INTEGER};

// ---- order of calls --------------------------------------------------------------------------------------

#define CALL_ID(result, name, parameters) CALL_##name,
typedef enum call_id {
    FMI2_COMMON_FUNCTIONS(CALL_ID) FMI2_CS_FUNCTIONS(CALL_ID) FMI2_ME_FUNCTIONS(CALL_ID) N_CALLS
} call_id;
#undef CALL_ID

enum {
    INSTANTIATED = FMUKIT_INSTANTIATED,
    INITIALIZATION = FMUKIT_INITIALIZATION,
    COMPLETE = FMUKIT_STEP_COMPLETE,
    IN_PROGRESS = FMUKIT_STEP_IN_PROGRESS,
    FAILED = FMUKIT_STEP_FAILED,
    CANCELED = FMUKIT_STEP_CANCELED,
    TERMINATED = FMUKIT_TERMINATED,
    IN_ERROR = FMUKIT_IN_ERROR,
    EVENT_MODE = FMUKIT_EVENT_MODE,
    CONTINUOUS = FMUKIT_CONTINUOUS_TIME,

    RUNNING = COMPLETE | EVENT_MODE | CONTINUOUS,
    READABLE = INITIALIZATION | RUNNING | FAILED | CANCELED | TERMINATED | IN_ERROR,
    AT_REST = INSTANTIATED | READABLE,
    WRITABLE = INSTANTIATED | INITIALIZATION | RUNNING,
    HAS_STATUS = COMPLETE | IN_PROGRESS | FAILED | TERMINATED,
};

// Functions without an instance have no phases. What else depends on the variable is checked in
// values.c.
#define ALLOW(name, phases) [CALL_##name] = {#name, phases, 0}
#define ALLOW_ALSO(name, phases, tolerated) [CALL_##name] = {#name, phases, tolerated}
static const fmukit_call calls[N_CALLS] = {
    ALLOW(fmi2Instantiate, 0),
    ALLOW(fmi2SetDebugLogging, AT_REST | IN_PROGRESS),
    ALLOW(fmi2FreeInstance, AT_REST),
    ALLOW_ALSO(fmi2SetupExperiment, INSTANTIATED, INITIALIZATION),
    ALLOW_ALSO(fmi2EnterInitializationMode, INSTANTIATED, INITIALIZATION),
    ALLOW_ALSO(fmi2ExitInitializationMode, INITIALIZATION, INSTANTIATED | RUNNING),
    ALLOW_ALSO(fmi2Terminate, RUNNING | FAILED, AT_REST),
    ALLOW(fmi2Reset, AT_REST),
    ALLOW_ALSO(fmi2GetReal, READABLE, INSTANTIATED),
    ALLOW_ALSO(fmi2GetInteger, READABLE, INSTANTIATED),
    ALLOW_ALSO(fmi2GetBoolean, READABLE, INSTANTIATED),
    ALLOW_ALSO(fmi2GetString, READABLE, INSTANTIATED),
    ALLOW_ALSO(fmi2SetReal, WRITABLE, FAILED | TERMINATED),
    ALLOW_ALSO(fmi2SetInteger, WRITABLE, FAILED | TERMINATED),
    ALLOW_ALSO(fmi2SetBoolean, WRITABLE, FAILED | TERMINATED),
    ALLOW_ALSO(fmi2SetString, WRITABLE, FAILED | TERMINATED),
    ALLOW(fmi2GetFMUstate, AT_REST),
    ALLOW(fmi2SetFMUstate, AT_REST),
    ALLOW(fmi2FreeFMUstate, AT_REST),
    ALLOW(fmi2SerializedFMUstateSize, AT_REST),
    ALLOW(fmi2SerializeFMUstate, AT_REST),
    ALLOW(fmi2DeSerializeFMUstate, AT_REST),
    ALLOW(fmi2GetDirectionalDerivative, READABLE),
    ALLOW_ALSO(fmi2SetRealInputDerivatives, WRITABLE, FAILED),
    ALLOW_ALSO(fmi2GetRealOutputDerivatives, READABLE & ~INITIALIZATION, INITIALIZATION),
    ALLOW_ALSO(fmi2DoStep, COMPLETE, INITIALIZATION | FAILED),
    ALLOW(fmi2CancelStep, IN_PROGRESS),
    ALLOW_ALSO(fmi2GetStatus, HAS_STATUS, AT_REST),
    ALLOW_ALSO(fmi2GetRealStatus, HAS_STATUS, AT_REST),
    ALLOW_ALSO(fmi2GetIntegerStatus, HAS_STATUS, AT_REST),
    ALLOW_ALSO(fmi2GetBooleanStatus, HAS_STATUS, AT_REST),
    ALLOW_ALSO(fmi2GetStringStatus, HAS_STATUS, AT_REST),
    ALLOW_ALSO(fmi2EnterEventMode, CONTINUOUS, EVENT_MODE),
    ALLOW_ALSO(fmi2NewDiscreteStates, EVENT_MODE, CONTINUOUS),
    ALLOW_ALSO(fmi2EnterContinuousTimeMode, EVENT_MODE, CONTINUOUS),
    ALLOW_ALSO(fmi2CompletedIntegratorStep, CONTINUOUS, EVENT_MODE),
    ALLOW_ALSO(fmi2SetTime, EVENT_MODE | CONTINUOUS, INSTANTIATED | INITIALIZATION),
    ALLOW_ALSO(fmi2SetContinuousStates, CONTINUOUS, EVENT_MODE),
    ALLOW(fmi2GetDerivatives, READABLE & ~COMPLETE),
    ALLOW(fmi2GetEventIndicators, READABLE & ~COMPLETE),
    ALLOW_ALSO(fmi2GetContinuousStates, READABLE & ~COMPLETE, INSTANTIATED),
    ALLOW(fmi2GetNominalsOfContinuousStates, AT_REST & ~COMPLETE),
};
#undef ALLOW_ALSO
#undef ALLOW

#define CALL(name) &calls[CALL_##name]

// ---- translation -------------------------------------------------------------------------------------------

static fmi2Status to_fmi2(fmukit_status status)
{
    return (fmi2Status)fmukit_status_number(status);
}

static void log_message(fmukit_instance *fmu, fmukit_status status, const char *category,
                        const char *text)
{
    const fmi2CallbackFunctions *callbacks = &((const fmi2_instance *)fmu)->callbacks;
    if (callbacks->logger)
        callbacks->logger(callbacks->componentEnvironment, fmu->name, to_fmi2(status), category,
                          "%s", text);
}

// ---- creation and end ----------------------------------------------------------------------------------------

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean loggingOn)
{
    (void)visible;
    bool is_exchange = fmuType == fmi2ModelExchange;
    fmi2_instance early = {.callbacks = {0}};
    if (functions) early.callbacks = *functions;
    early.core.is_model_exchange = early.core.uses_events = is_exchange;
    early.core.interface = &fmi2;
    early.core.host =
        fmukit_choose_host(early.callbacks.allocateMemory, early.callbacks.freeMemory);
    early.core.host.log = log_message;
    early.core.enabled_categories = loggingOn ? ~0u : FMUKIT_LOG_ALWAYS;
    early.core.call = calls[CALL_fmi2Instantiate].name;
    const fmukit_request request = {
        .name = instanceName,
        .token = fmuGUID,
        .resources = fmuResourceLocation,
        .inside = "",
        .refusal = fmukit_refusal(is_exchange ? FMUKIT_MODEL_EXCHANGE : FMUKIT_CO_SIMULATION)};
    return fmukit_instantiate(&early.core, sizeof early, &request);
}

void fmi2FreeInstance(fmi2Component c)
{
    fmukit_free_instance(c, CALL(fmi2FreeInstance));
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[])
{
    return to_fmi2(fmukit_call_set_logging(c, CALL(fmi2SetDebugLogging), loggingOn != fmi2False,
                                           nCategories, categories));
}

// ---- initialization and end of a run -----------------------------------------------------------------------------

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime)
{
    fmukit_instance *fmu =
        fmukit_enter(c, CALL(fmi2SetupExperiment), "startTime = %.15g", startTime);
    if (!fmu) return fmi2Error;
    return to_fmi2(fmukit_set_up(fmu, toleranceDefined ? tolerance : 0, startTime,
                                 stopTimeDefined != fmi2False, stopTime));
}

#define SIMPLE(name, function)                                                                     \
    fmi2Status name(fmi2Component c)                                                               \
    {                                                                                              \
        return to_fmi2(fmukit_call_simple(c, CALL(name), function));                               \
    }
SIMPLE(fmi2EnterInitializationMode, fmukit_enter_initialization)
SIMPLE(fmi2ExitInitializationMode, fmukit_exit_initialization)
SIMPLE(fmi2Terminate, fmukit_terminate)
SIMPLE(fmi2Reset, fmukit_reset)
SIMPLE(fmi2CancelStep, fmukit_cancel)
SIMPLE(fmi2EnterEventMode, fmukit_enter_event_mode)
SIMPLE(fmi2EnterContinuousTimeMode, fmukit_enter_continuous_time)

// ---- values ------------------------------------------------------------------------------------------------------

#define GET_AND_SET(Type, TYPE)                                                                    \
    fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,           \
                             fmi2##Type value[])                                                   \
    {                                                                                              \
        const fmukit_access access = {FMUKIT_##TYPE, vr, nvr, nvr};                                \
        return to_fmi2(fmukit_call_get(c, CALL(fmi2Get##Type), &access, value));                   \
    }                                                                                              \
    fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,           \
                             const fmi2##Type value[])                                             \
    {                                                                                              \
        const fmukit_access access = {FMUKIT_##TYPE, vr, nvr, nvr};                                \
        return to_fmi2(fmukit_call_set(c, CALL(fmi2Set##Type), &access, value));                   \
    }
GET_AND_SET(Real, REAL)
GET_AND_SET(Integer, INTEGER)
GET_AND_SET(Boolean, BOOLEAN)
GET_AND_SET(String, STRING)

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown[],
                                        size_t nUnknown, const fmi2ValueReference vKnown[],
                                        size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[])
{
    fmukit_instance *fmu =
        fmukit_enter(c, CALL(fmi2GetDirectionalDerivative), "nUnknown = %lu, nKnown = %lu",
                     (unsigned long)nUnknown, (unsigned long)nKnown);
    if (!fmu) return fmi2Error;
    const fmukit_jacobian jacobian = {vUnknown, vKnown, nUnknown, nKnown};
    return to_fmi2(
        fmukit_differentiate(fmu, &jacobian, false, dvKnown, nKnown, dvUnknown, nUnknown));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    return to_fmi2(fmukit_call_set_input_derivatives(c, CALL(fmi2SetRealInputDerivatives), vr, nvr,
                                                     order, value));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[])
{
    return to_fmi2(fmukit_call_get_output_derivatives(c, CALL(fmi2GetRealOutputDerivatives), vr,
                                                      nvr, order, value, nvr));
}

// ---- saved states --------------------------------------------------------------------------------------------------

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    return to_fmi2(fmukit_call_save(c, CALL(fmi2GetFMUstate), state));
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    return to_fmi2(fmukit_call_restore(c, CALL(fmi2SetFMUstate), state));
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    return to_fmi2(fmukit_call_free_state(c, CALL(fmi2FreeFMUstate), state));
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    return to_fmi2(fmukit_call_state_size(c, CALL(fmi2SerializedFMUstateSize), state, size));
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    return to_fmi2(fmukit_call_serialize(c, CALL(fmi2SerializeFMUstate), state, bytes, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate *state)
{
    return to_fmi2(fmukit_call_deserialize(c, CALL(fmi2DeSerializeFMUstate), bytes, size, state));
}

// ---- steps -----------------------------------------------------------------------------------------------------------

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize, fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    return to_fmi2(fmukit_call_step(c, CALL(fmi2DoStep), currentCommunicationPoint,
                                    communicationStepSize,
                                    noSetFMUStatePriorToCurrentPoint != fmi2False));
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value)
{
    fmukit_status status = fmukit_call_ask(c, CALL(fmi2GetStatus), (int)s, FMUKIT_ASK_STEP, value);
    if (status != FMUKIT_OK) return to_fmi2(status);
    bool is_just_finished;
    *value = to_fmi2(fmukit_ask_step(c, &is_just_finished));
    const fmi2CallbackFunctions *callbacks = &((const fmi2_instance *)c)->callbacks;
    if (is_just_finished && callbacks->stepFinished)
        callbacks->stepFinished(callbacks->componentEnvironment, *value);
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value)
{
    fmukit_status status =
        fmukit_call_ask(c, CALL(fmi2GetRealStatus), (int)s, FMUKIT_ASK_LAST_TIME, value);
    if (status == FMUKIT_OK) *value = ((const fmukit_instance *)c)->last_time;
    return to_fmi2(status);
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer *value)
{
    return to_fmi2(fmukit_call_ask(c, CALL(fmi2GetIntegerStatus), (int)s, -1, value));
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value)
{
    fmukit_status status =
        fmukit_call_ask(c, CALL(fmi2GetBooleanStatus), (int)s, FMUKIT_ASK_TERMINATED, value);
    if (status == FMUKIT_OK) *value = ((const fmukit_instance *)c)->wants_end;
    return to_fmi2(status);
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value)
{
    fmukit_status status =
        fmukit_call_ask(c, CALL(fmi2GetStringStatus), (int)s, FMUKIT_ASK_PENDING, value);
    if (status == FMUKIT_OK) *value = fmukit_phase_name(c);
    return to_fmi2(status);
}

// ---- model exchange --------------------------------------------------------------------------------------------------

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmi2NewDiscreteStates), "called");
    if (!fmu || !fmukit_is_given(fmu, info, "eventInfo")) return fmi2Error;
    fmukit_event event;
    bool are_changed;
    fmukit_status status = fmukit_update_states(fmu, &event, &are_changed);
    if (fmukit_is_failure(status)) return to_fmi2(status);
    *info = (fmi2EventInfo){.newDiscreteStatesNeeded = event.again,
                            .terminateSimulation = event.terminate,
                            .valuesOfContinuousStatesChanged = are_changed,
                            .nextEventTimeDefined = event.has_next_time,
                            .nextEventTime = event.next_time};
    return to_fmi2(status);
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                       fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    bool has_event;
    fmukit_status status =
        fmukit_call_completed_step(c, CALL(fmi2CompletedIntegratorStep), &has_event);
    if (enterEventMode) *enterEventMode = has_event;
    if (terminateSimulation) *terminateSimulation = fmi2False;
    return to_fmi2(status);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    return to_fmi2(fmukit_call_set_time(c, CALL(fmi2SetTime), time));
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx)
{
    return to_fmi2(fmukit_call_set_states(c, CALL(fmi2SetContinuousStates), x, nx));
}

#define READ(name, function, count)                                                                \
    fmi2Status name(fmi2Component c, fmi2Real values[], size_t n)                                  \
    {                                                                                              \
        return to_fmi2(fmukit_call_read(c, CALL(name), function, count, values, n));               \
    }
READ(fmi2GetDerivatives, fmukit_read_derivatives, fmukit_n_continuous)
READ(fmi2GetEventIndicators, fmukit_read_indicators, fmukit_n_indicators)
READ(fmi2GetContinuousStates, fmukit_get_states, fmukit_n_continuous)
READ(fmi2GetNominalsOfContinuousStates, fmukit_get_nominals, fmukit_n_continuous)
