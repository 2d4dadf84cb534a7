// SPDX-License-Identifier: MIT
// The order of calls, compared with the table of FMI 2.0, section 4.2.4, and the logging of calls.
#include "support/raw_fmu.h"

#include "fmus/misbehave.h"

#define UNPACKED TEST_FMUS ".unpacked"

// Calls one function with harmless arguments.
typedef void call_fn(raw_fmu *f);

static const fmi2ValueReference none[1];
static fmi2FMUstate state_of_test;
static double reals[1];
static int integers[1];
static const char *strings[1];

// clang-format off
static void call_debug(raw_fmu *f) { f->fmi2SetDebugLogging(f->c, fmi2False, 0, NULL); f->fmi2SetDebugLogging(f->c, fmi2True, 0, NULL); }
static void call_set_up(raw_fmu *f) { f->fmi2SetupExperiment(f->c, 0, 0, 0, 0, 0); }
static void call_enter(raw_fmu *f) { f->fmi2EnterInitializationMode(f->c); }
static void call_exit(raw_fmu *f) { f->fmi2ExitInitializationMode(f->c); }
static void call_terminate(raw_fmu *f) { f->fmi2Terminate(f->c); }
static void call_reset(raw_fmu *f) { f->fmi2Reset(f->c); }
static void call_get_real(raw_fmu *f) { f->fmi2GetReal(f->c, none, 0, reals); }
static void call_get_integer(raw_fmu *f) { f->fmi2GetInteger(f->c, none, 0, integers); }
static void call_get_boolean(raw_fmu *f) { f->fmi2GetBoolean(f->c, none, 0, integers); }
static void call_get_string(raw_fmu *f) { f->fmi2GetString(f->c, none, 0, strings); }
static void call_set_real(raw_fmu *f) { f->fmi2SetReal(f->c, none, 0, reals); }
static void call_set_integer(raw_fmu *f) { f->fmi2SetInteger(f->c, none, 0, integers); }
static void call_set_boolean(raw_fmu *f) { f->fmi2SetBoolean(f->c, none, 0, integers); }
static void call_set_string(raw_fmu *f) { f->fmi2SetString(f->c, none, 0, strings); }
static void call_get_state(raw_fmu *f) { fmi2FMUstate s = NULL; f->fmi2GetFMUstate(f->c, &s); }
static void call_set_state(raw_fmu *f) { f->fmi2SetFMUstate(f->c, state_of_test); }
static void call_free_state(raw_fmu *f) { fmi2FMUstate s = NULL; f->fmi2FreeFMUstate(f->c, &s); }
static void call_size(raw_fmu *f) { size_t n; f->fmi2SerializedFMUstateSize(f->c, state_of_test, &n); }
static void call_serialize(raw_fmu *f) { char b[1]; f->fmi2SerializeFMUstate(f->c, state_of_test, b, 0); }
static void call_deserialize(raw_fmu *f) { char b[1] = ""; fmi2FMUstate s = NULL; f->fmi2DeSerializeFMUstate(f->c, b, 0, &s); }
static void call_derivative(raw_fmu *f) { f->fmi2GetDirectionalDerivative(f->c, none, 0, none, 0, reals, reals); }
static void call_input_derivatives(raw_fmu *f) { f->fmi2SetRealInputDerivatives(f->c, none, 0, integers, reals); }
static void call_output_derivatives(raw_fmu *f) { f->fmi2GetRealOutputDerivatives(f->c, none, 0, integers, reals); }
static void call_do_step(raw_fmu *f) { f->fmi2DoStep(f->c, 0, 0, fmi2True); }
static void call_cancel(raw_fmu *f) { f->fmi2CancelStep(f->c); }
static void call_status(raw_fmu *f) { fmi2Status s; f->fmi2GetStatus(f->c, fmi2PendingStatus, &s); }
static void call_real_status(raw_fmu *f) { f->fmi2GetRealStatus(f->c, fmi2LastSuccessfulTime, reals); }
static void call_integer_status(raw_fmu *f) { f->fmi2GetIntegerStatus(f->c, fmi2DoStepStatus, integers); }
static void call_boolean_status(raw_fmu *f) { f->fmi2GetBooleanStatus(f->c, fmi2Terminated, integers); }
static void call_string_status(raw_fmu *f) { f->fmi2GetStringStatus(f->c, fmi2PendingStatus, strings); }

// One letter per state, in the order of the standard's columns: instantiated, Initialization Mode,
// step Complete, step in Progress, step Failed, step Canceled, Terminated, Error; none for fatal.
static const struct {
    const char *name, *allowed;
    call_fn *call;
} calls[] = {
    {"fmi2SetDebugLogging",          "INCPFXTE", call_debug},
    {"fmi2SetupExperiment",          "In",        call_set_up},
    {"fmi2EnterInitializationMode",  "In",        call_enter},
    {"fmi2ExitInitializationMode",   "Nic",        call_exit},
    {"fmi2Terminate",                "CFinxte",       call_terminate},
    {"fmi2Reset",                    "INCFXTE",  call_reset},
    {"fmi2GetReal",                  "NCFXTEi",   call_get_real},
    {"fmi2GetInteger",               "NCFXTEi",   call_get_integer},
    {"fmi2GetBoolean",               "NCFXTEi",   call_get_boolean},
    {"fmi2GetString",                "NCFXTEi",   call_get_string},
    {"fmi2SetReal",                  "INCft",      call_set_real},
    {"fmi2SetInteger",               "INCft",      call_set_integer},
    {"fmi2SetBoolean",               "INCft",      call_set_boolean},
    {"fmi2SetString",                "INCft",      call_set_string},
    {"fmi2GetFMUstate",              "INCFXTE",  call_get_state},
    {"fmi2SetFMUstate",              "INCFXTE",  call_set_state},
    {"fmi2FreeFMUstate",             "INCFXTE",  call_free_state},
    {"fmi2SerializedFMUstateSize",   "INCFXTE",  call_size},
    {"fmi2SerializeFMUstate",        "INCFXTE",  call_serialize},
    {"fmi2DeSerializeFMUstate",      "INCFXTE",  call_deserialize},
    {"fmi2GetDirectionalDerivative", "NCFXTE",   call_derivative},
    {"fmi2SetRealInputDerivatives",  "INCf",      call_input_derivatives},
    {"fmi2GetRealOutputDerivatives", "CFXTEn",    call_output_derivatives},
    {"fmi2DoStep",                   "Cnf",        call_do_step},
    {"fmi2CancelStep",               "P",        call_cancel},
    {"fmi2GetStatus",                "CPFTinxe",     call_status},
    {"fmi2GetRealStatus",            "CPFTinxe",     call_real_status},
    {"fmi2GetIntegerStatus",         "CPFTinxe",     call_integer_status},
    {"fmi2GetBooleanStatus",         "CPFTinxe",     call_boolean_status},
    {"fmi2GetStringStatus",          "CPFTinxe",     call_string_status},
};
// clang-format on

// Brings an instance into the state of a letter ('!' is fatal) and returns FMI's name of it.
static const char *bring_to(raw_fmu *f, char state)
{
    static const struct {
        char state;
        int what;
        const char *name;
    } ways[] = {{'P', MISBEHAVE_PENDING, "step in progress"},
                {'F', MISBEHAVE_DISCARD, "step failed"},
                {'X', MISBEHAVE_PENDING, "step canceled"},
                {'E', MISBEHAVE_ERROR, "error"},
                {'!', MISBEHAVE_FATAL, "fatal"},
                {'C', MISBEHAVE_NOTHING, "step complete"},
                {'T', MISBEHAVE_NOTHING, "terminated"}};
    if (state == 'I' || state == 'N') {
        raw_instantiate(f);
        if (state == 'N') {
            call_set_up(f);
            call_enter(f);
        }
        return state == 'N' ? "initialization mode" : "instantiated";
    }
    const char *name = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].state != state) continue;
        raw_start_with(f, "what", ways[i].what);
        name = ways[i].name;
    }
    f->fmi2DoStep(f->c, 0, 0.1, fmi2True);
    if (state == 'X') assert_int_equal(f->fmi2CancelStep(f->c), fmi2OK);
    if (state == 'T') assert_int_equal(f->fmi2Terminate(f->c), fmi2OK);
    return name;
}

// A pending step must be finished before its instance can be freed.
static void end(raw_fmu *f, char state)
{
    fmi2Status status;
    for (int i = 0; state == 'P' && i < 10; i++) f->fmi2GetStatus(f->c, fmi2DoStepStatus, &status);
    f->fmi2FreeInstance(f->c);
    f->c = NULL;
}

static void functions_are_allowed_by_the_standard_or_tolerated_with_a_warning(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave");
    for (const char *state = "INCPFXTE!"; *state; state++) {
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            const char *name = bring_to(&f, *state);
            raw_clear_log(&f);
            calls[i].call(&f);
            raw_assert_allowed(&f, calls[i].name, name, calls[i].allowed, *state);
            if (*state == 'P' && calls[i].call == call_cancel)
                end(&f, 'X');
            else
                end(&f, *state);
        }
    }
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

static void refused_call_returns_error_and_changes_nothing(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    raw_instantiate(&f);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.1, fmi2True), fmi2Error);
    assert_int_equal(f.fmi2SetupExperiment(f.c, 0, 0, 1, fmi2True, 0.5), fmi2Error);
    assert_contains(f.log, "stop time 0.5 is not behind start time 1");
    assert_int_equal(f.fmi2SetupExperiment(f.c, 0, 0, 0, fmi2False, 0), fmi2OK);
    assert_int_equal(f.fmi2EnterInitializationMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2ExitInitializationMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.1, fmi2True), fmi2OK);
    raw_close(&f);
}

static void functions_accept_a_missing_instance(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) calls[i].call(&f); // f.c is NULL
    assert_int_equal(f.fmi2DoStep(NULL, 0, 0.1, fmi2True), fmi2Error);
    assert_string_equal(f.fmi2GetVersion(), "2.0");
    assert_string_equal(f.fmi2GetTypesPlatform(), "default");
    raw_close(&f);
}

static void free_after_fatal_is_reported_and_leaks_nothing(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave");
    bring_to(&f, '!');
    f.fmi2FreeInstance(f.c);
    f.c = NULL;
    assert_contains(f.log, "fmi2FreeInstance: not allowed in the state 'fatal'");
    assert_int_equal(raw_allocations(), 0);
    raw_close(&f);
}

// ---- instantiation ---------------------------------------------------------------------------------

static void instantiation_refuses_wrong_arguments_with_a_reason(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    const fmi2CallbackFunctions *cb = &f.callbacks;
    assert_null(f.fmi2Instantiate("a", fmi2ModelExchange, f.guid, "", cb, 0, 0));
    assert_contains(f.log, "the FMU is made for co-simulation only");
    assert_null(f.fmi2Instantiate("a", fmi2CoSimulation, NULL, "", cb, 0, 0));
    raw_close(&f);
}

static void stale_guid_is_refused(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    f.guid[5] = f.guid[5] == '0' ? '1' : '0';
    assert_null(f.fmi2Instantiate("a", fmi2CoSimulation, f.guid, "", &f.callbacks, 0, 0));
    assert_contains(f.log, "modelDescription.xml and library were not made together");
    assert_contains(f.log, f.guid);
    raw_close(&f);
}

static void instance_works_without_logger_and_memory_callbacks(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    f.callbacks = (fmi2CallbackFunctions){0};
    raw_start(&f);
    raw_set(&f, "u", 2);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0, fmi2True), fmi2Error);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 1, fmi2True), fmi2OK);
    assert_true(raw_get(&f, "y") == 2);
    raw_close(&f);
}

static void second_instance_of_a_once_per_process_fmu_is_refused(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "OncePerProcess");
    raw_instantiate(&f);
    assert_null(f.fmi2Instantiate("b", fmi2CoSimulation, f.guid, "", &f.callbacks, 0, 0));
    assert_contains(f.log, "the model 'OncePerProcess' can have only one");
    f.fmi2FreeInstance(f.c);
    raw_instantiate(&f); // now there is room again
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

// ---- logging ---------------------------------------------------------------------------------------

static void each_call_is_logged_with_the_number_of_values(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    raw_start(&f);
    raw_clear_log(&f);
    const char *category = "logFmi2Call";
    assert_int_equal(f.fmi2SetDebugLogging(f.c, fmi2True, 1, &category), fmi2OK);
    raw_set(&f, "u", 1);
    f.fmi2DoStep(f.c, 0, 0.5, fmi2True);
    assert_string_equal(f.log, "logFmi2Call: fmi2SetReal: nvr = 1\n"
                               "logFmi2Call: fmi2DoStep: currentCommunicationPoint = 0, "
                               "communicationStepSize = 0.5\n");
    raw_close(&f);
}

static void debug_logging_switches_categories_one_by_one(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    raw_start(&f);
    const char *error = "logStatusError", *unknown[] = {"logStatusWarning", "logNonsense"};
    assert_int_equal(f.fmi2SetDebugLogging(f.c, fmi2False, 1, &error), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0, fmi2True), fmi2Error);
    assert_int_equal(f.n_messages, 0);
    assert_int_equal(f.fmi2SetDebugLogging(f.c, fmi2True, 1, &error), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0, fmi2True), fmi2Error);
    assert_int_equal(f.n_messages, 1);
    assert_int_equal(f.fmi2SetDebugLogging(f.c, fmi2True, 2, unknown), fmi2OK);
    assert_contains(f.log, "logStatusWarning: fmi2SetDebugLogging: unknown log category "
                           "'logNonsense'");
    assert_int_equal(f.fmi2SetDebugLogging(f.c, fmi2True, 1, NULL), fmi2OK);
    assert_int_equal(f.fmi2SetDebugLogging(f.c, fmi2False, 0, NULL), fmi2OK);
    raw_clear_log(&f);
    f.fmi2DoStep(f.c, 0, 0, fmi2True);
    assert_int_equal(f.n_messages, 0);
    raw_close(&f);
}

static void texts_never_become_formats(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    raw_start(&f);
    const char *category = "%s%n%d";
    assert_int_equal(f.fmi2SetDebugLogging(f.c, fmi2True, 1, &category), fmi2OK);
    assert_contains(f.log, "unknown log category '%s%n%d'");
    assert_null(strstr(f.log, "UNSAFE FORMAT"));
    raw_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_allowed_by_the_standard_or_tolerated_with_a_warning),
        cmocka_unit_test(refused_call_returns_error_and_changes_nothing),
        cmocka_unit_test(functions_accept_a_missing_instance),
        cmocka_unit_test(free_after_fatal_is_reported_and_leaks_nothing),
        cmocka_unit_test(instantiation_refuses_wrong_arguments_with_a_reason),
        cmocka_unit_test(stale_guid_is_refused),
        cmocka_unit_test(instance_works_without_logger_and_memory_callbacks),
        cmocka_unit_test(second_instance_of_a_once_per_process_fmu_is_refused),
        cmocka_unit_test(each_call_is_logged_with_the_number_of_values),
        cmocka_unit_test(debug_logging_switches_categories_one_by_one),
        cmocka_unit_test(texts_never_become_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
