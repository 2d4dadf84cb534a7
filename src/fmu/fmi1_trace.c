// SPDX-License-Identifier: MIT
// Calls of FMI 1.0 in the log; see trace.h.
#include "fmu/fmi1_instance.h"
#include "fmu/trace.h"

#define TRACED(name, parameters, arguments, in, out)                                               \
    TAKT_TRACED(takt_fmi1_functions, fmiStatus, name, parameters, arguments, in, out)
#define NO TAKT_TRACE_NONE
#define ARRAY TAKT_TRACE_ARRAY
#define VALUE TAKT_TRACE_VALUE
#define AT TAKT_TRACE_AT
#define ENTER(name) TRACED(name, (fmiComponent c), (c), NO, NO)
#define GET(name, type)                                                                            \
    TRACED(name, (fmiComponent c, const fmiValueReference vr[], size_t nvr, type value[]),         \
           (c, vr, nvr, value), ARRAY(vr, nvr), ARRAY(value, nvr))
#define SET(name, type)                                                                            \
    TRACED(name, (fmiComponent c, const fmiValueReference vr[], size_t nvr, const type value[]),   \
           (c, vr, nvr, value), ARRAY(vr, nvr) ARRAY(value, nvr), NO)
#define READ(name, type)                                                                           \
    TRACED(name, (fmiComponent c, type x[], size_t nx), (c, x, nx), NO, ARRAY(x, nx))
#define STATUS(name, type)                                                                         \
    TRACED(name, (fmiComponent c, const fmiStatusKind s, type *value), (c, s, value), VALUE(s),    \
           AT(value))

// ---- functions -----------------------------------------------------------------------------------

TRACED(fmiSetDebugLogging, (fmiComponent c, fmiBoolean loggingOn), (c, loggingOn), VALUE(loggingOn),
       NO)
GET(fmiGetReal, fmiReal)
GET(fmiGetInteger, fmiInteger)
GET(fmiGetBoolean, fmiBoolean)
GET(fmiGetString, fmiString)
SET(fmiSetReal, fmiReal)
SET(fmiSetInteger, fmiInteger)
SET(fmiSetBoolean, fmiBoolean)
SET(fmiSetString, fmiString)
TRACED(fmiInitializeSlave,
       (fmiComponent c, fmiReal tStart, fmiBoolean stopTimeDefined, fmiReal tStop),
       (c, tStart, stopTimeDefined, tStop), VALUE(tStart) VALUE(stopTimeDefined) VALUE(tStop), NO)
ENTER(fmiTerminateSlave)
ENTER(fmiResetSlave)
TAKT_TRACED_FREE(takt_fmi1_functions, fmiFreeSlaveInstance)
TRACED(fmiSetRealInputDerivatives,
       (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger order[],
        const fmiReal value[]),
       (c, vr, nvr, order, value), ARRAY(vr, nvr) ARRAY(order, nvr) ARRAY(value, nvr), NO)
TRACED(fmiGetRealOutputDerivatives,
       (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger order[],
        fmiReal value[]),
       (c, vr, nvr, order, value), ARRAY(vr, nvr) ARRAY(order, nvr), ARRAY(value, nvr))
ENTER(fmiCancelStep)
TRACED(fmiDoStep,
       (fmiComponent c, fmiReal currentCommunicationPoint, fmiReal communicationStepSize,
        fmiBoolean newStep),
       (c, currentCommunicationPoint, communicationStepSize, newStep),
       VALUE(currentCommunicationPoint) VALUE(communicationStepSize) VALUE(newStep), NO)
STATUS(fmiGetStatus, fmiStatus)
STATUS(fmiGetRealStatus, fmiReal)
STATUS(fmiGetIntegerStatus, fmiInteger)
STATUS(fmiGetBooleanStatus, fmiBoolean)
STATUS(fmiGetStringStatus, fmiString)
TAKT_TRACED_FREE(takt_fmi1_functions, fmiFreeModelInstance)
TRACED(fmiSetTime, (fmiComponent c, fmiReal time), (c, time), VALUE(time), NO)
TRACED(fmiSetContinuousStates, (fmiComponent c, const fmiReal x[], size_t nx), (c, x, nx),
       ARRAY(x, nx), NO)
TRACED(fmiCompletedIntegratorStep, (fmiComponent c, fmiBoolean *callEventUpdate),
       (c, callEventUpdate), NO, AT(callEventUpdate))
TRACED(fmiInitialize,
       (fmiComponent c, fmiBoolean toleranceControlled, fmiReal relativeTolerance,
        fmiEventInfo *eventInfo),
       (c, toleranceControlled, relativeTolerance, eventInfo),
       VALUE(toleranceControlled) VALUE(relativeTolerance),
       AT(&eventInfo->iterationConverged) AT(&eventInfo->stateValuesChanged)
           AT(&eventInfo->terminateSimulation) AT(&eventInfo->upcomingTimeEvent)
               AT(&eventInfo->nextEventTime))
READ(fmiGetDerivatives, fmiReal)
READ(fmiGetEventIndicators, fmiReal)
TRACED(fmiEventUpdate, (fmiComponent c, fmiBoolean intermediateResults, fmiEventInfo *eventInfo),
       (c, intermediateResults, eventInfo), VALUE(intermediateResults),
       AT(&eventInfo->iterationConverged) AT(&eventInfo->stateValuesChanged)
           AT(&eventInfo->terminateSimulation) AT(&eventInfo->upcomingTimeEvent)
               AT(&eventInfo->nextEventTime))
READ(fmiGetContinuousStates, fmiReal)
READ(fmiGetNominalContinuousStates, fmiReal)
READ(fmiGetStateValueReferences, fmiValueReference)
ENTER(fmiTerminate)

// ---- tables --------------------------------------------------------------------------------------

// These take no component, and are not called after it was made.
#define fmiGetVersion_traced from->fmiGetVersion
#define fmiGetTypesPlatform_traced from->fmiGetTypesPlatform
#define fmiInstantiateSlave_traced from->fmiInstantiateSlave
#define fmiGetModelTypesPlatform_traced from->fmiGetModelTypesPlatform
#define fmiInstantiateModel_traced from->fmiInstantiateModel

typedef struct tracer {
    takt_tracer base; // first
    takt_fmi1_functions functions;
} tracer;

takt_status takt_fmi1_trace(takt_fmi1_instance *self, takt_error *err)
{
    takt_tracer *base = NULL;
    const takt_fmi1_functions *from = self->functions;
    takt_status st = takt_tracer_create(&self->common, from, sizeof(tracer), &base, err);
    if (!base) return st;
    takt_fmi1_functions *functions = &((tracer *)base)->functions;
    FMI1_COMMON_FUNCTIONS(TAKT_TRACE_REPLACE)
    FMI1_CS_FUNCTIONS(TAKT_TRACE_REPLACE)
    FMI1_ME_FUNCTIONS(TAKT_TRACE_REPLACE)
    self->functions = functions;
    return TAKT_OK;
}
