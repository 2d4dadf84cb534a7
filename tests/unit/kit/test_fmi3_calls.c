// SPDX-License-Identifier: MIT
// FMI 3.0: the order of calls, compared with sections 2.3 and 4.2 of the standard, instantiation and
// logging.
#include "support/raw_fmu.h"

#include "fmus/misbehave.h"

#define UNPACKED TEST_FMUS ".unpacked"

// Calls one function with harmless arguments.
typedef void call_fn(raw_fmu *f);

static const fmi3ValueReference none[1];
static fmi3FMUState state_of_test;
static double reals[1];
static int32_t orders[1];
static uint64_t counters[1];
static fmi3IntervalQualifier qualifiers[1];
static bool flags[4];

// clang-format off
#define ACCESS(unused, type)                                                                        \
    static void call_get_##type(raw_fmu *f) { fmi3##type v[1]; f->fmi3Get##type(f->c, none, 0, v, 0); } \
    static void call_set_##type(raw_fmu *f) { fmi3##type v[1] = {0}; f->fmi3Set##type(f->c, none, 0, v, 0); }
FMI3_PLAIN_TYPES(ACCESS, )
#undef ACCESS
static void call_get_Binary(raw_fmu *f) { size_t n[1]; fmi3Binary v[1]; f->fmi3GetBinary(f->c, none, 0, n, v, 0); }
static void call_set_Binary(raw_fmu *f) { size_t n[1] = {0}; fmi3Binary v[1] = {0}; f->fmi3SetBinary(f->c, none, 0, n, v, 0); }
static void call_get_clock(raw_fmu *f) { f->fmi3GetClock(f->c, none, 0, flags); }
static void call_set_clock(raw_fmu *f) { f->fmi3SetClock(f->c, none, 0, flags); }
static void call_debug(raw_fmu *f) { f->fmi3SetDebugLogging(f->c, false, 0, NULL); f->fmi3SetDebugLogging(f->c, true, 0, NULL); }
static void call_enter(raw_fmu *f) { f->fmi3EnterInitializationMode(f->c, false, 0, 0, false, 0); }
static void call_exit(raw_fmu *f) { f->fmi3ExitInitializationMode(f->c); }
static void call_enter_configuration(raw_fmu *f) { f->fmi3EnterConfigurationMode(f->c); }
static void call_exit_configuration(raw_fmu *f) { f->fmi3ExitConfigurationMode(f->c); }
static void call_event_mode(raw_fmu *f) { f->fmi3EnterEventMode(f->c); }
static void call_step_mode(raw_fmu *f) { f->fmi3EnterStepMode(f->c); }
static void call_terminate(raw_fmu *f) { f->fmi3Terminate(f->c); }
static void call_reset(raw_fmu *f) { f->fmi3Reset(f->c); }
static void call_get_interval(raw_fmu *f) { f->fmi3GetIntervalDecimal(f->c, none, 0, reals, qualifiers); }
static void call_get_interval_fraction(raw_fmu *f) { f->fmi3GetIntervalFraction(f->c, none, 0, counters, counters, qualifiers); }
static void call_get_shift(raw_fmu *f) { f->fmi3GetShiftDecimal(f->c, none, 0, reals); }
static void call_get_shift_fraction(raw_fmu *f) { f->fmi3GetShiftFraction(f->c, none, 0, counters, counters); }
static void call_set_interval(raw_fmu *f) { f->fmi3SetIntervalDecimal(f->c, none, 0, reals); }
static void call_set_interval_fraction(raw_fmu *f) { f->fmi3SetIntervalFraction(f->c, none, 0, counters, counters); }
static void call_set_shift(raw_fmu *f) { f->fmi3SetShiftDecimal(f->c, none, 0, reals); }
static void call_set_shift_fraction(raw_fmu *f) { f->fmi3SetShiftFraction(f->c, none, 0, counters, counters); }
static void call_evaluate(raw_fmu *f) { f->fmi3EvaluateDiscreteStates(f->c); }
static void call_update(raw_fmu *f) { f->fmi3UpdateDiscreteStates(f->c, &flags[0], &flags[1], &flags[2], &flags[3], &flags[0], reals); }
static void call_count_dependencies(raw_fmu *f) { size_t n; f->fmi3GetNumberOfVariableDependencies(f->c, 0, &n); }
static void call_dependencies(raw_fmu *f) { size_t n[1]; fmi3ValueReference vr[1]; fmi3DependencyKind k[1]; f->fmi3GetVariableDependencies(f->c, 0, n, vr, n, k, 0); }
static void call_get_state(raw_fmu *f) { fmi3FMUState s = NULL; f->fmi3GetFMUState(f->c, &s); }
static void call_set_state(raw_fmu *f) { f->fmi3SetFMUState(f->c, state_of_test); }
static void call_free_state(raw_fmu *f) { fmi3FMUState s = NULL; f->fmi3FreeFMUState(f->c, &s); }
static void call_size(raw_fmu *f) { size_t n; f->fmi3SerializedFMUStateSize(f->c, state_of_test, &n); }
static void call_serialize(raw_fmu *f) { fmi3Byte b[1]; f->fmi3SerializeFMUState(f->c, state_of_test, b, 0); }
static void call_deserialize(raw_fmu *f) { fmi3Byte b[1] = {0}; fmi3FMUState s = NULL; f->fmi3DeserializeFMUState(f->c, b, 0, &s); }
static void call_directional(raw_fmu *f) { f->fmi3GetDirectionalDerivative(f->c, none, 0, none, 0, reals, 0, reals, 0); }
static void call_adjoint(raw_fmu *f) { f->fmi3GetAdjointDerivative(f->c, none, 0, none, 0, reals, 0, reals, 0); }
static void call_output_derivatives(raw_fmu *f) { f->fmi3GetOutputDerivatives(f->c, none, 0, orders, reals, 0); }
static void call_do_step(raw_fmu *f) { f->fmi3DoStep(f->c, 0, 0, true, &flags[0], &flags[1], &flags[2], reals); }

// One letter per state: Instantiated, confiGuration mode, initializatioN mode, Event mode, Step mode,
// Reconfiguration mode, Terminated, and X: terminated by an error; none for fatal.
#define GET "INESTX"
#define SET "IGNESRt"
#define ANY "IGNESRTX"
static const struct {
    const char *name, *allowed;
    call_fn *call;
} calls[] = {
#define ROWS(unused, type) {"fmi3Get" #type, GET, call_get_##type}, {"fmi3Set" #type, SET, call_set_##type},
    FMI3_PLAIN_TYPES(ROWS, ) ROWS(, Binary)
#undef ROWS
    {"fmi3GetClock",                       "NE",    call_get_clock},
    {"fmi3SetClock",                       "E",     call_set_clock},
    {"fmi3SetDebugLogging",                ANY,     call_debug},
    {"fmi3EnterInitializationMode",        "In",     call_enter},
    {"fmi3ExitInitializationMode",         "Nise",     call_exit},
    {"fmi3EnterConfigurationMode",         "IS",    call_enter_configuration},
    {"fmi3ExitConfigurationMode",          "GR",    call_exit_configuration},
    {"fmi3EnterEventMode",                 "Se",     call_event_mode},
    {"fmi3EnterStepMode",                  "Es",     call_step_mode},
    {"fmi3Terminate",                      "ESintx",    call_terminate},
    {"fmi3Reset",                          ANY,     call_reset},
    {"fmi3GetIntervalDecimal",             "NE",    call_get_interval},
    {"fmi3GetIntervalFraction",            "NE",    call_get_interval_fraction},
    {"fmi3GetShiftDecimal",                "N",     call_get_shift},
    {"fmi3GetShiftFraction",               "N",     call_get_shift_fraction},
    {"fmi3SetIntervalDecimal",             "NE",    call_set_interval},
    {"fmi3SetIntervalFraction",            "NE",    call_set_interval_fraction},
    {"fmi3SetShiftDecimal",                "N",     call_set_shift},
    {"fmi3SetShiftFraction",               "N",     call_set_shift_fraction},
    {"fmi3EvaluateDiscreteStates",         "E",     call_evaluate},
    {"fmi3UpdateDiscreteStates",           "E",     call_update},
    {"fmi3GetNumberOfVariableDependencies", ANY,    call_count_dependencies},
    {"fmi3GetVariableDependencies",        ANY,     call_dependencies},
    {"fmi3GetFMUState",                    ANY,     call_get_state},
    {"fmi3SetFMUState",                    ANY,     call_set_state},
    {"fmi3FreeFMUState",                   ANY,     call_free_state},
    {"fmi3SerializedFMUStateSize",         ANY,     call_size},
    {"fmi3SerializeFMUState",              ANY,     call_serialize},
    {"fmi3DeserializeFMUState",            ANY,     call_deserialize},
    {"fmi3GetDirectionalDerivative",       "NESTX", call_directional},
    {"fmi3GetAdjointDerivative",           "NESTX", call_adjoint},
    {"fmi3GetOutputDerivatives",           "STXn",   call_output_derivatives},
    {"fmi3DoStep",                         "Sn",     call_do_step},
};
// clang-format on

// Each state is shown by an FMU that can get there; '!' is fatal.
static const struct {
    char state;
    const char *fmu, *name;
    int what; ///< of Misbehave
} states[] = {
    {'I', "Arrays_fmi3", "instantiated", 0},
    {'G', "Arrays_fmi3", "configuration mode", 0},
    {'N', "Arrays_fmi3", "initialization mode", 0},
    {'E', "Thermostat_fmi3", "event mode", 0},
    {'S', "Arrays_fmi3", "step mode", 0},
    {'R', "Arrays_fmi3", "reconfiguration mode", 0},
    {'T', "Arrays_fmi3", "terminated", 0},
    {'X', "Misbehave_fmi3", "error", MISBEHAVE_ERROR},
    {'!', "Misbehave_fmi3", "fatal", MISBEHAVE_FATAL},
};
enum { N_STATES = sizeof states / sizeof *states };

static void bring_to(raw_fmu *f, size_t i)
{
    char state = states[i].state;
    f->event_mode = state == 'E';
    if (states[i].what) {
        raw_start_with(f, "what", states[i].what);
        raw_step(f, 0, 0.1);
        return;
    }
    raw_instantiate(f);
    if (state == 'G') call_enter_configuration(f);
    if (strchr("NESRT", state)) call_enter(f);
    if (strchr("ESRT", state)) call_exit(f);
    if (state == 'R') call_enter_configuration(f);
    if (state == 'T') call_terminate(f);
}

static void functions_are_allowed_by_the_standard_or_tolerated_with_a_warning(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < N_STATES; k++) {
        raw_fmu f;
        raw_open(&f, UNPACKED, states[k].fmu);
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            bring_to(&f, k);
            raw_clear_log(&f);
            calls[i].call(&f);
            raw_assert_allowed(&f, calls[i].name, states[k].name, calls[i].allowed,
                               states[k].state);
            f.fmi3FreeInstance(f.c);
            f.c = NULL;
        }
        raw_close(&f);
    }
}

static void functions_accept_a_missing_instance(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain_fmi3");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) calls[i].call(&f); // f.c is NULL
    assert_int_equal(raw_step(&f, 0, 0.1), fmi3Error);
    assert_string_equal(f.fmi3GetVersion(), "3.0");
    raw_close(&f);
}

static void missing_pointers_are_refused_where_they_matter(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Thermostat_fmi3");
    f.event_mode = true;
    raw_start(&f);
    bool flag;
    double last;
    assert_int_equal(f.fmi3UpdateDiscreteStates(f.c, NULL, &flag, &flag, &flag, &flag, &last),
                     fmi3Error);
    assert_contains(f.log, "the argument 'discreteStatesNeedUpdate' is NULL");
    f.fmi3EnterStepMode(f.c);
    assert_int_equal(f.fmi3DoStep(f.c, 0, 0.1, true, &flag, &flag, NULL, &last), fmi3OK);
    fmi3ValueReference vr = raw_reference(&f, "T");
    assert_int_equal(f.fmi3GetFloat64(f.c, &vr, 1, NULL, 1), fmi3Error);
    assert_int_equal(f.fmi3GetFloat64(f.c, NULL, 1, &last, 1), fmi3Error);
    raw_close(&f);
}

static void functions_of_other_interfaces_are_there_and_refuse(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain_fmi3");
    raw_start(&f);
    size_t n;
    assert_int_equal(f.fmi3GetNumberOfContinuousStates(f.c, &n), fmi3Error);
    assert_contains(f.log, "fmi3GetNumberOfContinuousStates: the instance has been made for "
                           "co-simulation");
    assert_int_equal(f.fmi3ActivateModelPartition(f.c, 0, 0), fmi3Error);
    assert_int_equal(f.fmi3SetTime(NULL, 0), fmi3Error);
    assert_int_equal(raw_step(&f, 0, 1), fmi3OK);
    raw_close(&f);
}

// ---- instantiation ---------------------------------------------------------------------------------

static fmi3Instance make(raw_fmu *f, const char *name, const char *token, bool event_mode)
{
    raw_clear_log(f);
    fmi3Instance c = f->fmi3InstantiateCoSimulation(name, token, NULL, false, false, event_mode,
                                                    true, NULL, 0, f, f->log_message3, NULL);
    return c;
}

static void instantiation_refuses_wrong_arguments_with_a_reason(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain_fmi3");
    assert_null(make(&f, "a", "another", false));
    assert_contains(f.log, "the instantiation token is 'another', but the FMU's library has '");
    assert_null(make(&f, "a", NULL, false));
    assert_null(
        f.fmi3InstantiateModelExchange("a", f.guid, NULL, false, false, &f, f.log_message3));
    assert_contains(f.log, "fmi3InstantiateModelExchange: the FMU is made for co-simulation only");
    assert_null(f.fmi3InstantiateScheduledExecution("a", f.guid, NULL, false, false, &f,
                                                    f.log_message3, NULL, NULL, NULL));
    raw_close(&f);

    raw_open(&f, UNPACKED, "ClockCounter_fmi3");
    assert_null(make(&f, "a", f.guid, false));
    assert_contains(f.log, "the FMU has clocks, so it needs event mode");
    raw_close(&f);
}

static void second_instance_of_a_once_per_process_fmu_is_refused(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "OncePerProcess_fmi3");
    raw_instantiate(&f);
    assert_null(make(&f, "b", f.guid, false));
    assert_contains(f.log, "the model 'OncePerProcess' can have only one");
    raw_close(&f);
}

// ---- logging ---------------------------------------------------------------------------------------

static void nothing_is_logged_unless_logging_is_on(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain_fmi3");
    f.c = make(&f, "a", f.guid, false); // without logging
    assert_non_null(f.c);
    assert_int_equal(raw_step(&f, 0, 1), fmi3Error);
    assert_int_equal(f.n_messages, 0);
    f.fmi3SetDebugLogging(f.c, true, 0, NULL);
    assert_int_equal(raw_step(&f, 0, 1), fmi3Error);
    assert_string_equal(f.log, "logFmi3Call: fmi3DoStep: currentCommunicationPoint = 0, "
                               "communicationStepSize = 1\n"
                               "logStatusError: fmi3DoStep: not allowed in the state "
                               "'instantiated'\n");
    raw_close(&f);
}

static void what_the_fmu_does_not_provide_is_refused_with_a_reason(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "ClockCounter_fmi3");
    f.event_mode = true;
    raw_start(&f);
    raw_clear_log(&f);
    const fmi3ValueReference sample = 2;
    fmi3UInt64 number;
    fmi3IntervalQualifier qualifier;
    assert_int_equal(f.fmi3GetIntervalFraction(f.c, &sample, 1, &number, &number, &qualifier),
                     fmi3Error);
    assert_contains(f.log,
                    "fmi3GetIntervalFraction: the clock 'sample' knows decimal numbers only");
    call_set_interval(&f);
    assert_contains(f.log, "fmi3SetIntervalDecimal: intervals and shifts of the FMU's clocks are");
    call_dependencies(&f);
    assert_contains(f.log, "the FMU does not know the dependencies of elements");
    call_directional(&f);
    assert_contains(f.log, "the model provides no directional derivatives");
    f.fmi3EnterStepMode(f.c);
    call_enter_configuration(&f);
    assert_contains(f.log, "the FMU has no tunable structural parameters");
    raw_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_allowed_by_the_standard_or_tolerated_with_a_warning),
        cmocka_unit_test(functions_accept_a_missing_instance),
        cmocka_unit_test(missing_pointers_are_refused_where_they_matter),
        cmocka_unit_test(functions_of_other_interfaces_are_there_and_refuse),
        cmocka_unit_test(instantiation_refuses_wrong_arguments_with_a_reason),
        cmocka_unit_test(second_instance_of_a_once_per_process_fmu_is_refused),
        cmocka_unit_test(nothing_is_logged_unless_logging_is_on),
        cmocka_unit_test(what_the_fmu_does_not_provide_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
