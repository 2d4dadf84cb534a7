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
    assert_contains(c.err.message, "does not converge");
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
