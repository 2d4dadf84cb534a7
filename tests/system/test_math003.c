// SPDX-License-Identifier: MIT
// The control loop of the MasterSim paper (seed 000): sections 5.1.3 and 5.1.4 (Gauss-Jacobi), 5.2.3
// (Gauss-Seidel). Its statements are tested one by one, and all rows against the method written
// down once more in a few lines.
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

#define PROJECT "math003.ssd"
#define AS_IN_THE_PAPER "--time-grid", "accumulated", "--overstep-end", "--norm", "papers"

static double x1_of(double t)
{
    return t < 1 || (t >= 2 && t < 5) ? 0 : 1;
}

static double x2_of(double t)
{
    return t < 3 || (t >= 4 && t < 6) ? 0 : 1;
}

static double x3_of(double x1, double x2, double x4)
{
    if (x1 == 1 && x2 < 0.01 && x4 < 2.5) return 3;
    return x1 < 0.001 && x2 > 0 && x4 > -2.5 ? -3 : 0;
}

// Every row must be what the method makes of the row before.
static void check_rows(const test_results *r, bool is_seidel)
{
    for (int n = 1; n < r->n_rows; n++) {
        double t = test_result_time(r, n), h = t - test_result_time(r, n - 1);
        double x4 = test_result(r, n - 1, "Part3.x4");
        int from = is_seidel ? n : n - 1;
        double x3 = x3_of(test_result(r, from, "Part1.x1"), test_result(r, from, "Part1.x2"), x4);
        double slope = test_result(r, from, "Part2.x3");
        assert_near(test_result(r, n, "Part1.x1"), x1_of(t), 0);
        assert_near(test_result(r, n, "Part1.x2"), x2_of(t), 0);
        assert_near(test_result(r, n, "Part2.x3"), x3, 0);
        assert_near(test_result(r, n, "Part3.x4"), x4 + 2 * h * slope, 1e-12);
    }
}

static void check_counts(test_sandbox *box, int n_steps)
{
    json_t *s = test_statistics_read(box, "stats.json");
    assert_string_equal(test_word(s, "status"), "ok");
    assert_near(test_number(s, "steps"), n_steps, 0);
    assert_near(test_number(s, "instances/Part1/do_step/count"), n_steps, 0);
    assert_near(test_number(s, "instances/Part2/do_step/count"), n_steps, 0);
    assert_near(test_number(s, "instances/Part3/do_step/count"), n_steps, 0);
    assert_near(test_number(s, "instances/Part1/get_state/count"), 0, 0);
    assert_near(test_number(s, "instances/Part3/set_state/count"), 0, 0);
    assert_near(test_number(s, "do_step_total"), 3 * n_steps, 0);
    json_decref(s);
}

static void jacobi_with_accumulated_grid_makes_101_steps_as_in_the_paper(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", PROJECT, "--algorithm", "jacobi", AS_IN_THE_PAPER, "--stats", "stats.json",
             NULL);
    assert_exit(box, 0);
    check_counts(box, 101);
    assert_contains(box->out, "Results: math003.csv (102 rows, 5 columns)");
    test_results r;
    test_results_read(&r, box, "math003.csv");
    assert_int_equal(r.n_rows, 102);
    assert_near(test_result_time(&r, 101), 10.1, 1e-9);
    check_rows(&r, false);
    test_results_clear(&r);
}

static void jacobi_with_accumulated_grid_delays_jumps_as_in_the_paper(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", PROJECT, "--algorithm", "jacobi", AS_IN_THE_PAPER, NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "math003.csv");
    // Ten times 0.1 is a little less than 1: the jump is seen one step late.
    assert_near(test_result(&r, test_row_at(&r, 1.0), "Part1.x1"), 0, 0);
    assert_near(test_result(&r, test_row_at(&r, 1.1), "Part1.x1"), 1, 0);
    assert_near(test_result(&r, test_row_at(&r, 1.1), "Part2.x3"), 0, 0);
    assert_near(test_result(&r, test_row_at(&r, 1.2), "Part2.x3"), 3, 0);
    assert_near(test_result(&r, test_row_at(&r, 1.2), "Part3.x4"), 0, 0);
    assert_int_equal(test_first_nonzero(&r, "Part3.x4"), test_row_at(&r, 1.3));
    // In [1.6, 1.7] x3 has not heard of x4 > 2.5 yet; in [1.7, 1.8] it has, x4 not.
    assert_near(test_result(&r, test_row_at(&r, 1.7), "Part2.x3"), 3, 0);
    assert_near(test_result(&r, test_row_at(&r, 1.8), "Part2.x3"), 0, 0);
    assert_near(test_result(&r, test_row_at(&r, 1.8), "Part3.x4"), 3.6, 1e-9);
    assert_near(test_result(&r, test_row_at(&r, 1.9), "Part3.x4"), 3.6, 1e-9);
    // Other jumps of the paper: in time at 2, 3 and 4, late at 6.
    assert_near(test_result(&r, test_row_at(&r, 2.0), "Part1.x1"), 0, 0);
    assert_near(test_result(&r, test_row_at(&r, 3.0), "Part1.x2"), 1, 0);
    assert_near(test_result(&r, test_row_at(&r, 4.0), "Part1.x2"), 0, 0);
    assert_near(test_result(&r, test_row_at(&r, 6.0), "Part1.x2"), 0, 0);
    assert_near(test_result(&r, test_row_at(&r, 6.1), "Part1.x2"), 1, 0);
    test_results_clear(&r);
}

static void exact_grid_makes_100_steps_and_meets_the_jumps(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", PROJECT, "--algorithm", "jacobi", "--stats", "stats.json", NULL);
    assert_exit(box, 0);
    check_counts(box, 100);
    test_results r;
    test_results_read(&r, box, "math003.csv");
    assert_int_equal(r.n_rows, 101);
    assert_true(test_result_time(&r, 10) == 1.0 && test_result_time(&r, 100) == 10.0);
    assert_near(test_result(&r, 9, "Part1.x1"), 0, 0);
    assert_near(test_result(&r, 10, "Part1.x1"), 1, 0);
    assert_near(test_result(&r, 60, "Part1.x2"), 1, 0);
    assert_int_equal(test_first_nonzero(&r, "Part2.x3"), 11);
    assert_int_equal(test_first_nonzero(&r, "Part3.x4"), 12);
    check_rows(&r, false);
    test_results_clear(&r);
}

// x4 of the exact solution up to the first state event at t = 1 + 2.5/6.
static double x4_exact(double t, double t_jump)
{
    return fmax(0, fmin(6 * (t - t_jump), 2.5));
}

static void seidel_with_accumulated_grid_follows_the_reference_until_the_feedback(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", PROJECT, "--algorithm", "seidel", AS_IN_THE_PAPER, "--stats", "stats.json",
             NULL);
    assert_exit(box, 0);
    check_counts(box, 101);
    test_results r;
    test_results_read(&r, box, "math003.csv");
    assert_int_equal(test_first_nonzero(&r, "Part1.x1"), test_row_at(&r, 1.1));
    assert_int_equal(test_first_nonzero(&r, "Part2.x3"), test_row_at(&r, 1.1));
    for (int n = 0; n <= test_row_at(&r, 1.4); n++)
        assert_near(test_result(&r, n, "Part3.x4"), x4_exact(test_result_time(&r, n), 1), 1e-9);
    // The feedback of x4 comes one interval late: x4 overshoots once.
    assert_near(test_result(&r, test_row_at(&r, 1.5), "Part3.x4"), 3, 1e-9);
    assert_near(test_result(&r, test_row_at(&r, 1.5), "Part2.x3"), 3, 0);
    assert_near(test_result(&r, test_row_at(&r, 1.6), "Part2.x3"), 0, 0);
    assert_near(test_result(&r, test_row_at(&r, 2.0), "Part3.x4"), 3, 1e-9);
    check_rows(&r, true);
    test_results_clear(&r);
}

static void seidel_with_exact_grid_passes_a_jump_on_in_the_same_step(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", PROJECT, "--algorithm", "seidel", "--call-order", "flow", "--stats",
             "stats.json", NULL);
    assert_exit(box, 0);
    check_counts(box, 100);
    test_results r;
    test_results_read(&r, box, "math003.csv");
    assert_int_equal(test_first_nonzero(&r, "Part1.x1"), 10);
    assert_int_equal(test_first_nonzero(&r, "Part2.x3"), 10);
    // The jump acts on the whole step that ends with it.
    for (int n = 0; n <= 13; n++)
        assert_near(test_result(&r, n, "Part3.x4"), x4_exact(test_result_time(&r, n), 0.9), 1e-9);
    check_rows(&r, true);
    test_results_clear(&r);
}

static void smaller_steps_approach_the_exact_solution(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", PROJECT, "--algorithm", "jacobi", "--step-size", "1ms",
             "--output-interval", "0.5", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "math003.csv");
    assert_int_equal(r.n_rows, 21);
    // Two steps of delay at a slope of 6: at most 0.012 at each of the three switches.
    const double at[][2] = {{1, 0}, {2, 2.5}, {3, 2.5}, {4, -2.5}, {5, -2.5}, {6, 2.5}, {10, 2.5}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        assert_near(test_result(&r, test_row_at(&r, at[i][0]), "Part3.x4"), at[i][1], 0.04);
    test_results_clear(&r);
}

// The default: Part3 comes before Part2, whose output depends directly on what it reads; nothing is iterated.
static void default_settings_call_the_loop_by_feedthrough(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", PROJECT, "--stats", "stats.json", NULL);
    assert_exit(box, 0);
    json_t *s = test_statistics_read(box, "stats.json");
    assert_string_equal(test_word(s, "loops/0/algorithm"), "auto");
    assert_string_equal(test_word(s, "loops/0/members/0"), "Part3");
    assert_string_equal(test_word(s, "loops/0/members/1"), "Part2");
    assert_true(test_number(s, "loops/0/sweeps") <= 110); // hardly any step needs a second one
    assert_near(test_number(s, "instances/Part1/do_step/count"), 100, 0);
    json_decref(s);
    assert_contains(box->out, "Loop of Part3, Part2: auto");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(jacobi_with_accumulated_grid_makes_101_steps_as_in_the_paper),
        test_in_sandbox(jacobi_with_accumulated_grid_delays_jumps_as_in_the_paper),
        test_in_sandbox(exact_grid_makes_100_steps_and_meets_the_jumps),
        test_in_sandbox(seidel_with_accumulated_grid_follows_the_reference_until_the_feedback),
        test_in_sandbox(seidel_with_exact_grid_passes_a_jump_on_in_the_same_step),
        test_in_sandbox(smaller_steps_approach_the_exact_solution),
        test_in_sandbox(default_settings_call_the_loop_by_feedthrough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
