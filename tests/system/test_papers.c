// SPDX-License-Identifier: MIT
// The figures of the founding papers: counts of steps, failures and calls of every algorithm, and the
// accuracy of the error control. See docs/algorithms.md.
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

typedef struct figures {
    int steps, convergence_failures, error_test_failures;
    int at_smallest; // error tests that failed at the smallest step, which is kept
} figures;

static void check_figures(const json_t *s, figures expected)
{
    assert_string_equal(test_word(s, "status"), "ok");
    assert_near(test_number(s, "steps"), expected.steps, 0);
    assert_near(test_number(s, "convergence_failures"), expected.convergence_failures, 0);
    assert_near(test_number(s, "error_test_failures"), expected.error_test_failures, 0);
    assert_near(test_number(s, "rejected"),
                expected.convergence_failures + expected.error_test_failures - expected.at_smallest,
                0);
}

static void check_calls(const json_t *s, const char *instance, int do_step, int get_state,
                        int set_state)
{
    char path[100];
    const char *const calls[] = {"do_step", "get_state", "set_state"};
    const int expected[] = {do_step, get_state, set_state};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "instances/%s/%s/count", instance, calls[i]);
        assert_near(test_number(s, path), expected[i], 0);
    }
}

#define MATH003(box, ...)                                                                          \
    (test_ssd_example(box, "math003"),                                                             \
     test_run(box, "run", "math003.ssd", "--stats", "s.json", "--norm", "papers", __VA_ARGS__,     \
              NULL),                                                                               \
     assert_exit(box, 0), test_statistics_read(box, "s.json"))
#define LOTKA_VOLTERRA(box, ...)                                                                   \
    (test_ssd_example(box, "lotka_volterra"),                                                      \
     test_run(box, "run", "lotka_volterra.ssd", "--stats", "s.json", "--norm", "papers",           \
              __VA_ARGS__, NULL),                                                                  \
     assert_exit(box, 0), test_statistics_read(box, "s.json"))

// Paper 000, section 5.3.4. Part1 is in no loop and so is not saved (docs/decisions/0003).
static void two_iterations_with_fixed_steps(void **state)
{
    test_sandbox *box = *state;
    json_t *s = MATH003(box, "--algorithm", "fixed-point", "--iterations", "2", "--time-grid",
                        "accumulated", "--overstep-end");
    check_figures(s, (figures){101, 0, 0, 0});
    check_calls(s, "Part1", 101, 0, 0);
    check_calls(s, "Part2", 130, 101, 29);
    check_calls(s, "Part3", 130, 101, 29);
    assert_near(test_number(s, "iteration_limit_exceeded"), 9, 0);
    assert_contains(box->err, "warning: 9 of 101 steps did not converge within 2 iterations");
    json_decref(s);
}

// Paper 000, section 5.3.3: where the loop has no solution, the second iteration keeps x4 = 2.4. With
// the exact grid x1 jumps at 1.0 s, so all is one step earlier than there.
static void second_iteration_keeps_the_value_before_the_threshold(void **state)
{
    test_sandbox *box = *state;
    json_t *s = MATH003(box, "--algorithm", "fixed-point", "--iterations", "2");
    json_decref(s);
    test_results r;
    test_results_read(&r, box, "math003.csv");
    int row = test_row_at(&r, 1.4);
    assert_near(test_result(&r, row - 1, "Part3.x4"), 2.4, 1e-9);
    assert_near(test_result(&r, row, "Part3.x4"), 2.4, 1e-9);
    assert_near(test_result(&r, row, "Part2.x3"), 0, 0);
    test_results_clear(&r);
}

static void small_fixed_steps_below_the_fallback_limit(void **state)
{
    test_sandbox *box = *state;
    json_t *s =
        MATH003(box, "--algorithm", "fixed-point", "--iterations", "2", "--step-size", "0.005",
                "--step-fallback", "0.01", "--time-grid", "accumulated", "--overstep-end");
    check_figures(s, (figures){2000, 0, 0, 0});
    check_calls(s, "Part2", 2000, 2000, 0);
    json_decref(s);
}

// Paper 000, section 5.4.3.
static void steps_adapted_by_convergence(void **state)
{
    test_sandbox *box = *state;
    json_t *s = MATH003(box, "--algorithm", "fixed-point", "--iterations", "2", "--step-control",
                        "convergence", "--step-size", "0.14", "--step-max", "0.14",
                        "--step-fallback", "0.005", "--step-min", "1e-6");
    check_figures(s, (figures){101, 15, 0, 0});
    check_calls(s, "Part1", 116, 101, 15);
    check_calls(s, "Part2", 159, 101, 58);
    check_calls(s, "Part3", 159, 101, 58);
    json_decref(s);
}

#define RICHARDSON                                                                                 \
    "--algorithm", "fixed-point", "--iterations", "2", "--step-control", "richardson",             \
        "--step-size", "0.14", "--step-max", "0.14", "--step-fallback", "1e-4", "--step-min",      \
        "1e-5"

// Paper 000, section 5.5.4, with the rules of the later version and steps repeated from the right time.
static void error_control_by_step_doubling(void **state)
{
    test_sandbox *box = *state;
    json_t *s =
        MATH003(box, RICHARDSON, "--relative-tolerance", "1e-4", "--absolute-tolerance", "1e-5");
    check_figures(s, (figures){275, 27, 77, .at_smallest = 9});
    assert_near(test_number(s, "instances/Part1/do_step/count"), 1056, 0);
    assert_near(test_number(s, "instances/Part2/do_step/count"), 1318, 0);
    assert_near(test_number(s, "instances/Part3/do_step/count"), 1318, 0);
    json_decref(s);
}

static double exact_x4(double t)
{
    if (t <= 1) return 0;
    if (t < 1 + 2.5 / 6) return 6 * (t - 1);
    if (t <= 3) return 2.5;
    if (t < 3 + 5.0 / 6) return 2.5 - 6 * (t - 3);
    if (t <= 5) return -2.5;
    if (t < 5 + 5.0 / 6) return -2.5 + 6 * (t - 5);
    return 2.5;
}

// The first time from `row` on at which a column has a value.
static double time_of(const test_results *r, const char *column, double value, int *row)
{
    for (; *row < r->n_rows; (*row)++)
        if (test_result(r, *row, column) == value) return test_result_time(r, *row);
    fail_msg("%s never becomes %g", column, value);
    return NAN;
}

// Paper 000, figure 2: the exact solution and its events.
static void error_control_follows_the_exact_solution(void **state)
{
    test_sandbox *box = *state;
    json_t *s =
        MATH003(box, RICHARDSON, "--relative-tolerance", "1e-5", "--absolute-tolerance", "1e-5");
    json_decref(s);
    test_results r;
    test_results_read(&r, box, "math003.csv");
    for (int i = 0; i < r.n_rows; i++)
        assert_near(test_result(&r, i, "Part3.x4"), exact_x4(test_result_time(&r, i)), 1e-4);

    const struct {
        const char *column;
        double value, time;
    } events[] = {
        {"Part1.x1", 1, 1}, {"Part2.x3", 0, 1 + 2.5 / 6}, {"Part1.x1", 0, 2},
        {"Part1.x2", 1, 3}, {"Part2.x3", 0, 3 + 5.0 / 6}, {"Part1.x2", 0, 4},
        {"Part1.x1", 1, 5}, {"Part2.x3", 0, 5 + 5.0 / 6}, {"Part1.x2", 1, 6},
    };
    int row = 0;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        assert_near(time_of(&r, events[i].column, events[i].value, &row), events[i].time, 5e-5);
    test_results_clear(&r);
}

// Paper 002.
static void lotka_volterra_with_error_control(void **state)
{
    test_sandbox *box = *state;
    json_t *s = LOTKA_VOLTERRA(box, "--algorithm", "seidel", "--step-control", "richardson",
                               "--step-size", "0.1", "--step-max", "10", "--step-min", "1e-8",
                               "--relative-tolerance", "1e-6", "--absolute-tolerance", "1e-6");
    check_figures(s, (figures){8642, 0, 2, 0});
    check_calls(s, "Prey", 25932, 8642, 8646);
    check_calls(s, "Predator", 25932, 8642, 8646);
    json_decref(s);

    s = LOTKA_VOLTERRA(box, "--algorithm", "fixed-point", "--iterations", "5", "--step-control",
                       "richardson", "--step-size", "0.01", "--step-max", "10", "--step-min",
                       "1e-8", "--step-fallback", "1e-10", "--relative-tolerance", "1e-6",
                       "--absolute-tolerance", "1e-6");
    check_figures(s, (figures){8872, 0, 0, 0});
    check_calls(s, "Prey", 57775, 26616, 40031);
    check_calls(s, "Predator", 57775, 26616, 40031);
    json_decref(s);
}

// A loop of Lotka-Volterra solved by Newton is the implicit Euler method, as with fixed-point.
static void newton_and_fixed_point_solve_the_same_equations(void **state)
{
    test_sandbox *box = *state;
    test_results r[2];
    const char *const algorithms[] = {"fixed-point", "newton"};
    for (int i = 0; i < 2; i++) {
        json_t *s =
            LOTKA_VOLTERRA(box, "--algorithm", algorithms[i], "--iterations", "50",
                           "--relative-tolerance", "1e-10", "--absolute-tolerance", "1e-10");
        assert_near(test_number(s, "iteration_limit_exceeded"), 0, 0);
        assert_string_equal(test_word(s, "loops/0/algorithm"), algorithms[i]);
        json_decref(s);
        test_results_read(&r[i], box, "lotka_volterra.csv");
    }
    assert_int_equal(r[0].n_rows, r[1].n_rows);
    for (int i = 0; i < r[0].n_rows; i++)
        assert_near(test_result(&r[0], i, "Prey.x"), test_result(&r[1], i, "Prey.x"), 1e-7);
    test_results_clear(&r[0]);
    test_results_clear(&r[1]);
}

// Paper 000, section 5.3.3, with its tolerances of 1e-5 shows the norms 10714 and 0 in [1.3, 1.4], 8824
// and 38243 in [1.4, 1.5].
static void step_log_shows_norms_and_decisions(void **state)
{
    test_sandbox *box = *state;
    json_t *s = MATH003(box, "--algorithm", "fixed-point", "--iterations", "2", "--time-grid",
                        "accumulated", "--overstep-end", "--absolute-tolerance", "1e-5",
                        "--step-log", "steps.tsv");
    json_decref(s);
    char *log = test_read_file(box, "steps.tsv", NULL);
    assert_contains(log,
                    "time\tstep\tloop\tsweep\tnorm\tstep_norm\terror\tnext_step\tvariable\tlimit\t"
                    "decision\n");
    const char *const norms[] = {"1.3\t0.1\tPart2\t1\t10714.28", "1.3\t0.1\tPart2\t2\t0\t",
                                 "1.4000000000000001\t0.1\tPart2\t1\t8823.52",
                                 "1.4000000000000001\t0.1\tPart2\t2\t38242.64"};
    for (int i = 0; i < 4; i++) assert_contains(log, norms[i]);
    assert_contains(log, "\tnot converged, going on\n");
    free(log);
    test_run(box, "run", "math003.ssd", "--no-output", "--quiet", "--log-level", "debug",
             "--algorithm", "fixed-point", "--step-control", "richardson", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "fixed-point: t=");
    assert_contains(box->err, "error test: t=");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(two_iterations_with_fixed_steps),
        test_in_sandbox(second_iteration_keeps_the_value_before_the_threshold),
        test_in_sandbox(small_fixed_steps_below_the_fallback_limit),
        test_in_sandbox(steps_adapted_by_convergence),
        test_in_sandbox(error_control_by_step_doubling),
        test_in_sandbox(error_control_follows_the_exact_solution),
        test_in_sandbox(lotka_volterra_with_error_control),
        test_in_sandbox(newton_and_fixed_point_solve_the_same_equations),
        test_in_sandbox(step_log_shows_norms_and_decisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
