// SPDX-License-Identifier: MIT
// The C interface of FMI 1.0 (co-simulation and model exchange): types, values and functions. The
// functions form lists, from which the importer derives its table of pointers and the FMU kit its
// declarations. In a library every name has the prefix "<modelIdentifier>_".
#ifndef TAKT_FMI_FMI1_H
#define TAKT_FMI_FMI1_H

#include <stddef.h>

/// How functions of FMI are called where that is not the compiler's usual way (Windows FMUs on Linux).
#ifndef TAKT_FMI_CALL
#define TAKT_FMI_CALL
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void *fmiComponent;
typedef unsigned int fmiValueReference;
typedef double fmiReal;
typedef int fmiInteger;
typedef char fmiBoolean; // int from FMI 2.0 on
typedef const char *fmiString;

enum { fmiFalse = 0, fmiTrue = 1 };

/// Of variables without a value reference.
#define fmiUndefinedValueReference ((fmiValueReference)(-1))

/// What fmiGetTypesPlatform and fmiGetModelTypesPlatform return, also on 64-bit systems.
#define FMI1_TYPES_PLATFORM "standard32"
#define FMI1_VERSION "1.0"

typedef enum { fmiOK, fmiWarning, fmiDiscard, fmiError, fmiFatal, fmiPending } fmiStatus;

typedef enum { fmiDoStepStatus, fmiPendingStatus, fmiLastSuccessfulTime } fmiStatusKind;

typedef void(TAKT_FMI_CALL *fmiCallbackLogger)(fmiComponent c, fmiString instanceName,
                                               fmiStatus status, fmiString category,
                                               fmiString message, ...);
typedef void *(TAKT_FMI_CALL *fmiCallbackAllocateMemory)(size_t n_objects, size_t size);
typedef void(TAKT_FMI_CALL *fmiCallbackFreeMemory)(void *memory);
typedef void(TAKT_FMI_CALL *fmiStepFinished)(fmiComponent c, fmiStatus status);

/// Handed over by value, unlike in FMI 2.0.
typedef struct {
    fmiCallbackLogger logger;
    fmiCallbackAllocateMemory allocateMemory;
    fmiCallbackFreeMemory freeMemory;
    fmiStepFinished stepFinished; // may be NULL
} fmiCallbackFunctions;

/// The same in model exchange; the standard gives both structs one name.
typedef struct {
    fmiCallbackLogger logger;
    fmiCallbackAllocateMemory allocateMemory;
    fmiCallbackFreeMemory freeMemory;
} fmiModelCallbackFunctions;

typedef struct {
    fmiBoolean iterationConverged;
    fmiBoolean stateValueReferencesChanged;
    fmiBoolean stateValuesChanged;
    fmiBoolean terminateSimulation;
    fmiBoolean upcomingTimeEvent;
    fmiReal nextEventTime;
} fmiEventInfo;

/// X(result, name, parameters): functions of both interfaces.
#define FMI1_COMMON_FUNCTIONS(X)                                                                   \
    X(const char *, fmiGetVersion, (void))                                                         \
    X(fmiStatus, fmiSetDebugLogging, (fmiComponent c, fmiBoolean loggingOn))                       \
    X(fmiStatus, fmiGetReal,                                                                       \
      (fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiReal value[]))                 \
    X(fmiStatus, fmiGetInteger,                                                                    \
      (fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiInteger value[]))              \
    X(fmiStatus, fmiGetBoolean,                                                                    \
      (fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiBoolean value[]))              \
    X(fmiStatus, fmiGetString,                                                                     \
      (fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiString value[]))               \
    X(fmiStatus, fmiSetReal,                                                                       \
      (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiReal value[]))           \
    X(fmiStatus, fmiSetInteger,                                                                    \
      (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger value[]))        \
    X(fmiStatus, fmiSetBoolean,                                                                    \
      (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiBoolean value[]))        \
    X(fmiStatus, fmiSetString,                                                                     \
      (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiString value[]))

/// Functions of co-simulation.
#define FMI1_CS_FUNCTIONS(X)                                                                       \
    X(const char *, fmiGetTypesPlatform, (void))                                                   \
    X(fmiComponent, fmiInstantiateSlave,                                                           \
      (fmiString instanceName, fmiString fmuGUID, fmiString fmuLocation, fmiString mimeType,       \
       fmiReal timeout, fmiBoolean visible, fmiBoolean interactive,                                \
       fmiCallbackFunctions functions, fmiBoolean loggingOn))                                      \
    X(fmiStatus, fmiInitializeSlave,                                                               \
      (fmiComponent c, fmiReal tStart, fmiBoolean stopTimeDefined, fmiReal tStop))                 \
    X(fmiStatus, fmiTerminateSlave, (fmiComponent c))                                              \
    X(fmiStatus, fmiResetSlave, (fmiComponent c))                                                  \
    X(void, fmiFreeSlaveInstance, (fmiComponent c))                                                \
    X(fmiStatus, fmiSetRealInputDerivatives,                                                       \
      (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger order[],         \
       const fmiReal value[]))                                                                     \
    X(fmiStatus, fmiGetRealOutputDerivatives,                                                      \
      (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger order[],         \
       fmiReal value[]))                                                                           \
    X(fmiStatus, fmiCancelStep, (fmiComponent c))                                                  \
    X(fmiStatus, fmiDoStep,                                                                        \
      (fmiComponent c, fmiReal currentCommunicationPoint, fmiReal communicationStepSize,           \
       fmiBoolean newStep))                                                                        \
    X(fmiStatus, fmiGetStatus, (fmiComponent c, const fmiStatusKind s, fmiStatus *value))          \
    X(fmiStatus, fmiGetRealStatus, (fmiComponent c, const fmiStatusKind s, fmiReal *value))        \
    X(fmiStatus, fmiGetIntegerStatus, (fmiComponent c, const fmiStatusKind s, fmiInteger *value))  \
    X(fmiStatus, fmiGetBooleanStatus, (fmiComponent c, const fmiStatusKind s, fmiBoolean *value))  \
    X(fmiStatus, fmiGetStringStatus, (fmiComponent c, const fmiStatusKind s, fmiString *value))

/// Functions of model exchange.
#define FMI1_ME_FUNCTIONS(X)                                                                       \
    X(const char *, fmiGetModelTypesPlatform, (void))                                              \
    X(fmiComponent, fmiInstantiateModel,                                                           \
      (fmiString instanceName, fmiString GUID, fmiModelCallbackFunctions functions,                \
       fmiBoolean loggingOn))                                                                      \
    X(void, fmiFreeModelInstance, (fmiComponent c))                                                \
    X(fmiStatus, fmiSetTime, (fmiComponent c, fmiReal time))                                       \
    X(fmiStatus, fmiSetContinuousStates, (fmiComponent c, const fmiReal x[], size_t nx))           \
    X(fmiStatus, fmiCompletedIntegratorStep, (fmiComponent c, fmiBoolean * callEventUpdate))       \
    X(fmiStatus, fmiInitialize,                                                                    \
      (fmiComponent c, fmiBoolean toleranceControlled, fmiReal relativeTolerance,                  \
       fmiEventInfo * eventInfo))                                                                  \
    X(fmiStatus, fmiGetDerivatives, (fmiComponent c, fmiReal derivatives[], size_t nx))            \
    X(fmiStatus, fmiGetEventIndicators, (fmiComponent c, fmiReal eventIndicators[], size_t ni))    \
    X(fmiStatus, fmiEventUpdate,                                                                   \
      (fmiComponent c, fmiBoolean intermediateResults, fmiEventInfo * eventInfo))                  \
    X(fmiStatus, fmiGetContinuousStates, (fmiComponent c, fmiReal states[], size_t nx))            \
    X(fmiStatus, fmiGetNominalContinuousStates, (fmiComponent c, fmiReal x_nominal[], size_t nx))  \
    X(fmiStatus, fmiGetStateValueReferences, (fmiComponent c, fmiValueReference vrx[], size_t nx)) \
    X(fmiStatus, fmiTerminate, (fmiComponent c))

/// The type of each function: fmiDoStepTYPE and so on.
#define FMI1_FUNCTION_TYPE(result, name, parameters)                                               \
    typedef result TAKT_FMI_CALL name##TYPE parameters;
FMI1_COMMON_FUNCTIONS(FMI1_FUNCTION_TYPE)
FMI1_CS_FUNCTIONS(FMI1_FUNCTION_TYPE)
FMI1_ME_FUNCTIONS(FMI1_FUNCTION_TYPE)
#undef FMI1_FUNCTION_TYPE

#ifdef __cplusplus
}
#endif
#endif
