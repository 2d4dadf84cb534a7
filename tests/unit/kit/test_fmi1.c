// SPDX-License-Identifier: MIT
// FMI 1.0: names, order of calls, values, steps; and that all versions of an FMU compute the same.
#include "support/raw_fmu.h"

#include "fmus/misbehave.h"

#define UNPACKED TEST_FMUS ".unpacked"

typedef void call_fn(raw_fmu *f);

static const fmiValueReference none[1];
static double reals[1];
static int integers[1];
static char booleans[1];
static const char *strings[1];

// clang-format off
static void call_debug(raw_fmu *f) { f->fmiSetDebugLogging(f->c, fmiFalse); f->fmiSetDebugLogging(f->c, fmiTrue); }
static void call_initialize(raw_fmu *f) { f->fmiInitializeSlave(f->c, 0, fmiFalse, 0); }
static void call_terminate(raw_fmu *f) { f->fmiTerminateSlave(f->c); }
static void call_reset(raw_fmu *f) { f->fmiResetSlave(f->c); }
static void call_get_real(raw_fmu *f) { f->fmiGetReal(f->c, none, 0, reals); }
static void call_get_integer(raw_fmu *f) { f->fmiGetInteger(f->c, none, 0, integers); }
static void call_get_boolean(raw_fmu *f) { f->fmiGetBoolean(f->c, none, 0, booleans); }
static void call_get_string(raw_fmu *f) { f->fmiGetString(f->c, none, 0, strings); }
static void call_set_real(raw_fmu *f) { f->fmiSetReal(f->c, none, 0, reals); }
static void call_set_integer(raw_fmu *f) { f->fmiSetInteger(f->c, none, 0, integers); }
static void call_set_boolean(raw_fmu *f) { f->fmiSetBoolean(f->c, none, 0, booleans); }
static void call_set_string(raw_fmu *f) { f->fmiSetString(f->c, none, 0, strings); }
static void call_input_derivatives(raw_fmu *f) { f->fmiSetRealInputDerivatives(f->c, none, 0, integers, reals); }
static void call_output_derivatives(raw_fmu *f) { f->fmiGetRealOutputDerivatives(f->c, none, 0, integers, reals); }
static void call_do_step(raw_fmu *f) { f->fmiDoStep(f->c, 0, 0, fmiTrue); }
static void call_cancel(raw_fmu *f) { f->fmiCancelStep(f->c); }
static void call_status(raw_fmu *f) { fmiStatus s; f->fmiGetStatus(f->c, fmiPendingStatus, &s); }
static void call_real_status(raw_fmu *f) { f->fmiGetRealStatus(f->c, fmiLastSuccessfulTime, reals); }
static void call_integer_status(raw_fmu *f) { f->fmiGetIntegerStatus(f->c, fmiDoStepStatus, integers); }
static void call_boolean_status(raw_fmu *f) { f->fmiGetBooleanStatus(f->c, fmiDoStepStatus, booleans); }
static void call_string_status(raw_fmu *f) { f->fmiGetStringStatus(f->c, fmiPendingStatus, strings); }

// One letter per state: Instantiated, step Complete, step in Progress, step Failed, step canceled
// (X), Terminated, Error; none for fatal.
static const struct {
    const char *name, *allowed;
    call_fn *call;
} calls[] = {
    {"fmiSetDebugLogging",          "ICPFXTE", call_debug},
    {"fmiInitializeSlave",          "I",       call_initialize},
    {"fmiTerminateSlave",           "CFixte",      call_terminate},
    {"fmiResetSlave",               "ICFXTE",  call_reset},
    {"fmiGetReal",                  "CFXTEi",   call_get_real},
    {"fmiGetInteger",               "CFXTEi",   call_get_integer},
    {"fmiGetBoolean",               "CFXTEi",   call_get_boolean},
    {"fmiGetString",                "CFXTEi",   call_get_string},
    {"fmiSetReal",                  "ICft",      call_set_real},
    {"fmiSetInteger",               "ICft",      call_set_integer},
    {"fmiSetBoolean",               "ICft",      call_set_boolean},
    {"fmiSetString",                "ICft",      call_set_string},
    {"fmiSetRealInputDerivatives",  "ICf",      call_input_derivatives},
    {"fmiGetRealOutputDerivatives", "CFXTE",   call_output_derivatives},
    {"fmiDoStep",                   "Cf",       call_do_step},
    {"fmiCancelStep",               "P",       call_cancel},
    {"fmiGetStatus",                "CPFTixe",    call_status},
    {"fmiGetRealStatus",            "CPFTixe",    call_real_status},
    {"fmiGetIntegerStatus",         "CPFTixe",    call_integer_status},
    {"fmiGetBooleanStatus",         "CPFTixe",    call_boolean_status},
    {"fmiGetStringStatus",          "CPFTixe",    call_string_status},
};

static const struct {
    char state;
    int what;
    const char *name;
} states[] = {
    {'I', MISBEHAVE_NOTHING, "instantiated"},
    {'C', MISBEHAVE_NOTHING, "step complete"},
    {'P', MISBEHAVE_PENDING, "step in progress"},
    {'F', MISBEHAVE_DISCARD, "step failed"},
    {'X', MISBEHAVE_PENDING, "step canceled"},
    {'T', MISBEHAVE_NOTHING, "terminated"},
    {'E', MISBEHAVE_ERROR,   "error"},
    {'!', MISBEHAVE_FATAL,   "fatal"},
};
// clang-format on

static void bring_to(raw_fmu *f, size_t i)
{
    if (states[i].state == 'I') {
        raw_instantiate(f);
        return;
    }
    raw_start_with(f, "what", states[i].what);
    raw_step(f, 0, 0.1);
    if (states[i].state == 'X') call_cancel(f);
    if (states[i].state == 'T') call_terminate(f);
}

// A pending step must be finished before its instance can be freed.
static void end(raw_fmu *f)
{
    fmiStatus status;
    for (int i = 0; i < 10; i++) f->fmiGetStatus(f->c, fmiDoStepStatus, &status);
    f->fmiFreeSlaveInstance(f->c);
    f->c = NULL;
}

static void functions_are_allowed_by_the_standard_or_tolerated_with_a_warning(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave_fmi1");
    for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            bring_to(&f, k);
            raw_clear_log(&f);
            calls[i].call(&f);
            raw_assert_allowed(&f, calls[i].name, states[k].name, calls[i].allowed,
                               states[k].state);
            end(&f);
        }
    }
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

static void instantiation_refuses_wrong_arguments_with_a_reason(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain_fmi1");
    assert_string_equal(f.fmiGetVersion(), "1.0");
    assert_string_equal(f.fmiGetTypesPlatform(), "standard32");
    assert_null(f.fmiInstantiateSlave("a", "{1}", "", "", 0, 0, 0, f.callbacks1, 0));
    assert_contains(f.log, "the GUID is '{1}'");
    const fmiCallbackFunctions nothing = {0};
    f.c = f.fmiInstantiateSlave("a", f.guid, NULL, NULL, 0, 0, 0, nothing, 0);
    assert_non_null(f.c);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        raw_fmu missing = f;
        missing.c = NULL;
        calls[i].call(&missing);
    }
    raw_close(&f);
}

static void booleans_are_chars(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Counter_fmi1");
    raw_start(&f);
    fmiValueReference enable = raw_reference(&f, "enable"), even = raw_reference(&f, "is_even");
    fmiValueReference vr[] = {even, enable, even};
    fmiBoolean values[4] = {9, 9, 9, 9};
    assert_int_equal(f.fmiGetBoolean(f.c, vr, 3, values), fmiOK);
    assert_true(values[0] == fmiTrue && values[1] == fmiTrue && values[2] == fmiTrue);
    assert_int_equal(values[3], 9);
    assert_int_equal(raw_step(&f, 0, 1), fmiOK);
    assert_int_equal(f.fmiGetBoolean(f.c, &even, 1, values), fmiOK);
    assert_int_equal(values[0], fmiFalse);
    fmiValueReference amount = raw_reference(&f, "amount"), text = raw_reference(&f, "text");
    int item;
    const char *string;
    assert_int_equal(f.fmiGetInteger(f.c, &amount, 1, &item), fmiOK);
    assert_int_equal(item, 2);
    assert_int_equal(f.fmiGetString(f.c, &text, 1, &string), fmiOK);
    assert_string_equal(string, "few");
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

static void inputs_and_parameters_can_be_set_before_initialization(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain_fmi1");
    raw_instantiate(&f);
    raw_set(&f, "u", 3);
    raw_set(&f, "k", 2);
    assert_int_equal(f.fmiInitializeSlave(f.c, 0, fmiTrue, 1), fmiOK);
    assert_true(raw_get(&f, "y") == 6);
    assert_int_equal(f.fmiDoStep(f.c, 0, 2, fmiTrue), fmiError);
    assert_contains(f.log, "the step to 2 would go beyond the stop time 1");
    assert_int_equal(f.fmiDoStep(f.c, 0, 0.5, fmiFalse), fmiOK); // it repeats nothing
    assert_int_equal(f.fmiDoStep(f.c, 0, 0.5, fmiFalse), fmiError);
    assert_contains(f.log, "fmiDoStep: the FMU cannot repeat a step");
    assert_int_equal(f.fmiDoStep(f.c, 0.5, 0.5, fmiTrue), fmiOK);
    raw_close(&f);
}

static void pending_and_discarded_steps_are_reported(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave_fmi1");
    raw_start_with(&f, "what", MISBEHAVE_PENDING);
    assert_int_equal(raw_step(&f, 0, 1), fmiPending);
    fmiStatus status = fmiPending;
    for (int i = 0; status == fmiPending; i++) {
        assert_true(i < 10);
        assert_int_equal(f.fmiGetStatus(f.c, fmiDoStepStatus, &status), fmiOK);
    }
    assert_int_equal(status, fmiOK);
    assert_int_equal(f.n_finished, 1);
    raw_close(&f);

    raw_open(&f, UNPACKED, "Misbehave_fmi1");
    raw_start_with(&f, "what", MISBEHAVE_DISCARD);
    assert_int_equal(raw_step(&f, 0, 1), fmiDiscard);
    double last = -1;
    assert_int_equal(f.fmiGetRealStatus(f.c, fmiLastSuccessfulTime, &last), fmiOK);
    assert_true(last == 0);
    raw_close(&f);
}

// ---- versions --------------------------------------------------------------------------------------------

static void simulate(const char *fmu, const char *in, const char *out, double *y, int n)
{
    raw_fmu f;
    raw_open(&f, UNPACKED, fmu);
    raw_start(&f);
    for (int i = 0; i < n; i++) {
        raw_set(&f, in, 1 + (i * 7) % 5);
        assert_int_equal(raw_step(&f, i * 0.5, 0.5), 0);
        y[i] = raw_get(&f, out);
    }
    raw_close(&f);
}

static void all_versions_compute_the_same_to_the_last_bit(void **unused)
{
    (void)unused;
    static const char *const fmus[][3] = {{"LotkaVolterraPrey", "y", "x"},
                                          {"Math003Part3", "x3", "x4"},
                                          {"Thermostat", "outside", "T"},
                                          {"Memory", "u", "y"}};
    for (size_t k = 0; k < sizeof fmus / sizeof *fmus; k++) {
        double expected[60], y[60];
        simulate(fmus[k][0], fmus[k][1], fmus[k][2], expected, 60);
        for (int version = 1; version <= 3; version += 2) {
            char name[64];
            snprintf(name, sizeof name, "%s_fmi%d", fmus[k][0], version);
            simulate(name, fmus[k][1], fmus[k][2], y, 60);
            assert_memory_equal(expected, y, sizeof y);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_allowed_by_the_standard_or_tolerated_with_a_warning),
        cmocka_unit_test(instantiation_refuses_wrong_arguments_with_a_reason),
        cmocka_unit_test(booleans_are_chars),
        cmocka_unit_test(inputs_and_parameters_can_be_set_before_initialization),
        cmocka_unit_test(pending_and_discarded_steps_are_reported),
        cmocka_unit_test(all_versions_compute_the_same_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
