// SPDX-License-Identifier: MIT
// Inputs that change within a step: derivatives in FMI 1.0 and 2.0, intermediate update in FMI 3.0. The FMU
// integrates its input exactly if that changes linearly.
#include "support/raw_fmu.h"

#define UNPACKED TEST_FMUS ".unpacked"

enum { U, Y }; // value references

static int set_slope(raw_fmu *f, unsigned reference, int order, double value)
{
    return f->version == 1
               ? (int)f->fmiSetRealInputDerivatives(f->c, &reference, 1, &order, &value)
               : (int)f->fmi2SetRealInputDerivatives(f->c, &reference, 1, &order, &value);
}

static void inputs_follow_their_derivatives(void **unused)
{
    (void)unused;
    for (int version = 1; version <= 2; version++) {
        raw_fmu f;
        raw_open(&f, UNPACKED, version == 1 ? "Swing_fmi1" : "Swing");
        raw_start(&f);
        raw_set(&f, "u", 1);
        assert_int_equal(set_slope(&f, U, 1, 4), 0);
        assert_int_equal(raw_step(&f, 0, 0.5), 0);
        assert_near(raw_get(&f, "y"), 0.5 + 4 * 0.5 * 0.5 / 2, 1e-15);
        assert_near(raw_get(&f, "u"), 3, 1e-15); // what it is at the end
        // The derivative counts for one step.
        assert_int_equal(raw_step(&f, 0.5, 0.5), 0);
        assert_near(raw_get(&f, "y"), 1 + 3 * 0.5, 1e-15);
        raw_close(&f);
    }
}

static void derivatives_belong_to_the_state(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Swing");
    raw_start(&f);
    raw_set(&f, "u", 1);
    assert_int_equal(set_slope(&f, U, 1, 4), 0);
    void *state = NULL;
    assert_int_equal(raw_save(&f, &state), 0);
    assert_int_equal(raw_step(&f, 0, 0.5), 0);
    double y = raw_get(&f, "y");
    assert_int_equal(set_slope(&f, U, 1, 7), 0);
    assert_int_equal(raw_restore(&f, state), 0);
    assert_int_equal(raw_step(&f, 0, 0.5), 0);
    assert_true(raw_get(&f, "y") == y);
    assert_int_equal(raw_free_state(&f, &state), 0);
    raw_close(&f);
}

static void wrong_derivatives_are_refused(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Swing");
    raw_start(&f);
    assert_int_equal(set_slope(&f, U, 2, 1), fmi2Error);
    assert_contains(f.log,
                    "fmi2SetRealInputDerivatives: derivatives of inputs can be of order 1, not "
                    "of order 2");
    assert_int_equal(set_slope(&f, Y, 1, 1), fmi2Error);
    assert_contains(f.log, "variable 'y' is no continuous input");
    assert_int_equal(set_slope(&f, 99, 1, 1), fmi2Error);
    assert_int_equal(f.fmi2SetRealInputDerivatives(f.c, NULL, 1, NULL, NULL), fmi2Error);
    assert_int_equal(raw_step(&f, 0, 0.5), 0); // no harm was done
    raw_close(&f);
    raw_open(&f, UNPACKED, "Gain");
    raw_start(&f);
    assert_int_equal(set_slope(&f, 0, 1, 1), fmi2Error);
    assert_contains(f.log, "the model cannot interpolate its inputs");
    raw_close(&f);
}

// ---- FMI 3.0 -------------------------------------------------------------------------------------

static struct {
    raw_fmu *fmu;
    double times[8];
    int n;
    int refused; // status of setting what cannot be set
} updates;

// u = 1 + 4 t
static void update(fmi3InstanceEnvironment environment, fmi3Float64 t, fmi3Boolean may_set,
                   fmi3Boolean may_get, fmi3Boolean is_finished, fmi3Boolean can_return_early,
                   fmi3Boolean *return_early, fmi3Float64 *return_time)
{
    (void)is_finished, (void)return_early, (void)return_time;
    raw_fmu *f = updates.fmu;
    assert_ptr_equal(environment, f);
    assert_true(may_set && !may_get && !can_return_early);
    if (updates.n < 8) updates.times[updates.n++] = t;
    const fmi3ValueReference u = U, k = raw_reference(f, "k");
    double value = 1 + 4 * t;
    assert_int_equal(f->fmi3SetFloat64(f->c, &u, 1, &value, 1), fmi3OK);
    updates.refused = (int)f->fmi3SetFloat64(f->c, &k, 1, &value, 1);
    assert_int_equal(f->fmi3GetFloat64(f->c, &u, 1, &value, 1), fmi3Error);
}

static void *make(raw_fmu *f, fmi3ValueReference reference, size_t n)
{
    updates.fmu = f;
    updates.n = 0;
    return f->fmi3InstantiateCoSimulation("a", f->guid, NULL, false, false, false, false,
                                          &reference, n, f, f->log_message3, update);
}

static void start(raw_fmu *f)
{
    assert_non_null(f->c);
    const char *const problems[] = {"logStatusError"};
    assert_int_equal(f->fmi3SetDebugLogging(f->c, true, 1, problems), fmi3OK);
    assert_int_equal(f->fmi3EnterInitializationMode(f->c, false, 0, 0, false, 0), fmi3OK);
    assert_int_equal(f->fmi3ExitInitializationMode(f->c), fmi3OK);
    raw_set(f, "u", 1);
}

static void inputs_are_asked_for_within_steps(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Swing_fmi3");
    f.c = make(&f, U, 1);
    start(&f);
    assert_int_equal(updates.n, 0);
    assert_int_equal(raw_step(&f, 0, 0.5), 0);
    assert_near(raw_get(&f, "y"), 0.5 + 4 * 0.5 * 0.5 / 2, 1e-15);
    assert_int_equal(updates.n, 4); // three times by the model, and at the end by the kit
    const double expected[] = {0, 0.25, 0.5, 0.5};
    assert_memory_equal(updates.times, expected, sizeof expected);
    assert_int_equal(updates.refused, fmi3Error);
    assert_contains(f.log, "fmi3SetFloat64: variable 'k' (parameter, fixed) cannot be set in the "
                           "state 'intermediate update mode'");
    raw_close(&f);
}

static void without_variables_nothing_is_asked_for(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Swing_fmi3");
    f.c = make(&f, U, 0);
    start(&f);
    assert_int_equal(raw_step(&f, 0, 0.5), 0);
    assert_int_equal(updates.n, 0);
    assert_near(raw_get(&f, "y"), 0.5, 1e-15); // the input was held
    raw_close(&f);
}

static void only_continuous_inputs_can_be_asked_for(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Swing_fmi3");
    assert_null(make(&f, Y, 1));
    assert_contains(f.log, "a variable cannot be set in an intermediate update");
    assert_null(make(&f, 99, 1));
    raw_close(&f);
}

static void what_the_fmu_can_is_declared(void **unused)
{
    (void)unused;
    static const struct {
        const char *fmu, *text;
    } expected[] = {{"Swing_fmi1", "canInterpolateInputs=\"true\""},
                    {"Swing", "canInterpolateInputs=\"true\""},
                    {"Swing_fmi3", "providesIntermediateUpdate=\"true\""},
                    {"Swing_fmi3", "<Float64 name=\"u\" valueReference=\"0\" causality=\"input\" "
                                   "variability=\"continuous\" intermediateUpdate=\"true\""}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        raw_fmu f;
        raw_open(&f, UNPACKED, expected[i].fmu);
        assert_contains(f.xml, expected[i].text);
        raw_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_follow_their_derivatives),
        cmocka_unit_test(derivatives_belong_to_the_state),
        cmocka_unit_test(wrong_derivatives_are_refused),
        cmocka_unit_test(inputs_are_asked_for_within_steps),
        cmocka_unit_test(without_variables_nothing_is_asked_for),
        cmocka_unit_test(only_continuous_inputs_can_be_asked_for),
        cmocka_unit_test(what_the_fmu_can_is_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
