// SPDX-License-Identifier: MIT
// Jumps under steps by prediction: they are found, enclosed and told from steep curves.
#include "run/auto.h"
#include "unit/run/models.h"

static test_coupling c;

enum { MOST_TIMES = 12 };

// Counts times that have passed, as a real number and an integer, and changes a truth value.
typedef struct times {
    double t[MOST_TIMES];
    int n;
} times;
static const test_variable pulse_variables[] = {
    {"y", TAKT_OUTPUT, .depends = ""},
    {"n", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
    {"is_on", TAKT_OUTPUT, .type = TAKT_BOOLEAN, .depends = ""},
    {0}};
static void pulse_output(test_instance *at)
{
    const times *all = at->model->context;
    int n = 0;
    for (int i = 0; i < all->n; i++) n += at->time >= all->t[i];
    at->real[0] = n;
    at->integer[1] = n;
    at->integer[2] = n % 2;
}

// y' = u + n, and 1 more if is_on; inputs are held.
static const test_variable plus_variables[] = {
    {"u", TAKT_INPUT, .start = "0"},
    {"n", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"is_on", TAKT_INPUT, .type = TAKT_BOOLEAN, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = ""},
    {0}};
static void sum_output(test_instance *at)
{
    at->real[3] = at->state[0];
}
static void sum_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h * (at->real[0] + (double)at->integer[1] + (double)at->integer[2]);
}

// A curve that is steep in the middle.
static void curve_output(test_instance *at)
{
    at->real[0] = tanh((at->time - 5) / 0.02);
}

// clang-format off
#define PULSE(all) {"Pulse", pulse_variables, .output = pulse_output, .context = all, REWINDS}
#define SUM {"Sum", plus_variables, .output = sum_output, .step = sum_step, REWINDS}
#define CURVE {"Curve", clock_variables, .output = curve_output, REWINDS}
// clang-format on

static const double TOLERANCE = 1e-5;

static void couple(test_model *models, const char *components, const char *connections)
{
    test_couple(&c, models, components, connections,
                "stop-time=10 tolerance=1e-5 output-interval=0 strict=true");
}

static double integral(const times *all, const char *input)
{
    double sum = 0;
    for (int i = 0; i < all->n; i++) {
        double sign = strcmp(input, "is_on") == 0 && i % 2 ? -1 : 1;
        sum += sign * (10 - all->t[i]);
    }
    return sum;
}

static int64_t n_jumps(void)
{
    return c.run->automatic->state->n_jumps;
}

// Every jump lies between two rows that are close to each other.
static double largest_gap(const times *all, const char *column)
{
    double largest = 0;
    int n = 0;
    for (int i = 1; i < c.n_rows; i++) {
        if (test_value(&c, column, i) == test_value(&c, column, i - 1)) continue;
        assert_true(n < all->n && c.time[i - 1] <= all->t[n] && all->t[n] <= c.time[i]);
        largest = fmax(largest, c.time[i] - c.time[i - 1]);
        n++;
    }
    assert_int_equal(n, all->n);
    return largest;
}

// The integral is right, and every jump is enclosed: for the first of the kinds of values.
static void assert_kinds(times *all, int n_kinds)
{
    static const char *const inputs[] = {"u", "n", "is_on"}, *const outputs[] = {"y", "n", "is_on"};
    for (int k = 0; k < n_kinds; k++) {
        test_model models[] = {PULSE(all), SUM, {0}};
        char connections[60], column[20];
        snprintf(connections, sizeof connections, "p.%s>s.%s", outputs[k], inputs[k]);
        snprintf(column, sizeof column, "p.%s", outputs[k]);
        couple(models, "p:Pulse s:Sum", connections);
        test_run_all(&c);
        double wanted = integral(all, inputs[k]);
        assert_near(test_value(&c, "s.y", -1), wanted, 6 * TOLERANCE * fmax(1, fabs(wanted)));
        assert_true(largest_gap(all, column) <= 10 * TOLERANCE);
        test_uncouple(&c);
    }
}

static void assert_counted(times *all)
{
    assert_kinds(all, 2);
}

static void assert_found(times *all)
{
    assert_kinds(all, 3);
}

static void a_jump_is_enclosed(void **state)
{
    (void)state;
    assert_found(&(times){{4.321}, 1});
}

static void several_jumps_are_enclosed(void **state)
{
    (void)state;
    assert_found(&(times){{1, 2.5, 4.333, 6, 9.99}, 5});
}

// Several in one step: only numbers that count show that.
static void jumps_in_one_step_are_enclosed_one_by_one(void **state)
{
    (void)state;
    assert_counted(&(times){{1, 1.5, 3.333, 3.4, 6, 6.0625, 9.99}, 7});
}

// Steps are short after a jump, and nothing is known to compare the first one with.
static void jumps_that_follow_each_other_at_once_are_enclosed(void **state)
{
    (void)state;
    assert_counted(&(times){{5, 5.0005, 5.0015, 5.005}, 4});
    assert_counted(&(times){{5, 5.0001, 5.0002, 5.001}, 4});
}

// The first step of all has no history either.
static void a_jump_near_the_beginning_is_enclosed(void **state)
{
    (void)state;
    assert_found(&(times){{0.001}, 1});
    assert_found(&(times){{2e-5, 0.5}, 2});
}

static void jumps_are_counted(void **state)
{
    (void)state;
    times all = {{1, 2, 7}, 3};
    test_model models[] = {PULSE(&all), SUM, {0}};
    couple(models, "p:Pulse s:Sum", "p.y>s.u");
    test_run_all(&c);
    assert_int_equal(n_jumps(), 3);
    test_uncouple(&c);
}

static void few_steps_are_needed_around_a_jump(void **state)
{
    (void)state;
    times all = {{4.321}, 1};
    test_model models[] = {PULSE(&all), SUM, {0}};
    couple(models, "p:Pulse s:Sum", "p.y>s.u");
    test_run_all(&c);
    assert_true(models[0].counts.step <= 90); // most of them to find it
    assert_true(models[1].counts.step <= 70); // which is no affair of this one
    test_uncouple(&c);
}

static void a_steep_curve_is_no_jump(void **state)
{
    (void)state;
    test_model models[] = {CURVE, SUM, {0}};
    couple(models, "p:Curve s:Sum", "p.y>s.u");
    test_run_all(&c);
    assert_int_equal(n_jumps(), 0);
    assert_near(test_value(&c, "s.y", -1), 0, 10 * TOLERANCE * 5);
    test_uncouple(&c);
}

// The same, if the order in which components are listed is another one.
static void the_order_of_components_does_not_matter(void **state)
{
    (void)state;
    times all = {{1, 1.5, 3.333}, 3};
    double ends[2];
    for (int k = 0; k < 2; k++) {
        test_model models[] = {PULSE(&all), SUM, {0}};
        couple(models, k ? "s:Sum p:Pulse" : "p:Pulse s:Sum", "p.y>s.u");
        test_run_all(&c);
        ends[k] = test_value(&c, "s.y", -1);
        test_uncouple(&c);
    }
    assert_near(ends[0], ends[1], 0);
}

// A discrete real output is one that jumps, too.
static void discrete_real_outputs_are_enclosed(void **state)
{
    (void)state;
    static const test_variable discrete_variables[] = {
        {"y", TAKT_OUTPUT, .depends = "", .is_discrete = true},
        {"n", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
        {"is_on", TAKT_OUTPUT, .type = TAKT_BOOLEAN, .depends = ""},
        {0}};
    times all = {{1, 1.5, 3.333}, 3};
    test_model models[] = {PULSE(&all), SUM, {0}};
    models[0].variables = discrete_variables;
    couple(models, "p:Pulse s:Sum", "p.y>s.u");
    test_run_all(&c);
    assert_near(test_value(&c, "s.y", -1), integral(&all, "u"), 6 * TOLERANCE * 7.2);
    assert_true(largest_gap(&all, "p.y") <= 10 * TOLERANCE);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_is_enclosed),
        cmocka_unit_test(several_jumps_are_enclosed),
        cmocka_unit_test(jumps_in_one_step_are_enclosed_one_by_one),
        cmocka_unit_test(jumps_that_follow_each_other_at_once_are_enclosed),
        cmocka_unit_test(a_jump_near_the_beginning_is_enclosed),
        cmocka_unit_test(jumps_are_counted),
        cmocka_unit_test(few_steps_are_needed_around_a_jump),
        cmocka_unit_test(a_steep_curve_is_no_jump),
        cmocka_unit_test(the_order_of_components_does_not_matter),
        cmocka_unit_test(discrete_real_outputs_are_enclosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
