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
    takt_statistics statistics = {.size = sizeof statistics};
    takt_run_statistics(c.run, &statistics, NULL);
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
    *n_steps = c.run->counts.n_steps;
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
    assert_true(c.run->counts.n_convergence_failures > 2);
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
    assert_true(c.run->counts.n_convergence_failures > 0);
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
    assert_null(strstr(c.system.log.text, "steps did not converge")); // told once is enough
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
    assert_true(c.run->counts.n_error_failures > 2);
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

// A loop that is solved by steps of some size only.
static double least_size;
static void picky_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] = h >= least_size ? 0.5 : at->real[0] > 0 ? -1 : 1;
}

// At the smallest step both halves fail: then the full step counts. Without it the instances would
// stay half a step behind.
static void the_full_step_counts_where_the_halves_of_the_smallest_fail(void **state)
{
    (void)state;
    test_model models[] = {
        CLOCK,
        {"Picky", flip_variables, .output = flip_output, .step = picky_step, REWINDS},
        GAIN,
        {0}};
    least_size = 0.08;
    test_couple(&c, models, "a:Picky b:Gain clock:Clock late:Gain",
                "a.y>b.u b.y>a.u clock.y>late.u",
                "algorithm=fixed-point step-control=richardson step-size=0.1 step-min=0.1 "
                "step-max=0.1 step-fallback=0 stop-time=1");
    test_run_all(&c);
    assert_int_equal(c.run->counts.n_steps, 10);
    assert_int_equal(c.run->counts.n_error_failures, 10);
    for (int i = 1; i < c.n_rows; i++) {
        assert_near(test_value(&c, "late.y", i), c.time[i], 1e-12);
        assert_near(test_value(&c, "a.y", i), 0.5, 0);
    }
    test_uncouple(&c);
}

// In a long simulation a part of the interval is many steps; near its end they must not be stretched,
// rejected, reduced and stretched again for ever.
static void steps_near_the_end_of_a_long_interval_may_be_small(void **state)
{
    (void)state;
    test_model models[] = {JUMP, GAIN, {0}};
    where = 1e6 - 0.3;
    test_couple(&c, models, "jump:Jump gain:Gain", "jump.y>gain.u",
                "algorithm=seidel step-control=richardson step-size=1000 step-max=100000 "
                "step-min=0.01 stop-time=1000000");
    test_run_all(&c);
    assert_true(c.time[c.n_rows - 1] == 1e6);
    for (int i = 1; i < c.n_rows; i++) {
        assert_true(c.time[i] - c.time[i - 1] <= 100000 * 1.002);
        if (c.time[i - 1] < where && c.time[i] >= where)
            assert_true(c.time[i] - c.time[i - 1] < 0.03);
    }
    test_uncouple(&c);
}

static void factors_of_one_still_reduce_a_rejected_step(void **state)
{
    (void)state;
    test_model models[] = {FLIP, GAIN, JUMP, {0}};
    test_couple(&c, models, "a:Flip b:Gain", "a.y>b.u b.y>a.u",
                "algorithm=fixed-point step-control=convergence step-size=0.1 stop-time=1 "
                "step-min=0.01 step-fallback=0 step-reduction=1");
    test_try_run_all(&c);
    assert_contains(c.err.message, "a loop does not converge even with a step of 0.01 s");
    test_uncouple(&c);
    where = 0.995;
    test_couple(&c, models, "jump:Jump b:Gain", "jump.y>b.u",
                "step-control=richardson step-size=0.1 stop-time=1 step-min=0.01 "
                "step-factor-min=1 step-factor-max=1");
    test_run_all(&c);
    assert_true(c.run->counts.n_error_failures > 0);
    test_uncouple(&c);
}

static void adaptive_steps_work_far_from_zero(void **state)
{
    (void)state;
    test_model models[] = {JUMP, GAIN, {0}};
    where = 1.7e9 + 0.55;
    test_couple(&c, models, "jump:Jump gain:Gain", "jump.y>gain.u",
                "algorithm=seidel step-control=richardson step-size=0.001 step-max=0.2 "
                "start-time=1700000000 stop-time=1700000001");
    test_run_all(&c);
    assert_true(c.time[c.n_rows - 1] == 1.7e9 + 1);
    assert_true(c.n_rows < 200);
    test_uncouple(&c);
}

static void first_step_keeps_to_the_limits(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    test_couple(&c, models, "clock:Clock", "",
                "step-control=convergence step-size=0.001 step-min=0.1 step-max=0.2 stop-time=1");
    test_run_all(&c);
    assert_near(c.time[1], 0.1, 1e-12);
    test_uncouple(&c);
}

// Almost at the end of every step: to aim there again and again would never end.
static void a_step_is_aimed_once_at_where_an_instance_came(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    models[0].fault = TEST_CREEPS;
    models[0].fault_time = 0.45;
    test_couple(&c, models, "clock:Clock", "",
                "step-control=convergence step-size=0.1 step-max=0.1 step-min=0.001 stop-time=1");
    test_try_run_all(&c);
    assert_contains(c.err.message, "the FMU discards even a step of 0.001 s");
    assert_true(models[0].counts.step < 100);
    test_uncouple(&c);
}

// A large step leads to values that are not finite.
static void wild_step(test_instance *at, double t, double h)
{
    at->state[0] = h > 0.03 && t > 0.45 ? NAN : t + h;
}

static void values_that_are_not_finite_make_the_step_smaller(void **state)
{
    (void)state;
    const char *controls[] = {"convergence", "richardson"};
    for (int i = 0; i < 2; i++) {
        test_model models[] = {
            {"Wild", flip_variables, .output = flip_output, .step = wild_step, REWINDS}, GAIN, {0}};
        char settings[200];
        snprintf(settings, sizeof settings,
                 "step-control=%s step-size=0.1 step-max=0.1 step-min=0.001 stop-time=1 "
                 "step-fallback=0 algorithm=seidel",
                 controls[i]);
        test_couple(&c, models, "a:Wild b:Gain", "a.y>b.u", settings);
        test_run_all(&c);
        assert_true(c.run->counts.n_convergence_failures > 0);
        assert_near(test_value(&c, "b.y", -1), 1, 1e-12);
        test_uncouple(&c);

        // Where the smallest step does not help, the variable is named.
        snprintf(settings, sizeof settings,
                 "step-control=%s step-size=0.1 step-max=0.1 step-min=0.05 stop-time=1",
                 controls[i]);
        test_couple(&c, models, "a:Wild b:Gain", "a.y>b.u", settings);
        test_try_run_all(&c);
        assert_int_equal(c.status, TAKT_ERR_SIMULATION);
        assert_contains(c.err.message, "instance 'a' at t=");
        assert_contains(c.err.message, "variable 'y' is not a number");
        test_uncouple(&c);
    }
}

// The loop x = x + 1 for large steps.
static void steep_step(test_instance *at, double t, double h)
{
    at->state[0] = h > 0.03 && t > 0.45 ? at->real[0] + 1 : 1;
}

static void loops_without_a_solution_make_the_step_smaller(void **state)
{
    (void)state;
    test_model models[] = {
        {"Steep", flip_variables, .output = flip_output, .step = steep_step, REWINDS}, GAIN, {0}};
    test_couple(&c, models, "a:Steep b:Gain", "a.y>b.u b.y>a.u",
                "algorithm=newton step-control=convergence step-size=0.1 step-max=0.1 "
                "step-min=0.001 stop-time=1");
    test_run_all(&c);
    assert_true(c.run->counts.n_convergence_failures > 0);
    assert_near(test_value(&c, "b.y", -1), 1, 1e-12);
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
        cmocka_unit_test(the_full_step_counts_where_the_halves_of_the_smallest_fail),
        cmocka_unit_test(steps_near_the_end_of_a_long_interval_may_be_small),
        cmocka_unit_test(factors_of_one_still_reduce_a_rejected_step),
        cmocka_unit_test(adaptive_steps_work_far_from_zero),
        cmocka_unit_test(first_step_keeps_to_the_limits),
        cmocka_unit_test(a_step_is_aimed_once_at_where_an_instance_came),
        cmocka_unit_test(values_that_are_not_finite_make_the_step_smaller),
        cmocka_unit_test(loops_without_a_solution_make_the_step_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
