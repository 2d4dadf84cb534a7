// SPDX-License-Identifier: MIT
// The interface of FMI 2.0 for co-simulation on top of the core. One table says which function may
// be called in which phase (FMI 2.0, section 4.2.4); every function passes through enter(), which
// consults it. Everything else is translation.
#include "fmi2_instance.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#define DECLARE(result, name, parameters) EXPORT result name parameters;
FMI2_COMMON_FUNCTIONS(DECLARE)
FMI2_CS_FUNCTIONS(DECLARE)
#undef DECLARE

// ---- order of calls --------------------------------------------------------------------------------------

#define CALL_ID(result, name, parameters) CALL_##name,
typedef enum call_id { FMI2_COMMON_FUNCTIONS(CALL_ID) FMI2_CS_FUNCTIONS(CALL_ID) N_CALLS } call_id;
#undef CALL_ID

#define CALL_NAME(result, name, parameters) [CALL_##name] = #name,
static const char *const call_names[N_CALLS] = {FMI2_COMMON_FUNCTIONS(CALL_NAME)
                                                    FMI2_CS_FUNCTIONS(CALL_NAME)};
#undef CALL_NAME

enum {
    INSTANTIATED = FMUKIT_INSTANTIATED,
    INITIALIZATION = FMUKIT_INITIALIZATION,
    COMPLETE = FMUKIT_STEP_COMPLETE,
    IN_PROGRESS = FMUKIT_STEP_IN_PROGRESS,
    FAILED = FMUKIT_STEP_FAILED,
    CANCELED = FMUKIT_STEP_CANCELED,
    TERMINATED = FMUKIT_TERMINATED,
    IN_ERROR = FMUKIT_IN_ERROR,

    AT_REST = INSTANTIATED | INITIALIZATION | COMPLETE | FAILED | CANCELED | TERMINATED | IN_ERROR,
    READABLE = INITIALIZATION | COMPLETE | FAILED | CANCELED | TERMINATED | IN_ERROR,
    WRITABLE = INSTANTIATED | INITIALIZATION | COMPLETE,
    HAS_STATUS = COMPLETE | IN_PROGRESS | FAILED | TERMINATED,
};

// The three functions without an instance do not appear. What else depends on the variable is
// checked in values.c.
static const unsigned allowed_phases[N_CALLS] = {
    [CALL_fmi2SetDebugLogging] = AT_REST | IN_PROGRESS,
    [CALL_fmi2FreeInstance] = AT_REST,
    [CALL_fmi2SetupExperiment] = INSTANTIATED,
    [CALL_fmi2EnterInitializationMode] = INSTANTIATED,
    [CALL_fmi2ExitInitializationMode] = INITIALIZATION,
    [CALL_fmi2Terminate] = COMPLETE | FAILED,
    [CALL_fmi2Reset] = AT_REST,
    [CALL_fmi2GetReal] = READABLE,
    [CALL_fmi2GetInteger] = READABLE,
    [CALL_fmi2GetBoolean] = READABLE,
    [CALL_fmi2GetString] = READABLE,
    [CALL_fmi2SetReal] = WRITABLE,
    [CALL_fmi2SetInteger] = WRITABLE,
    [CALL_fmi2SetBoolean] = WRITABLE,
    [CALL_fmi2SetString] = WRITABLE,
    [CALL_fmi2GetFMUstate] = AT_REST,
    [CALL_fmi2SetFMUstate] = AT_REST,
    [CALL_fmi2FreeFMUstate] = AT_REST,
    [CALL_fmi2SerializedFMUstateSize] = AT_REST,
    [CALL_fmi2SerializeFMUstate] = AT_REST,
    [CALL_fmi2DeSerializeFMUstate] = AT_REST,
    [CALL_fmi2GetDirectionalDerivative] = READABLE,
    [CALL_fmi2SetRealInputDerivatives] = WRITABLE,
    [CALL_fmi2GetRealOutputDerivatives] = READABLE & ~INITIALIZATION,
    [CALL_fmi2DoStep] = COMPLETE,
    [CALL_fmi2CancelStep] = IN_PROGRESS,
    [CALL_fmi2GetStatus] = HAS_STATUS,
    [CALL_fmi2GetRealStatus] = HAS_STATUS,
    [CALL_fmi2GetIntegerStatus] = HAS_STATUS,
    [CALL_fmi2GetBooleanStatus] = HAS_STATUS,
    [CALL_fmi2GetStringStatus] = HAS_STATUS,
};

// Every function begins here: logs the call with the given details, and answers NULL, with a
// message, if the call is not allowed now.
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static fmukit_instance *
enter(fmi2Component c, call_id call, const char *format, ...)
{
    if (!c) return NULL; // there is nobody to tell
    fmukit_instance *fmu = c;
    fmu->call = call_names[call];
    va_list arguments;
    va_start(arguments, format);
    fmukit_log_call(fmu, format, arguments);
    va_end(arguments);
    if (allowed_phases[call] & fmu->phase) return fmu;
    fmukit_fail(fmu, FMUKIT_ERROR, "not allowed in the state '%s'", fmukit_phase_name(fmu->phase));
    return NULL;
}

// ---- translation -------------------------------------------------------------------------------------------

static fmi2Status to_fmi2(fmukit_status status)
{
    switch (status) {
    case FMUKIT_OK: return fmi2OK;
    case FMUKIT_WARNING: return fmi2Warning;
    case FMUKIT_DISCARD:
    case FMUKIT_TERMINATE: return fmi2Discard;
    case FMUKIT_ERROR: return fmi2Error;
    case FMUKIT_FATAL: return fmi2Fatal;
    case FMUKIT_PENDING: return fmi2Pending;
    }
    return fmi2Error;
}

static void log_message(fmukit_instance *fmu, fmukit_status status, const char *category,
                        const char *text)
{
    const fmi2_instance *instance = (const fmi2_instance *)fmu;
    const fmi2CallbackFunctions *callbacks = &instance->callbacks;
    if (callbacks->logger)
        callbacks->logger(callbacks->componentEnvironment, fmu->name, to_fmi2(status), category,
                          "%s", text);
}

static bool is_pointer_given(fmukit_instance *fmu, const void *pointer, const char *name)
{
    if (pointer) return true;
    fmukit_fail(fmu, FMUKIT_ERROR, "the argument '%s' is NULL", name);
    return false;
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

static bool is_blank(const char *text)
{
    if (!text) return true;
    while (*text && isspace((unsigned char)*text)) text++;
    return *text == 0;
}

static bool are_arguments_good(fmukit_instance *fmu, fmi2String name, fmi2Type type,
                               fmi2String guid)
{
    char own_guid[FMUKIT_GUID_SIZE];
    fmukit_guid(&fmukit_this_model, own_guid);
    if (is_blank(name)) {
        fmukit_fail(fmu, FMUKIT_ERROR, "the instance has no name");
    } else if (type != fmi2CoSimulation) {
        fmukit_fail(fmu, FMUKIT_ERROR, "the FMU is made for co-simulation only");
    } else if (!guid || strcmp(guid, own_guid) != 0) {
        fmukit_fail(fmu, FMUKIT_ERROR,
                    "the GUID is '%s', but the FMU's library has '%s': modelDescription.xml and "
                    "library were not made together",
                    guid ? guid : "", own_guid);
    } else {
        return true;
    }
    return false;
}

static fmukit_host choose_host(const fmi2CallbackFunctions *callbacks)
{
    fmukit_host host = {.allocate = calloc, .release = free, .log = log_message};
    if (callbacks->allocateMemory && callbacks->freeMemory) {
        host.allocate = callbacks->allocateMemory;
        host.release = callbacks->freeMemory;
    }
    return host;
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean loggingOn)
{
    (void)visible;
    if (!functions) return NULL;
    // Until there is memory, messages come from this one.
    fmi2_instance early = {.callbacks = *functions};
    char early_name[128] = "";
    if (instanceName) strncat(early_name, instanceName, sizeof early_name - 1);
    early.core.model = &fmukit_this_model;
    early.core.host = choose_host(functions);
    early.core.enabled_categories = loggingOn ? ~0u : FMUKIT_LOG_ALWAYS;
    early.core.call = call_names[CALL_fmi2Instantiate];
    early.core.name = early_name;
    if (!are_arguments_good(&early.core, instanceName, fmuType, fmuGUID)) return NULL;

    fmi2_instance *instance = early.core.host.allocate(1, sizeof *instance);
    if (!instance) {
        fmukit_fail(&early.core, FMUKIT_ERROR, "out of memory");
        return NULL;
    }
    *instance = early;
    instance->core.name = NULL;
    if (!fmukit_instance_init(&instance->core, &fmukit_this_model, instanceName,
                              fmuResourceLocation)) {
        early.core.host.release(instance);
        return NULL;
    }
    fmukit_log(&instance->core, FMUKIT_OK, fmukit_categories[FMUKIT_LOG_CALLS].name,
               "fmi2Instantiate");
    return instance;
}

// After a fatal error the standard forbids even this. The call is reported, and the memory freed.
void fmi2FreeInstance(fmi2Component c)
{
    if (!c) return;
    fmukit_instance *fmu = c;
    bool is_allowed = enter(c, CALL_fmi2FreeInstance, "called") != NULL;
    if (!is_allowed && fmu->phase == FMUKIT_STEP_IN_PROGRESS) return;
    void (*release)(void *) = fmu->host.release;
    fmukit_instance_clear(fmu);
    release(c);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[])
{
    fmukit_instance *fmu =
        enter(c, CALL_fmi2SetDebugLogging, "nCategories = %lu", (unsigned long)nCategories);
    if (!fmu || (nCategories && !is_pointer_given(fmu, categories, "categories"))) return fmi2Error;
    unsigned chosen = nCategories ? 0 : ~0u;
    for (size_t i = 0; i < nCategories; i++) {
        bool is_all = categories[i] && strcmp(categories[i], "logAll") == 0;
        int category = categories[i] ? fmukit_find_category(fmu->model, categories[i]) : -1;
        if (category < 0 && !is_all)
            return to_fmi2(fmukit_fail(fmu, FMUKIT_ERROR, "unknown log category '%s'",
                                       categories[i] ? categories[i] : "(NULL)"));
        chosen |= is_all ? ~0u : 1u << category;
    }
    if (loggingOn)
        fmu->enabled_categories |= chosen;
    else
        fmu->enabled_categories &= ~chosen;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    fmukit_instance *fmu = enter(c, CALL_fmi2Reset, "called");
    return fmu ? to_fmi2(fmukit_reset(fmu)) : fmi2Error;
}

// ---- initialization and end of a run -----------------------------------------------------------------------------

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime)
{
    fmukit_instance *fmu = enter(c, CALL_fmi2SetupExperiment, "startTime = %.15g", startTime);
    if (!fmu) return fmi2Error;
    return to_fmi2(fmukit_set_up(fmu, toleranceDefined ? tolerance : 0, startTime,
                                 stopTimeDefined != fmi2False, stopTime));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    fmukit_instance *fmu = enter(c, CALL_fmi2EnterInitializationMode, "called");
    return fmu ? to_fmi2(fmukit_enter_initialization(fmu)) : fmi2Error;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    fmukit_instance *fmu = enter(c, CALL_fmi2ExitInitializationMode, "called");
    return fmu ? to_fmi2(fmukit_exit_initialization(fmu)) : fmi2Error;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    fmukit_instance *fmu = enter(c, CALL_fmi2Terminate, "called");
    return fmu ? to_fmi2(fmukit_terminate(fmu)) : fmi2Error;
}

// ---- values ------------------------------------------------------------------------------------------------------

static fmi2Status get(fmi2Component c, call_id call, fmukit_type type,
                      const fmi2ValueReference vr[], size_t nvr, void *value)
{
    fmukit_instance *fmu = enter(c, call, "nvr = %lu", (unsigned long)nvr);
    return fmu ? to_fmi2(fmukit_get(fmu, type, vr, nvr, value)) : fmi2Error;
}

static fmi2Status set(fmi2Component c, call_id call, fmukit_type type,
                      const fmi2ValueReference vr[], size_t nvr, const void *value)
{
    fmukit_instance *fmu = enter(c, call, "nvr = %lu", (unsigned long)nvr);
    return fmu ? to_fmi2(fmukit_set(fmu, type, vr, nvr, value)) : fmi2Error;
}

#define GET_AND_SET(Type, TYPE)                                                                    \
    fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,           \
                             fmi2##Type value[])                                                   \
    {                                                                                              \
        return get(c, CALL_fmi2Get##Type, FMUKIT_##TYPE, vr, nvr, value);                          \
    }                                                                                              \
    fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,           \
                             const fmi2##Type value[])                                             \
    {                                                                                              \
        return set(c, CALL_fmi2Set##Type, FMUKIT_##TYPE, vr, nvr, value);                          \
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
        enter(c, CALL_fmi2GetDirectionalDerivative, "nUnknown = %lu, nKnown = %lu",
              (unsigned long)nUnknown, (unsigned long)nKnown);
    if (!fmu) return fmi2Error;
    return to_fmi2(
        fmukit_differentiate(fmu, vUnknown, nUnknown, vKnown, nKnown, dvKnown, dvUnknown));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    (void)vr, (void)order, (void)value;
    fmukit_instance *fmu =
        enter(c, CALL_fmi2SetRealInputDerivatives, "nvr = %lu", (unsigned long)nvr);
    if (!fmu) return fmi2Error;
    return to_fmi2(fmukit_fail(fmu, FMUKIT_ERROR, "the model cannot interpolate its inputs"));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[])
{
    fmukit_instance *fmu =
        enter(c, CALL_fmi2GetRealOutputDerivatives, "nvr = %lu", (unsigned long)nvr);
    return fmu ? to_fmi2(fmukit_get_output_derivatives(fmu, vr, nvr, order, value)) : fmi2Error;
}

// ---- saved states --------------------------------------------------------------------------------------------------

// Enters a function that needs a saved state, and checks that the model has such a thing.
static fmukit_instance *enter_state(fmi2Component c, call_id call, bool needs_bytes)
{
    fmukit_instance *fmu = enter(c, call, "called");
    if (!fmu) return NULL;
    const fmukit_model *model = fmu->model;
    if (!model->no_rewind && !(needs_bytes && model->no_serialize)) return fmu;
    fmukit_fail(fmu, FMUKIT_ERROR, "the model cannot %s its state",
                model->no_rewind ? "save and restore" : "serialize");
    return NULL;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    fmukit_instance *fmu = enter_state(c, CALL_fmi2GetFMUstate, false);
    if (!fmu || !is_pointer_given(fmu, state, "FMUstate")) return fmi2Error;
    fmukit_snapshot *snapshot = *state;
    fmukit_status status = fmukit_save(fmu, &snapshot);
    if (status == FMUKIT_OK) *state = snapshot;
    return to_fmi2(status);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    fmukit_instance *fmu = enter_state(c, CALL_fmi2SetFMUstate, false);
    return fmu ? to_fmi2(fmukit_restore(fmu, state)) : fmi2Error;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    fmukit_instance *fmu = enter_state(c, CALL_fmi2FreeFMUstate, false);
    if (!fmu) return fmi2Error;
    if (!state) return fmi2OK; // the standard: the call is ignored
    fmukit_snapshot *snapshot = *state;
    fmukit_status status = fmukit_free_snapshot(fmu, &snapshot);
    if (status == FMUKIT_OK) *state = NULL;
    return to_fmi2(status);
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    fmukit_instance *fmu = enter_state(c, CALL_fmi2SerializedFMUstateSize, true);
    if (!fmu || !is_pointer_given(fmu, size, "size")) return fmi2Error;
    return to_fmi2(fmukit_serialized_size(fmu, state, size));
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    fmukit_instance *fmu = enter_state(c, CALL_fmi2SerializeFMUstate, true);
    if (!fmu || !is_pointer_given(fmu, bytes, "serializedState")) return fmi2Error;
    return to_fmi2(fmukit_serialize(fmu, state, bytes, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate *state)
{
    fmukit_instance *fmu = enter_state(c, CALL_fmi2DeSerializeFMUstate, true);
    if (!fmu || !is_pointer_given(fmu, bytes, "serializedState") ||
        !is_pointer_given(fmu, state, "FMUstate"))
        return fmi2Error;
    fmukit_snapshot *snapshot = *state;
    fmukit_status status = fmukit_deserialize(fmu, bytes, size, &snapshot);
    if (status == FMUKIT_OK) *state = snapshot;
    return to_fmi2(status);
}

// ---- steps -----------------------------------------------------------------------------------------------------------

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize, fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    fmukit_instance *fmu = enter(c, CALL_fmi2DoStep,
                                 "currentCommunicationPoint = %.15g, communicationStepSize = %.15g",
                                 currentCommunicationPoint, communicationStepSize);
    if (!fmu) return fmi2Error;
    return to_fmi2(fmukit_step(fmu, currentCommunicationPoint, communicationStepSize));
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    fmukit_instance *fmu = enter(c, CALL_fmi2CancelStep, "called");
    return fmu ? to_fmi2(fmukit_cancel(fmu)) : fmi2Error;
}

// Common to the five functions below. Answers NULL unless the function can tell `expected`.
static fmukit_instance *enter_status(fmi2Component c, call_id call, fmi2StatusKind kind,
                                     fmi2StatusKind expected, const void *value, fmi2Status *result)
{
    *result = fmi2Error;
    fmukit_instance *fmu = enter(c, call, "kind = %d", (int)kind);
    if (!fmu || !is_pointer_given(fmu, value, "value")) return NULL;
    *result = kind == expected ? fmi2OK : fmi2Discard;
    return kind == expected ? fmu : NULL;
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value)
{
    fmi2Status result;
    fmukit_instance *fmu = enter_status(c, CALL_fmi2GetStatus, s, fmi2DoStepStatus, value, &result);
    if (!fmu) return result;
    bool was_pending = fmu->phase == FMUKIT_STEP_IN_PROGRESS;
    *value = to_fmi2(fmukit_poll(fmu));
    const fmi2CallbackFunctions *callbacks = &((const fmi2_instance *)fmu)->callbacks;
    if (was_pending && *value != fmi2Pending && callbacks->stepFinished)
        callbacks->stepFinished(callbacks->componentEnvironment, *value);
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value)
{
    fmi2Status result;
    fmukit_instance *fmu =
        enter_status(c, CALL_fmi2GetRealStatus, s, fmi2LastSuccessfulTime, value, &result);
    if (fmu) *value = fmu->last_time;
    return result;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer *value)
{
    (void)value;
    return enter(c, CALL_fmi2GetIntegerStatus, "kind = %d", (int)s) ? fmi2Discard : fmi2Error;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value)
{
    fmi2Status result;
    fmukit_instance *fmu =
        enter_status(c, CALL_fmi2GetBooleanStatus, s, fmi2Terminated, value, &result);
    if (fmu) *value = fmu->wants_end ? fmi2True : fmi2False;
    return result;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value)
{
    fmi2Status result;
    fmukit_instance *fmu =
        enter_status(c, CALL_fmi2GetStringStatus, s, fmi2PendingStatus, value, &result);
    if (fmu) *value = fmukit_phase_name(fmu->phase);
    return result;
}
