// SPDX-License-Identifier: MIT
// Inputs that change within a step: two coupled integrators, a' = -b, b' = a, which are cos t and sin t.
#include "run/derivatives.h"

#include "run/system_step.h"
#include "run/way_back.h"
#include "support/memory.h"
#include "unit/run/models.h"

static test_coupling c;

enum { U, Y, K, Y0 };

// y' = k u, y(0) = y0, exact for an input that changes linearly
static const test_variable swing_variables[] = {
    {"u", TAKT_INPUT, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = ""},
    {"k", TAKT_PARAMETER, .start = "1"},
    {"y0", TAKT_PARAMETER, .start = "0"},
    {0},
};
static void swing_init(test_instance *at)
{
    at->state[0] = at->real[Y0];
}
static void swing_output(test_instance *at)
{
    at->real[Y] = at->state[0];
}
static void swing_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += at->real[K] * h * (at->real[U] + at->slopes[U] * h / 2);
    at->real[U] += at->slopes[U] * h; // so that y' is that of the end
}
static double swing_slope(test_instance *at, int output)
{
    assert_int_equal(output, Y);
    return at->real[K] * at->real[U];
}

// clang-format off
#define CAN(order, interpolates) {.rewind = true, .variable_step = true, \
                                  .max_output_derivative_order = order, \
                                  .interpolate_inputs = interpolates}
#define SWING(order, interpolates) {"Swing", swing_variables, .init = swing_init, \
    .output = swing_output, .step = swing_step, .slope = swing_slope, .can = CAN(order, interpolates)}
// clang-format on

static void couple(test_model *models, const char *settings)
{
    char all[400];
    snprintf(all, sizeof all,
             "stop-time=1 set=a.k=-1 set=a.y0=1 relative-tolerance=1e-12 "
             "absolute-tolerance=1e-12 iterations=100 %s",
             settings);
    test_couple(&c, models, "a:Swing b:Swing", "b.y>a.u a.y>b.u", all);
}

// The error of both at the end, with n steps.
static double error_of(test_model *models, const char *algorithm, const char *derivatives, int n)
{
    char settings[200];
    snprintf(settings, sizeof settings,
             "algorithm=%s input-derivatives=%s step-control=fixed step-size=%.17g", algorithm,
             derivatives, 1.0 / n);
    couple(models, settings);
    test_run_all(&c);
    double error =
        fabs(test_value(&c, "a.y", -1) - cos(1)) + fabs(test_value(&c, "b.y", -1) - sin(1));
    test_uncouple(&c);
    return error;
}

static const char *const algorithms[] = {"jacobi", "seidel",       "fixed-point",
                                         "newton", "quasi-newton", "anderson"};

// How the error falls when the step is halved: 2 or 4.
static void assert_order(int max_order, const char *derivatives, double factor)
{
    for (int i = 0; i < 6; i++) {
        test_model models[] = {SWING(max_order, true), {0}};
        double coarse = error_of(models, algorithms[i], derivatives, 40);
        double fine = error_of(models, algorithms[i], derivatives, 80);
        assert_near(coarse / fine, factor, 0.1 * factor);
    }
}

static void without_derivatives_the_error_falls_with_the_step_size(void **state)
{
    (void)state;
    assert_order(1, "off", 2);
    assert_order(0, "fmu", 2); // the sources tell none
}

static void with_derivatives_the_error_falls_with_its_square(void **state)
{
    (void)state;
    assert_order(1, "fmu", 4);
    assert_order(1, "estimate", 4);
}

static void estimated_derivatives_are_as_good(void **state)
{
    (void)state;
    assert_order(0, "estimate", 4);
}

static void derivatives_are_used_by_default_where_the_source_tells_them(void **state)
{
    (void)state;
    test_model models[] = {SWING(1, true), {0}};
    couple(models, "algorithm=jacobi step-size=0.1");
    test_run_all(&c);
    assert_true(models[0].counts.set_motion > 0);
    test_uncouple(&c);
}

// Ten steps of two instances. With Gauss-Seidel only the first needs the derivative of the other.
static void each_derivative_is_asked_for_only_where_it_is_needed(void **state)
{
    (void)state;
    const struct {
        const char *algorithm, *derivatives;
        int max_order;
        bool interpolates;
        int get, set;
    } cases[] = {
        {"jacobi", "fmu", 1, true, 20, 20},      {"seidel", "fmu", 1, true, 10, 20},
        {"jacobi", "off", 1, true, 0, 0},        {"jacobi", "fmu", 0, true, 0, 0},
        {"jacobi", "fmu", 1, false, 0, 0},       {"jacobi", "estimate", 0, true, 0, 20},
        {"jacobi", "estimate", 3, true, 20, 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_model models[] = {SWING(cases[i].max_order, cases[i].interpolates), {0}};
        char settings[200];
        snprintf(settings, sizeof settings, "algorithm=%s input-derivatives=%s step-size=0.1",
                 cases[i].algorithm, cases[i].derivatives);
        couple(models, settings);
        test_run_all(&c);
        assert_int_equal(models[0].counts.get_derivatives, cases[i].get);
        assert_int_equal(models[0].counts.set_motion, cases[i].set);
        test_uncouple(&c);
    }
}

// ---- which line an input follows -----------------------------------------------------------------

// y = u at the end of the step, z = u at its beginning, s = its derivative
static const test_variable probe_variables[] = {
    {"u", TAKT_INPUT, .start = "0", .unit = "km"},
    {"y", TAKT_OUTPUT, .depends = ""},
    {"z", TAKT_OUTPUT, .depends = ""},
    {"s", TAKT_OUTPUT, .depends = ""},
    {0},
};
static void probe_output(test_instance *at)
{
    for (int i = 0; i < 3; i++) at->real[1 + i] = at->state[i];
}
static void probe_step(test_instance *at, double t, double h)
{
    at->state[0] = test_input_at(at, 0, t + h);
    at->state[1] = at->real[0];
    at->state[2] = at->slopes[0];
}

// y = 1000 t^2, in metres; jumps by 5000 at an event at t = 0.2
static const test_variable square_variables[] = {{"y", TAKT_OUTPUT, .depends = "", .unit = "m"},
                                                 {0}};
static void square_output(test_instance *at)
{
    at->real[0] = 1000 * at->time * at->time + at->state[0];
}
static double square_slope(test_instance *at, int output)
{
    (void)output;
    return 2000 * at->time;
}
static void square_step(test_instance *at, double t, double h)
{
    at->wants_event = at->model->can.events && fabs(t + h - 0.2) < 1e-9;
}
static void square_event(test_instance *at, takt_event *out)
{
    (void)out;
    if (fabs(at->time - 0.2) < 1e-9) at->state[0] = 5000;
}

// clang-format off
#define PROBE {"Probe", probe_variables, .output = probe_output, .step = probe_step, .can = CAN(0, true)}
#define SQUARE(order, has_events) {"Square", square_variables, .output = square_output, \
    .step = square_step, .event = square_event, .slope = square_slope, \
    .can = {.rewind = true, .variable_step = true, .max_output_derivative_order = order, \
            .events = has_events}}
// clang-format on

static void probe(test_model *models, const char *settings)
{
    char all[200];
    snprintf(all, sizeof all, "step-size=0.1 stop-time=0.5 %s", settings);
    test_couple(&c, models, "s:Square p:Probe", "s.y>p.u", all);
    test_run_all(&c);
}

// Metres become kilometres on the way.
static void jacobi_extrapolates_from_the_beginning_of_the_step(void **state)
{
    (void)state;
    test_model models[] = {SQUARE(1, false), PROBE, {0}};
    probe(models, "algorithm=jacobi");
    for (int i = 1; i <= 5; i++) {
        double t = (i - 1) * 0.1;
        assert_near(test_value(&c, "p.z", i), t * t, 1e-12);
        assert_near(test_value(&c, "p.s", i), 2 * t, 1e-12);
    }
    test_uncouple(&c);
}

static void seidel_interpolates_to_the_value_at_the_end(void **state)
{
    (void)state;
    test_model models[] = {SQUARE(1, false), PROBE, {0}};
    probe(models, "algorithm=seidel");
    for (int i = 1; i <= 5; i++) {
        double t = i * 0.1;
        assert_near(test_value(&c, "p.z", i), (t - 0.1) * (t - 0.1), 1e-12);
        assert_near(test_value(&c, "p.y", i), t * t, 1e-12);
    }
    assert_int_equal(models[0].counts.get_derivatives, 0);
    test_uncouple(&c);
}

static void estimates_use_the_last_two_points(void **state)
{
    (void)state;
    test_model models[] = {SQUARE(0, false), PROBE, {0}};
    probe(models, "algorithm=jacobi input-derivatives=estimate");
    assert_near(test_value(&c, "p.s", 1), 0, 0); // nothing is known yet
    for (int i = 2; i <= 5; i++) {
        double t = (i - 1) * 0.1, before = t - 0.1;
        assert_near(test_value(&c, "p.s", i), (t * t - before * before) / 0.1, 1e-12);
    }
    test_uncouple(&c);
}

// A jump is no slope.
static void estimates_begin_anew_after_an_event(void **state)
{
    (void)state;
    test_model models[] = {SQUARE(0, true), PROBE, {0}};
    probe(models, "algorithm=jacobi input-derivatives=estimate");
    double slopes[20];
    int n = 0;
    for (int i = 1; i < c.n_rows && n < 20; i++)
        if (c.time[i] > c.time[i - 1]) slopes[n++] = test_value(&c, "p.s", i);
    assert_int_equal(n, 5);
    const double expected[] = {0, 0.1, 0, 0.5, 0.7};
    for (int i = 0; i < 5; i++) assert_near(slopes[i], expected[i], 1e-12);
    assert_true(test_value(&c, "p.z", -1) > 5); // it did jump
    test_uncouple(&c);
}

// Higher derivatives are for others than this file: 1 + 2 s + 3 s^2 + 4 s^3 at the end of a step of 0.1 s.
static void instances_follow_polynomials(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        test_model models[] = {SQUARE(0, false), PROBE, {0}};
        if (i == 1) models[1].fault = TEST_REFUSES_ORDER;
        test_couple(&c, models, "s:Square p:Probe", "s.y>p.u", "step-size=0.1 stop-time=0.5");
        assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
        test_instance *p = (test_instance *)c.run->work.instances[1].instance;
        const takt_access *inputs = &c.plan->instances[1].inputs;
        const takt_step step = {0, 0.1, .is_final = true};
        takt_step_result result;
        c.run->state.u.real[0] = 1;
        assert_int_equal(takt_instance_motion_order(&p->base), 6);
        assert_int_equal(takt_run_set_inputs(c.run, 1, 0, &c.err), TAKT_OK);
        assert_int_equal(
            takt_run_set_motion(c.run, 1, inputs, 3, (double[]){1, 2, 6, 24}, 0, &c.err), TAKT_OK);
        assert_int_equal(takt_run_do_step(c.run, 1, &step, &result, &c.err), TAKT_OK);
        double end = i == 0 ? 1 + 0.2 + 0.03 + 0.004 : 1 + 0.2; // who refuses follows the line
        assert_near(p->state[0], end, 1e-15);
        assert_near(p->real[0], end, 1e-15);
        assert_int_equal(takt_instance_motion_order(&p->base), i == 0 ? 6 : 1);
        test_uncouple(&c);
    }
}

// ---- going back ----------------------------------------------------------------------------------

static void advance(double t, double h, double values[2])
{
    takt_step step = {t, h, .is_final = false, .slot = TAKT_SLOT_BETWEEN};
    for (int k = 0; k < 2; k++)
        assert_int_equal(takt_run_save(c.run, k, step.slot, t, &c.err), TAKT_OK);
    takt_outcome outcome;
    assert_int_equal(takt_system_step(c.run, &step, &outcome, &c.err), TAKT_OK);
    assert_int_equal(outcome.end, TAKT_STEP_DONE);
    memcpy(values, c.run->state.y.real, 2 * sizeof *values);
}

// The same step before and after others that were taken back.
static void a_repeated_step_gives_equal_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        test_model models[] = {SWING(i < 6 ? 1 : 0, true), {0}};
        char settings[200];
        snprintf(settings, sizeof settings,
                 "algorithm=%s input-derivatives=%s step-control=convergence step-size=0.1 "
                 "step-max=0.1",
                 algorithms[i % 6], i < 6 ? "fmu" : "estimate");
        couple(models, settings);
        takt_progress progress;
        assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
        for (int k = 0; k < 3; k++)
            assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
        double t = c.run->state.grid.time, first[2], other[2], again[2];
        assert_int_equal(takt_way_back_save(c.run, &c.err), TAKT_OK);
        advance(t, 0.1, first);
        advance(t + 0.1, 0.05, other);
        assert_int_equal(takt_way_back_take(c.run, &c.err), TAKT_OK);
        advance(t, 0.05, other);
        assert_true(other[0] != first[0]);
        assert_int_equal(takt_way_back_take(c.run, &c.err), TAKT_OK);
        advance(t, 0.1, again);
        assert_memory_equal(first, again, sizeof first);
        test_uncouple(&c);
    }
}

static void the_error_test_gains_from_derivatives(void **state)
{
    (void)state;
    double steps[2], error[2];
    for (int i = 0; i < 2; i++) {
        test_model models[] = {SWING(1, true), {0}};
        char settings[200];
        snprintf(settings, sizeof settings,
                 "algorithm=seidel input-derivatives=%s step-control=richardson step-size=0.01 "
                 "relative-tolerance=1e-4 absolute-tolerance=1e-4 error-estimate=richardson",
                 i ? "fmu" : "off");
        couple(models, settings);
        test_run_all(&c);
        takt_statistics statistics = {.size = sizeof statistics};
        takt_run_statistics(c.run, &statistics, NULL);
        steps[i] = (double)statistics.steps;
        error[i] = fabs(test_value(&c, "a.y", -1) - cos(1));
        test_uncouple(&c);
    }
    assert_true(steps[1] < steps[0] / 2);
    assert_true(error[1] < error[0] / 2);
}

// ---- failures ------------------------------------------------------------------------------------

static void assert_fails(test_fault fault, double time, const char *message)
{
    test_model models[] = {SWING(1, true), {0}};
    models[0].fault = fault;
    models[0].fault_time = time;
    couple(models, "algorithm=jacobi step-size=0.25");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_string_equal(c.err.message, message);
    test_uncouple(&c);
}

static void failures_name_instance_variable_and_time(void **state)
{
    (void)state;
    assert_fails(TEST_DERIVES_NAN, 0.5,
                 "instance 'b' at t=0.5 s: the derivative of variable 'y' by time is not a number "
                 "(FMU Swing); --input-derivatives off does without it");
    assert_fails(TEST_FAILS_TO_DERIVE, 0.5,
                 "instance 'b' at t=0.5 s: b: get_derivatives fails on request");
    assert_fails(TEST_FAILS_TO_SET_MOTION, 0,
                 "instance 'a' at t=0 s: a: set_motion fails on request");
}

static void create_again(void *context)
{
    (void)context;
    c.run->derivatives = NULL;
    takt_status st = takt_derivatives_create(c.run, &c.err);
    assert_int_equal(st, test_memory_has_failed() ? TAKT_ERR_MEMORY : TAKT_OK);
    assert_true(st ? !c.run->derivatives : c.run->derivatives != NULL);
}

static void exhausted_memory_is_told(void **state)
{
    (void)state;
    test_model models[] = {SWING(1, true), {0}};
    couple(models, "step-size=0.1");
    test_memory_fail_each(create_again, NULL);
    test_run_all(&c);
    test_uncouple(&c);
}

static void settings_are_checked(void **state)
{
    (void)state;
    takt_settings settings = takt_settings_default();
    assert_int_equal(settings.input_derivatives, TAKT_DERIVATIVES_FMU);
    takt_error err;
    takt_arena arena = {0};
    assert_int_equal(takt_settings_set(&settings, &arena, "input-derivatives", "on", &err),
                     TAKT_ERR_USAGE);
    assert_string_equal(err.message, "input-derivatives: 'on' is not possible; choose off, fmu or "
                                     "estimate");
    takt_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_derivatives_the_error_falls_with_the_step_size),
        cmocka_unit_test(with_derivatives_the_error_falls_with_its_square),
        cmocka_unit_test(estimated_derivatives_are_as_good),
        cmocka_unit_test(derivatives_are_used_by_default_where_the_source_tells_them),
        cmocka_unit_test(each_derivative_is_asked_for_only_where_it_is_needed),
        cmocka_unit_test(jacobi_extrapolates_from_the_beginning_of_the_step),
        cmocka_unit_test(seidel_interpolates_to_the_value_at_the_end),
        cmocka_unit_test(estimates_use_the_last_two_points),
        cmocka_unit_test(estimates_begin_anew_after_an_event),
        cmocka_unit_test(instances_follow_polynomials),
        cmocka_unit_test(a_repeated_step_gives_equal_bits),
        cmocka_unit_test(the_error_test_gains_from_derivatives),
        cmocka_unit_test(failures_name_instance_variable_and_time),
        cmocka_unit_test(exhausted_memory_is_told),
        cmocka_unit_test(settings_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
