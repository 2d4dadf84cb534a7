// SPDX-License-Identifier: MIT
// The interface of FMI 1.0 for co-simulation on top of the core. One table says which function may
// be called in which phase (FMI 1.0 for co-simulation, section 3.4). The names of its functions
// begin with that of the model, so this file is compiled once per FMU, with FMUKIT_PREFIX "<name>_".
#include "fmi1_instance.h"

#define JOIN_NOW(a, b) a##b
#define JOIN(a, b) JOIN_NOW(a, b)
#define PREFIXED(name) JOIN(FMUKIT_PREFIX, name)

#define DECLARE(result, name, parameters) FMUKIT_EXPORT result PREFIXED(name) parameters;
FMI1_COMMON_FUNCTIONS(DECLARE)
FMI1_CS_FUNCTIONS(DECLARE)
#undef DECLARE

static const fmukit_interface fmi1 = {.version = 1,
                                      .step_complete = "step complete",
                                      .boolean_size = sizeof(fmiBoolean),
                                      .enumeration_type = FMUKIT_INTEGER,
                                      .inputs_have_initial = true};

// ---- order of calls --------------------------------------------------------------------------------------

#define CALL_ID(result, name, parameters) CALL_##name,
typedef enum call_id { FMI1_COMMON_FUNCTIONS(CALL_ID) FMI1_CS_FUNCTIONS(CALL_ID) N_CALLS } call_id;
#undef CALL_ID

enum {
    INSTANTIATED = FMUKIT_INSTANTIATED,
    COMPLETE = FMUKIT_STEP_COMPLETE,
    IN_PROGRESS = FMUKIT_STEP_IN_PROGRESS,
    FAILED = FMUKIT_STEP_FAILED,
    CANCELED = FMUKIT_STEP_CANCELED,
    TERMINATED = FMUKIT_TERMINATED,
    IN_ERROR = FMUKIT_IN_ERROR,

    READABLE = COMPLETE | FAILED | CANCELED | TERMINATED | IN_ERROR,
    AT_REST = INSTANTIATED | READABLE,
    WRITABLE = INSTANTIATED | COMPLETE,
    HAS_STATUS = COMPLETE | IN_PROGRESS | FAILED | TERMINATED,
};

#define ALLOW(name, phases) [CALL_##name] = {#name, phases}
static const fmukit_call calls[N_CALLS] = {
    ALLOW(fmiInstantiateSlave, 0),
    ALLOW(fmiSetDebugLogging, AT_REST | IN_PROGRESS),
    ALLOW(fmiFreeSlaveInstance, AT_REST),
    ALLOW(fmiInitializeSlave, INSTANTIATED),
    ALLOW(fmiTerminateSlave, COMPLETE | FAILED),
    ALLOW(fmiResetSlave, AT_REST),
    ALLOW(fmiGetReal, READABLE),
    ALLOW(fmiGetInteger, READABLE),
    ALLOW(fmiGetBoolean, READABLE),
    ALLOW(fmiGetString, READABLE),
    ALLOW(fmiSetReal, WRITABLE),
    ALLOW(fmiSetInteger, WRITABLE),
    ALLOW(fmiSetBoolean, WRITABLE),
    ALLOW(fmiSetString, WRITABLE),
    ALLOW(fmiSetRealInputDerivatives, WRITABLE),
    ALLOW(fmiGetRealOutputDerivatives, READABLE),
    ALLOW(fmiDoStep, COMPLETE),
    ALLOW(fmiCancelStep, IN_PROGRESS),
    ALLOW(fmiGetStatus, HAS_STATUS),
    ALLOW(fmiGetRealStatus, HAS_STATUS),
    ALLOW(fmiGetIntegerStatus, HAS_STATUS),
    ALLOW(fmiGetBooleanStatus, HAS_STATUS),
    ALLOW(fmiGetStringStatus, HAS_STATUS),
};
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

// ---- life --------------------------------------------------------------------------------------------------

const char *PREFIXED(fmiGetTypesPlatform)(void)
{
    return FMI1_TYPES_PLATFORM;
}

const char *PREFIXED(fmiGetVersion)(void)
{
    return FMI1_VERSION;
}

fmiComponent PREFIXED(fmiInstantiateSlave)(fmiString instanceName, fmiString fmuGUID,
                                           fmiString fmuLocation, fmiString mimeType,
                                           fmiReal timeout, fmiBoolean visible,
                                           fmiBoolean interactive, fmiCallbackFunctions functions,
                                           fmiBoolean loggingOn)
{
    (void)mimeType, (void)timeout, (void)visible, (void)interactive;
    fmi1_instance early = {.callbacks = functions};
    early.core.interface = &fmi1;
    early.core.host = fmukit_choose_host(functions.allocateMemory, functions.freeMemory);
    early.core.host.log = log_message;
    early.core.enabled_categories = loggingOn ? ~0u : FMUKIT_LOG_ALWAYS;
    early.core.call = calls[CALL_fmiInstantiateSlave].name;
    const fmukit_request request = {
        .name = instanceName, .token = fmuGUID, .resources = fmuLocation, .inside = "resources"};
    return fmukit_instantiate(&early.core, sizeof early, &request);
}

void PREFIXED(fmiFreeSlaveInstance)(fmiComponent c)
{
    fmukit_free_instance(c, CALL(fmiFreeSlaveInstance));
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
    if (newStep)
        return to_fmi1(
            fmukit_call_step(c, CALL(fmiDoStep), currentCommunicationPoint, communicationStepSize));
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmiDoStep), "newStep = fmiFalse");
    if (fmu) fmukit_fail(fmu, FMUKIT_ERROR, "the FMU cannot repeat a step");
    return fmiError;
}

fmiStatus PREFIXED(fmiGetStatus)(fmiComponent c, const fmiStatusKind s, fmiStatus *value)
{
    fmukit_status status = fmukit_call_ask(c, CALL(fmiGetStatus), s, FMUKIT_ASK_STEP, value);
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
        fmukit_call_ask(c, CALL(fmiGetRealStatus), s, FMUKIT_ASK_LAST_TIME, value);
    if (status == FMUKIT_OK) *value = ((const fmukit_instance *)c)->last_time;
    return to_fmi1(status);
}

fmiStatus PREFIXED(fmiGetIntegerStatus)(fmiComponent c, const fmiStatusKind s, fmiInteger *value)
{
    return to_fmi1(fmukit_call_ask(c, CALL(fmiGetIntegerStatus), s, -1, value));
}

fmiStatus PREFIXED(fmiGetBooleanStatus)(fmiComponent c, const fmiStatusKind s, fmiBoolean *value)
{
    return to_fmi1(fmukit_call_ask(c, CALL(fmiGetBooleanStatus), s, -1, value));
}

fmiStatus PREFIXED(fmiGetStringStatus)(fmiComponent c, const fmiStatusKind s, fmiString *value)
{
    fmukit_status status =
        fmukit_call_ask(c, CALL(fmiGetStringStatus), s, FMUKIT_ASK_PENDING, value);
    if (status == FMUKIT_OK) *value = fmukit_phase_name(c);
    return to_fmi1(status);
}
