// SPDX-License-Identifier: MIT
// The interfaces of FMI 3.0 for co-simulation and model exchange on top of the core. One table says
// which function may be called in which phase (FMI 3.0, sections 2.3, 3.2 and 4.2). Everything else is
// translation: of steps that end early, events and clocks into this version's terms. In intermediate updates
// only inputs can be set.
#define _POSIX_C_SOURCE 199309L
#include "fmi3_instance.h"

#include <stdlib.h>
#include <time.h>

#define DECLARE(result, name, parameters) FMUKIT_EXPORT result name parameters;
FMI3_COMMON_FUNCTIONS(DECLARE)
FMI3_CS_FUNCTIONS(DECLARE)
FMI3_ME_FUNCTIONS(DECLARE)
#undef DECLARE

static const fmukit_interface fmi3 = {.version = 3,
                                      .step_complete = "step mode",
                                      .boolean_size = sizeof(fmi3Boolean),
                                      .enumeration_type = FMUKIT_INT64};

// ---- order of calls --------------------------------------------------------------------------------------

#define CALL_ID(result, name, parameters) CALL_##name,
typedef enum call_id {
    FMI3_COMMON_FUNCTIONS(CALL_ID) FMI3_CS_FUNCTIONS(CALL_ID) FMI3_ME_FUNCTIONS(CALL_ID) N_CALLS
} call_id;
#undef CALL_ID

enum {
    INSTANTIATED = FMUKIT_INSTANTIATED,
    CONFIGURATION = FMUKIT_CONFIGURATION,
    RECONFIGURATION = FMUKIT_RECONFIGURATION,
    INITIALIZATION = FMUKIT_INITIALIZATION,
    EVENT_MODE = FMUKIT_EVENT_MODE,
    INTERMEDIATE = FMUKIT_INTERMEDIATE,
    STEP_MODE = FMUKIT_STEP_COMPLETE,
    CONTINUOUS = FMUKIT_CONTINUOUS_TIME,
    TERMINATED = FMUKIT_TERMINATED | FMUKIT_IN_ERROR,

    RUNNING = EVENT_MODE | STEP_MODE | CONTINUOUS,
    COMPUTED = INITIALIZATION | RUNNING | TERMINATED,
    READABLE = INSTANTIATED | COMPUTED,
    WRITABLE = INSTANTIATED | CONFIGURATION | RECONFIGURATION | INITIALIZATION | RUNNING,
    ALIVE = READABLE | CONFIGURATION | RECONFIGURATION,
};

// Functions without an instance have no phases. What else depends on the variable is checked in
// values.c.
#define ALLOW(name, phases) [CALL_##name] = {#name, phases, 0}
#define ALLOW_ALSO(name, phases, tolerated) [CALL_##name] = {#name, phases, tolerated}
#define ALLOW_ACCESS(unused, type)                                                                 \
    ALLOW(fmi3Get##type, READABLE),                                                                \
        ALLOW_ALSO(fmi3Set##type, WRITABLE | INTERMEDIATE, FMUKIT_TERMINATED),
static const fmukit_call calls[N_CALLS] = {
    FMI3_PLAIN_TYPES(ALLOW_ACCESS, ) ALLOW_ACCESS(, Binary) //
    ALLOW(fmi3InstantiateModelExchange, 0),
    ALLOW(fmi3InstantiateCoSimulation, 0),
    ALLOW(fmi3InstantiateScheduledExecution, 0),
    ALLOW(fmi3SetDebugLogging, ALIVE),
    ALLOW(fmi3FreeInstance, ALIVE),
    ALLOW(fmi3Reset, ALIVE),
    ALLOW_ALSO(fmi3EnterInitializationMode, INSTANTIATED, INITIALIZATION),
    ALLOW_ALSO(fmi3ExitInitializationMode, INITIALIZATION, INSTANTIATED | RUNNING),
    ALLOW(fmi3EnterConfigurationMode, INSTANTIATED | STEP_MODE),
    ALLOW(fmi3ExitConfigurationMode, CONFIGURATION | RECONFIGURATION),
    ALLOW_ALSO(fmi3EnterEventMode, STEP_MODE | CONTINUOUS, EVENT_MODE),
    ALLOW_ALSO(fmi3EnterStepMode, EVENT_MODE, STEP_MODE),
    ALLOW_ALSO(fmi3Terminate, RUNNING, READABLE),
    ALLOW(fmi3GetClock, INITIALIZATION | EVENT_MODE),
    ALLOW(fmi3SetClock, EVENT_MODE),
    ALLOW(fmi3GetIntervalDecimal, INITIALIZATION | EVENT_MODE),
    ALLOW(fmi3GetIntervalFraction, INITIALIZATION | EVENT_MODE),
    ALLOW(fmi3GetShiftDecimal, INITIALIZATION),
    ALLOW(fmi3GetShiftFraction, INITIALIZATION),
    ALLOW(fmi3SetIntervalDecimal, INITIALIZATION | EVENT_MODE),
    ALLOW(fmi3SetIntervalFraction, INITIALIZATION | EVENT_MODE),
    ALLOW(fmi3SetShiftDecimal, INITIALIZATION),
    ALLOW(fmi3SetShiftFraction, INITIALIZATION),
    ALLOW(fmi3EvaluateDiscreteStates, EVENT_MODE),
    ALLOW(fmi3UpdateDiscreteStates, EVENT_MODE),
    ALLOW(fmi3GetNumberOfVariableDependencies, ALIVE),
    ALLOW(fmi3GetVariableDependencies, ALIVE),
    ALLOW(fmi3GetFMUState, ALIVE),
    ALLOW(fmi3SetFMUState, ALIVE),
    ALLOW(fmi3FreeFMUState, ALIVE),
    ALLOW(fmi3SerializedFMUStateSize, ALIVE),
    ALLOW(fmi3SerializeFMUState, ALIVE),
    ALLOW(fmi3DeserializeFMUState, ALIVE),
    ALLOW(fmi3GetDirectionalDerivative, COMPUTED),
    ALLOW(fmi3GetAdjointDerivative, COMPUTED),
    ALLOW_ALSO(fmi3GetOutputDerivatives, STEP_MODE | TERMINATED, INITIALIZATION),
    ALLOW_ALSO(fmi3DoStep, STEP_MODE, INITIALIZATION),
    ALLOW_ALSO(fmi3EnterContinuousTimeMode, EVENT_MODE, CONTINUOUS),
    ALLOW_ALSO(fmi3CompletedIntegratorStep, CONTINUOUS, EVENT_MODE),
    ALLOW_ALSO(fmi3SetTime, EVENT_MODE | CONTINUOUS, INSTANTIATED | INITIALIZATION),
    ALLOW_ALSO(fmi3SetContinuousStates, CONTINUOUS, EVENT_MODE),
    ALLOW(fmi3GetContinuousStateDerivatives, COMPUTED & ~STEP_MODE),
    ALLOW(fmi3GetEventIndicators, COMPUTED & ~STEP_MODE),
    ALLOW_ALSO(fmi3GetContinuousStates, COMPUTED & ~STEP_MODE, INSTANTIATED),
    ALLOW_ALSO(fmi3GetNominalsOfContinuousStates, COMPUTED & ~STEP_MODE, INSTANTIATED),
    ALLOW(fmi3GetNumberOfEventIndicators, ALIVE),
    ALLOW(fmi3GetNumberOfContinuousStates, ALIVE),
};
#undef ALLOW_ACCESS
#undef ALLOW_ALSO
#undef ALLOW

#define CALL(name) &calls[CALL_##name]

// ---- translation -------------------------------------------------------------------------------------------

static fmi3Status to_fmi3(fmukit_status status)
{
    return (fmi3Status)fmukit_status_number(status);
}

static void log_message(fmukit_instance *fmu, fmukit_status status, const char *category,
                        const char *text)
{
    const fmi3_instance *instance = (const fmi3_instance *)fmu;
    if (instance->log_message)
        instance->log_message(instance->environment, to_fmi3(status), category, text);
}

// For what the FMU does not provide.
static fmi3Status refuse(fmi3Instance c, const fmukit_call *call, const char *reason)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "called");
    if (fmu) fmukit_fail(fmu, FMUKIT_ERROR, "%s", reason);
    return fmi3Error;
}

// Answers a question that the importing program should have asked. A missing answer matters only where it
// is yes.
static void tell(fmukit_instance *fmu, fmi3Boolean *answer, const char *name, bool value)
{
    if (answer)
        *answer = value;
    else if (value)
        fmukit_tolerate(fmu, "'%s' is true, but the argument is NULL", name);
}

// ---- creation and end ----------------------------------------------------------------------------------------

const char *fmi3GetVersion(void)
{
    return "3.0";
}

// The importing program sets the inputs to their values at time t, in a mode of its own.
static void update_inputs(fmukit_instance *fmu, double t)
{
    const fmi3_instance *instance = (const fmi3_instance *)fmu;
    if (!instance->intermediate_update) return;
    fmukit_phase phase = fmu->phase;
    const char *call = fmu->call;
    fmi3Boolean wants_return = fmi3False;
    fmi3Float64 return_time = t;
    fmu->phase = FMUKIT_INTERMEDIATE;
    instance->intermediate_update(instance->environment, t, fmi3True, fmi3False, fmi3False,
                                  fmi3False, &wants_return, &return_time);
    fmu->phase = phase;
    fmu->call = call;
}

// Which of the variables that a program names for intermediate updates can be set there? Others, such as outputs
// that it wants to record, are no reason to refuse; -1: there is no such variable.
static int count_intermediate(const fmi3ValueReference vr[], size_t nvr)
{
    const fmukit_model *model = &fmukit_this_model;
    int n = 0;
    for (size_t i = 0; i < nvr; i++) {
        if (!vr || vr[i] >= model->n_variables) return -1;
        n += fmukit_can_move(model, &model->variables[vr[i]]);
    }
    return n;
}

// Without logging nothing may be reported, but a failed instantiation has to be explained.
static fmi3Instance instantiate(fmi3_instance *early, const fmukit_call *call,
                                const fmukit_request *request, bool is_logging)
{
    early->core.interface = &fmi3;
    early->core.host = (fmukit_host){
        .allocate = calloc, .release = free, .log = log_message, .update_inputs = update_inputs};
    early->core.enabled_categories = is_logging ? ~0u : FMUKIT_LOG_ALWAYS;
    early->core.call = call->name;
    fmukit_instance *fmu = fmukit_instantiate(&early->core, sizeof *early, request);
    if (fmu && !is_logging) fmu->enabled_categories = 0;
    return fmu;
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
    fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
    size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate)
{
    (void)visible;
    size_t n_wanted = nRequiredIntermediateVariables;
    int n_updates = count_intermediate(requiredIntermediateVariables, n_wanted);
    fmi3_instance early = {.environment = instanceEnvironment,
                           .log_message = logMessage,
                           .intermediate_update = n_updates > 0 ? intermediateUpdate : NULL};
    early.core.uses_events = eventModeUsed;
    early.core.may_return_early = earlyReturnAllowed;
    const fmukit_model *model = &fmukit_this_model;
    fmukit_request request = {.name = instanceName,
                              .token = instantiationToken,
                              .resources = resourcePath,
                              .refusal = fmukit_refusal(FMUKIT_CO_SIMULATION)};
    if (request.refusal)
        ;
    else if (!eventModeUsed && fmukit_has_clocks(model))
        request.refusal = "the FMU has clocks, so it needs event mode";
    else if (n_updates < 0)
        request.refusal = "a variable that is required for intermediate updates does not exist";
    fmukit_instance *fmu =
        instantiate(&early, CALL(fmi3InstantiateCoSimulation), &request, loggingOn);
    if (fmu && eventModeUsed && !model->functions.event)
        fmukit_tolerate(fmu, "the FMU has no event mode; it has one without events now");
    if (fmu && (size_t)n_updates < n_wanted)
        fmukit_tolerate(fmu,
                        "%d of %d variables that are required for intermediate updates are no "
                        "inputs that can be set there; they have no intermediate values",
                        (int)n_wanted - n_updates, (int)n_wanted);
    return fmu;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean visible,
                                          fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage)
{
    (void)visible;
    fmi3_instance early = {.environment = instanceEnvironment, .log_message = logMessage};
    early.core.is_model_exchange = early.core.uses_events = true;
    const fmukit_request request = {.name = instanceName,
                                    .token = instantiationToken,
                                    .resources = resourcePath,
                                    .refusal = fmukit_refusal(FMUKIT_MODEL_EXCHANGE)};
    return instantiate(&early, CALL(fmi3InstantiateModelExchange), &request, loggingOn);
}

fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,
    fmi3LockPreemptionCallback lockPreemption, fmi3UnlockPreemptionCallback unlockPreemption)
{
    (void)visible, (void)clockUpdate, (void)lockPreemption, (void)unlockPreemption;
    fmi3_instance early = {.environment = instanceEnvironment, .log_message = logMessage};
    (void)resourcePath;
    const fmukit_request request = {
        .name = instanceName, .token = instantiationToken, .refusal = FMUKIT_NO_SCHEDULING};
    return instantiate(&early, CALL(fmi3InstantiateScheduledExecution), &request, loggingOn);
}

void fmi3FreeInstance(fmi3Instance c)
{
    fmukit_free_instance(c, CALL(fmi3FreeInstance));
}

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[])
{
    return to_fmi3(
        fmukit_call_set_logging(c, CALL(fmi3SetDebugLogging), loggingOn, nCategories, categories));
}

// ---- modes -----------------------------------------------------------------------------------------------------

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime)
{
    fmukit_instance *fmu =
        fmukit_enter(c, CALL(fmi3EnterInitializationMode), "startTime = %.15g", startTime);
    if (!fmu) return fmi3Error;
    fmukit_status status =
        fmukit_set_up(fmu, toleranceDefined ? tolerance : 0, startTime, stopTimeDefined, stopTime);
    if (!fmukit_is_failure(status)) status = fmukit_enter_initialization(fmu);
    return to_fmi3(status);
}

static fmukit_status enter_configuration(fmukit_instance *fmu)
{
    bool is_first = fmu->phase == FMUKIT_INSTANTIATED;
    fmukit_variability needed = is_first ? FMUKIT_USUAL_VARIABILITY : FMUKIT_TUNABLE;
    if (!fmukit_has(fmu->model, FMUKIT_STRUCTURAL_PARAMETER, needed))
        return fmukit_fail(fmu, FMUKIT_ERROR, "the FMU has no %sstructural parameters",
                           is_first ? "" : "tunable ");
    fmu->phase = is_first ? FMUKIT_CONFIGURATION : FMUKIT_RECONFIGURATION;
    return FMUKIT_OK;
}

static fmukit_status enter_event_mode(fmukit_instance *fmu)
{
    if (!fmu->uses_events)
        return fmukit_fail(fmu, FMUKIT_ERROR, "the instance has been made without event mode");
    return fmukit_enter_event_mode(fmu);
}

// Event mode is left in the way of the interface.
static bool is_made_for(fmukit_instance *fmu, bool is_model_exchange)
{
    if (fmu->is_model_exchange == is_model_exchange) return true;
    fmukit_fail(fmu, FMUKIT_ERROR, "the instance has been made for %s",
                is_model_exchange ? "co-simulation" : "model exchange");
    return false;
}

static fmukit_status enter_continuous_time(fmukit_instance *fmu)
{
    return is_made_for(fmu, true) ? fmukit_enter_continuous_time(fmu) : FMUKIT_ERROR;
}

static fmukit_status enter_step_mode(fmukit_instance *fmu)
{
    if (!is_made_for(fmu, false)) return FMUKIT_ERROR;
    fmukit_clear_clocks(fmu, true);
    fmu->phase = FMUKIT_STEP_COMPLETE;
    fmu->is_stale = true;
    return fmukit_note_signs(fmu);
}

// Reading a value evaluates it, so there is nothing left to do.
static fmukit_status evaluate_discrete_states(fmukit_instance *fmu)
{
    (void)fmu;
    return FMUKIT_OK;
}

#define SIMPLE(name, function)                                                                     \
    fmi3Status name(fmi3Instance c)                                                                \
    {                                                                                              \
        return to_fmi3(fmukit_call_simple(c, CALL(name), function));                               \
    }
SIMPLE(fmi3ExitInitializationMode, fmukit_exit_initialization)
SIMPLE(fmi3EnterConfigurationMode, enter_configuration)
SIMPLE(fmi3ExitConfigurationMode, fmukit_exit_configuration)
SIMPLE(fmi3EnterEventMode, enter_event_mode)
SIMPLE(fmi3EnterStepMode, enter_step_mode)
SIMPLE(fmi3EnterContinuousTimeMode, enter_continuous_time)
SIMPLE(fmi3EvaluateDiscreteStates, evaluate_discrete_states)
SIMPLE(fmi3Terminate, fmukit_terminate)
SIMPLE(fmi3Reset, fmukit_reset)

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *discreteStatesNeedUpdate,
                                    fmi3Boolean *terminateSimulation,
                                    fmi3Boolean *nominalsOfContinuousStatesChanged,
                                    fmi3Boolean *valuesOfContinuousStatesChanged,
                                    fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime)
{
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmi3UpdateDiscreteStates), "called");
    if (!fmu || !fmukit_is_given(fmu, discreteStatesNeedUpdate, "discreteStatesNeedUpdate"))
        return fmi3Error;
    fmukit_event event;
    bool are_changed;
    fmukit_status status = fmukit_update_states(fmu, &event, &are_changed);
    if (fmukit_is_failure(status)) return to_fmi3(status);
    *discreteStatesNeedUpdate = event.again;
    tell(fmu, terminateSimulation, "terminateSimulation", event.terminate);
    if (nominalsOfContinuousStatesChanged) *nominalsOfContinuousStatesChanged = fmi3False;
    if (valuesOfContinuousStatesChanged) *valuesOfContinuousStatesChanged = are_changed;
    tell(fmu, nextEventTimeDefined, "nextEventTimeDefined", event.has_next_time);
    if (nextEventTime) *nextEventTime = event.has_next_time ? event.next_time : 0;
    return to_fmi3(status);
}

// ---- values ------------------------------------------------------------------------------------------------------

#define GET_AND_SET(Type, TYPE)                                                                    \
    fmi3Status fmi3Get##Type(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,            \
                             fmi3##Type values[], size_t nValues)                                  \
    {                                                                                              \
        const fmukit_access access = {FMUKIT_##TYPE, vr, nvr, nValues};                            \
        return to_fmi3(fmukit_call_get(c, CALL(fmi3Get##Type), &access, values));                  \
    }                                                                                              \
    fmi3Status fmi3Set##Type(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,            \
                             const fmi3##Type values[], size_t nValues)                            \
    {                                                                                              \
        const fmukit_access access = {FMUKIT_##TYPE, vr, nvr, nValues};                            \
        return to_fmi3(fmukit_call_set(c, CALL(fmi3Set##Type), &access, values));                  \
    }
GET_AND_SET(Float32, FLOAT32)
GET_AND_SET(Float64, FLOAT64)
GET_AND_SET(Int8, INT8)
GET_AND_SET(UInt8, UINT8)
GET_AND_SET(Int16, INT16)
GET_AND_SET(UInt16, UINT16)
GET_AND_SET(Int32, INT32)
GET_AND_SET(UInt32, UINT32)
GET_AND_SET(Int64, INT64)
GET_AND_SET(UInt64, UINT64)
GET_AND_SET(Boolean, BOOLEAN)
GET_AND_SET(String, STRING)

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, size_t sizes[],
                         fmi3Binary values[], size_t nValues)
{
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmi3GetBinary), "nvr = %lu", (unsigned long)nvr);
    if (!fmu || (nvr && !fmukit_is_given(fmu, sizes, "valueSizes"))) return fmi3Error;
    const fmukit_access access = {FMUKIT_BINARY, vr, nvr, nValues};
    return to_fmi3(fmukit_get(fmu, &access, values, sizes));
}

fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                         const size_t sizes[], const fmi3Binary values[], size_t nValues)
{
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmi3SetBinary), "nvr = %lu", (unsigned long)nvr);
    if (!fmu || (nvr && !fmukit_is_given(fmu, sizes, "valueSizes"))) return fmi3Error;
    const fmukit_access access = {FMUKIT_BINARY, vr, nvr, nValues};
    return to_fmi3(fmukit_set(fmu, &access, values, sizes));
}

// NULL with a message unless the dependencies of its elements are known.
static const fmukit_variable *find_dependent(fmukit_instance *fmu, fmi3ValueReference reference)
{
    const fmukit_model *m = fmu->model;
    if (!m->functions.depends)
        fmukit_fail(fmu, FMUKIT_ERROR, "the FMU does not know the dependencies of elements");
    else if (reference >= m->n_variables || m->variables[reference].causality != FMUKIT_OUTPUT)
        fmukit_fail(fmu, FMUKIT_ERROR, "no output has value reference %lu",
                    (unsigned long)reference);
    else
        return &m->variables[reference];
    return NULL;
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference valueReference,
                                               size_t *nDependencies)
{
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmi3GetNumberOfVariableDependencies),
                                        "valueReference = %lu", (unsigned long)valueReference);
    if (!fmu || !fmukit_is_given(fmu, nDependencies, "nDependencies")) return fmi3Error;
    const fmukit_variable *variable = find_dependent(fmu, valueReference);
    if (!variable) return fmi3Error;
    *nDependencies = fmukit_list_dependencies(fmu, variable, NULL, 0);
    return fmi3OK;
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent,
                                       size_t elementIndicesOfDependent[],
                                       fmi3ValueReference independents[],
                                       size_t elementIndicesOfIndependents[],
                                       fmi3DependencyKind dependencyKinds[], size_t nDependencies)
{
    fmukit_instance *fmu = fmukit_enter(c, CALL(fmi3GetVariableDependencies), "dependent = %lu",
                                        (unsigned long)dependent);
    const fmukit_variable *variable = fmu ? find_dependent(fmu, dependent) : NULL;
    if (!variable ||
        !fmukit_are_given(fmu, elementIndicesOfDependent, independents, nDependencies) ||
        !fmukit_are_given(fmu, elementIndicesOfIndependents, dependencyKinds, nDependencies))
        return fmi3Error;
    fmukit_dependency *list = fmukit_alloc(fmu, nDependencies + 1, sizeof *list);
    size_t n = list ? fmukit_list_dependencies(fmu, variable, list, nDependencies) : 0;
    for (size_t i = 0; i < n && i < nDependencies; i++) {
        elementIndicesOfDependent[i] = list[i].of;
        independents[i] = list[i].input;
        elementIndicesOfIndependents[i] = list[i].on;
        dependencyKinds[i] = fmi3Dependent;
    }
    fmukit_free(fmu, list);
    if (!list) return to_fmi3(fmukit_fail(fmu, FMUKIT_ERROR, "out of memory"));
    if (n == nDependencies) return fmi3OK;
    return to_fmi3(fmukit_fail(fmu, FMUKIT_ERROR, "there are %lu dependencies, not %lu",
                               (unsigned long)n, (unsigned long)nDependencies));
}

static fmi3Status differentiate(fmi3Instance c, const fmukit_call *call, const fmukit_jacobian *j,
                                const fmi3Float64 *seed, size_t n_seed, fmi3Float64 *sensitivity,
                                size_t n_sensitivity)
{
    bool is_adjoint = call == CALL(fmi3GetAdjointDerivative);
    fmukit_instance *fmu = fmukit_enter(c, call, "nUnknowns = %lu, nKnowns = %lu",
                                        (unsigned long)j->n_unknowns, (unsigned long)j->n_knowns);
    if (!fmu) return fmi3Error;
    return to_fmi3(
        fmukit_differentiate(fmu, j, is_adjoint, seed, n_seed, sensitivity, n_sensitivity));
}

#define DERIVATIVE(name)                                                                           \
    fmi3Status name(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,         \
                    const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[],   \
                    size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity)                  \
    {                                                                                              \
        const fmukit_jacobian jacobian = {unknowns, knowns, nUnknowns, nKnowns};                   \
        return differentiate(c, CALL(name), &jacobian, seed, nSeed, sensitivity, nSensitivity);    \
    }
DERIVATIVE(fmi3GetDirectionalDerivative)
DERIVATIVE(fmi3GetAdjointDerivative)

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                                    const fmi3Int32 orders[], fmi3Float64 values[], size_t nValues)
{
    return to_fmi3(fmukit_call_get_output_derivatives(c, CALL(fmi3GetOutputDerivatives), vr, nvr,
                                                      orders, values, nValues));
}

// ---- clocks --------------------------------------------------------------------------------------------------------

fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                        fmi3Clock values[])
{
    const fmukit_access access = {FMUKIT_CLOCK, vr, nvr, nvr};
    return to_fmi3(fmukit_call_get(c, CALL(fmi3GetClock), &access, values));
}

fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                        const fmi3Clock values[])
{
    const fmukit_access access = {FMUKIT_CLOCK, vr, nvr, nvr};
    return to_fmi3(fmukit_call_set(c, CALL(fmi3SetClock), &access, values));
}

enum { HAS_INTERVAL = 1, HAS_SHIFT = 2, HAS_FRACTION = 4 };

// What can be asked about a clock.
static int clock_features(const fmukit_variable *v)
{
    if (v->clock.kind == FMUKIT_TRIGGERED) return 0;
    if (v->clock.kind != FMUKIT_PERIODIC) return HAS_INTERVAL;
    return HAS_INTERVAL | HAS_SHIFT | (v->clock.resolution ? HAS_FRACTION : 0);
}

// NULL with a message unless all of them are clocks that have what is asked for.
static fmukit_instance *enter_clocks(fmi3Instance c, const fmukit_call *call,
                                     const fmi3ValueReference vr[], size_t nvr, const void *values,
                                     int features)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "nvr = %lu", (unsigned long)nvr);
    if (!fmu || !fmukit_are_given(fmu, vr, values, nvr)) return NULL;
    for (size_t i = 0; i < nvr; i++) {
        const fmukit_variable *clock = fmukit_find(fmu, FMUKIT_CLOCK, vr[i]);
        if (!clock) return NULL;
        int missing = features & ~clock_features(clock);
        if (!missing) continue;
        fmukit_fail(fmu, FMUKIT_ERROR, "the clock '%s' %s", clock->name,
                    missing & HAS_INTERVAL ? "is triggered and has no interval"
                    : missing & HAS_SHIFT  ? "is not periodic and has no shift"
                                           : "knows decimal numbers only");
        return NULL;
    }
    return fmu;
}

// Periodic clocks are constant: known at first, unchanged ever after.
static fmi3IntervalQualifier qualify_periodic(const fmukit_instance *fmu)
{
    return fmu->phase == FMUKIT_INITIALIZATION ? fmi3IntervalChanged : fmi3IntervalUnchanged;
}

static fmi3IntervalQualifier ask_model(fmukit_instance *fmu, size_t clock, double *seconds)
{
    switch (fmu->model->functions.interval(fmu, fmu->data, clock, seconds)) {
    case FMUKIT_INTERVAL_NEW: return fmi3IntervalChanged;
    case FMUKIT_INTERVAL_SAME: return fmi3IntervalUnchanged;
    case FMUKIT_INTERVAL_UNKNOWN: break;
    }
    return fmi3IntervalNotYetKnown;
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                                  fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
{
    fmukit_instance *fmu =
        enter_clocks(c, CALL(fmi3GetIntervalDecimal), vr, nvr, intervals, HAS_INTERVAL);
    if (!fmu || !fmukit_are_given(fmu, vr, qualifiers, nvr)) return fmi3Error;
    fmukit_status status = fmukit_refresh(fmu);
    if (fmukit_is_failure(status)) return to_fmi3(status);
    for (size_t i = 0; i < nvr; i++) {
        const fmukit_clock *clock = &fmu->model->variables[vr[i]].clock;
        bool is_periodic = clock->kind == FMUKIT_PERIODIC;
        intervals[i] = is_periodic ? fmukit_clock_interval(clock) : 0;
        qualifiers[i] = is_periodic ? qualify_periodic(fmu) : ask_model(fmu, vr[i], &intervals[i]);
    }
    return to_fmi3(status);
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                                   fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                   fmi3IntervalQualifier qualifiers[])
{
    fmukit_instance *fmu = enter_clocks(c, CALL(fmi3GetIntervalFraction), vr, nvr, counters,
                                        HAS_INTERVAL | HAS_FRACTION);
    if (!fmu || !fmukit_are_given(fmu, resolutions, qualifiers, nvr)) return fmi3Error;
    for (size_t i = 0; i < nvr; i++) {
        counters[i] = fmu->model->variables[vr[i]].clock.counter;
        resolutions[i] = fmu->model->variables[vr[i]].clock.resolution;
        qualifiers[i] = qualify_periodic(fmu);
    }
    return fmi3OK;
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                               fmi3Float64 shifts[])
{
    fmukit_instance *fmu =
        enter_clocks(c, CALL(fmi3GetShiftDecimal), vr, nvr, shifts, HAS_INTERVAL | HAS_SHIFT);
    if (!fmu) return fmi3Error;
    for (size_t i = 0; i < nvr; i++)
        shifts[i] = fmukit_clock_shift(&fmu->model->variables[vr[i]].clock);
    return fmi3OK;
}

fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                                fmi3UInt64 counters[], fmi3UInt64 resolutions[])
{
    fmukit_instance *fmu = enter_clocks(c, CALL(fmi3GetShiftFraction), vr, nvr, counters,
                                        HAS_INTERVAL | HAS_SHIFT | HAS_FRACTION);
    if (!fmu || !fmukit_are_given(fmu, vr, resolutions, nvr)) return fmi3Error;
    for (size_t i = 0; i < nvr; i++) {
        counters[i] = fmu->model->variables[vr[i]].clock.shift_counter;
        resolutions[i] = fmu->model->variables[vr[i]].clock.resolution;
    }
    return fmi3OK;
}

static const char is_constant[] = "intervals and shifts of the FMU's clocks are constant";

fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                                  const fmi3Float64 intervals[])
{
    (void)vr, (void)nvr, (void)intervals;
    return refuse(c, CALL(fmi3SetIntervalDecimal), is_constant);
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                                   const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)vr, (void)nvr, (void)counters, (void)resolutions;
    return refuse(c, CALL(fmi3SetIntervalFraction), is_constant);
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                               const fmi3Float64 shifts[])
{
    (void)vr, (void)nvr, (void)shifts;
    return refuse(c, CALL(fmi3SetShiftDecimal), is_constant);
}

fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t nvr,
                                const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)vr, (void)nvr, (void)counters, (void)resolutions;
    return refuse(c, CALL(fmi3SetShiftFraction), is_constant);
}

// ---- saved states --------------------------------------------------------------------------------------------------

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    return to_fmi3(fmukit_call_save(c, CALL(fmi3GetFMUState), state));
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    return to_fmi3(fmukit_call_restore(c, CALL(fmi3SetFMUState), state));
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    return to_fmi3(fmukit_call_free_state(c, CALL(fmi3FreeFMUState), state));
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    return to_fmi3(fmukit_call_state_size(c, CALL(fmi3SerializedFMUStateSize), state, size));
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    return to_fmi3(fmukit_call_serialize(c, CALL(fmi3SerializeFMUState), state, bytes, size));
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState *state)
{
    return to_fmi3(fmukit_call_deserialize(c, CALL(fmi3DeserializeFMUState), bytes, size, state));
}

// ---- steps -----------------------------------------------------------------------------------------------------------

// This version has no pending steps: waits for the model.
static fmukit_status step_and_wait(fmukit_instance *fmu, double t, double h)
{
    const struct timespec moment = {.tv_nsec = 50000};
    fmukit_status status = fmukit_step(fmu, t, h);
    while (status == FMUKIT_PENDING) {
        nanosleep(&moment, NULL);
        status = fmukit_poll(fmu);
    }
    return status;
}

// A step that ended before its end without an event. That the model asks to stop is no failure,
// nor is an early end where the importing program accepts it. "Discard" means that nothing has happened.
static fmukit_status settle_part(fmukit_instance *fmu, double begin)
{
    if (!fmu->wants_end && !fmu->may_return_early && fmu->time > begin) {
        fmu->phase = FMUKIT_IN_ERROR;
        return fmukit_fail(fmu, FMUKIT_ERROR,
                           "the model computed the step from %.15g to %.15g only up to %.15g, and "
                           "the importing program does not allow early return",
                           begin, fmu->t_end, fmu->time);
    }
    fmu->phase = FMUKIT_STEP_COMPLETE;
    return fmu->wants_end || fmu->time > begin ? FMUKIT_OK : FMUKIT_DISCARD;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime)
{
    fmukit_instance *fmu = fmukit_enter(
        c, CALL(fmi3DoStep), "currentCommunicationPoint = %.15g, communicationStepSize = %.15g",
        currentCommunicationPoint, communicationStepSize);
    if (!fmu) return fmi3Error;
    fmu->is_final = noSetFMUStatePriorToCurrentPoint;
    double begin = fmu->time;
    fmukit_status status = step_and_wait(fmu, currentCommunicationPoint, communicationStepSize);
    tell(fmu, eventHandlingNeeded, "eventHandlingNeeded", status == FMUKIT_EVENT);
    if (status == FMUKIT_EVENT) status = FMUKIT_OK;
    if (status == FMUKIT_DISCARD) status = settle_part(fmu, begin);
    tell(fmu, terminateSimulation, "terminateSimulation", fmu->wants_end);
    double end = currentCommunicationPoint + communicationStepSize;
    if (lastSuccessfulTime) *lastSuccessfulTime = fmu->time < end ? fmu->time : end;
    bool is_early = fmu->may_return_early && fmu->time < fmu->t_end;
    tell(fmu, earlyReturn, "earlyReturn", is_early && !fmukit_is_failure(status));
    return to_fmi3(status);
}

// ---- model exchange --------------------------------------------------------------------------------------------------

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode,
                                       fmi3Boolean *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    bool has_event;
    fmukit_status status =
        fmukit_call_completed_step(c, CALL(fmi3CompletedIntegratorStep), &has_event);
    if (enterEventMode) *enterEventMode = has_event;
    if (terminateSimulation) *terminateSimulation = fmi3False;
    return to_fmi3(status);
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time)
{
    return to_fmi3(fmukit_call_set_time(c, CALL(fmi3SetTime), time));
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t nx)
{
    return to_fmi3(fmukit_call_set_states(c, CALL(fmi3SetContinuousStates), x, nx));
}

#define READ(name, function, count)                                                                \
    fmi3Status name(fmi3Instance c, fmi3Float64 values[], size_t n)                                \
    {                                                                                              \
        return to_fmi3(fmukit_call_read(c, CALL(name), function, count, values, n));               \
    }
READ(fmi3GetContinuousStateDerivatives, fmukit_read_derivatives, fmukit_n_continuous)
READ(fmi3GetEventIndicators, fmukit_read_indicators, fmukit_n_indicators)
READ(fmi3GetContinuousStates, fmukit_get_states, fmukit_n_continuous)
READ(fmi3GetNominalsOfContinuousStates, fmukit_get_nominals, fmukit_n_continuous)

static fmi3Status count(fmi3Instance c, const fmukit_call *call,
                        size_t (*function)(const fmukit_instance *fmu), size_t *n)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "called");
    if (!fmu || !is_made_for(fmu, true) || !fmukit_is_given(fmu, n, "n")) return fmi3Error;
    *n = function(fmu);
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *ni)
{
    return count(c, CALL(fmi3GetNumberOfEventIndicators), fmukit_n_indicators, ni);
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *nx)
{
    return count(c, CALL(fmi3GetNumberOfContinuousStates), fmukit_n_continuous, nx);
}
