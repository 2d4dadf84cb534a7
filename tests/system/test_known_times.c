// SPDX-License-Identifier: MIT
// Knots of tables, listed times and events of single FMUs are communication points for all.
#include <math.h>

#include "support/results.h"
#include "support/ssd.h"

// The last value of a column in r.csv.
static double last_of(test_sandbox *box, const char *column)
{
    test_results r;
    test_results_read(&r, box, "r.csv");
    double value = test_result(&r, r.n_rows - 1, column);
    test_results_clear(&r);
    return value;
}

#define PART3 TEST_FMUS "/Math003Part3.fmu"
#define TO_FILE "-o", "r.csv", "-q"

// x4' = 2 x3, and the area below the triangle is 200: it lies between two communication points.
static void a_triangle_of_a_table_is_not_stepped_over(void **state)
{
    test_sandbox *box = *state;
    static const char *const controls[] = {"fixed", "convergence", "richardson"};
    test_write_text(box, "in.csv", "time,x3\n0,0\n4,0\n5,200\n6,0\n100,0\n");
    for (int i = 0; i < 3; i++) {
        test_run(box, "run", PART3, "--input-file", "in.csv", "--stop-time", "100", "--step-size",
                 "10", "--step-control", controls[i], "--strict", TO_FILE, NULL);
        assert_exit(box, 0);
        assert_string_equal(box->err, "");
        assert_near(last_of(box, "Math003Part3.x4"), 400, 0.01);
    }
}

static void a_table_may_be_stepped_over_on_request(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "in.csv", "time,x3\n0,0\n4,0\n5,200\n6,0\n100,0\n");
    test_run(box, "run", PART3, "--input-file", "in.csv", "--stop-time", "100", "--step-size", "10",
             "--set", "input.events=false", "--strict", TO_FILE, NULL);
    assert_exit(box, 0);
    assert_near(last_of(box, "Math003Part3.x4"), 0, 0);
}

static void dense_data_is_sampled_with_a_warning(void **state)
{
    test_sandbox *box = *state;
    char table[20000] = "time,x3\n";
    size_t length = strlen(table);
    for (int i = 0; i <= 1000; i++)
        length +=
            (size_t)snprintf(table + length, sizeof table - length, "%g,%d\n", 0.01 * i, i % 2);
    test_write_text(box, "in.csv", table);
    test_run(box, "run", PART3, "--input-file", "in.csv", "--stop-time", "10", "--step-size", "0.1",
             TO_FILE, NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "warning: table input has 900 knots between communication points, "
                              "more than there are steps");
    test_run(box, "run", PART3, "--input-file", "in.csv", "--stop-time", "10", "--step-size", "0.1",
             "--strict", TO_FILE, NULL);
    assert_exit(box, 3);
    test_run(box, "run", PART3, "--input-file", "in.csv", "--stop-time", "10", "--step-size",
             "0.01", "--strict", TO_FILE, NULL);
    assert_exit(box, 0);
}

// A smooth curve needs few of its rows.
static void dense_smooth_data_is_followed(void **state)
{
    test_sandbox *box = *state;
    char table[40000] = "time,x3\n";
    size_t length = strlen(table);
    for (int i = 0; i <= 2000; i++)
        length += (size_t)snprintf(table + length, sizeof table - length, "%g,%.9g\n", 0.005 * i,
                                   2 + sin(0.005 * i));
    test_write_text(box, "in.csv", table);
    test_run(box, "run", PART3, "--input-file", "in.csv", "--stop-time", "10", "--step-size",
             "0.07", "--strict", "--log-level", "info", TO_FILE, NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "table input has more knots than there are steps; steps end at those "
                              "that follow it to 0.001 of its values");
    assert_near(last_of(box, "Math003Part3.x4"), 2 * (20 + 1 - cos(10)), 0.1);
}

static void listed_times_have_rows(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", PART3, "--stop-time", "1", "--step-size", "0.1", "--event-time", "150 ms",
             "--event-time", "0.3", "--event-time", "0.01min", TO_FILE, NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_int_equal(r.n_rows, 12);
    test_row_at(&r, 0.15);
    test_row_at(&r, 0.6);
    test_results_clear(&r);
    test_run(box, "run", PART3, "--event-time", "soon", NULL);
    assert_one_error(box, 2, "event-time: 'soon' is not a time; write seconds");
}

static void a_project_lists_its_times(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Math003Part3", "in:x3 out:x4");
    test_ssd_write(&ssd, box, "p.ssd", 0, 1, "step-size=\"0.1\" event-time=\"0.25 370ms\"");
    test_run(box, "run", "p.ssd", TO_FILE, NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_int_equal(r.n_rows, 13);
    test_row_at(&r, 0.25);
    test_row_at(&r, 0.37);
    test_results_clear(&r);
}

// A thermostat finds the times at which it switches; the other FMU integrates how often it has, x4' = 2 x3.
static void write_thermostat(test_sandbox *box, const char *integrator)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Thermostat_fmi3", "");
    test_ssd_component(&ssd, "B", integrator, "");
    test_ssd_connect(&ssd, "A.switches", "B.x3");
    test_ssd_write(&ssd, box, "p.ssd", 0, 40, "");
}

// From the lower to the upper temperature and back, both 1 K from the first one, with k = 0.1, outside = 0 and
// heat = 30.
static double switches_integrated(void)
{
    double t = log(20 / 19.0) / 0.1, on = log(11 / 9.0) / 0.1, off = log(21 / 19.0) / 0.1, sum = 0;
    for (int n = 1; t < 40; t += n++ % 2 ? on : off) sum += 2 * (40 - t);
    return sum;
}

static void an_early_return_is_a_point_for_all(void **state)
{
    test_sandbox *box = *state;
    static const char *const integrators[] = {"Math003Part3", "Math003Part3_fmi3"};
    static const char *const sizes[] = {"5", "1", "0.07"};
    static const char *const controls[] = {"fixed", "convergence", "richardson"};
    for (int i = 0; i < 18; i++) {
        write_thermostat(box, integrators[i / 9]);
        test_run(box, "run", "p.ssd", "--step-size", sizes[i / 3 % 3], "--step-control",
                 controls[i % 3], "--strict", TO_FILE, NULL);
        assert_exit(box, 0);
        assert_string_equal(box->err, "");
        assert_near(last_of(box, "B.x4"), switches_integrated(), 1e-8);
    }
}

static void an_early_return_that_others_see_late_is_a_doubt(void **state)
{
    test_sandbox *box = *state;
    write_thermostat(box, "Math003Part3_fmi1"); // cannot be rewound
    test_run(box, "run", "p.ssd", "--step-size", "1", TO_FILE, NULL);
    assert_exit(box, 0);
    assert_true(fabs(last_of(box, "B.x4") - switches_integrated()) > 10);
    assert_contains(box->err, "steps had an event that reached other instances only at their end");
    test_run(box, "run", "p.ssd", "--step-size", "1", "--strict", TO_FILE, NULL);
    assert_exit(box, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(a_triangle_of_a_table_is_not_stepped_over),
        test_in_sandbox(a_table_may_be_stepped_over_on_request),
        test_in_sandbox(dense_data_is_sampled_with_a_warning),
        test_in_sandbox(dense_smooth_data_is_followed),
        test_in_sandbox(listed_times_have_rows),
        test_in_sandbox(a_project_lists_its_times),
        test_in_sandbox(an_early_return_is_a_point_for_all),
        test_in_sandbox(an_early_return_that_others_see_late_is_a_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
