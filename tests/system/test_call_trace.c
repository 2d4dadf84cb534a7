// SPDX-License-Identifier: MIT
// `--log-level trace`: calls of FMUs with their arguments and what they return, in all versions of FMI and both
// interfaces; the results are those of a run without it.
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

/// An FMU, how it is run, and lines that must be there.
typedef struct traced_case {
    const char *fmu, *interface;
    const char *lines[8];
} traced_case;

static const traced_case cases[] = {
    {"Lag",
     "cs",
     {"instance 'Lag': fmi2Instantiate(instanceName=\"Lag\")",
      "fmi2SetupExperiment(toleranceDefined=",
      "fmi2DoStep(currentCommunicationPoint=0.1, "
      "communicationStepSize=0.1, "
      "noSetFMUStatePriorToCurrentPoint=1) -> OK",
      "fmi2GetReal(vr={", "fmi2Terminate() -> OK", "fmi2FreeInstance()"}},
    {"Lag",
     "me",
     {"fmi2NewDiscreteStates() -> OK, newDiscreteStatesNeeded=0", "fmi2SetTime(time=0) -> OK",
      "fmi2SetContinuousStates(x={", "fmi2GetDerivatives() -> OK, x={", "fmi2FreeInstance()"}},
    {"Lag_fmi1",
     "cs",
     {"fmiInstantiateSlave(instanceName=\"Lag_fmi1\")", "fmiInitializeSlave(tStart=0, ",
      "fmiDoStep(currentCommunicationPoint=0.1, communicationStepSize=0.1, newStep=1) -> OK",
      "fmiGetReal(vr={", "fmiFreeSlaveInstance()"}},
    {"Lag_fmi1me",
     "me",
     {"fmiInstantiateModel(", "fmiInitialize(toleranceControlled=", "fmiSetTime(time=0) -> OK",
      "fmiGetDerivatives() -> OK, x={", "fmiFreeModelInstance()"}},
    {"Lag_fmi3",
     "cs",
     {"fmi3InstantiateCoSimulation(", "fmi3EnterInitializationMode(toleranceDefined=",
      "fmi3DoStep(currentCommunicationPoint=0.1, communicationStepSize=0.1, ",
      "eventHandlingNeeded=0, terminateSimulation=0, earlyReturn=0, lastSuccessfulTime=0.2",
      "fmi3GetFloat64(vr={", "fmi3FreeInstance()"}},
    {"Lag_fmi3",
     "me",
     {"fmi3InstantiateModelExchange(", "fmi3GetNumberOfContinuousStates() -> OK, n=1",
      "fmi3SetTime(time=0) -> OK", "fmi3GetContinuousStateDerivatives() -> OK, x={",
      "fmi3UpdateDiscreteStates() -> OK, discreteStatesNeedUpdate=0", "fmi3FreeInstance()"}},
};

static void run(test_sandbox *box, const traced_case *at, const char *results, const char *level)
{
    char path[TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s.fmu", TEST_FMUS, at->fmu);
    test_run(box, "run", path, "--interface", at->interface, "--step-size", "0.1", "--stop-time",
             "0.5", "--log-level", level, "-o", results, NULL);
    assert_exit(box, 0);
}

static void calls_are_shown_with_arguments_in_all_versions(void **state)
{
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(box, &cases[i], "traced.csv", "trace");
        for (int k = 0; k < 8 && cases[i].lines[k]; k++)
            assert_contains(box->err, cases[i].lines[k]);
        char place[64];
        snprintf(place, sizeof place, "instance '%s', t=0.1: ", cases[i].fmu);
        assert_contains(box->err, place);
        run(box, &cases[i], "plain.csv", "debug");
        assert_int_equal(test_count(box->err, " -> OK"), 0);
        char *traced = test_read_file(box, "traced.csv", NULL);
        char *plain = test_read_file(box, "plain.csv", NULL);
        assert_string_equal(traced, plain);
        free(traced);
        free(plain);
    }
}

// Strings, whole numbers and Booleans; arrays that are too long to be shown.
static void values_of_all_types_are_shown(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/Types3_fmi3.fmu", "--record", "*", "--stop-time", "0.2",
             "--step-size", "0.1", "--log-level", "trace", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "fmi3GetInt8(vr={");
    assert_contains(box->err, "fmi3GetUInt64(vr={");
    assert_contains(box->err, "fmi3GetString(vr={");
    assert_contains(box->err, "values={\"");
    test_run(box, "run", TEST_FMUS "/Wide.fmu", "--stop-time", "0.2", "--step-size", "0.1",
             "--log-level", "trace", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, " more}) -> OK, value={");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(calls_are_shown_with_arguments_in_all_versions),
        test_in_sandbox(values_of_all_types_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
