// SPDX-License-Identifier: MIT
// Spot checks: instances that are wrong in a smooth way, by themselves, are found, led in shorter steps or named.
#include "run/auto.h"
#include "unit/run/models.h"

static test_coupling c;

// y = sin t
static void sine_output(test_instance *at)
{
    at->real[0] = sin(at->time);
}

// x' = u - x, with one Euler step per step, or more: the first parameter says how many.
enum { U, Y, SUBSTEPS };
static const test_variable lag_variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                              {"y", TAKT_OUTPUT, .depends = ""},
                                              {"n", TAKT_PARAMETER, .start = "1"},
                                              {0}};
static void lag_output(test_instance *at)
{
    at->real[Y] = at->state[0];
}
static void euler_step(test_instance *at, double t, double h)
{
    int n = (int)at->real[SUBSTEPS];
    for (int i = 0; i < n; i++)
        at->state[0] += h / n * (test_input_at(at, U, t + i * h / n) - at->state[0]);
}

// The same, exact but for what a thousand steps of second order leave.
static void exact_step(test_instance *at, double t, double h)
{
    int n = 200;
    for (int i = 0; i < n; i++) {
        double goal = test_input_at(at, U, t + (i + 0.5) * h / n);
        at->state[0] = goal + (at->state[0] - goal) * exp(-h / n);
    }
    at->state[1] += 1; // steps in the state's own past
}

// An oscillator x'' = -x by one step of the method of Heun per step, without inputs.
static const test_variable swing_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void swing_init(test_instance *at)
{
    at->state[0] = 1;
}
static void swing_output(test_instance *at)
{
    at->real[0] = at->state[0];
}
static void swing_step(test_instance *at, double t, double h)
{
    (void)t;
    double x = at->state[0], v = at->state[1];
    at->state[0] = x + h * v - h * h / 2 * x;
    at->state[1] = v - h * x - h * h / 2 * v;
}

// y(t) = u(t - 0.5), between the ends of steps by straight lines. Samples are never overwritten: the state is the number of the
// latest one, which knows the one before, so that steps can be repeated.
enum { N_SAMPLES = 400000 };
static struct sample {
    double t, u;
    int before;
} samples[N_SAMPLES];
static int n_samples;
static void delay_init(test_instance *at)
{
    samples[0] = (struct sample){0, 0, -1};
    n_samples = 1;
    at->state[0] = 0;
}
static void delay_step(test_instance *at, double t, double h)
{
    assert_true(n_samples < N_SAMPLES);
    samples[n_samples] = (struct sample){t + h, at->real[U], (int)at->state[0]};
    at->state[0] = n_samples++;
}
static void delay_output(test_instance *at)
{
    double t = at->time - 0.5;
    const struct sample *a = &samples[(int)at->state[0]], *b = a;
    while (a->before >= 0 && a->t > t) b = a, a = &samples[a->before];
    at->real[Y] = 0;
    if (t < 0) return;
    at->real[Y] = a == b ? a->u : a->u + (t - a->t) / (b->t - a->t) * (b->u - a->u);
}

// y = sin t, and an error of first order in those steps that begin in the first part of 10 s, of alternating sign.
static double faulty_part, fault;
static void faulty_step(test_instance *at, double t, double h)
{
    bool is_other = faulty_part < 10 && fmod(t, 20) >= 10;
    if (fmod(t, 10) < faulty_part) at->state[0] += (is_other ? -fault : fault) * h * h;
}
static void faulty_output(test_instance *at)
{
    at->real[0] = sin(at->time) + at->state[0];
}

// The same errors while y swings quickly, for some hundred steps of the thousands.
static const double BURST = 600, AFTER = 604;
static void bursting_step(test_instance *at, double t, double h)
{
    if (t >= BURST && t < AFTER) at->state[0] += fault * h * h;
}
static void bursting_output(test_instance *at)
{
    double t = at->time, swing = 0.05 * (1 - cos(5 * acos(-1) * (t - BURST)));
    at->real[0] = sin(t) + at->state[0] + (t >= BURST && t < AFTER ? swing : 0);
}

#define FOLLOWS .can = {.rewind = true, .variable_step = true, .interpolate_inputs = true}
// clang-format off
#define SINE {"Sine", clock_variables, .output = sine_output, REWINDS}
#define EULER {"Euler", lag_variables, .output = lag_output, .step = euler_step, FOLLOWS}
#define EXACT {"Exact", lag_variables, .output = lag_output, .step = exact_step, FOLLOWS}
#define HELD_EULER {"HeldEuler", lag_variables, .output = lag_output, .step = euler_step, REWINDS}
#define SWING {"Swing", swing_variables, .init = swing_init, .output = swing_output, \
               .step = swing_step, REWINDS}
#define DELAY {"Delay", lag_variables, .init = delay_init, .output = delay_output, \
               .step = delay_step, REWINDS}
#define FAULTY {"Faulty", clock_variables, .output = faulty_output, .step = faulty_step, REWINDS}
#define BURSTING {"Bursting", clock_variables, .output = bursting_output, .step = bursting_step, REWINDS}
// clang-format on

static void couple(test_model *models, const char *components, const char *connections,
                   const char *settings)
{
    char all[400];
    snprintf(all, sizeof all, "stop-time=10 output-interval=0.1 %s", settings);
    test_couple(&c, models, components, connections, all);
    test_try_run_all(&c);
}

static int64_t doubts(void)
{
    return c.run->counts.doubts[TAKT_DOUBT_STEP_DEPENDENT].n;
}

static double largest_error(const char *column, double (*solution)(double t))
{
    double error = 0;
    for (int i = 0; i < c.n_rows; i++)
        error = fmax(error, fabs(test_value(&c, column, i) - solution(c.time[i])));
    return error;
}

static double lag_of(double t)
{
    return (sin(t) - cos(t) + exp(-t)) / 2;
}

static double delayed_sine(double t)
{
    return t > 0.5 ? sin(t - 0.5) : 0;
}

static void an_instance_of_first_order_is_led_to_the_tolerance(void **state)
{
    (void)state;
    test_model models[] = {SINE, EULER, {0}};
    couple(models, "s:Sine e:Euler", "s.y>e.u", "tolerance=1e-3");
    assert_int_equal(c.status, TAKT_OK);
    assert_near(largest_error("e.y", lag_of), 0, 10e-3);
    assert_int_equal(doubts(), 0);
    assert_true(c.run->automatic->couple.schemes[1].piece > 0);
    assert_true(models[1].counts.step > 4 * models[0].counts.step);
    test_uncouple(&c);
}

// One that holds its inputs is compared with other schemes, none of which agree: that is no noise.
static void one_that_holds_its_inputs_is_led_to_the_tolerance(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-3, 1e-4};
    for (int i = 0; i < 2; i++) {
        test_model models[] = {SINE, HELD_EULER, {0}};
        char settings[60];
        snprintf(settings, sizeof settings, "tolerance=%g", tolerances[i]);
        couple(models, "s:Sine e:HeldEuler", "s.y>e.u", settings);
        assert_int_equal(c.status, TAKT_OK);
        assert_near(largest_error("e.y", lag_of), 0, 10 * tolerances[i]);
        assert_true(c.run->automatic->held.states[1].is_given_up);
        test_uncouple(&c);
    }
}

static void an_instance_that_would_need_too_many_steps_is_named(void **state)
{
    (void)state;
    // With the second one shorter steps cannot even be tried.
    static const char *const tolerances[] = {"tolerance=1e-7", "tolerance=1e-8"};
    for (int i = 0; i < 2; i++) {
        test_model models[] = {SINE, EULER, {0}};
        couple(models, "s:Sine e:Euler", "s.y>e.u", tolerances[i]);
        assert_int_equal(c.status, TAKT_OK);
        assert_true(doubts() > 0);
        assert_string_equal(c.run->counts.doubts[TAKT_DOUBT_STEP_DEPENDENT].loop, "e");
        assert_true(c.run->counts.doubts[TAKT_DOUBT_STEP_DEPENDENT].worst > 10);
        assert_true(models[1].counts.step < 1000000);
        test_uncouple(&c);
    }
}

// What one check finds seems to add up in all steps. Most of them find nothing.
static void errors_in_few_steps_are_no_doubt(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        test_model models[] = {FAULTY, EXACT, {0}};
        bool is_always = i >= 2;
        faulty_part = is_always ? 10 : 0.5;
        fault = i % 2 ? 1e-2 : 2e-3;
        test_couple(&c, models, "f:Faulty e:Exact", "f.y>e.u",
                    "stop-time=1000 output-interval=10 tolerance=1e-3");
        test_run_all(&c);
        assert_int_equal(largest_error("f.y", sin) > 1e-2, is_always);
        if (is_always)
            assert_true(doubts() > c.run->counts.n_steps / 20);
        else
            assert_int_equal(doubts(), 0);
        test_uncouple(&c);
    }
}

// Where steps are short for a while, many of them are checked; most steps are elsewhere.
static void errors_of_a_short_while_are_no_doubt(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        test_model models[] = {BURSTING, EXACT, {0}};
        fault = i ? 1e-2 : 2e-3;
        test_couple(&c, models, "b:Bursting e:Exact", "b.y>e.u",
                    "stop-time=1000 output-interval=10 tolerance=1e-3");
        test_run_all(&c);
        assert_int_equal(doubts(), 0);
        test_uncouple(&c);
    }
}

static void strict_makes_it_a_failure(void **state)
{
    (void)state;
    test_model models[] = {SINE, EULER, {0}};
    couple(models, "s:Sine e:Euler", "s.y>e.u", "tolerance=1e-7 strict=true");
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "instance 'e'");
    assert_contains(c.err.message, "--step-max");
    test_uncouple(&c);
}

// Errors of an oscillator add up from step to step.
static void errors_that_add_up_are_limited(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-3, 1e-4, 1e-5};
    for (int i = 0; i < 3; i++) {
        test_model models[] = {SWING, EXACT, {0}};
        char settings[60];
        snprintf(settings, sizeof settings, "tolerance=%g", tolerances[i]);
        couple(models, "s:Swing e:Exact", "s.y>e.u", settings);
        assert_int_equal(c.status, TAKT_OK);
        double error = largest_error("s.y", cos);
        if (error > 10 * tolerances[i] && doubts() == 0)
            print_error("error %g at %g, without a doubt\n", error, tolerances[i]);
        assert_true(error <= 10 * tolerances[i]);
        assert_int_equal(doubts(), 0);
        test_uncouple(&c);
    }
}

static void exact_instances_are_left_alone(void **state)
{
    (void)state;
    test_model models[] = {SINE, EXACT, {0}};
    couple(models, "s:Sine e:Exact", "s.y>e.u", "tolerance=1e-4");
    assert_int_equal(c.status, TAKT_OK);
    assert_int_equal(doubts(), 0);
    assert_true(c.run->automatic->couple.schemes[1].piece == 0);
    // What was repeated is not in its past.
    const test_instance *e = (const test_instance *)c.run->work.instances[1].instance;
    assert_near(e->state[1], (double)c.run->counts.n_steps, 0);
    assert_true(e->counts.step > c.run->counts.n_steps + 2);
    test_uncouple(&c);
}

static void a_delay_gets_points_between_which_lines_are_near_the_course(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-3, 1e-4, 1e-5};
    for (int i = 0; i < 3; i++) {
        test_model models[] = {SINE, DELAY, {0}};
        char settings[60];
        snprintf(settings, sizeof settings, "tolerance=%g", tolerances[i]);
        couple(models, "s:Sine d:Delay", "s.y>d.u", settings);
        assert_int_equal(c.status, TAKT_OK);
        assert_near(largest_error("d.y", delayed_sine), 0, 10 * tolerances[i]);
        test_uncouple(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_of_first_order_is_led_to_the_tolerance),
        cmocka_unit_test(one_that_holds_its_inputs_is_led_to_the_tolerance),
        cmocka_unit_test(an_instance_that_would_need_too_many_steps_is_named),
        cmocka_unit_test(errors_in_few_steps_are_no_doubt),
        cmocka_unit_test(errors_of_a_short_while_are_no_doubt),
        cmocka_unit_test(strict_makes_it_a_failure),
        cmocka_unit_test(errors_that_add_up_are_limited),
        cmocka_unit_test(exact_instances_are_left_alone),
        cmocka_unit_test(a_delay_gets_points_between_which_lines_are_near_the_course),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
