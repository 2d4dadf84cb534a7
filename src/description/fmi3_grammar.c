// SPDX-License-Identifier: MIT
// Elements and attributes of model descriptions of FMI 3.0, written from its schemas (3.0.2); see
// grammar.h.
#include "description/grammar.h"

#define ROOT                                                                                       \
    "fmiVersion modelName instantiationToken description author version copyright license "        \
    "generationTool generationDateAndTime variableNamingConvention"
#define INTERFACE                                                                                  \
    "modelIdentifier needsExecutionTool canBeInstantiatedOnlyOncePerProcess "                      \
    "canGetAndSetFMUState canSerializeFMUState providesDirectionalDerivatives "                    \
    "providesAdjointDerivatives providesPerElementDependencies"
#define EVALUATE " providesEvaluateDiscreteStates"
#define REAL "quantity unit displayUnit relativeQuantity unbounded min max nominal"
#define INTEGER "quantity min max"
#define CLOCK                                                                                      \
    "canBeDeactivated priority intervalVariability intervalDecimal shiftDecimal supportsFraction " \
    "resolution intervalCounter shiftCounter"
#define UNKNOWN "valueReference dependencies dependenciesKind"
#define BASE                                                                                       \
    "name valueReference description causality variability canHandleMultipleSetPerTimeInstant "    \
    "clocks declaredType "
#define VARIABLE BASE "intermediateUpdate previous initial "
#define INTEGER_VARIABLE VARIABLE INTEGER " start"

// Each type: name, attributes of its definition, attributes of a variable.
#define TYPES(X)                                                                                   \
    X("Float64", REAL, VARIABLE REAL " start derivative reinit")                                   \
    X("Float32", REAL, VARIABLE REAL " start derivative reinit")                                   \
    X("Int8", INTEGER, INTEGER_VARIABLE)                                                           \
    X("UInt8", INTEGER, INTEGER_VARIABLE)                                                          \
    X("Int16", INTEGER, INTEGER_VARIABLE)                                                          \
    X("UInt16", INTEGER, INTEGER_VARIABLE)                                                         \
    X("Int32", INTEGER, INTEGER_VARIABLE)                                                          \
    X("UInt32", INTEGER, INTEGER_VARIABLE)                                                         \
    X("Int64", INTEGER, INTEGER_VARIABLE)                                                          \
    X("UInt64", INTEGER, INTEGER_VARIABLE)                                                         \
    X("Boolean", "", VARIABLE "start")                                                             \
    X("String", "", VARIABLE)                                                                      \
    X("Binary", "mimeType maxSize", VARIABLE "mimeType maxSize")                                   \
    X("Enumeration", INTEGER, INTEGER_VARIABLE)                                                    \
    X("Clock", CLOCK, BASE CLOCK)

#define DEFINITION_ROW(name, definition, variable)                                                 \
    {"TypeDefinitions", name "Type", "name description " definition, 0},
#define VARIABLE_ROW(name, definition, variable) {"ModelVariables", name, variable, 0},
#define CHILD_ROWS(name, definition, variable)                                                     \
    {name, "Annotations", "", 0}, {name, "Dimension", "start valueReference", 0},                  \
        {name, "Start", "value", 0}, {name, "Alias", "name description displayUnit", 0},

const takt_grammar_row takt_grammar_fmi3[] = {
    {"", "fmiModelDescription", ROOT, 0},
    TYPES(CHILD_ROWS) // first, because variables are most frequent
    TYPES(VARIABLE_ROW){"fmiModelDescription", "ModelExchange",
                        INTERFACE EVALUATE " needsCompletedIntegratorStep", 1},
    {"fmiModelDescription", "CoSimulation",
     INTERFACE EVALUATE " canHandleVariableCommunicationStepSize fixedInternalStepSize "
                        "maxOutputDerivativeOrder recommendedIntermediateInputSmoothness "
                        "providesIntermediateUpdate mightReturnEarlyFromDoStep "
                        "canReturnEarlyAfterIntermediateUpdate hasEventMode",
     2},
    {"fmiModelDescription", "ScheduledExecution", INTERFACE, 3},
    {"fmiModelDescription", "UnitDefinitions", "", 4},
    {"fmiModelDescription", "TypeDefinitions", "", 5},
    {"fmiModelDescription", "LogCategories", "", 6},
    {"fmiModelDescription", "DefaultExperiment", "startTime stopTime tolerance stepSize", 7},
    {"fmiModelDescription", "ModelVariables", "", 8},
    {"fmiModelDescription", "ModelStructure", "", 9},
    {"fmiModelDescription", "Annotations", "", 10},
    {"UnitDefinitions", "Unit", "name", 0},
    {"Unit", "BaseUnit", "kg m s A K mol cd rad factor offset", 1},
    {"Unit", "DisplayUnit", "name factor offset inverse", 0},
    {"Unit", "Annotations", "", 0},
    {"LogCategories", "Category", "name description", 0},
    {"ModelStructure", "Output", UNKNOWN, 0},
    {"ModelStructure", "ContinuousStateDerivative", UNKNOWN, 0},
    {"ModelStructure", "ClockedState", UNKNOWN, 0},
    {"ModelStructure", "InitialUnknown", UNKNOWN, 0},
    {"ModelStructure", "EventIndicator", UNKNOWN, 0},
    {"EnumerationType", "Item", "name value description", 0},
    {"EnumerationType", "Annotations", "", 0},
    TYPES(DEFINITION_ROW){0},
};
