// SPDX-License-Identifier: MIT
// Reading and writing variables: types, references, causality, ranges, strings, derivatives.
#include "support/raw_fmu.h"

#define UNPACKED TEST_FMUS ".unpacked"

static void enter_initialization(raw_fmu *f)
{
    raw_instantiate(f);
    assert_int_equal(f->fmi2SetupExperiment(f->c, 0, 0, 0, 0, 0), fmi2OK);
    assert_int_equal(f->fmi2EnterInitializationMode(f->c), fmi2OK);
}

static fmi2Status set_integer(raw_fmu *f, const char *variable, int value)
{
    fmi2ValueReference vr = raw_reference(f, variable);
    return f->fmi2SetInteger(f->c, &vr, 1, &value);
}

static int get_integer(raw_fmu *f, const char *variable)
{
    fmi2ValueReference vr = raw_reference(f, variable);
    int value = -999;
    assert_int_equal(f->fmi2GetInteger(f->c, &vr, 1, &value), fmi2OK);
    return value;
}

static fmi2Status set_real(raw_fmu *f, const char *variable, double value)
{
    fmi2ValueReference vr = raw_reference(f, variable);
    return f->fmi2SetReal(f->c, &vr, 1, &value);
}

static void every_type_passes_through(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Passthrough");
    raw_start(&f);
    raw_set(&f, "real_in", -1.5);
    assert_int_equal(set_integer(&f, "integer_in", -7), fmi2OK);
    assert_int_equal(set_integer(&f, "enumeration_in", 5), fmi2OK);
    fmi2ValueReference in = raw_reference(&f, "boolean_in"), out = raw_reference(&f, "boolean_out");
    int boolean = 2, back = -1; // everything but 0 is true
    assert_int_equal(f.fmi2SetBoolean(f.c, &in, 1, &boolean), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 1, fmi2True), fmi2OK);
    assert_true(raw_get(&f, "real_out") == -1.5);
    assert_int_equal(get_integer(&f, "integer_out"), -7);
    assert_int_equal(get_integer(&f, "enumeration_out"), 5);
    assert_int_equal(f.fmi2GetBoolean(f.c, &out, 1, &back), fmi2OK);
    assert_int_equal(back, fmi2True);
    raw_close(&f);
}

static void strings_are_copied(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Passthrough");
    raw_start(&f);
    fmi2ValueReference in = raw_reference(&f, "string_in"), out = raw_reference(&f, "string_out");
    const char *text = NULL;
    assert_int_equal(f.fmi2GetString(f.c, &out, 1, &text), fmi2OK);
    assert_string_equal(text, "start & <text>");
    char mine[] = "hello";
    text = mine;
    assert_int_equal(f.fmi2SetString(f.c, &in, 1, &text), fmi2OK);
    memcpy(mine, "spoil", 5);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 1, fmi2True), fmi2OK);
    assert_int_equal(f.fmi2GetString(f.c, &out, 1, &text), fmi2OK);
    assert_string_equal(text, "hello");
    // A string that the FMU itself returned.
    assert_int_equal(f.fmi2SetString(f.c, &in, 1, &text), fmi2OK);
    assert_int_equal(f.fmi2GetString(f.c, &out, 1, &text), fmi2OK);
    assert_string_equal(text, "hello");
    text = NULL;
    assert_int_equal(f.fmi2SetString(f.c, &in, 1, &text), fmi2Error);
    assert_contains(f.log, "the string for variable 'string_in' is NULL");
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

static void wrong_references_and_pointers_are_refused(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Passthrough");
    raw_start(&f);
    fmi2ValueReference good = raw_reference(&f, "real_in"), bad = 4711;
    double value = 1;
    int integer = 1;
    assert_int_equal(f.fmi2GetReal(f.c, &bad, 1, &value), fmi2Error);
    assert_contains(f.log, "fmi2GetReal: there is no variable with value reference 4711");
    assert_int_equal(f.fmi2SetInteger(f.c, &good, 1, &integer), fmi2Error);
    assert_contains(f.log, "fmi2SetInteger: variable 'real_in' (value reference 0) has type Real, "
                           "not Integer");
    assert_int_equal(f.fmi2GetReal(f.c, NULL, 1, &value), fmi2Error);
    assert_int_equal(f.fmi2GetReal(f.c, &good, 1, NULL), fmi2Error);
    assert_contains(f.log, "a pointer is NULL where 1 values are expected");
    assert_int_equal(f.fmi2GetReal(f.c, NULL, 0, NULL), fmi2OK);
    raw_close(&f);
}

static void refused_set_changes_none_of_its_variables(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "InitLoop");
    raw_start(&f);
    raw_set(&f, "u", 3);
    fmi2ValueReference vr[] = {raw_reference(&f, "u"), raw_reference(&f, "k")};
    double values[] = {4, 4};
    assert_int_equal(f.fmi2SetReal(f.c, vr, 2, values), fmi2Error);
    assert_contains(f.log, "fmi2SetReal: variable 'k' (parameter, fixed) cannot be set in the "
                           "state 'step complete'");
    assert_true(raw_get(&f, "u") == 3);
    raw_close(&f);
}

static void refused_get_writes_none_of_its_values(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "InitLoop");
    raw_start(&f);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.1, fmi2True), fmi2OK); // all values are up to date
    fmi2ValueReference vr[] = {raw_reference(&f, "u"), 4711};
    double values[] = {-7, -7};
    assert_int_equal(f.fmi2GetReal(f.c, vr, 2, values), fmi2Error);
    assert_contains(f.log, "fmi2GetReal: there is no variable with value reference 4711");
    assert_true(values[0] == -7 && values[1] == -7);
    raw_close(&f);
}

static void variables_are_set_only_when_their_role_allows_it(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain"); // k is tunable
    raw_instantiate(&f);
    assert_int_equal(set_real(&f, "k", 2), fmi2OK);
    assert_int_equal(set_real(&f, "u", 2), fmi2OK);
    assert_string_equal(f.log, "");
    assert_int_equal(set_real(&f, "y", 2), fmi2Error);
    f.fmi2SetupExperiment(f.c, 0, 0, 0, 0, 0);
    f.fmi2EnterInitializationMode(f.c);
    assert_int_equal(set_real(&f, "k", 3), fmi2OK);
    assert_int_equal(set_real(&f, "u", 2), fmi2OK);
    assert_int_equal(set_real(&f, "y", 2), fmi2Error);
    assert_true(raw_get(&f, "y") == 6);
    f.fmi2ExitInitializationMode(f.c);
    assert_int_equal(set_real(&f, "k", 4), fmi2OK);
    assert_int_equal(set_real(&f, "y", 2), fmi2Error);
    assert_true(raw_get(&f, "y") == 8);
    raw_close(&f);
}

static void values_out_of_range_are_discarded(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Passthrough");
    raw_start(&f);
    assert_int_equal(set_integer(&f, "integer_in", 1001), fmi2Discard);
    assert_int_equal(get_integer(&f, "integer_in"), 0);
    assert_int_equal(set_integer(&f, "enumeration_in", 3), fmi2Discard); // between two items
    assert_int_equal(get_integer(&f, "enumeration_in"), 1);
    raw_close(&f);

    raw_open(&f, UNPACKED, "LotkaVolterraPrey");
    raw_instantiate(&f);
    assert_int_equal(set_real(&f, "x0", -1), fmi2Discard);
    assert_int_equal(f.fmi2SetDebugLogging(f.c, fmi2True, 0, NULL), fmi2OK);
    assert_int_equal(set_real(&f, "x0", -1), fmi2Discard);
    assert_contains(f.log,
                    "logStatusDiscard: fmi2SetReal: -1 is outside of the range of variable 'x0'");
    raw_close(&f);
}

static void initialization_follows_parameters_and_inputs_at_once(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "LotkaVolterraPrey");
    enter_initialization(&f);
    assert_true(raw_get(&f, "x") == 10);
    raw_set(&f, "x0", 25);
    assert_true(raw_get(&f, "x") == 25);
    raw_close(&f);

    raw_open(&f, UNPACKED, "InitLoop");
    enter_initialization(&f);
    raw_set(&f, "u", 0);
    for (int i = 0; i < 60; i++) raw_set(&f, "u", raw_get(&f, "y"));
    assert_near(raw_get(&f, "y"), 2, 1e-12); // y = 0.5 y + 1
    raw_close(&f);
}

static void reset_returns_to_start_values(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Memory");
    raw_start(&f);
    raw_set(&f, "u", 5);
    for (int i = 0; i < 5; i++) f.fmi2DoStep(f.c, i, 1, fmi2True);
    assert_true(raw_get(&f, "y") == 5);
    assert_int_equal(f.fmi2Reset(f.c), fmi2OK);
    f.fmi2SetupExperiment(f.c, 0, 0, 0, 0, 0);
    assert_int_equal(f.fmi2EnterInitializationMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2ExitInitializationMode(f.c), fmi2OK);
    assert_true(raw_get(&f, "u") == 0);
    assert_true(raw_get(&f, "y") == 0);
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

static void directional_derivative_combines_partial_ones(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "InitLoop");
    enter_initialization(&f);
    raw_set(&f, "u", 3);
    fmi2ValueReference y = raw_reference(&f, "y");
    fmi2ValueReference knowns[] = {raw_reference(&f, "u"), raw_reference(&f, "k")};
    double seed[] = {2, 10}, derivative = 0;
    assert_int_equal(f.fmi2GetDirectionalDerivative(f.c, &y, 1, knowns, 2, seed, &derivative),
                     fmi2OK);
    assert_true(derivative == 0.5 * 2 + 3 * 10);
    f.fmi2ExitInitializationMode(f.c);
    // Fixed parameters are no knowns any more.
    assert_int_equal(f.fmi2GetDirectionalDerivative(f.c, &y, 1, knowns, 2, seed, &derivative),
                     fmi2Error);
    assert_contains(f.log, "variable 'k' (parameter) cannot be a known of a derivative here");
    assert_int_equal(f.fmi2GetDirectionalDerivative(f.c, knowns, 1, knowns, 1, seed, &derivative),
                     fmi2Error);
    raw_close(&f);

    raw_open(&f, UNPACKED, "Math003Part3");
    raw_start(&f);
    assert_int_equal(f.fmi2GetDirectionalDerivative(f.c, &y, 0, knowns, 0, seed, &derivative),
                     fmi2Error);
    assert_contains(f.log, "the model provides no directional derivatives");
    raw_close(&f);
}

static void output_derivatives_exist_up_to_the_declared_order(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "LotkaVolterraPrey");
    raw_start(&f);
    raw_set(&f, "y", 10);
    fmi2ValueReference x = raw_reference(&f, "x");
    int order = 1;
    double value = 0;
    assert_int_equal(f.fmi2GetRealOutputDerivatives(f.c, &x, 1, &order, &value), fmi2OK);
    assert_near(value, (0.1 - 0.02 * 10) * 10, 1e-15);
    order = 2;
    assert_int_equal(f.fmi2GetRealOutputDerivatives(f.c, &x, 1, &order, &value), fmi2Error);
    assert_contains(f.log, "derivatives of outputs exist from order 1 to 1, not of order 2");
    raw_close(&f);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **unused)
{
    (void)unused;
    raw_fmu f;
    bool is_done = false;
    for (int n = 0; !is_done; n++) {
        assert_true(n < 100);
        raw_open(&f, UNPACKED, "Passthrough");
        raw_limit_allocations(n);
        f.c = f.fmi2Instantiate("a", fmi2CoSimulation, f.guid, "", &f.callbacks, 0, 0);
        if (f.c) {
            fmi2ValueReference in = raw_reference(&f, "string_in");
            const char *text = "a text";
            fmi2FMUstate state = NULL;
            f.fmi2SetupExperiment(f.c, 0, 0, 0, 0, 0);
            f.fmi2EnterInitializationMode(f.c);
            is_done = f.fmi2SetString(f.c, &in, 1, &text) == fmi2OK &&
                      f.fmi2ExitInitializationMode(f.c) == fmi2OK &&
                      f.fmi2GetFMUstate(f.c, &state) == fmi2OK;
        }
        if (!is_done) assert_contains(f.log, "out of memory");
        raw_limit_allocations(-1);
        raw_close(&f);
        assert_int_equal(raw_allocations(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_passes_through),
        cmocka_unit_test(strings_are_copied),
        cmocka_unit_test(wrong_references_and_pointers_are_refused),
        cmocka_unit_test(refused_set_changes_none_of_its_variables),
        cmocka_unit_test(refused_get_writes_none_of_its_values),
        cmocka_unit_test(variables_are_set_only_when_their_role_allows_it),
        cmocka_unit_test(values_out_of_range_are_discarded),
        cmocka_unit_test(initialization_follows_parameters_and_inputs_at_once),
        cmocka_unit_test(reset_returns_to_start_values),
        cmocka_unit_test(directional_derivative_combines_partial_ones),
        cmocka_unit_test(output_derivatives_exist_up_to_the_declared_order),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
