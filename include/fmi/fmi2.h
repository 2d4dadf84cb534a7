// SPDX-License-Identifier: MIT
// The C interface of FMI 2.0 (specification 2.0.5, sections 2.1, 3.2 and 4.2): types, values and
// functions, written from the text of the standard. The functions form one list, from which the
// importer derives its table of pointers and the FMU kit its declarations.
#ifndef TAKT_FMI_FMI2_H
#define TAKT_FMI_FMI2_H

#include <stddef.h>

/// How functions of FMI are called where that is not the compiler's usual way (Windows FMUs on Linux).
#ifndef TAKT_FMI_CALL
#define TAKT_FMI_CALL
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;

enum { fmi2False = 0, fmi2True = 1 };

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;

typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;

typedef enum {
    fmi2DoStepStatus,
    fmi2PendingStatus,
    fmi2LastSuccessfulTime,
    fmi2Terminated
} fmi2StatusKind;

typedef void(TAKT_FMI_CALL *fmi2CallbackLogger)(fmi2ComponentEnvironment environment,
                                                fmi2String instanceName, fmi2Status status,
                                                fmi2String category, fmi2String message, ...);
typedef void *(TAKT_FMI_CALL *fmi2CallbackAllocateMemory)(size_t n_objects, size_t size);
typedef void(TAKT_FMI_CALL *fmi2CallbackFreeMemory)(void *memory);
typedef void(TAKT_FMI_CALL *fmi2StepFinished)(fmi2ComponentEnvironment environment,
                                              fmi2Status status);

typedef struct {
    fmi2CallbackLogger logger;
    fmi2CallbackAllocateMemory allocateMemory;
    fmi2CallbackFreeMemory freeMemory;
    fmi2StepFinished stepFinished; // may be NULL
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

/// X(result, name, parameters): functions of both interfaces.
#define FMI2_COMMON_FUNCTIONS(X)                                                                   \
    X(const char *, fmi2GetTypesPlatform, (void))                                                  \
    X(const char *, fmi2GetVersion, (void))                                                        \
    X(fmi2Status, fmi2SetDebugLogging,                                                             \
      (fmi2Component c, fmi2Boolean loggingOn, size_t nCategories, const fmi2String categories[])) \
    X(fmi2Component, fmi2Instantiate,                                                              \
      (fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,                              \
       fmi2String fmuResourceLocation, const fmi2CallbackFunctions *functions,                     \
       fmi2Boolean visible, fmi2Boolean loggingOn))                                                \
    X(void, fmi2FreeInstance, (fmi2Component c))                                                   \
    X(fmi2Status, fmi2SetupExperiment,                                                             \
      (fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real startTime,      \
       fmi2Boolean stopTimeDefined, fmi2Real stopTime))                                            \
    X(fmi2Status, fmi2EnterInitializationMode, (fmi2Component c))                                  \
    X(fmi2Status, fmi2ExitInitializationMode, (fmi2Component c))                                   \
    X(fmi2Status, fmi2Terminate, (fmi2Component c))                                                \
    X(fmi2Status, fmi2Reset, (fmi2Component c))                                                    \
    X(fmi2Status, fmi2GetReal,                                                                     \
      (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[]))              \
    X(fmi2Status, fmi2GetInteger,                                                                  \
      (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Integer value[]))           \
    X(fmi2Status, fmi2GetBoolean,                                                                  \
      (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Boolean value[]))           \
    X(fmi2Status, fmi2GetString,                                                                   \
      (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2String value[]))            \
    X(fmi2Status, fmi2SetReal,                                                                     \
      (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[]))        \
    X(fmi2Status, fmi2SetInteger,                                                                  \
      (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer value[]))     \
    X(fmi2Status, fmi2SetBoolean,                                                                  \
      (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Boolean value[]))     \
    X(fmi2Status, fmi2SetString,                                                                   \
      (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2String value[]))      \
    X(fmi2Status, fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate * state))                        \
    X(fmi2Status, fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate state))                          \
    X(fmi2Status, fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate * state))                       \
    X(fmi2Status, fmi2SerializedFMUstateSize,                                                      \
      (fmi2Component c, fmi2FMUstate state, size_t * size))                                        \
    X(fmi2Status, fmi2SerializeFMUstate,                                                           \
      (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size))                        \
    X(fmi2Status, fmi2DeSerializeFMUstate,                                                         \
      (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state))                 \
    X(fmi2Status, fmi2GetDirectionalDerivative,                                                    \
      (fmi2Component c, const fmi2ValueReference vUnknown[], size_t nUnknown,                      \
       const fmi2ValueReference vKnown[], size_t nKnown, const fmi2Real dvKnown[],                 \
       fmi2Real dvUnknown[]))

/// Functions of co-simulation.
#define FMI2_CS_FUNCTIONS(X)                                                                       \
    X(fmi2Status, fmi2SetRealInputDerivatives,                                                     \
      (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[],      \
       const fmi2Real value[]))                                                                    \
    X(fmi2Status, fmi2GetRealOutputDerivatives,                                                    \
      (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[],      \
       fmi2Real value[]))                                                                          \
    X(fmi2Status, fmi2DoStep,                                                                      \
      (fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,        \
       fmi2Boolean noSetFMUStatePriorToCurrentPoint))                                              \
    X(fmi2Status, fmi2CancelStep, (fmi2Component c))                                               \
    X(fmi2Status, fmi2GetStatus, (fmi2Component c, const fmi2StatusKind s, fmi2Status *value))     \
    X(fmi2Status, fmi2GetRealStatus, (fmi2Component c, const fmi2StatusKind s, fmi2Real *value))   \
    X(fmi2Status, fmi2GetIntegerStatus,                                                            \
      (fmi2Component c, const fmi2StatusKind s, fmi2Integer *value))                               \
    X(fmi2Status, fmi2GetBooleanStatus,                                                            \
      (fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value))                               \
    X(fmi2Status, fmi2GetStringStatus, (fmi2Component c, const fmi2StatusKind s, fmi2String *value))

/// Functions of model exchange.
#define FMI2_ME_FUNCTIONS(X)                                                                       \
    X(fmi2Status, fmi2EnterEventMode, (fmi2Component c))                                           \
    X(fmi2Status, fmi2NewDiscreteStates, (fmi2Component c, fmi2EventInfo * eventInfo))             \
    X(fmi2Status, fmi2EnterContinuousTimeMode, (fmi2Component c))                                  \
    X(fmi2Status, fmi2CompletedIntegratorStep,                                                     \
      (fmi2Component c, fmi2Boolean noSetFMUStatePriorToCurrentPoint,                              \
       fmi2Boolean * enterEventMode, fmi2Boolean * terminateSimulation))                           \
    X(fmi2Status, fmi2SetTime, (fmi2Component c, fmi2Real time))                                   \
    X(fmi2Status, fmi2SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t nx))       \
    X(fmi2Status, fmi2GetDerivatives, (fmi2Component c, fmi2Real derivatives[], size_t nx))        \
    X(fmi2Status, fmi2GetEventIndicators,                                                          \
      (fmi2Component c, fmi2Real eventIndicators[], size_t ni))                                    \
    X(fmi2Status, fmi2GetContinuousStates, (fmi2Component c, fmi2Real x[], size_t nx))             \
    X(fmi2Status, fmi2GetNominalsOfContinuousStates,                                               \
      (fmi2Component c, fmi2Real x_nominal[], size_t nx))

/// The type of each function: fmi2DoStepTYPE and so on.
#define FMI2_FUNCTION_TYPE(result, name, parameters)                                               \
    typedef result TAKT_FMI_CALL name##TYPE parameters;
FMI2_COMMON_FUNCTIONS(FMI2_FUNCTION_TYPE)
FMI2_CS_FUNCTIONS(FMI2_FUNCTION_TYPE)
FMI2_ME_FUNCTIONS(FMI2_FUNCTION_TYPE)
#undef FMI2_FUNCTION_TYPE

#ifdef __cplusplus
}
#endif
#endif
