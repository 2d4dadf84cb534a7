// SPDX-License-Identifier: MIT
#include "unit/run/models.h"

static test_coupling c;

static void values_travel_along_a_chain_before_the_first_step(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {0}};
    test_couple(&c, models, "d:Gain c:Gain b:Gain a:Gain", "a.y>b.u b.y>c.u c.y>d.u",
                "step-size=1 stop-time=1 set=a.c=5 set=b.k=2 set=d.c=0.5");
    test_run_all(&c);
    assert_near(test_value(&c, "d.y", 0), 10.5, 0);
    test_uncouple(&c);
}

static void initial_loop_that_repetition_solves(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {0}};
    test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u",
                "step-size=1 stop-time=1 set=a.k=0.5 set=a.c=1 set=b.k=0.5");
    test_run_all(&c);
    assert_near(test_value(&c, "a.y", 0), 4.0 / 3, 1e-8);
    test_uncouple(&c);
}

// Example 20b of the coupling examples: x = 3 - 2x, which simple repetition cannot solve.
static void initial_loop_with_gain_minus_two_is_solved(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {0}};
    test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u",
                "algorithm=seidel step-size=1 stop-time=1 set=a.k=-2 set=a.c=3");
    test_run_all(&c);
    assert_near(test_value(&c, "b.y", 0), 1, 1e-8);
    test_uncouple(&c);
}

// Example 20: x = 1 + x.
static void singular_initial_loop_is_named(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {0}};
    test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u",
                "step-size=1 stop-time=1 set=a.c=1");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "initialization: the loop through");
    assert_contains(c.err.message, "a.u");
    assert_contains(c.err.message, "b.u");
    assert_contains(c.err.message, "has no unique solution");
    assert_int_equal(c.n_rows, 0);
    test_uncouple(&c);
}

// A circle of connections through a state is no loop at initialization.
static void states_break_initial_loops(void **state)
{
    (void)state;
    test_model models[] = {INTEGRATOR, GAIN, {0}};
    test_couple(&c, models, "f:Gain x:Integrator", "x.y>f.u f.y>x.u",
                "step-size=0.1 stop-time=1 set=f.k=-3");
    test_run_all(&c);
    assert_near(test_value(&c, "f.y", 0), -3, 0);
    assert_near(test_value(&c, "x.y", 0), 1, 0);
    test_uncouple(&c);
}

static const test_variable flag_variables[] = {
    {"u", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"y", TAKT_OUTPUT, .type = TAKT_INT32, .depends = "u"},
    {0}};
static void settles_output(test_instance *at)
{
    at->integer[1] = at->integer[0] < 7 ? at->integer[0] + 1 : 7;
}
static void flips_output(test_instance *at)
{
    at->integer[1] = !at->integer[0];
}

static void discrete_initial_loop_is_repeated_until_it_rests(void **state)
{
    (void)state;
    test_model models[] = {{"Settles", flag_variables, .output = settles_output},
                           {"Flips", flag_variables, .output = flips_output},
                           {0}};
    test_couple(&c, models, "a:Settles b:Settles", "a.y>b.u b.y>a.u", "step-size=1 stop-time=1");
    test_run_all(&c);
    assert_near(test_value(&c, "a.y", 0), 7, 0);
    test_uncouple(&c);

    test_couple(&c, models, "a:Flips b:Settles", "a.y>a.u", "step-size=1 stop-time=1");
    test_try_run_all(&c);
    assert_contains(c.err.message, "the loop through a.u does not rest: its discrete values "
                                   "return to an earlier pattern");
    test_uncouple(&c);
}

static void initial_loops_do_not_depend_on_units(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {0}};
    test_couple(
        &c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u",
        "algorithm=seidel step-size=1 stop-time=1 set=a.k=2e10 set=b.k=-1e-10 set=a.c=3e10");
    test_run_all(&c);
    assert_near(test_value(&c, "a.y", 0), 1e10, 1e3);
    assert_near(test_value(&c, "b.y", 0), -1, 1e-7);
    test_uncouple(&c);
}

// No nearer than rounding allows.
static void tolerances_near_rounding_do_not_stop_the_initialization(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {0}};
    for (int i = 0; i < 20; i++) {
        char settings[300];
        snprintf(settings, sizeof settings,
                 "algorithm=seidel step-size=1 stop-time=1 relative-tolerance=1e-12 "
                 "absolute-tolerance=1e-13 set=a.k=%g set=b.k=%g set=a.c=%g",
                 -1.1 - 0.37 * i, 0.7 + 0.011 * i, 3.3 + 17 * i);
        test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u", settings);
        test_try_run_all(&c);
        if (c.status) fail_msg("%s: %s", settings, c.err.message);
        test_uncouple(&c);
    }
}

static void failures_in_an_initial_loop_name_the_instance(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {"Bad", gain_variables, .output = gain_output}, {0}};
    models[1].fault = TEST_FAILS_TO_GET;
    test_couple(&c, models, "a:Gain b:Bad", "a.y>b.u b.y>a.u", "step-size=1 stop-time=1");
    test_try_run_all(&c);
    assert_contains(c.err.message, "instance 'b' during initialization");
    test_uncouple(&c);
}

// y = 1 / u: not finite for the guess 0, but there are solutions.
static const test_variable inverse_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static void inverse_output(test_instance *at)
{
    at->real[1] = 1 / at->real[0];
}

static void values_that_are_not_finite_are_no_guess(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {"Inverse", inverse_variables, .output = inverse_output}, {0}};
    // The gain comes first: its input is torn, and the inverse shows infinity.
    test_couple(&c, models, "a:Gain b:Inverse", "a.y>b.u b.y>a.u",
                "algorithm=seidel step-size=1 stop-time=1 set=a.k=2 set=a.c=1");
    test_run_all(&c);
    double y = test_value(&c, "b.y", 0);
    assert_near(y, 1 / (2 * y + 1), 1e-8);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_travel_along_a_chain_before_the_first_step),
        cmocka_unit_test(initial_loop_that_repetition_solves),
        cmocka_unit_test(initial_loop_with_gain_minus_two_is_solved),
        cmocka_unit_test(singular_initial_loop_is_named),
        cmocka_unit_test(states_break_initial_loops),
        cmocka_unit_test(discrete_initial_loop_is_repeated_until_it_rests),
        cmocka_unit_test(initial_loops_do_not_depend_on_units),
        cmocka_unit_test(tolerances_near_rounding_do_not_stop_the_initialization),
        cmocka_unit_test(failures_in_an_initial_loop_name_the_instance),
        cmocka_unit_test(values_that_are_not_finite_are_no_guess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
