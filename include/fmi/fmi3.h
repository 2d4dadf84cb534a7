// SPDX-License-Identifier: MIT
// The C interface of FMI 3.0 (specification 3.0.2, sections 2.2, 2.3, 3.2, 4.2 and 5.2): types, values
// and functions, written from the text of the standard. The functions form one list, from which the
// importer derives its table of pointers and the FMU kit its declarations.
#ifndef TAKT_FMI_FMI3_H
#define TAKT_FMI_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How functions of FMI are called where that is not the compiler's usual way (Windows FMUs on Linux).
#ifndef TAKT_FMI_CALL
#define TAKT_FMI_CALL
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

#define fmi3True true
#define fmi3False false
#define fmi3ClockActive true
#define fmi3ClockInactive false

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;

typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;

typedef enum {
    fmi3IntervalNotYetKnown,
    fmi3IntervalUnchanged,
    fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void(TAKT_FMI_CALL *fmi3LogMessageCallback)(fmi3InstanceEnvironment environment,
                                                    fmi3Status status, fmi3String category,
                                                    fmi3String message);
typedef void(TAKT_FMI_CALL *fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void(TAKT_FMI_CALL *fmi3IntermediateUpdateCallback)(
    fmi3InstanceEnvironment environment, fmi3Float64 intermediateUpdateTime,
    fmi3Boolean intermediateVariableSetRequested, fmi3Boolean intermediateVariableGetAllowed,
    fmi3Boolean intermediateStepFinished, fmi3Boolean canReturnEarly,
    fmi3Boolean *earlyReturnRequested, fmi3Float64 *earlyReturnTime);
typedef void(TAKT_FMI_CALL *fmi3LockPreemptionCallback)(void);
typedef void(TAKT_FMI_CALL *fmi3UnlockPreemptionCallback)(void);

/// The types whose getters and setters have the same parameters: FMI3_PLAIN_TYPES(Y, X) is Y(X, Float32)
/// and so on.
#define FMI3_PLAIN_TYPES(Y, X)                                                                     \
    Y(X, Float32)                                                                                  \
    Y(X, Float64)                                                                                  \
    Y(X, Int8)                                                                                     \
    Y(X, UInt8)                                                                                    \
    Y(X, Int16)                                                                                    \
    Y(X, UInt16)                                                                                   \
    Y(X, Int32)                                                                                    \
    Y(X, UInt32)                                                                                   \
    Y(X, Int64)                                                                                    \
    Y(X, UInt64)                                                                                   \
    Y(X, Boolean)                                                                                  \
    Y(X, String)

#define FMI3_PLAIN_ACCESS(X, type)                                                                 \
    X(fmi3Status, fmi3Get##type,                                                                   \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3##type values[],             \
       size_t nValues))                                                                            \
    X(fmi3Status, fmi3Set##type,                                                                   \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3##type values[],       \
       size_t nValues))

/// X(result, name, parameters): functions that read and write variables.
#define FMI3_ACCESS_FUNCTIONS(X)                                                                   \
    FMI3_PLAIN_TYPES(FMI3_PLAIN_ACCESS, X)                                                         \
    X(fmi3Status, fmi3GetBinary,                                                                   \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, size_t sizes[],                  \
       fmi3Binary values[], size_t nValues))                                                       \
    X(fmi3Status, fmi3SetBinary,                                                                   \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const size_t sizes[],            \
       const fmi3Binary values[], size_t nValues))                                                 \
    X(fmi3Status, fmi3GetClock,                                                                    \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3Clock values[]))             \
    X(fmi3Status, fmi3SetClock,                                                                    \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Clock values[]))

/// Functions about clocks: intervals and shifts as seconds or as counter / resolution.
#define FMI3_CLOCK_FUNCTIONS(X)                                                                    \
    X(fmi3Status, fmi3GetIntervalDecimal,                                                          \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3Float64 intervals[],         \
       fmi3IntervalQualifier qualifiers[]))                                                        \
    X(fmi3Status, fmi3GetIntervalFraction,                                                         \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3UInt64 counters[],           \
       fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]))                              \
    X(fmi3Status, fmi3GetShiftDecimal,                                                             \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3Float64 shifts[]))           \
    X(fmi3Status, fmi3GetShiftFraction,                                                            \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3UInt64 counters[],           \
       fmi3UInt64 resolutions[]))                                                                  \
    X(fmi3Status, fmi3SetIntervalDecimal,                                                          \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Float64 intervals[]))  \
    X(fmi3Status, fmi3SetIntervalFraction,                                                         \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3UInt64 counters[],     \
       const fmi3UInt64 resolutions[]))                                                            \
    X(fmi3Status, fmi3SetShiftDecimal,                                                             \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Float64 shifts[]))     \
    X(fmi3Status, fmi3SetShiftFraction,                                                            \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3UInt64 counters[],     \
       const fmi3UInt64 resolutions[]))

/// Functions of all interfaces; the three that instantiate are among them, because a library exports
/// all of them.
#define FMI3_COMMON_FUNCTIONS(X)                                                                   \
    X(const char *, fmi3GetVersion, (void))                                                        \
    X(fmi3Status, fmi3SetDebugLogging,                                                             \
      (fmi3Instance c, fmi3Boolean loggingOn, size_t nCategories, const fmi3String categories[]))  \
    X(fmi3Instance, fmi3InstantiateModelExchange,                                                  \
      (fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,            \
       fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment environment,            \
       fmi3LogMessageCallback logMessage))                                                         \
    X(fmi3Instance, fmi3InstantiateCoSimulation,                                                   \
      (fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,            \
       fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,                      \
       fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],   \
       size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment environment,                 \
       fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate))      \
    X(fmi3Instance, fmi3InstantiateScheduledExecution,                                             \
      (fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,            \
       fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment environment,            \
       fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,                     \
       fmi3LockPreemptionCallback lockPreemption, fmi3UnlockPreemptionCallback unlockPreemption))  \
    X(void, fmi3FreeInstance, (fmi3Instance c))                                                    \
    X(fmi3Status, fmi3EnterInitializationMode,                                                     \
      (fmi3Instance c, fmi3Boolean toleranceDefined, fmi3Float64 tolerance, fmi3Float64 startTime, \
       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime))                                         \
    X(fmi3Status, fmi3ExitInitializationMode, (fmi3Instance c))                                    \
    X(fmi3Status, fmi3EnterEventMode, (fmi3Instance c))                                            \
    X(fmi3Status, fmi3Terminate, (fmi3Instance c))                                                 \
    X(fmi3Status, fmi3Reset, (fmi3Instance c))                                                     \
    FMI3_ACCESS_FUNCTIONS(X)                                                                       \
    X(fmi3Status, fmi3GetNumberOfVariableDependencies,                                             \
      (fmi3Instance c, fmi3ValueReference vr, size_t * nDependencies))                             \
    X(fmi3Status, fmi3GetVariableDependencies,                                                     \
      (fmi3Instance c, fmi3ValueReference dependent, size_t elementIndicesOfDependent[],           \
       fmi3ValueReference independents[], size_t elementIndicesOfIndependents[],                   \
       fmi3DependencyKind dependencyKinds[], size_t nDependencies))                                \
    X(fmi3Status, fmi3GetFMUState, (fmi3Instance c, fmi3FMUState * state))                         \
    X(fmi3Status, fmi3SetFMUState, (fmi3Instance c, fmi3FMUState state))                           \
    X(fmi3Status, fmi3FreeFMUState, (fmi3Instance c, fmi3FMUState * state))                        \
    X(fmi3Status, fmi3SerializedFMUStateSize, (fmi3Instance c, fmi3FMUState state, size_t * size)) \
    X(fmi3Status, fmi3SerializeFMUState,                                                           \
      (fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size))                         \
    X(fmi3Status, fmi3DeserializeFMUState,                                                         \
      (fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state))                  \
    X(fmi3Status, fmi3GetDirectionalDerivative,                                                    \
      (fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,                      \
       const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,  \
       fmi3Float64 sensitivity[], size_t nSensitivity))                                            \
    X(fmi3Status, fmi3GetAdjointDerivative,                                                        \
      (fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,                      \
       const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,  \
       fmi3Float64 sensitivity[], size_t nSensitivity))                                            \
    X(fmi3Status, fmi3EnterConfigurationMode, (fmi3Instance c))                                    \
    X(fmi3Status, fmi3ExitConfigurationMode, (fmi3Instance c))                                     \
    FMI3_CLOCK_FUNCTIONS(X)                                                                        \
    X(fmi3Status, fmi3EvaluateDiscreteStates, (fmi3Instance c))                                    \
    X(fmi3Status, fmi3UpdateDiscreteStates,                                                        \
      (fmi3Instance c, fmi3Boolean * discreteStatesNeedUpdate, fmi3Boolean * terminateSimulation,  \
       fmi3Boolean * nominalsOfContinuousStatesChanged,                                            \
       fmi3Boolean * valuesOfContinuousStatesChanged, fmi3Boolean * nextEventTimeDefined,          \
       fmi3Float64 * nextEventTime))

/// Functions of co-simulation.
#define FMI3_CS_FUNCTIONS(X)                                                                       \
    X(fmi3Status, fmi3EnterStepMode, (fmi3Instance c))                                             \
    X(fmi3Status, fmi3GetOutputDerivatives,                                                        \
      (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Int32 orders[],        \
       fmi3Float64 values[], size_t nValues))                                                      \
    X(fmi3Status, fmi3DoStep,                                                                      \
      (fmi3Instance c, fmi3Float64 currentCommunicationPoint, fmi3Float64 communicationStepSize,   \
       fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean * eventHandlingNeeded,            \
       fmi3Boolean * terminateSimulation, fmi3Boolean * earlyReturn,                               \
       fmi3Float64 * lastSuccessfulTime))

/// Functions of model exchange.
#define FMI3_ME_FUNCTIONS(X)                                                                       \
    X(fmi3Status, fmi3EnterContinuousTimeMode, (fmi3Instance c))                                   \
    X(fmi3Status, fmi3CompletedIntegratorStep,                                                     \
      (fmi3Instance c, fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean * enterEventMode, \
       fmi3Boolean * terminateSimulation))                                                         \
    X(fmi3Status, fmi3SetTime, (fmi3Instance c, fmi3Float64 time))                                 \
    X(fmi3Status, fmi3SetContinuousStates, (fmi3Instance c, const fmi3Float64 x[], size_t nx))     \
    X(fmi3Status, fmi3GetContinuousStateDerivatives,                                               \
      (fmi3Instance c, fmi3Float64 derivatives[], size_t nx))                                      \
    X(fmi3Status, fmi3GetEventIndicators,                                                          \
      (fmi3Instance c, fmi3Float64 eventIndicators[], size_t ni))                                  \
    X(fmi3Status, fmi3GetContinuousStates, (fmi3Instance c, fmi3Float64 x[], size_t nx))           \
    X(fmi3Status, fmi3GetNominalsOfContinuousStates,                                               \
      (fmi3Instance c, fmi3Float64 nominals[], size_t nx))                                         \
    X(fmi3Status, fmi3GetNumberOfEventIndicators, (fmi3Instance c, size_t * ni))                   \
    X(fmi3Status, fmi3GetNumberOfContinuousStates, (fmi3Instance c, size_t * nx))

/// Functions of scheduled execution.
#define FMI3_SE_FUNCTIONS(X)                                                                       \
    X(fmi3Status, fmi3ActivateModelPartition,                                                      \
      (fmi3Instance c, fmi3ValueReference clock, fmi3Float64 activationTime))

/// The type of each function: fmi3DoStepTYPE and so on.
#define FMI3_FUNCTION_TYPE(result, name, parameters)                                               \
    typedef result TAKT_FMI_CALL name##TYPE parameters;
FMI3_COMMON_FUNCTIONS(FMI3_FUNCTION_TYPE)
FMI3_CS_FUNCTIONS(FMI3_FUNCTION_TYPE)
FMI3_ME_FUNCTIONS(FMI3_FUNCTION_TYPE)
FMI3_SE_FUNCTIONS(FMI3_FUNCTION_TYPE)
#undef FMI3_FUNCTION_TYPE

#ifdef __cplusplus
}
#endif
#endif
