// SPDX-License-Identifier: MIT
#include "unit/run/models.h"

static test_coupling c;

// y jumps from 0 to 1 at `where`
static double where;
static void jump_output(test_instance *at)
{
    at->real[0] = at->time < where ? 0 : 1;
}
// clang-format off
#define JUMP {"Jump", clock_variables, .output = jump_output, REWINDS}
// clang-format on

// One step over a jump, with one of the estimates; how many times the error test failed.
static int64_t failures_at_jump(double position, const char *estimate)
{
    test_model models[] = {JUMP, GAIN, {0}};
    char settings[200];
    snprintf(settings, sizeof settings,
             "algorithm=seidel step-control=richardson step-size=1 step-max=1 step-min=0.1 "
             "stop-time=1 error-estimate=%s",
             estimate);
    where = position;
    test_couple(&c, models, "jump:Jump gain:Gain", "jump.y>gain.u", settings);
    test_run_all(&c);
    takt_statistics statistics;
    takt_run_statistics(c.run, &statistics);
    test_uncouple(&c);
    return statistics.error_test_failures;
}

// Nicolai, paper 001, figure 7: the jump lies before or after the middle of the step; in both cases
// the full step and the two halves end at the same value.
static void only_the_slope_sees_a_jump_that_depends_on_time_alone(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double position = i == 0 ? 0.3 : 0.7;
        assert_int_equal(failures_at_jump(position, "richardson"), 0);
        assert_true(failures_at_jump(position, "slope") > 0);
        assert_true(failures_at_jump(position, "both") > 0);
    }
}

// y' = -y, coupled: implicit Euler. The error per step is about h^2/2, so the size follows from it.
static double decay_error(const char *tolerance, int64_t *n_steps)
{
    test_model models[] = {INTEGRATOR, GAIN, {0}};
    char settings[300];
    snprintf(
        settings, sizeof settings,
        "algorithm=fixed-point iterations=50 step-control=richardson step-size=0.01 step-max=1 "
        "stop-time=2 set=f.k=-1 relative-tolerance=%s absolute-tolerance=%s",
        tolerance, tolerance);
    test_couple(&c, models, "x:Integrator f:Gain", "x.y>f.u f.y>x.u", settings);
    test_run_all(&c);
    *n_steps = c.run->n_steps;
    double error = fabs(test_value(&c, "x.y", -1) - exp(-2));
    assert_true(c.time[c.n_rows - 1] == 2);
    test_uncouple(&c);
    return error;
}

static void a_smaller_tolerance_gives_a_smaller_error_with_more_steps(void **state)
{
    (void)state;
    int64_t n_coarse, n_fine;
    double coarse = decay_error("1e-3", &n_coarse), fine = decay_error("1e-5", &n_fine);
    // First order: a hundredth of the tolerance per step is ten times as many steps.
    assert_true(n_fine > 6 * n_coarse && n_fine < 16 * n_coarse);
    assert_true(fine < coarse / 6);
    assert_true(fine < 2e-3);
}

// A loop whose sign flips by itself never converges.
static const test_variable flip_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void flip_step(test_instance *at, double t, double h)
{
    (void)h;
    at->state[0] = t < 0.45 ? 0 : at->real[0] > 0 ? -1 : 1;
}
static void flip_output(test_instance *at)
{
    at->real[1] = at->state[0];
}
// clang-format off
#define FLIP {"Flip", flip_variables, .output = flip_output, .step = flip_step, REWINDS}
// clang-format on

static void a_loop_that_never_converges_fails_at_the_smallest_step(void **state)
{
    (void)state;
    test_model models[] = {FLIP, GAIN, {0}};
    test_couple(&c, models, "a:Flip b:Gain", "a.y>b.u b.y>a.u",
                "algorithm=fixed-point step-control=convergence step-size=0.1 stop-time=1 "
                "step-min=0.001 step-fallback=0");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "a loop does not converge even with a step of 0.001 s");
    assert_contains(c.err.message, "--step-fallback");
    assert_true(c.run->n_convergence_failures > 2);
    test_uncouple(&c);
}

static void below_the_fallback_limit_the_run_gets_over_it(void **state)
{
    (void)state;
    test_model models[] = {FLIP, GAIN, {0}};
    test_couple(&c, models, "a:Flip b:Gain", "a.y>b.u b.y>a.u",
                "algorithm=fixed-point step-control=convergence step-size=0.1 stop-time=0.6 "
                "step-max=0.1 step-min=0.001 step-fallback=0.01");
    test_run_all(&c);
    assert_true(c.run->n_convergence_failures > 0);
    assert_true(c.time[c.n_rows - 1] == 0.6);
    test_uncouple(&c);
}

static void with_fixed_steps_the_run_goes_on_and_says_so(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, FLIP, GAIN, {0}};
    const char *settings = "algorithm=fixed-point step-size=0.1 stop-time=1 iterations=4 ";
    test_couple(&c, models, "a:Flip b:Gain clock:Clock late:Gain", "a.y>b.u b.y>a.u clock.y>late.u",
                settings);
    test_run_all(&c);
    // What is outside the loop is stepped all the same.
    assert_near(test_value(&c, "late.y", -1), 1, 0);
    assert_contains(c.system.log.text, "warn: 5 of 10 steps did not converge within 4 iterations");
    test_uncouple(&c);

    test_couple(&c, models, "a:Flip b:Gain", "a.y>b.u b.y>a.u",
                "algorithm=fixed-point step-size=0.1 stop-time=1 iterations=4 strict=true");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "a loop did not converge within 4 iterations (--strict)");
    test_uncouple(&c);
}

static void a_discarded_step_is_repeated_with_a_smaller_size(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    models[0].fault = TEST_DISCARDS;
    models[0].fault_time = 0.45;
    test_couple(&c, models, "clock:Clock", "",
                "step-control=convergence step-size=0.1 step-max=0.1 step-min=0.001 stop-time=1");
    test_try_run_all(&c);
    // It can never pass 0.45, but comes as near as the smallest step allows.
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "instance 'clock' at t=0.4");
    assert_contains(c.err.message, "the FMU discards even a step of 0.001 s");
    assert_near(c.time[c.n_rows - 1], 0.45, 0.002);
    test_uncouple(&c);
}

// The same values as if the step that was rejected had never been tried: the run is repeated with
// exactly the sizes that were accepted.
static void a_rejected_step_leaves_no_trace(void **state)
{
    (void)state;
    test_model models[] = {JUMP, INTEGRATOR, GAIN, {0}};
    where = 0.37;
    test_couple(&c, models, "j:Jump x:Integrator f:Gain", "j.y>x.u x.y>f.u",
                "algorithm=seidel step-control=richardson step-size=0.2 step-max=0.2 "
                "step-min=0.001 stop-time=1");
    test_run_all(&c);
    assert_true(c.run->n_error_failures > 2);
    double x = 1;
    for (int i = 1; i < c.n_rows; i++) {
        double t = c.time[i - 1], h = c.time[i] - t;
        x += h / 2 * (t + h / 2 >= where) + h / 2 * (t + h >= where);
        assert_near(test_value(&c, "x.y", i), x, 1e-14);
        assert_near(test_value(&c, "f.y", i), x, 1e-14);
    }
    test_uncouple(&c);
}

static void adaptive_steps_need_components_that_can_rewind_and_vary_their_step(void **state)
{
    (void)state;
    test_model models[] = {{"Stiff", clock_variables, .output = clock_output}, {0}};
    test_try_couple(&c, models, "a:Stiff", "", "step-control=richardson step-size=0.1 stop-time=1");
    assert_int_equal(c.status, TAKT_ERR_USAGE);
    assert_contains(c.system.log.text, "component 'a' cannot be rewound");
    assert_contains(c.system.log.text, "component 'a' takes only steps of equal size");
    assert_contains(c.system.log.text, "fixed is possible");
    test_uncouple(&c);
}

static void limits_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    test_try_couple(&c, models, "a:Clock", "",
                    "step-control=richardson step-size=0.1 stop-time=1 step-min=0.5 step-max=0.1");
    assert_int_equal(c.status, TAKT_ERR_USAGE);
    assert_contains(c.system.log.text, "step-min 0.5 s is greater than step-max 0.1 s");
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_slope_sees_a_jump_that_depends_on_time_alone),
        cmocka_unit_test(a_smaller_tolerance_gives_a_smaller_error_with_more_steps),
        cmocka_unit_test(a_loop_that_never_converges_fails_at_the_smallest_step),
        cmocka_unit_test(below_the_fallback_limit_the_run_gets_over_it),
        cmocka_unit_test(with_fixed_steps_the_run_goes_on_and_says_so),
        cmocka_unit_test(a_discarded_step_is_repeated_with_a_smaller_size),
        cmocka_unit_test(a_rejected_step_leaves_no_trace),
        cmocka_unit_test(adaptive_steps_need_components_that_can_rewind_and_vary_their_step),
        cmocka_unit_test(limits_that_contradict_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
