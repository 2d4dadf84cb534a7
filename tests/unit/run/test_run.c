// SPDX-License-Identifier: MIT
#include "unit/run/models.h"

static test_coupling c;

// ---- algorithms ------------------------------------------------------------------------------------

static void jacobi_delays_by_one_step_per_connection(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, GAIN, {0}};
    test_couple(&c, models, "clock:Clock a:Gain b:Gain", "clock.y>a.u a.y>b.u",
                "algorithm=jacobi step-size=0.5 stop-time=3");
    test_run_all(&c);
    assert_near(test_value(&c, "clock.y", -1), 3, 0);
    assert_near(test_value(&c, "a.y", -1), 2.5, 0);
    assert_near(test_value(&c, "b.y", -1), 2, 0);
    test_uncouple(&c);
}

static void seidel_passes_values_on_within_a_step_in_the_order_of_the_plan(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, GAIN, {0}};
    // Listed against the direction of the connections: the plan turns the order around.
    test_couple(&c, models, "b:Gain a:Gain clock:Clock", "clock.y>a.u a.y>b.u",
                "algorithm=seidel step-size=0.5 stop-time=3");
    test_run_all(&c);
    assert_near(test_value(&c, "a.y", -1), 3, 0);
    assert_near(test_value(&c, "b.y", -1), 3, 0);
    test_uncouple(&c);
}

// y' = -y by coupling: Seidel is explicit Euler, fixed-point implicit Euler.
static double decay(const char *algorithm)
{
    test_model models[] = {INTEGRATOR, GAIN, {0}};
    char settings[200];
    snprintf(settings, sizeof settings,
             "algorithm=%s step-size=0.1 stop-time=0.1 iterations=50 relative-tolerance=1e-12 "
             "absolute-tolerance=1e-13 set=f.k=-1",
             algorithm);
    test_couple(&c, models, "x:Integrator f:Gain", "x.y>f.u f.y>x.u", settings);
    test_run_all(&c);
    double y = test_value(&c, "x.y", -1);
    test_uncouple(&c);
    return y;
}

static void fixed_point_solves_the_loop_of_a_step(void **state)
{
    (void)state;
    assert_near(decay("seidel"), 0.9, 1e-15);
    assert_near(decay("fixed-point"), 1 / 1.1, 1e-12);
}

static void only_members_of_iterated_loops_are_saved_and_rewound(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, INTEGRATOR, GAIN, {0}};
    test_couple(&c, models, "clock:Clock x:Integrator f:Gain", "x.y>f.u f.y>x.u",
                "algorithm=fixed-point step-size=0.1 stop-time=1");
    test_run_all(&c);
    assert_int_equal(models[0].counts.save, 0);
    assert_int_equal(models[0].counts.step, 10);
    assert_int_equal(models[1].counts.save, 10);
    assert_int_equal(models[1].counts.restore, models[1].counts.step - 10);
    assert_true(models[1].counts.restore > 0);
    test_uncouple(&c);
    assert_int_equal(models[1].counts.states, 0);
    assert_int_equal(models[1].counts.destroy, models[1].counts.instantiate);
}

// ---- communication points --------------------------------------------------------------------------

static void exact_grid_hits_multiples_and_ends_exactly(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    test_couple(&c, models, "clock:Clock", "", "step-size=0.1 stop-time=10");
    test_run_all(&c);
    assert_int_equal(models[0].counts.step, 100);
    assert_int_equal(c.n_rows, 101);
    for (int i = 0; i <= 100; i++) assert_true(c.time[i] == i / 10.0);
    assert_true(c.time[100] == 10);
    test_uncouple(&c);
}

static void last_step_is_shortened_when_the_interval_is_no_multiple(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    test_couple(&c, models, "clock:Clock", "", "step-size=0.3 stop-time=1");
    test_run_all(&c);
    assert_int_equal(models[0].counts.step, 4);
    assert_true(c.time[c.n_rows - 1] == 1);
    test_uncouple(&c);
}

static void accumulated_grid_makes_the_extra_step_of_the_papers(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    test_couple(&c, models, "clock:Clock", "",
                "step-size=0.1 stop-time=10 time-grid=accumulated overstep-end=true");
    test_run_all(&c);
    assert_int_equal(models[0].counts.step, 101);
    assert_true(c.time[10] == 0.99999999999999989);
    assert_near(c.time[101], 10.1, 1e-9);
    test_uncouple(&c);

    test_couple(&c, models, "clock:Clock", "", "step-size=0.1 stop-time=10 time-grid=accumulated");
    test_run_all(&c);
    assert_int_equal(c.n_rows, 101);
    assert_true(c.time[100] == 10);
    test_uncouple(&c);
}

static void assert_rows_at(const double *expected, int n)
{
    assert_int_equal(c.n_rows, n);
    for (int i = 0; i < n; i++) {
        assert_true(c.time[i] == expected[i]);
        assert_near(test_value(&c, "clock.y", i), expected[i], 0);
    }
}

static void steps_end_at_the_rows_of_the_output_grid(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    test_couple(&c, models, "clock:Clock", "", "step-size=0.1 stop-time=1.1 output-interval=0.25");
    test_run_all(&c);
    assert_rows_at((double[]){0, 0.25, 0.5, 0.75, 1, 1.1}, 6);
    assert_int_equal(models[0].counts.step,
                     11 + 2); // 0.25 and 0.75 lie between communication points
    test_uncouple(&c);

    models[0] = (test_model)CLOCK;
    test_couple(
        &c, models, "clock:Clock", "",
        "step-size=0.1 step-control=convergence step-max=1 stop-time=1 output-interval=0.25");
    test_run_all(&c);
    assert_rows_at((double[]){0, 0.25, 0.5, 0.75, 1}, 5);
    // 0.1, 0.2 to 0.25; then rows do not make steps smaller: one step from row to row.
    assert_int_equal(models[0].counts.step, 2 + 3);
    test_uncouple(&c);
}

static void rows_follow_the_output_grid_where_steps_cannot_be_cut(void **state)
{
    (void)state;
    test_model models[] = {{"Clock", clock_variables, .output = clock_output}, {0}};
    const double expected[] = {0, 0.3, 0.5, 0.8, 1};
    const char *const settings[] = {"", " time-grid=accumulated"};
    for (int k = 0; k < 2; k++) {
        char text[100];
        snprintf(text, sizeof text, "step-size=0.1 stop-time=1 output-interval=0.25%s",
                 settings[k]);
        models[0].can.variable_step = k == 1;
        test_couple(&c, models, "clock:Clock", "", text);
        test_run_all(&c);
        assert_int_equal(c.n_rows, 5);
        for (int i = 0; i < 5; i++) assert_near(c.time[i], expected[i], 1e-12);
        assert_int_equal(strstr(c.system.log.text, "component 'clock' takes only steps of equal "
                                                   "size, so that rows of the output grid are "
                                                   "written at the next communication point") != 0,
                         k == 0);
        test_uncouple(&c);
    }
}

// ---- what goes wrong -------------------------------------------------------------------------------

static void run_with_fault(test_fault fault, takt_status expected, const char *message)
{
    test_model models[] = {CLOCK, GAIN, {0}};
    models[1].fault = fault;
    models[1].fault_time = 0.45;
    test_couple(&c, models, "clock:Clock a:Gain b:Gain", "clock.y>a.u a.y>b.u",
                "algorithm=seidel step-size=0.1 stop-time=1");
    test_try_run_all(&c);
    assert_int_equal(c.status, expected);
    assert_contains(c.err.message, message);
    test_uncouple(&c);
    assert_int_equal(models[0].counts.destroy, 1);
    assert_int_equal(models[1].counts.destroy, 2);
    assert_int_equal(models[0].counts.terminate, models[0].counts.exit);
}

static void failures_name_instance_time_and_remedy(void **state)
{
    (void)state;
    run_with_fault(TEST_DISCARDS, TAKT_ERR_SIMULATION,
                   "instance 'a' at t=0.4 s: the FMU discarded");
    assert_int_equal(c.n_rows, 5);
    run_with_fault(TEST_DISCARDS, TAKT_ERR_SIMULATION, "try a smaller --step-size");
    run_with_fault(TEST_FAILS, TAKT_ERR_SIMULATION, "instance 'a' at t=0.4 s");
    run_with_fault(TEST_GIVES_NAN, TAKT_ERR_SIMULATION,
                   "instance 'a' at t=0.5 s: variable 'y' is not a number");
    run_with_fault(TEST_FAILS_TO_ENTER, TAKT_ERR_SIMULATION,
                   "instance 'a' while entering initialization");
    run_with_fault(TEST_FAILS_TO_EXIT, TAKT_ERR_SIMULATION,
                   "instance 'a' while leaving initialization");
    run_with_fault(TEST_FAILS_TO_GET, TAKT_ERR_SIMULATION, "instance 'a'");
}

static void instance_may_end_the_simulation(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    models[0].fault = TEST_TERMINATES;
    models[0].fault_time = 0.45;
    test_couple(&c, models, "clock:Clock", "", "step-size=0.1 stop-time=1");
    test_run_all(&c);
    assert_int_equal(c.run->state.progress, TAKT_TERMINATED);
    assert_contains(c.system.log.text, "warn: instance 'clock' ended the simulation");
    assert_near(c.time[c.n_rows - 1], 0.5, 1e-12); // the step was whole
    test_uncouple(&c);
}

static void failed_run_cannot_be_stepped_again(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    models[0].fault = TEST_FAILS;
    test_couple(&c, models, "clock:Clock", "", "step-size=0.1 stop-time=1");
    takt_progress progress = TAKT_RUNNING;
    assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_ERR_USAGE);
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_ERR_USAGE);
    assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_ERR_SIMULATION);
    assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_ERR_USAGE);
    test_uncouple(&c);
}

// ---- cost ------------------------------------------------------------------------------------------

static const test_variable wide_variables[] = {
    {"u1", TAKT_INPUT, .start = "0"},     {"u2", TAKT_INPUT, .start = "0"},
    {"u3", TAKT_INPUT, .start = "0"},     {"y1", TAKT_OUTPUT, .depends = ""},
    {"y2", TAKT_OUTPUT, .depends = ""},   {"y3", TAKT_OUTPUT, .depends = ""},
    {"extra", TAKT_LOCAL, .start = NULL}, {0}};

static void one_set_and_one_get_per_step_whatever_the_number_of_variables(void **state)
{
    (void)state;
    test_model models[] = {{"Wide", wide_variables, REWINDS}, {0}};
    test_couple(&c, models, "a:Wide b:Wide", "a.y1>b.u1 a.y2>b.u2 a.y3>b.u3 b.y1>a.u1 b.y2>a.u2",
                "algorithm=jacobi step-size=0.1 stop-time=1 record-exclude=*");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    test_counts before = models[0].counts;
    takt_progress progress = TAKT_RUNNING;
    while (progress == TAKT_RUNNING)
        assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
    assert_int_equal(models[0].counts.set - before.set, 20);
    assert_int_equal(models[0].counts.get - before.get, 20);
    assert_int_equal(models[0].counts.step - before.step, 20);
    test_uncouple(&c);
}

static void recorded_only_variables_are_read_only_for_rows(void **state)
{
    (void)state;
    test_model models[] = {{"Wide", wide_variables, REWINDS}, {0}};
    test_couple(&c, models, "a:Wide", "",
                "step-size=0.1 stop-time=1 output-interval=0.5 record=a.extra");
    test_run_all(&c);
    assert_int_equal(c.n_rows, 3);
    assert_int_equal(models[0].counts.get, 3);
    test_uncouple(&c);
}

static void recorded_parameters_are_read_once_and_connected_inputs_not_at_all(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, GAIN, {0}};
    test_couple(&c, models, "clock:Clock a:Gain", "clock.y>a.u",
                "algorithm=seidel step-size=0.5 stop-time=3 set=a.k=4 record=a.k record=a.u");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    int before = models[1].counts.get;
    takt_progress progress = TAKT_RUNNING;
    while (progress == TAKT_RUNNING)
        assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
    assert_int_equal(c.n_rows, 7);
    assert_int_equal(models[1].counts.get - before, 0);
    for (int i = 0; i < c.n_rows; i++) {
        assert_near(test_value(&c, "a.k", i), 4, 0);
        assert_near(test_value(&c, "a.u", i), 0.5 * i, 0);
    }
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobi_delays_by_one_step_per_connection),
        cmocka_unit_test(seidel_passes_values_on_within_a_step_in_the_order_of_the_plan),
        cmocka_unit_test(fixed_point_solves_the_loop_of_a_step),
        cmocka_unit_test(only_members_of_iterated_loops_are_saved_and_rewound),
        cmocka_unit_test(exact_grid_hits_multiples_and_ends_exactly),
        cmocka_unit_test(last_step_is_shortened_when_the_interval_is_no_multiple),
        cmocka_unit_test(accumulated_grid_makes_the_extra_step_of_the_papers),
        cmocka_unit_test(steps_end_at_the_rows_of_the_output_grid),
        cmocka_unit_test(rows_follow_the_output_grid_where_steps_cannot_be_cut),
        cmocka_unit_test(failures_name_instance_time_and_remedy),
        cmocka_unit_test(instance_may_end_the_simulation),
        cmocka_unit_test(failed_run_cannot_be_stepped_again),
        cmocka_unit_test(one_set_and_one_get_per_step_whatever_the_number_of_variables),
        cmocka_unit_test(recorded_only_variables_are_read_only_for_rows),
        cmocka_unit_test(recorded_parameters_are_read_once_and_connected_inputs_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
