// SPDX-License-Identifier: MIT
// Inputs that move within a step: instances are led along polynomials of a history that is made up here.
#include "run/moving.h"

#include "run/auto.h"
#include "unit/run/models.h"

static test_coupling c;

enum { SOURCE, SINK };

static const takt_movement *movement;

// u = 1 + t + t^2 - 2 t^3, and one of degree 5.
static double cubic(double t)
{
    return ((-2 * t + 1) * t + 1) * t + 1;
}
static double quintic(double t)
{
    return cubic(t) + (3 * t - 1) * t * t * t * t;
}
static double quintic_integral(double t)
{
    return ((((t / 2 - 0.2) * t - 0.5) * t + 1 / 3.0) * t + 0.5) * t * t + t;
}

// y' = u, by Gauss' formula with three points, which is exact up to degree 5.
static void follower_step(test_instance *at, double t, double h)
{
    double d = sqrt(0.15) * h, m = t + h / 2;
    at->state[0] += h / 18 *
                    (5 * test_input_at(at, 0, m - d) + 8 * test_input_at(at, 0, m) +
                     5 * test_input_at(at, 0, m + d));
}
static void follower_output(test_instance *at)
{
    at->real[1] = at->state[0];
}

// y' = u - y, y(0) = 0, exact for a constant input.
static void lag_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] = at->real[0] + (at->state[0] - at->real[0]) * exp(-h);
}
static double lag_of_cubic(double t)
{
    return ((-2 * t + 7) * t - 13) * t + 14 - 14 * exp(-t);
}

#define FOLLOWS .can = {.rewind = true, .variable_step = true, .interpolate_inputs = true}
// clang-format off
#define FOLLOWER {"Follower", integrator_variables, .output = follower_output, \
                  .step = follower_step, FOLLOWS}
#define LAG {"Lag", integrator_variables, .output = follower_output, .step = lag_step, REWINDS}
// clang-format on

static void couple(test_model *models, const char *sink)
{
    char components[60];
    snprintf(components, sizeof components, "s:%s k:%s", models[0].name, sink);
    test_couple(&c, models, components, "s.y>k.u", "stop-time=10 tolerance=1e-4");
    assert_non_null(c.run->automatic);
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    movement = &c.run->automatic->couple.movement;
}

// The index in y of the source's output.
static int source(void)
{
    return c.plan->instances[SOURCE].first_output[TAKT_KIND_REAL];
}

// Steps the sink by h along the polynomial through k points of a function.
static void advance(double (*u)(double), int k, double h, const takt_scheme *scheme)
{
    takt_history *history = c.run->automatic->history;
    takt_course course;
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    takt_step step = {0, h, .is_final = false, .slot = TAKT_SLOT_POINT};
    const double before[] = {-0.9, -0.55, -0.5, -0.2, -0.1, 0};
    double y[20] = {0};
    history->n = 0;
    for (int i = 0; i < 6; i++) {
        y[source()] = u(before[i]);
        takt_history_add(history, before[i], y);
    }
    c.run->state.y.real[source()] = u(h);
    takt_course_begin(&course, history, k, h);
    takt_status st =
        takt_moving_advance(c.run, movement, SINK, &step, &course, scheme, &outcome, &c.err);
    assert_int_equal(st, TAKT_OK);
    assert_int_equal(outcome.end, TAKT_STEP_DONE);
}

static double read_sink(void)
{
    const test_instance *sink = (test_instance *)c.run->work.instances[SINK].instance;
    return sink->state[0];
}

static const takt_scheme end = {TAKT_SCHEME_END, INFINITY, 1, 1, 0, 0};
static const takt_scheme mean = {TAKT_SCHEME_MEAN, INFINITY, 1, 1, 0, 0};
static const takt_scheme gauss = {TAKT_SCHEME_GAUSS, INFINITY, 1, 1, 0, 0};

static void a_follower_is_exact_on_polynomials_of_degree_five(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, FOLLOWER, {0}};
    couple(models, "Follower");
    advance(quintic, 5, 0.8, &end); // five points and the end
    assert_near(read_sink(), quintic_integral(0.8), 1e-12);
    assert_int_equal(models[1].counts.step, 1);
    test_uncouple(&c);
    couple(models, "Follower");
    advance(quintic, 4, 0.8, &end); // too few points
    assert_true(fabs(read_sink() - quintic_integral(0.8)) > 1e-3);
    test_uncouple(&c);
}

static void one_point_makes_a_line(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, FOLLOWER, {0}};
    couple(models, "Follower");
    advance(quintic, 1, 0.8, &end);
    assert_near(read_sink(), 0.8 * (quintic(0) + quintic(0.8)) / 2, 1e-14);
    test_uncouple(&c);
}

// The error of one step of size h with a scheme.
static double error_of(const takt_scheme *scheme, double h)
{
    test_model models[] = {CLOCK, LAG, {0}};
    couple(models, "Lag");
    advance(cubic, 5, h, scheme);
    double error = fabs(read_sink() - lag_of_cubic(h));
    assert_int_equal(models[1].counts.step, takt_scheme_cost(scheme));
    test_uncouple(&c);
    return error;
}

// Errors of one step fall by one order more than those of a run.
static void schemes_have_their_orders(void **state)
{
    (void)state;
    double h = 0.05;
    assert_near(log2(error_of(&end, h) / error_of(&end, h / 2)), 2, 0.1);
    assert_near(log2(error_of(&mean, h) / error_of(&mean, h / 2)), 3, 0.1);
    assert_near(log2(error_of(&gauss, h) / error_of(&gauss, h / 2)), 5, 0.2);
}

static void finer_schemes_are_better(void **state)
{
    (void)state;
    takt_scheme pairs = gauss, intervals = gauss;
    pairs.n_pairs = 2;
    intervals.n_intervals = 3;
    assert_true(error_of(&pairs, 0.4) < error_of(&gauss, 0.4) / 8);
    assert_true(error_of(&intervals, 0.4) < error_of(&gauss, 0.4));
    assert_int_equal(takt_scheme_cost(&pairs), 4);
    assert_int_equal(takt_scheme_cost(&intervals), 6);
}

// What lies before the window is one step with the mean: an instance that forgets does not mind.
static void a_window_costs_one_step_more(void **state)
{
    (void)state;
    takt_scheme window = gauss;
    window.window = 0.1;
    window.n_intervals = 2;
    assert_int_equal(takt_scheme_cost(&window), 5);
    double error = error_of(&window, 0.4); // checks that so many steps are made
    assert_true(error > error_of(&gauss, 0.4) && error < error_of(&end, 0.4));
}

// The instance knows kilometres and degrees; sources metres and kelvins.
static void units_are_converted(void **state)
{
    (void)state;
    static const test_variable metres[] = {{"y", TAKT_OUTPUT, .depends = "", .unit = "m"}, {0}};
    static const test_variable kilometres[] = {
        {"u", TAKT_INPUT, .start = "0", .unit = "km"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
    static const test_variable kelvins[] = {{"y", TAKT_OUTPUT, .depends = "", .unit = "K"}, {0}};
    static const test_variable degrees[] = {
        {"u", TAKT_INPUT, .start = "0", .unit = "degC"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
    for (int k = 0; k < 4; k++) {
        test_model models[] = {CLOCK, FOLLOWER, {0}};
        models[0].variables = k % 2 ? kelvins : metres;
        models[1].variables = k % 2 ? degrees : kilometres;
        models[1].can.interpolate_inputs = k < 2;
        if (k >= 2) models[1].step = integrator_step;
        couple(models, "Follower");
        advance(quintic, 5, 0.8, k < 2 ? &end : &mean);
        double wanted = k % 2 ? quintic_integral(0.8) - 0.8 * 273.15 : quintic_integral(0.8) / 1000;
        assert_near(read_sink(), wanted, 1e-11);
        test_uncouple(&c);
    }
}

// Tables go along straight lines between their knots, at which steps end; older points do not count.
static void tables_are_straight_lines(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        test_model models[] = {CLOCK, FOLLOWER, {0}};
        models[1].can.interpolate_inputs = k == 0;
        if (k > 0) models[1].step = integrator_step;
        couple(models, "Follower");
        takt_movement own = {0};
        c.system.system->models[0]->version = "table";
        assert_int_equal(takt_movement_create(c.run, &own, &c.err), TAKT_OK);
        movement = &own;
        advance(quintic, 5, 0.8, k == 0 ? &end : &mean);
        assert_near(read_sink(), 0.8 * (quintic(0) + quintic(0.8)) / 2, 1e-13);
        test_uncouple(&c);
    }
}

static double rest(double t)
{
    (void)t;
    return 2;
}

static void inputs_at_rest_need_one_step_whatever_the_scheme(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, LAG, {0}};
    couple(models, "Lag");
    advance(rest, 5, 0.4, &gauss);
    assert_int_equal(models[1].counts.step, 1);
    assert_near(read_sink(), 2 - 2 * exp(-0.4), 1e-15);
    test_uncouple(&c);
}

// A part of a step follows the same polynomial.
static void a_shortened_course_is_the_same_polynomial(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, FOLLOWER, {0}};
    couple(models, "Follower");
    advance(quintic, 5, 0.8, &end); // makes the history
    takt_auto *own = c.run->automatic;
    takt_course course;
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    takt_step step = {0.8, 0.3, .is_final = false, .slot = TAKT_SLOT_POINT};
    test_instance *sink = (test_instance *)c.run->work.instances[SINK].instance;
    sink->state[0] = 0;
    takt_course_begin(&course, own->history, 5, 0.8);
    takt_course_shorten(&course, 0.3 / 0.8);
    assert_near(course.h, 0.3, 1e-15);
    step.t = sink->time = 0;
    c.run->state.y.real[source()] = quintic(0.8);
    assert_int_equal(
        takt_moving_advance(c.run, movement, SINK, &step, &course, &end, &outcome, &c.err),
        TAKT_OK);
    assert_near(read_sink(), quintic_integral(0.3), 1e-12);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_follower_is_exact_on_polynomials_of_degree_five),
        cmocka_unit_test(one_point_makes_a_line),
        cmocka_unit_test(schemes_have_their_orders),
        cmocka_unit_test(finer_schemes_are_better),
        cmocka_unit_test(a_window_costs_one_step_more),
        cmocka_unit_test(units_are_converted),
        cmocka_unit_test(tables_are_straight_lines),
        cmocka_unit_test(inputs_at_rest_need_one_step_whatever_the_scheme),
        cmocka_unit_test(a_shortened_course_is_the_same_polynomial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
