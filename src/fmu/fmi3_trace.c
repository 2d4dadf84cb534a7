// SPDX-License-Identifier: MIT
// Calls of FMI 3.0 in the log; see trace.h.
#include "fmu/fmi3_instance.h"
#include "fmu/trace.h"

#define TRACED(name, parameters, arguments, in, out)                                               \
    TAKT_TRACED(takt_fmi3_functions, fmi3Status, name, parameters, arguments, in, out)
#define NO TAKT_TRACE_NONE
#define ARRAY TAKT_TRACE_ARRAY
#define VALUE TAKT_TRACE_VALUE
#define AT TAKT_TRACE_AT
#define ENTER(name) TRACED(name, (fmi3Instance c), (c), NO, NO)
#define GET(name, type)                                                                            \
    TRACED(name,                                                                                   \
           (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, type values[],              \
            size_t nValues),                                                                       \
           (c, vr, nvr, values, nValues), ARRAY(vr, nvr), ARRAY(values, nValues))
#define SET(name, type)                                                                            \
    TRACED(name,                                                                                   \
           (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const type values[],        \
            size_t nValues),                                                                       \
           (c, vr, nvr, values, nValues), ARRAY(vr, nvr) ARRAY(values, nValues), NO)
#define READ(name, type)                                                                           \
    TRACED(name, (fmi3Instance c, type x[], size_t nx), (c, x, nx), NO, ARRAY(x, nx))
#define COUNT(name) TRACED(name, (fmi3Instance c, size_t * n), (c, n), NO, AT(n))
#define GET_TYPE(X, type) GET(fmi3Get##type, fmi3##type)
#define SET_TYPE(X, type) SET(fmi3Set##type, fmi3##type)

// ---- functions -----------------------------------------------------------------------------------

FMI3_PLAIN_TYPES(GET_TYPE, )
FMI3_PLAIN_TYPES(SET_TYPE, )
TRACED(fmi3GetBinary,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, size_t sizes[],
        fmi3Binary values[], size_t nValues),
       (c, vr, nvr, sizes, values, nValues), ARRAY(vr, nvr), ARRAY(sizes, nValues))
TRACED(fmi3SetBinary,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const size_t sizes[],
        const fmi3Binary values[], size_t nValues),
       (c, vr, nvr, sizes, values, nValues), ARRAY(vr, nvr) ARRAY(sizes, nValues), NO)
TRACED(fmi3GetClock,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3Clock values[]),
       (c, vr, nvr, values), ARRAY(vr, nvr), ARRAY(values, nvr))
TRACED(fmi3SetClock,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Clock values[]),
       (c, vr, nvr, values), ARRAY(vr, nvr) ARRAY(values, nvr), NO)
TRACED(fmi3GetIntervalDecimal,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3Float64 intervals[],
        fmi3IntervalQualifier qualifiers[]),
       (c, vr, nvr, intervals, qualifiers), ARRAY(vr, nvr),
       ARRAY(intervals, nvr) ARRAY(qualifiers, nvr))
TRACED(fmi3GetIntervalFraction,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3UInt64 counters[],
        fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]),
       (c, vr, nvr, counters, resolutions, qualifiers), ARRAY(vr, nvr),
       ARRAY(counters, nvr) ARRAY(resolutions, nvr) ARRAY(qualifiers, nvr))
TRACED(fmi3GetShiftDecimal,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3Float64 shifts[]),
       (c, vr, nvr, shifts), ARRAY(vr, nvr), ARRAY(shifts, nvr))
TRACED(fmi3GetShiftFraction,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3UInt64 counters[],
        fmi3UInt64 resolutions[]),
       (c, vr, nvr, counters, resolutions), ARRAY(vr, nvr),
       ARRAY(counters, nvr) ARRAY(resolutions, nvr))
TRACED(fmi3SetIntervalDecimal,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Float64 intervals[]),
       (c, vr, nvr, intervals), ARRAY(vr, nvr) ARRAY(intervals, nvr), NO)
TRACED(fmi3SetIntervalFraction,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3UInt64 counters[],
        const fmi3UInt64 resolutions[]),
       (c, vr, nvr, counters, resolutions),
       ARRAY(vr, nvr) ARRAY(counters, nvr) ARRAY(resolutions, nvr), NO)
TRACED(fmi3SetShiftDecimal,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Float64 shifts[]),
       (c, vr, nvr, shifts), ARRAY(vr, nvr) ARRAY(shifts, nvr), NO)
TRACED(fmi3SetShiftFraction,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3UInt64 counters[],
        const fmi3UInt64 resolutions[]),
       (c, vr, nvr, counters, resolutions),
       ARRAY(vr, nvr) ARRAY(counters, nvr) ARRAY(resolutions, nvr), NO)
TRACED(fmi3SetDebugLogging,
       (fmi3Instance c, fmi3Boolean loggingOn, size_t nCategories, const fmi3String categories[]),
       (c, loggingOn, nCategories, categories), VALUE(loggingOn) ARRAY(categories, nCategories), NO)
TAKT_TRACED_FREE(takt_fmi3_functions, fmi3FreeInstance)
TRACED(fmi3EnterInitializationMode,
       (fmi3Instance c, fmi3Boolean toleranceDefined, fmi3Float64 tolerance, fmi3Float64 startTime,
        fmi3Boolean stopTimeDefined, fmi3Float64 stopTime),
       (c, toleranceDefined, tolerance, startTime, stopTimeDefined, stopTime),
       VALUE(toleranceDefined) VALUE(tolerance) VALUE(startTime) VALUE(stopTimeDefined)
           VALUE(stopTime),
       NO)
ENTER(fmi3ExitInitializationMode)
ENTER(fmi3EnterEventMode)
ENTER(fmi3Terminate)
ENTER(fmi3Reset)
TRACED(fmi3GetNumberOfVariableDependencies,
       (fmi3Instance c, fmi3ValueReference vr, size_t *nDependencies), (c, vr, nDependencies),
       VALUE(vr), AT(nDependencies))
TRACED(fmi3GetVariableDependencies,
       (fmi3Instance c, fmi3ValueReference dependent, size_t elementIndicesOfDependent[],
        fmi3ValueReference independents[], size_t elementIndicesOfIndependents[],
        fmi3DependencyKind dependencyKinds[], size_t nDependencies),
       (c, dependent, elementIndicesOfDependent, independents, elementIndicesOfIndependents,
        dependencyKinds, nDependencies),
       VALUE(dependent),
       ARRAY(elementIndicesOfDependent, nDependencies) ARRAY(independents, nDependencies)
           ARRAY(elementIndicesOfIndependents, nDependencies) ARRAY(dependencyKinds, nDependencies))
TRACED(fmi3GetFMUState, (fmi3Instance c, fmi3FMUState *state), (c, state), NO, NO)
TRACED(fmi3SetFMUState, (fmi3Instance c, fmi3FMUState state), (c, state), NO, NO)
TRACED(fmi3FreeFMUState, (fmi3Instance c, fmi3FMUState *state), (c, state), NO, NO)
TRACED(fmi3SerializedFMUStateSize, (fmi3Instance c, fmi3FMUState state, size_t *size),
       (c, state, size), NO, AT(size))
TRACED(fmi3SerializeFMUState, (fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size),
       (c, state, bytes, size), VALUE(size), NO)
TRACED(fmi3DeserializeFMUState,
       (fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state),
       (c, bytes, size, state), VALUE(size), NO)
TRACED(fmi3GetDirectionalDerivative,
       (fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,
        const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
        fmi3Float64 sensitivity[], size_t nSensitivity),
       (c, unknowns, nUnknowns, knowns, nKnowns, seed, nSeed, sensitivity, nSensitivity),
       ARRAY(unknowns, nUnknowns) ARRAY(knowns, nKnowns) ARRAY(seed, nSeed),
       ARRAY(sensitivity, nSensitivity))
TRACED(fmi3GetAdjointDerivative,
       (fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,
        const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
        fmi3Float64 sensitivity[], size_t nSensitivity),
       (c, unknowns, nUnknowns, knowns, nKnowns, seed, nSeed, sensitivity, nSensitivity),
       ARRAY(unknowns, nUnknowns) ARRAY(knowns, nKnowns) ARRAY(seed, nSeed),
       ARRAY(sensitivity, nSensitivity))
ENTER(fmi3EnterConfigurationMode)
ENTER(fmi3ExitConfigurationMode)
ENTER(fmi3EvaluateDiscreteStates)
TRACED(fmi3UpdateDiscreteStates,
       (fmi3Instance c, fmi3Boolean *discreteStatesNeedUpdate, fmi3Boolean *terminateSimulation,
        fmi3Boolean *nominalsOfContinuousStatesChanged,
        fmi3Boolean *valuesOfContinuousStatesChanged, fmi3Boolean *nextEventTimeDefined,
        fmi3Float64 *nextEventTime),
       (c, discreteStatesNeedUpdate, terminateSimulation, nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged, nextEventTimeDefined, nextEventTime),
       NO,
       AT(discreteStatesNeedUpdate) AT(terminateSimulation) AT(nominalsOfContinuousStatesChanged)
           AT(valuesOfContinuousStatesChanged) AT(nextEventTimeDefined) AT(nextEventTime))
ENTER(fmi3EnterStepMode)
TRACED(fmi3GetOutputDerivatives,
       (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Int32 orders[],
        fmi3Float64 values[], size_t nValues),
       (c, vr, nvr, orders, values, nValues), ARRAY(vr, nvr) ARRAY(orders, nvr),
       ARRAY(values, nValues))
TRACED(fmi3DoStep,
       (fmi3Instance c, fmi3Float64 currentCommunicationPoint, fmi3Float64 communicationStepSize,
        fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean *eventHandlingNeeded,
        fmi3Boolean *terminateSimulation, fmi3Boolean *earlyReturn,
        fmi3Float64 *lastSuccessfulTime),
       (c, currentCommunicationPoint, communicationStepSize, noSetFMUStatePriorToCurrentPoint,
        eventHandlingNeeded, terminateSimulation, earlyReturn, lastSuccessfulTime),
       VALUE(currentCommunicationPoint) VALUE(communicationStepSize)
           VALUE(noSetFMUStatePriorToCurrentPoint),
       AT(eventHandlingNeeded) AT(terminateSimulation) AT(earlyReturn) AT(lastSuccessfulTime))
ENTER(fmi3EnterContinuousTimeMode)
TRACED(fmi3CompletedIntegratorStep,
       (fmi3Instance c, fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean *enterEventMode,
        fmi3Boolean *terminateSimulation),
       (c, noSetFMUStatePriorToCurrentPoint, enterEventMode, terminateSimulation),
       VALUE(noSetFMUStatePriorToCurrentPoint), AT(enterEventMode) AT(terminateSimulation))
TRACED(fmi3SetTime, (fmi3Instance c, fmi3Float64 time), (c, time), VALUE(time), NO)
TRACED(fmi3SetContinuousStates, (fmi3Instance c, const fmi3Float64 x[], size_t nx), (c, x, nx),
       ARRAY(x, nx), NO)
READ(fmi3GetContinuousStateDerivatives, fmi3Float64)
READ(fmi3GetEventIndicators, fmi3Float64)
READ(fmi3GetContinuousStates, fmi3Float64)
READ(fmi3GetNominalsOfContinuousStates, fmi3Float64)
COUNT(fmi3GetNumberOfEventIndicators)
COUNT(fmi3GetNumberOfContinuousStates)
TRACED(fmi3ActivateModelPartition,
       (fmi3Instance c, fmi3ValueReference clock, fmi3Float64 activationTime),
       (c, clock, activationTime), VALUE(clock) VALUE(activationTime), NO)

// ---- tables --------------------------------------------------------------------------------------

// These take no component, and are not called after it was made.
#define fmi3GetVersion_traced from->fmi3GetVersion
#define fmi3InstantiateModelExchange_traced from->fmi3InstantiateModelExchange
#define fmi3InstantiateCoSimulation_traced from->fmi3InstantiateCoSimulation
#define fmi3InstantiateScheduledExecution_traced from->fmi3InstantiateScheduledExecution

typedef struct tracer {
    takt_tracer base; // first
    takt_fmi3_functions functions;
} tracer;

takt_status takt_fmi3_trace(takt_fmi3_instance *self, takt_error *err)
{
    takt_tracer *base = NULL;
    const takt_fmi3_functions *from = self->functions;
    takt_status st = takt_tracer_create(&self->common, from, sizeof(tracer), &base, err);
    if (!base) return st;
    takt_fmi3_functions *functions = &((tracer *)base)->functions;
    FMI3_COMMON_FUNCTIONS(TAKT_TRACE_REPLACE)
    FMI3_CS_FUNCTIONS(TAKT_TRACE_REPLACE)
    FMI3_ME_FUNCTIONS(TAKT_TRACE_REPLACE)
    FMI3_SE_FUNCTIONS(TAKT_TRACE_REPLACE)
    self->functions = functions;
    return TAKT_OK;
}
