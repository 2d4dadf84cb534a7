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

// They belong to the step that follows: a restored state holds its inputs, until there are others.
static void derivatives_are_no_part_of_the_state(void **unused)
{
    (void)unused;
    static const char *const fmus[] = {"Swing", "Lag"};
    for (int i = 0; i < 2; i++) {
        raw_fmu f;
        raw_open(&f, UNPACKED, fmus[i]);
        raw_start(&f);
        raw_set(&f, "u", 1);
        void *state = NULL;
        assert_int_equal(raw_save(&f, &state), 0);
        assert_int_equal(raw_step(&f, 0, 0.5), 0);
        const char *output = i == 0 ? "y" : "x";
        double held = raw_get(&f, output);
        assert_int_equal(raw_restore(&f, state), 0);
        assert_int_equal(set_slope(&f, U, 1, 7), 0);
        assert_int_equal(raw_restore(&f, state), 0);
        assert_int_equal(raw_step(&f, 0, 0.5), 0);
        assert_true(raw_get(&f, output) == held);
        assert_int_equal(raw_free_state(&f, &state), 0);
        raw_close(&f);
    }
}

static void wrong_derivatives_are_refused(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Swing");
    raw_start(&f);
    assert_int_equal(set_slope(&f, U, 7, 1), fmi2Error);
    assert_contains(f.log,
                    "fmi2SetRealInputDerivatives: derivatives of inputs can be of the orders 1 to "
                    "6, not of order 7");
    assert_int_equal(set_slope(&f, U, 0, 1), fmi2Error);
    assert_int_equal(set_slope(&f, Y, 1, 1), fmi2Error);
    assert_contains(f.log, "variable 'y' is no continuous input");
    assert_int_equal(set_slope(&f, 99, 1, 1), fmi2Error);
    assert_int_equal(f.fmi2SetRealInputDerivatives(f.c, NULL, 1, NULL, NULL), fmi2Error);
    assert_int_equal(raw_step(&f, 0, 0.5), 0); // no harm was done
    raw_close(&f);
    raw_open(&f, UNPACKED, "LagHeld");
    raw_start(&f);
    assert_int_equal(set_slope(&f, U, 1, 1), fmi2Error);
    assert_contains(f.log, "the model cannot interpolate its inputs");
    raw_close(&f);
}

// ---- FMI 3.0 -------------------------------------------------------------------------------------

static struct {
    raw_fmu *fmu;
    double times[8];
    int n; // calls
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
    if (updates.n < 8) updates.times[updates.n] = t;
    updates.n++;
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
    assert_int_equal(updates.n, 3);
    const double expected[] = {0, 0.25, 0.5};
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

// ---- polynomials in all versions -----------------------------------------------------------------

// p(t) = 1 - 2 t + 3 t^2 - 4 t^3 + 5 t^4 - 6 t^5, and its derivatives by time.
enum { DEGREE = 5 };
static const double p[DEGREE + 1] = {1, -2, 3, -4, 5, -6};

static double derivative_of_p(int order, double t)
{
    double value = 0;
    for (int k = DEGREE; k >= order; k--) {
        double factor = 1;
        for (int i = 0; i < order; i++) factor *= k - i;
        value = value * t + factor * p[k];
    }
    return value;
}

// The solution of x' = p(t) - x with x(0) = 0: x = q(t) - q(0) exp(-t), where q + q' = p.
static double lag_of_p(double t)
{
    double q[DEGREE + 2] = {0}, value = 0;
    for (int k = DEGREE; k >= 0; k--) q[k] = p[k] - (k + 1) * q[k + 1];
    for (int k = DEGREE; k >= 0; k--) value = value * t + q[k];
    return value - q[0] * exp(-t);
}

static void update_p(fmi3InstanceEnvironment environment, fmi3Float64 t, fmi3Boolean may_set,
                     fmi3Boolean may_get, fmi3Boolean is_finished, fmi3Boolean can_return_early,
                     fmi3Boolean *return_early, fmi3Float64 *return_time)
{
    (void)may_get, (void)is_finished, (void)can_return_early, (void)return_early;
    (void)return_time;
    raw_fmu *f = environment;
    const fmi3ValueReference u = U;
    double value = derivative_of_p(0, t);
    updates.n++;
    assert_true(may_set);
    assert_int_equal(f->fmi3SetFloat64(f->c, &u, 1, &value, 1), fmi3OK);
}

// Starts an FMU whose input has the reference 0.
static void start_moving(raw_fmu *f, const char *name, int version)
{
    char full[40];
    snprintf(full, sizeof full, "%s%s", name,
             (const char *const[]){"_fmi1", "", "_fmi3"}[version - 1]);
    raw_open(f, UNPACKED, full);
    if (version < 3) {
        raw_start(f);
        return;
    }
    const fmi3ValueReference u = U;
    updates.n = 0;
    f->c = f->fmi3InstantiateCoSimulation("a", f->guid, NULL, false, false, false, false, &u, 1, f,
                                          f->log_message3, update_p);
    start(f);
}

// A step in which u = p(t).
static void step_along_p(raw_fmu *f, double t, double h)
{
    raw_set(f, "u", derivative_of_p(0, t));
    for (int order = 1; order <= DEGREE && f->version < 3; order++)
        assert_int_equal(set_slope(f, U, order, derivative_of_p(order, t)), 0);
    assert_int_equal(raw_step(f, t, h), 0);
}

// The tolerance of the integrator is 1e-6.
static void polynomials_are_followed_by_the_integrator(void **unused)
{
    (void)unused;
    for (int version = 1; version <= 3; version++) {
        raw_fmu f;
        start_moving(&f, "Lag", version);
        for (int i = 0; i < 4; i++) {
            step_along_p(&f, 0.5 * i, 0.5);
            double exact = lag_of_p(0.5 * (i + 1));
            assert_near(raw_get(&f, "x"), exact, 2e-6 * fmax(1, fabs(exact)));
        }
        raw_close(&f);
    }
}

// The relay is switched on by the value at the beginning, and off where p falls below 0.25, in the middle of
// the step; meanwhile x' = 1.
static void an_input_that_moves_causes_an_event_at_its_time(void **unused)
{
    (void)unused;
    double early = 0, late = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (early + late) / 2;
        *(derivative_of_p(0, middle) > 0.25 ? &early : &late) = middle;
    }
    for (int version = 1; version <= 3; version++) {
        raw_fmu f;
        start_moving(&f, "Relay", version);
        step_along_p(&f, 0, 1);
        assert_near(raw_get(&f, "x"), late, 1e-12);
        raw_close(&f);
    }
}

static void outputs_follow_inputs_that_are_set_after_a_step(void **unused)
{
    (void)unused;
    static const char *const fmus[] = {"LinearSystem", "LinearSystem_fmi3"};
    for (int i = 0; i < 2; i++) {
        raw_fmu f;
        raw_open(&f, UNPACKED, fmus[i]);
        raw_instantiate(&f);
        raw_set(&f, "D12", 5);
        raw_set(&f, "B12", 1);
        raw_set(&f, "C11", 1);
        if (f.version == 2) {
            assert_int_equal(f.fmi2SetupExperiment(f.c, 0, 0, 0, 0, 0), 0);
            assert_int_equal(f.fmi2EnterInitializationMode(f.c), 0);
            assert_int_equal(f.fmi2ExitInitializationMode(f.c), 0);
        } else {
            assert_int_equal(f.fmi3EnterInitializationMode(f.c, false, 0, 0, false, 0), 0);
            assert_int_equal(f.fmi3ExitInitializationMode(f.c), 0);
        }
        raw_set(&f, "u2", 2);
        assert_int_equal(raw_step(&f, 0, 0.5), 0);
        assert_near(raw_get(&f, "y1"), 1 + 10, 1e-12);
        raw_set(&f, "u2", 4);
        assert_near(raw_get(&f, "y1"), 1 + 20, 1e-12);
        raw_close(&f);
    }
}

// One internal step per communication step: the slopes at its beginning and six more, two of them at its end.
static void inputs_are_asked_for_once_per_time(void **unused)
{
    (void)unused;
    raw_fmu f;
    start_moving(&f, "Lag", 3);
    for (int i = 0; i < 10; i++) step_along_p(&f, 0.01 * i, 0.01);
    assert_int_equal(updates.n, 10 * 6);
    raw_close(&f);
}

static void only_continuous_inputs_are_asked_for(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Swing_fmi3");
    f.c = make(&f, Y, 1);
    start(&f);
    assert_int_equal(raw_step(&f, 0, 0.5), 0);
    assert_int_equal(updates.n, 0);
    assert_near(raw_get(&f, "y"), 0.5, 1e-15); // the input was held
    assert_null(make(&f, 99, 1));
    raw_close(&f);
}

static void what_the_fmu_can_is_declared(void **unused)
{
    (void)unused;
    static const struct {
        const char *fmu, *text;
    } expected[] = {{"Swing_fmi1", "canInterpolateInputs=\"true\""},
                    {"Lag_fmi1", "canInterpolateInputs=\"true\""},
                    {"Lag", "canInterpolateInputs=\"true\""},
                    {"Lag_fmi3", "providesIntermediateUpdate=\"true\""},
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

static void what_the_fmu_cannot_is_not_declared(void **unused)
{
    (void)unused;
    static const struct {
        const char *fmu, *text;
    } unexpected[] = {{"LagHeld", "canInterpolateInputs"}, // its author does not want it
                      {"LagHeld_fmi3", "ntermediateUpdate"},
                      {"Counter", "canInterpolateInputs"}, // its own step holds inputs
                      {"Gain", "canInterpolateInputs"}, // only inputs at the end of a step count
                      {"Ball", "canInterpolateInputs"}}; // it has no input
    for (size_t i = 0; i < sizeof unexpected / sizeof *unexpected; i++) {
        raw_fmu f;
        raw_open(&f, UNPACKED, unexpected[i].fmu);
        assert_null(strstr(f.xml, unexpected[i].text));
        raw_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_follow_their_derivatives),
        cmocka_unit_test(derivatives_are_no_part_of_the_state),
        cmocka_unit_test(wrong_derivatives_are_refused),
        cmocka_unit_test(inputs_are_asked_for_within_steps),
        cmocka_unit_test(without_variables_nothing_is_asked_for),
        cmocka_unit_test(polynomials_are_followed_by_the_integrator),
        cmocka_unit_test(an_input_that_moves_causes_an_event_at_its_time),
        cmocka_unit_test(outputs_follow_inputs_that_are_set_after_a_step),
        cmocka_unit_test(inputs_are_asked_for_once_per_time),
        cmocka_unit_test(only_continuous_inputs_are_asked_for),
        cmocka_unit_test(what_the_fmu_can_is_declared),
        cmocka_unit_test(what_the_fmu_cannot_is_not_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
