// SPDX-License-Identifier: MIT
// Knots of tables, listed times and events of single FMUs are communication points for all.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(a_triangle_of_a_table_is_not_stepped_over),
        test_in_sandbox(a_table_may_be_stepped_over_on_request),
        test_in_sandbox(dense_data_is_sampled_with_a_warning),
        test_in_sandbox(listed_times_have_rows),
        test_in_sandbox(a_project_lists_its_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
