// SPDX-License-Identifier: MIT
// Times that are known before a run are communication points for all.
#include "run/stops.h"

#include "run/rows.h"
#include "run/snapshot.h"
#include "unit/run/models.h"

static test_coupling c;

static const char *const controls[] = {"fixed", "convergence", "richardson"};

// y is a triangle from 0.24 over 0.25 to 0.26, whose knots are known; its area is 1.
static const double triangle_knots[] = {0.24, 0.25, 0.26};
static void triangle_output(test_instance *at)
{
    at->real[0] = fmax(0, 100 - 1e4 * fabs(at->time - 0.25));
}

// clang-format off
#define TRIANGLE {"Triangle", clock_variables, .output = triangle_output, REWINDS, \
                  .knots = triangle_knots, .n_knots = 3}
// clang-format on

// How many rows there are at a time.
static int count_rows(double t)
{
    int n = 0;
    for (int i = 0; i < c.n_rows; i++) n += fabs(c.time[i] - t) < 1e-12;
    return n;
}

static void couple(test_model *models, const char *components, const char *connections,
                   const char *control, const char *settings)
{
    char all[400];
    snprintf(all, sizeof all, "step-control=%s %s", control, settings);
    test_couple(&c, models, components, connections, all);
}

static void a_triangle_between_communication_points_is_not_missed(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        test_model models[] = {TRIANGLE, INTEGRATOR, {0}};
        couple(models, "s:Triangle i:Integrator", "s.y>i.u", controls[k],
               "step-size=0.1 stop-time=1 strict=true relative-tolerance=1e-3");
        test_run_all(&c);
        // Inputs are held: the first half has the value of its end, the other the value 0 of its own.
        assert_near(test_value(&c, "i.y", -1) - 1, 1, 0.01);
        for (int i = 0; i < 3; i++) assert_int_equal(count_rows(triangle_knots[i]), 1);
        test_uncouple(&c);
    }
}

static void knots_of_outputs_that_nobody_reads_do_not_count(void **state)
{
    (void)state;
    test_model models[] = {TRIANGLE, INTEGRATOR, {0}};
    couple(models, "s:Triangle i:Integrator", "", "fixed", "step-size=0.1 stop-time=1");
    test_run_all(&c);
    assert_int_equal(c.n_rows, 11);
    assert_null(c.run->stops);
    test_uncouple(&c);
}

static void knots_on_the_grid_change_nothing(void **state)
{
    (void)state;
    // As numbers, 0.3 is not 3 * 0.1, and the points of the grid keep their values.
    static const double times[] = {0.1, 0.2, 0.3, 0.6, 0.7};
    static const char *const grids[] = {"exact", "accumulated"};
    for (int k = 0; k < 2; k++) {
        char settings[200];
        snprintf(settings, sizeof settings, "step-size=0.1 stop-time=1 time-grid=%s", grids[k]);
        test_model plain[] = {CLOCK, INTEGRATOR, {0}};
        couple(plain, "s:Clock i:Integrator", "s.y>i.u", "fixed", settings);
        test_run_all(&c);
        double without[20][2];
        int n = c.n_rows;
        for (int i = 0; i < n; i++) {
            without[i][0] = c.time[i];
            without[i][1] = test_value(&c, "i.y", i);
        }
        test_uncouple(&c);
        test_model models[] = {CLOCK, INTEGRATOR, {0}};
        models[0].knots = times;
        models[0].n_knots = 5;
        couple(models, "s:Clock i:Integrator", "s.y>i.u", "fixed", settings);
        test_run_all(&c);
        assert_int_equal(c.n_rows, n);
        for (int i = 0; i < n; i++) {
            assert_true(c.time[i] == without[i][0]);
            assert_true(test_value(&c, "i.y", i) == without[i][1]);
        }
        test_uncouple(&c);
    }
}

// 1000 knots, 3 of 4 between the points of a grid of 250 steps.
static void data_with_more_knots_than_steps_is_sampled_with_a_warning(void **state)
{
    (void)state;
    static double times[1000];
    for (int i = 0; i < 1000; i++) times[i] = 0.001 * i;
    for (int k = 0; k < 2; k++) {
        test_model models[] = {CLOCK, INTEGRATOR, {0}};
        models[0].knots = times;
        models[0].n_knots = 1000;
        couple(models, "s:Clock i:Integrator", "s.y>i.u", k == 0 ? "fixed" : "convergence",
               "step-size=0.004 stop-time=1");
        test_run_all(&c);
        static const char warning[] = "warn: table s has 750 knots between communication points, "
                                      "more than there are steps: it is only sampled";
        if (k == 0) {
            assert_int_equal(c.n_rows, 251);
            assert_contains(c.system.log.text, warning);
        } else {
            assert_true(c.n_rows >= 1001);
            assert_null(strstr(c.system.log.text, "warn"));
        }
        test_uncouple(&c);
    }
    test_model models[] = {CLOCK, INTEGRATOR, {0}};
    models[0].knots = times;
    models[0].n_knots = 1000;
    couple(models, "s:Clock i:Integrator", "s.y>i.u", "fixed",
           "step-size=0.004 stop-time=1 strict=true");
    test_try_run_all(&c);
    assert_int_not_equal(c.status, TAKT_OK);
    test_uncouple(&c);
}

static void listed_times_are_points_for_all(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        test_model models[] = {CLOCK, INTEGRATOR, {0}};
        couple(models, "s:Clock i:Integrator", "s.y>i.u", controls[k],
               "step-size=0.1 stop-time=1 event-time=0.77 event-time=150ms event-time=0.15 "
               "event-time=0.3 event-time=0 event-time=1 event-time=-1 event-time=5");
        test_run_all(&c);
        assert_int_equal(count_rows(0.77), 1);
        assert_int_equal(count_rows(0.15), 1);
        assert_int_equal(count_rows(0.3), 1);
        if (k == 0) assert_int_equal(c.n_rows, 11 + 2);
        assert_true(c.time[c.n_rows - 1] == 1);
        test_uncouple(&c);
    }
}

static void steps_of_equal_size_pass_known_times_with_a_warning(void **state)
{
    (void)state;
    test_model models[] = {TRIANGLE, INTEGRATOR, {0}};
    models[1].can.variable_step = false;
    couple(models, "s:Triangle i:Integrator", "s.y>i.u", "fixed",
           "step-size=0.1 stop-time=1 event-time=0.3 event-time=0.55");
    test_run_all(&c);
    assert_int_equal(c.n_rows, 11);
    assert_contains(c.system.log.text, "warn: knots of table s, no step ends at t=0.24 s, as "
                                       "component 'i' takes only steps of equal size");
    assert_contains(c.system.log.text, "warn: setting event-time, no step ends at t=0.55 s");
    assert_null(strstr(c.system.log.text, "t=0.3 s"));
    test_uncouple(&c);
}

// A known time just before a point of the grid makes a very short step: loops are solved there, too.
static void a_time_just_before_a_point_leaves_loops_solved(void **state)
{
    (void)state;
    static const double times[] = {0.2 - 1e-8, 0.5 - 1e-12, 0.7 + 1e-8};
    static const char *const algorithms[] = {"fixed-point", "newton"};
    for (int k = 0; k < 6; k++) {
        test_model models[] = {CLOCK, GAIN, {0}};
        models[0].knots = times;
        models[0].n_knots = 3;
        char settings[300];
        snprintf(settings, sizeof settings,
                 "algorithm=%s step-size=0.1 step-max=0.1 stop-time=1 strict=true set=a.k=-0.9 "
                 "set=a.c=1 set=b.k=0.1 step-fallback=1e-6 iterations=100",
                 algorithms[k / 3]);
        couple(models, "t:Clock s:Gain a:Gain b:Gain", "t.y>s.u a.y>b.u b.y>a.u", controls[k % 3],
               settings);
        test_run_all(&c);
        for (int i = 0; i < c.n_rows; i++) assert_near(test_value(&c, "a.y", i), 1 / 1.09, 1e-4);
        assert_int_equal(count_rows(times[0]), 1);
        assert_int_equal(count_rows(0.5), 1); // nearer than 1e-9 steps is the same
        test_uncouple(&c);
    }
}

static void times_that_rounding_separates_are_one_point(void **state)
{
    (void)state;
    const double times[] = {nextafter(0.25, 0), nextafter(0.75, 1)};
    for (int k = 0; k < 3; k++) {
        test_model models[] = {CLOCK, INTEGRATOR, {0}};
        models[0].knots = times;
        models[0].n_knots = 2;
        couple(models, "s:Clock i:Integrator", "s.y>i.u", controls[k],
               "step-size=0.1 stop-time=1 output-interval=0.25 event-time=0.25 event-time=0.75");
        test_run_all(&c);
        assert_int_equal(c.n_rows, 5);
        if (k == 0) assert_int_equal(c.run->counts.n_steps, 12);
        test_uncouple(&c);
    }
}

static void a_restored_snapshot_brings_known_times_back(void **state)
{
    (void)state;
    test_model models[] = {TRIANGLE, INTEGRATOR, {0}};
    couple(models, "s:Triangle i:Integrator", "s.y>i.u", "fixed", "step-size=0.1 stop-time=1");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    assert_near(takt_stops_next(c.run), 0.24, 0);
    takt_snapshot *snapshot = NULL;
    assert_int_equal(takt_snapshot_take(c.run, &snapshot, &c.err), TAKT_OK);
    takt_progress progress = TAKT_RUNNING;
    while (progress == TAKT_RUNNING)
        assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
    assert_true(isinf(takt_stops_next(c.run)));
    assert_int_equal(takt_snapshot_restore(c.run, snapshot, &c.err), TAKT_OK);
    assert_near(takt_stops_next(c.run), 0.24, 0);
    takt_snapshot_destroy(snapshot);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_between_communication_points_is_not_missed),
        cmocka_unit_test(knots_of_outputs_that_nobody_reads_do_not_count),
        cmocka_unit_test(knots_on_the_grid_change_nothing),
        cmocka_unit_test(data_with_more_knots_than_steps_is_sampled_with_a_warning),
        cmocka_unit_test(listed_times_are_points_for_all),
        cmocka_unit_test(steps_of_equal_size_pass_known_times_with_a_warning),
        cmocka_unit_test(a_time_just_before_a_point_leaves_loops_solved),
        cmocka_unit_test(times_that_rounding_separates_are_one_point),
        cmocka_unit_test(a_restored_snapshot_brings_known_times_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
