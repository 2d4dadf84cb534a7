// SPDX-License-Identifier: MIT
// Calls of FMI 2.0 in the log; see trace.h.
#include "fmu/fmi2_instance.h"
#include "fmu/trace.h"

#define TRACED(name, parameters, arguments, in, out)                                               \
    TAKT_TRACED(takt_fmi2_functions, fmi2Status, name, parameters, arguments, in, out)
#define NO TAKT_TRACE_NONE
#define ARRAY TAKT_TRACE_ARRAY
#define VALUE TAKT_TRACE_VALUE
#define AT TAKT_TRACE_AT
#define ENTER(name) TRACED(name, (fmi2Component c), (c), NO, NO)
#define GET(name, type)                                                                            \
    TRACED(name, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, type value[]),       \
           (c, vr, nvr, value), ARRAY(vr, nvr), ARRAY(value, nvr))
#define SET(name, type)                                                                            \
    TRACED(name, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const type value[]), \
           (c, vr, nvr, value), ARRAY(vr, nvr) ARRAY(value, nvr), NO)
#define READ(name, type)                                                                           \
    TRACED(name, (fmi2Component c, type x[], size_t nx), (c, x, nx), NO, ARRAY(x, nx))
#define STATUS(name, type)                                                                         \
    TRACED(name, (fmi2Component c, const fmi2StatusKind s, type *value), (c, s, value), VALUE(s),  \
           AT(value))

// ---- functions -----------------------------------------------------------------------------------

TRACED(fmi2SetDebugLogging,
       (fmi2Component c, fmi2Boolean loggingOn, size_t nCategories, const fmi2String categories[]),
       (c, loggingOn, nCategories, categories), VALUE(loggingOn) ARRAY(categories, nCategories), NO)
TAKT_TRACED_FREE(takt_fmi2_functions, fmi2FreeInstance)
TRACED(fmi2SetupExperiment,
       (fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real startTime,
        fmi2Boolean stopTimeDefined, fmi2Real stopTime),
       (c, toleranceDefined, tolerance, startTime, stopTimeDefined, stopTime),
       VALUE(toleranceDefined) VALUE(tolerance) VALUE(startTime) VALUE(stopTimeDefined)
           VALUE(stopTime),
       NO)
ENTER(fmi2EnterInitializationMode)
ENTER(fmi2ExitInitializationMode)
ENTER(fmi2Terminate)
ENTER(fmi2Reset)
GET(fmi2GetReal, fmi2Real)
GET(fmi2GetInteger, fmi2Integer)
GET(fmi2GetBoolean, fmi2Boolean)
GET(fmi2GetString, fmi2String)
SET(fmi2SetReal, fmi2Real)
SET(fmi2SetInteger, fmi2Integer)
SET(fmi2SetBoolean, fmi2Boolean)
SET(fmi2SetString, fmi2String)
TRACED(fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate *state), (c, state), NO, NO)
TRACED(fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate state), (c, state), NO, NO)
TRACED(fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate *state), (c, state), NO, NO)
TRACED(fmi2SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t *size),
       (c, state, size), NO, AT(size))
TRACED(fmi2SerializeFMUstate, (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size),
       (c, state, bytes, size), VALUE(size), NO)
TRACED(fmi2DeSerializeFMUstate,
       (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state),
       (c, bytes, size, state), VALUE(size), NO)
TRACED(fmi2GetDirectionalDerivative,
       (fmi2Component c, const fmi2ValueReference vUnknown[], size_t nUnknown,
        const fmi2ValueReference vKnown[], size_t nKnown, const fmi2Real dvKnown[],
        fmi2Real dvUnknown[]),
       (c, vUnknown, nUnknown, vKnown, nKnown, dvKnown, dvUnknown),
       ARRAY(vUnknown, nUnknown) ARRAY(vKnown, nKnown) ARRAY(dvKnown, nKnown),
       ARRAY(dvUnknown, nUnknown))
TRACED(fmi2SetRealInputDerivatives,
       (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[],
        const fmi2Real value[]),
       (c, vr, nvr, order, value), ARRAY(vr, nvr) ARRAY(order, nvr) ARRAY(value, nvr), NO)
TRACED(fmi2GetRealOutputDerivatives,
       (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[],
        fmi2Real value[]),
       (c, vr, nvr, order, value), ARRAY(vr, nvr) ARRAY(order, nvr), ARRAY(value, nvr))
TRACED(fmi2DoStep,
       (fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
        fmi2Boolean noSetFMUStatePriorToCurrentPoint),
       (c, currentCommunicationPoint, communicationStepSize, noSetFMUStatePriorToCurrentPoint),
       VALUE(currentCommunicationPoint) VALUE(communicationStepSize)
           VALUE(noSetFMUStatePriorToCurrentPoint),
       NO)
ENTER(fmi2CancelStep)
STATUS(fmi2GetStatus, fmi2Status)
STATUS(fmi2GetRealStatus, fmi2Real)
STATUS(fmi2GetIntegerStatus, fmi2Integer)
STATUS(fmi2GetBooleanStatus, fmi2Boolean)
STATUS(fmi2GetStringStatus, fmi2String)
ENTER(fmi2EnterEventMode)
TRACED(fmi2NewDiscreteStates, (fmi2Component c, fmi2EventInfo *eventInfo), (c, eventInfo), NO,
       AT(&eventInfo->newDiscreteStatesNeeded) AT(&eventInfo->terminateSimulation)
           AT(&eventInfo->nominalsOfContinuousStatesChanged)
               AT(&eventInfo->valuesOfContinuousStatesChanged) AT(&eventInfo->nextEventTimeDefined)
                   AT(&eventInfo->nextEventTime))
ENTER(fmi2EnterContinuousTimeMode)
TRACED(fmi2CompletedIntegratorStep,
       (fmi2Component c, fmi2Boolean noSetFMUStatePriorToCurrentPoint, fmi2Boolean *enterEventMode,
        fmi2Boolean *terminateSimulation),
       (c, noSetFMUStatePriorToCurrentPoint, enterEventMode, terminateSimulation),
       VALUE(noSetFMUStatePriorToCurrentPoint), AT(enterEventMode) AT(terminateSimulation))
TRACED(fmi2SetTime, (fmi2Component c, fmi2Real time), (c, time), VALUE(time), NO)
TRACED(fmi2SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t nx), (c, x, nx),
       ARRAY(x, nx), NO)
READ(fmi2GetDerivatives, fmi2Real)
READ(fmi2GetEventIndicators, fmi2Real)
READ(fmi2GetContinuousStates, fmi2Real)
READ(fmi2GetNominalsOfContinuousStates, fmi2Real)

// ---- tables --------------------------------------------------------------------------------------

// These take no component, and are not called after it was made.
#define fmi2GetTypesPlatform_traced from->fmi2GetTypesPlatform
#define fmi2GetVersion_traced from->fmi2GetVersion
#define fmi2Instantiate_traced from->fmi2Instantiate

typedef struct tracer {
    takt_tracer base; // first
    takt_fmi2_functions functions;
} tracer;

takt_status takt_fmi2_trace(takt_fmi2_instance *self, takt_error *err)
{
    takt_tracer *base = NULL;
    const takt_fmi2_functions *from = self->functions;
    takt_status st = takt_tracer_create(&self->common, from, sizeof(tracer), &base, err);
    if (!base) return st;
    takt_fmi2_functions *functions = &((tracer *)base)->functions;
    FMI2_COMMON_FUNCTIONS(TAKT_TRACE_REPLACE)
    FMI2_CS_FUNCTIONS(TAKT_TRACE_REPLACE)
    FMI2_ME_FUNCTIONS(TAKT_TRACE_REPLACE)
    self->functions = functions;
    return TAKT_OK;
}
