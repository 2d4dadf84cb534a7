// SPDX-License-Identifier: MIT
// What the error test looks at: outputs that nobody reads, discrete values, and not the noise of iterations.
#include <math.h>

#include "run/tested.h"
#include "unit/run/models.h"

static test_coupling c;

#define ADAPTIVE "step-control=richardson step-size=0.1 "

static void assert_no_doubt(void)
{
    for (int i = 0; i < TAKT_N_DOUBTS; i++) assert_int_equal((int)c.run->counts.doubts[i].n, 0);
}

// ---- outputs that nobody reads -----------------------------------------------------------------------

// y = x = time, a straight line; the integral of 2 x is t^2.
static const test_variable square_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void square_output(test_instance *at)
{
    at->real[1] = at->state[0];
}
static void square_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += 2 * h * at->real[0];
}
#define SQUARE                                                                                     \
    {                                                                                              \
        "Square", square_variables, .output = square_output, .step = square_step, REWINDS          \
    }

static void outputs_that_nobody_reads_are_tested(void **state)
{
    (void)state;
    for (int is_recorded = 0; is_recorded < 2; is_recorded++) {
        test_model models[] = {CLOCK, SQUARE, {0}};
        test_couple(&c, models, "a:Clock b:Square", "a.y>b.u",
                    is_recorded ? ADAPTIVE "stop-time=10" : ADAPTIVE "stop-time=10 record=a.*");
        test_run_all(&c);
        const test_instance *b = (test_instance *)c.run->work.instances[1].instance;
        assert_near(b->state[0], 100, 0.5);
        if (is_recorded) assert_near(test_value(&c, "b.y", -1), b->state[0], 0);
        test_uncouple(&c);
        test_couple(&c, models, "a:Clock b:Square", "a.y>b.u", ADAPTIVE "stop-time=10 norm=papers");
        test_run_all(&c);
        assert_true(test_value(&c, "b.y", -1) > 110); // a straight line has no slope error
        test_uncouple(&c);
    }
}

static const test_variable odd_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void odd_output(test_instance *at)
{
    at->real[0] = NAN;
}

static void an_output_that_nobody_wants_may_be_not_finite(void **state)
{
    (void)state;
    static test_model models[] = {
        CLOCK, GAIN, {"Odd", odd_variables, .output = odd_output, REWINDS}, {0}};
    test_couple(&c, models, "a:Clock b:Gain o:Odd", "a.y>b.u", ADAPTIVE "stop-time=1 record=b.*");
    test_run_all(&c);
    test_uncouple(&c);
    test_couple(&c, models, "a:Clock b:Gain o:Odd", "a.y>b.u", ADAPTIVE "stop-time=1");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "variable 'y' is not a number");
    test_uncouple(&c);
}

// ---- discrete values ---------------------------------------------------------------------------------

// y = 1 from `at` on.
#define SWITCH_TIME 0.537
static const test_variable switch_variables[] = {{"y", TAKT_OUTPUT, TAKT_BOOLEAN, .depends = ""},
                                                 {0}};
static const test_variable real_switch_variables[] = {
    {"y", TAKT_OUTPUT, .depends = "", .is_discrete = true}, {0}};
static void switch_output(test_instance *at)
{
    at->integer[0] = at->time >= SWITCH_TIME;
}
static void real_switch_output(test_instance *at)
{
    at->real[0] = at->time >= SWITCH_TIME;
}

// y' = 1 if u, else 0
static const test_variable switched_variables[] = {
    {"u", TAKT_INPUT, TAKT_BOOLEAN, .start = "false"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static const test_variable real_switched_variables[] = {
    {"u", TAKT_INPUT, .start = "0", .is_discrete = true}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void switched_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += at->integer[0] ? h : 0;
}
static void real_switched_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += at->real[0] > 0.5 ? h : 0;
}

// clang-format off
#define SWITCHES {"Switch", switch_variables, .output = switch_output, REWINDS}, \
                 {"RealSwitch", real_switch_variables, .output = real_switch_output, REWINDS}, \
                 {"Switched", switched_variables, .output = square_output, .step = switched_step, REWINDS}, \
                 {"RealSwitched", real_switched_variables, .output = square_output, \
                  .step = real_switched_step, REWINDS}
// clang-format on

// Whoever is called first, and whether the change is seen in the same step or in the next.
static void steps_are_refined_around_a_discrete_change(void **state)
{
    (void)state;
    static const char *const components[] = {"a:Switch b:Switched", "b:Switched a:Switch",
                                             "a:RealSwitch b:RealSwitched",
                                             "b:RealSwitched a:RealSwitch"};
    static const char *const settings[] = {ADAPTIVE
                                           "stop-time=1 algorithm=seidel call-order=listed",
                                           ADAPTIVE "stop-time=1 algorithm=jacobi"};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            test_model models[] = {SWITCHES, {0}};
            test_couple(&c, models, components[i], "a.y>b.u", settings[k]);
            test_run_all(&c);
            assert_near(test_value(&c, "b.y", -1), 1 - SWITCH_TIME, 2e-5);
            assert_true(c.run->counts.n_steps < 100);
            assert_no_doubt();
            test_uncouple(&c);
        }
}

// A thermostat: x' = 1 while heating, else -1; heating changes at 1 and 0. A loop over a Boolean.
static const test_variable heater_variables[] = {
    {"u", TAKT_INPUT, TAKT_BOOLEAN, .start = "true"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void heater_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += at->integer[0] ? h : -h;
}
static const test_variable thermostat_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, TAKT_BOOLEAN, .depends = ""}, {0}};
static void thermostat_init(test_instance *at)
{
    at->state[0] = 1;
}
static void thermostat_output(test_instance *at)
{
    at->integer[1] = at->state[0] > 0;
}
static void thermostat_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    if (at->real[0] >= 1) at->state[0] = 0;
    if (at->real[0] <= 0) at->state[0] = 1;
}

static void a_loop_over_a_boolean_is_as_exact_as_its_steps_can_be(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"seidel", "newton", "fixed-point", "jacobi"};
    for (int i = 0; i < 8; i++) {
        test_model models[] = {
            {"Heater", heater_variables, .output = square_output, .step = heater_step, REWINDS},
            {"Thermostat", thermostat_variables, .init = thermostat_init,
             .output = thermostat_output, .step = thermostat_step, REWINDS},
            {0}};
        char settings[200];
        snprintf(settings, sizeof settings, ADAPTIVE "stop-time=5.5 algorithm=%s step-max=0.1",
                 algorithms[i / 2]);
        test_couple(&c, models, i % 2 ? "b:Thermostat a:Heater" : "a:Heater b:Thermostat",
                    "a.y>b.u b.y>a.u", settings);
        test_run_all(&c);
        // Up to 1, down to 0, ...: at 5.5 it is going down from 1 for half a second.
        assert_near(test_value(&c, "a.y", -1), 0.5, 1e-3);
        assert_true(c.run->counts.n_steps < 1000);
        test_uncouple(&c);
    }
}

// An integer that counts the steps.
static const test_variable counter_variables[] = {{"y", TAKT_OUTPUT, TAKT_INT32, .depends = ""},
                                                  {0}};
static void counter_output(test_instance *at)
{
    at->integer[0] = (int64_t)at->state[0];
}
static void counter_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    at->state[0]++;
}
static const test_variable reader_variables[] = {
    {"n", TAKT_INPUT, TAKT_INT32, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};

static void what_changes_in_every_step_does_not_make_all_of_them_small(void **state)
{
    (void)state;
    static test_model models[] = {
        {"Counter", counter_variables, .output = counter_output, .step = counter_step, REWINDS},
        {"Reader", reader_variables, REWINDS},
        {0}};
    test_couple(&c, models, "a:Counter b:Reader", "a.y>b.n", ADAPTIVE "stop-time=10");
    test_run_all(&c);
    assert_true(c.run->counts.n_steps < 60);
    assert_no_doubt();
    test_uncouple(&c);
}

// The same switch, but it announces the change.
static void announced_switch_event(test_instance *at, takt_event *out)
{
    at->state[0] = at->time >= SWITCH_TIME - 1e-12;
    out->next_time = at->state[0] > 0 ? INFINITY : SWITCH_TIME;
}
static void announced_switch_output(test_instance *at)
{
    at->integer[0] = at->state[0] > 0;
}

static void announced_changes_need_no_refinement(void **state)
{
    (void)state;
    static test_model models[] = {
        {"Switch", switch_variables, .output = announced_switch_output,
         .event = announced_switch_event,
         .can = {.rewind = true, .variable_step = true, .events = true}},
        {"Switched", switched_variables, .output = square_output, .step = switched_step, REWINDS},
        {0}};
    test_couple(&c, models, "a:Switch b:Switched", "a.y>b.u", ADAPTIVE "stop-time=1");
    test_run_all(&c);
    assert_near(test_value(&c, "b.y", -1), 1 - SWITCH_TIME, 1e-12);
    assert_true(c.run->counts.n_steps < 12 && c.run->counts.n_error_failures == 0);
    test_uncouple(&c);
}

// ---- loops -------------------------------------------------------------------------------------------

// y = sin t + 0.9 tanh u
static const test_variable tanh_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static void tanh_output(test_instance *at)
{
    at->real[1] = sin(at->time) + 0.9 * tanh(at->real[0]);
}

// `share`: of the tolerance, for the loop; 0: as it is
static int64_t count_steps(const char *more, double share)
{
    static test_model models[] = {
        {"Tanh", tanh_variables, .output = tanh_output, REWINDS}, GAIN, {0}};
    char settings[300];
    snprintf(settings, sizeof settings,
             ADAPTIVE "stop-time=10 algorithm=fixed-point iterations=1000 relative-tolerance=1e-6 "
                      "absolute-tolerance=1e-6 %s",
             more);
    test_couple(&c, models, "a:Tanh b:Gain", "a.y>b.u b.y>a.u", settings);
    if (share > 0) c.run->work.loop_share = share;
    test_run_all(&c);
    int64_t n = c.run->counts.n_steps;
    test_uncouple(&c);
    return n;
}

// The result depends on time alone, so that both estimates together need no more steps than the slope.
static void the_error_test_does_not_see_the_noise_of_iterations(void **state)
{
    (void)state;
    int64_t n = count_steps("", 0), n_slope = count_steps("error-estimate=slope", 0);
    assert_true(n_slope > 1000 && n == n_slope);
    assert_true(count_steps("", 1) > n); // with equal tolerances it does
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_that_nobody_reads_are_tested),
        cmocka_unit_test(an_output_that_nobody_wants_may_be_not_finite),
        cmocka_unit_test(steps_are_refined_around_a_discrete_change),
        cmocka_unit_test(a_loop_over_a_boolean_is_as_exact_as_its_steps_can_be),
        cmocka_unit_test(what_changes_in_every_step_does_not_make_all_of_them_small),
        cmocka_unit_test(announced_changes_need_no_refinement),
        cmocka_unit_test(the_error_test_does_not_see_the_noise_of_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
