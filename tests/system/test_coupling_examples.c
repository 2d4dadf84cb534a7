// SPDX-License-Identifier: MIT
// The 23 coupling examples of Petridis and Clauss (2015) with the three algorithms of their paper, and
// those that solve loops by secants: the outcomes are those of the paper where it gives them, secants do
// as well as Newton's method, the table in examples/README.md shows what
// is measured here, and the results are those that lie beside the examples.
//
// With TEST_WRITES=table in the environment it writes the table (target examples-table), with
// TEST_WRITES=expected the expected results.
#include "support/ssd.h"
#include "support/statistics.h"
#include "system/coupling/table.h"

enum { N_EXAMPLES_MOST = 32, N_ROWS_MOST = 2001 };

static bool writes_table, writes_expected;
static coupling_outcome outcomes[N_EXAMPLES_MOST][N_ALGORITHMS];
static bool is_measured[N_EXAMPLES_MOST];

static const coupling_example *find_example(const char *folder)
{
    for (int i = 0; i < n_coupling_examples; i++)
        if (strcmp(coupling_examples[i].folder, folder) == 0) return &coupling_examples[i];
    fail_msg("there is no example %s", folder);
    return NULL;
}

// ---- one example -----------------------------------------------------------------------------------

static void path_of_expected(const coupling_example *example, char out[TEST_PATH_SIZE])
{
    snprintf(out, TEST_PATH_SIZE, TAKT_EXAMPLES "/coupling/%s/expected.csv", example->folder);
}

// The best algorithm's result at every tenth communication point.
static void write_expected(test_sandbox *box, const coupling_example *example,
                           const coupling_standard *standard)
{
    char interval[32], path[TEST_PATH_SIZE];
    snprintf(interval, sizeof interval, "%.15g", 10 * test_result_time(&standard->converged, 1));
    path_of_expected(example, path);
    test_run(box, "run", "system.ssd", "-q", "--algorithm", "newton", "--output-interval", interval,
             "-o", path, NULL);
    assert_exit(box, 0);
}

// Ten times the tolerances of the iteration: a change of the algorithm that keeps its tolerances
// passes, a wrong result does not.
static void check_result(test_sandbox *box, const coupling_example *example)
{
    char path[TEST_PATH_SIZE];
    path_of_expected(example, path);
    test_run(box, "compare", "newton.csv", path, "--relative-tolerance", "1e-3",
             "--absolute-tolerance", "1e-5", NULL);
    assert_exit(box, 0);
}

static void check_letters(const coupling_example *example, const coupling_outcome *measured)
{
    char letters[N_ALGORITHMS + 1] = "", expected[N_ALGORITHMS + 1] = "";
    for (int i = 0; i < N_ALGORITHMS; i++) {
        letters[i] = measured[i].letter;
        expected[i] = example->expected[i < N_OF_PAPER ? i : NEWTON];
    }
    if (strcmp(letters, expected) == 0) return;
    for (int i = 0; i < N_ALGORITHMS; i++)
        print_error("%s: %c, error %g, coupling error %g, unconverged %g, calls %g\n",
                    coupling_algorithm_name((coupling_algorithm)i), measured[i].letter,
                    measured[i].error, measured[i].coupling_error, measured[i].unconverged,
                    measured[i].calls);
    fail_msg("%s: expected %s, measured %s", example->folder, expected, letters);
}

static void check_failure(test_sandbox *box, const coupling_example *example,
                          coupling_outcome *measured)
{
    for (int i = 0; i < N_ALGORITHMS; i++) {
        measured[i] = coupling_measure(NULL, box, (coupling_algorithm)i);
        assert_contains(box->err, example->message);
    }
}

static void check_run(test_sandbox *box, const coupling_example *example,
                      coupling_outcome *measured)
{
    coupling_standard standard;
    coupling_standard_init(&standard, box, example);
    for (int i = 0; i < N_ALGORITHMS; i++)
        measured[i] = coupling_measure(&standard, box, (coupling_algorithm)i);
    if (writes_expected) write_expected(box, example, &standard);
    check_result(box, example);
    coupling_standard_clear(&standard);
}

static void has_the_expected_outcomes(void **state)
{
    const coupling_example *example = *state;
    int i = (int)(example - coupling_examples);
    void *sandbox;
    assert_int_equal(test_sandbox_setup(&sandbox), 0);
    coupling_prepare(sandbox, example);
    if (example->reference)
        check_run(sandbox, example, outcomes[i]);
    else
        check_failure(sandbox, example, outcomes[i]);
    is_measured[i] = true;
    assert_int_equal(test_sandbox_teardown(&sandbox), 0);
    check_letters(example, outcomes[i]);
}

// The error test steps twice and takes steps back: samples of steps that do not count must be gone.
static void delay_line_goes_back_with_all_its_samples(void **state)
{
    test_sandbox *box = *state;
    const coupling_example *example = find_example("17_delay");
    coupling_prepare(box, example);
    test_run(box, "run", "system.ssd", "-q", "--step-control", "richardson", "--step-size", "0.1",
             "--step-max", "0.1", "--stats", "stats.json", "-o", "delay.csv", NULL);
    assert_exit(box, 0);
    json_t *statistics = test_statistics_read(box, "stats.json");
    assert_true(test_number(statistics, "instances/F2/set_state/count") > 100);
    json_decref(statistics);
    test_results r;
    test_results_read(&r, box, "delay.csv");
    assert_true(r.n_rows > 100);
    for (int row = 0; row < r.n_rows; row++) {
        double t = test_result_time(&r, row), exact[2];
        example->reference->values(t, NULL, exact);
        // Interpolation between samples that are at most 0.1 s apart.
        assert_near(test_result(&r, row, "F2.y"), exact[1], 2e-3);
    }
    test_results_clear(&r);
}

// ---- all examples ----------------------------------------------------------------------------------

// Line by line, so that the message shows the line that differs.
static void check_lines(char *shown, char *measured)
{
    char *rest_shown = NULL, *rest_measured = NULL;
    char *a = strtok_r(shown, "\n", &rest_shown), *b = strtok_r(measured, "\n", &rest_measured);
    for (; a && b; b = strtok_r(NULL, "\n", &rest_measured)) {
        assert_string_equal(a, b);
        a = strtok_r(NULL, "\n", &rest_shown);
    }
    assert_true(!a && !b);
}

static void table_shows_the_measured_outcomes(void **state)
{
    (void)state;
    static const char path[] = TAKT_EXAMPLES "/README.md";
    for (int i = 0; i < n_coupling_examples; i++) assert_true(is_measured[i]);
    char *table = coupling_table_print(outcomes);
    if (writes_table) coupling_table_replace(path, table);
    char *text = test_read_path(path, NULL);
    assert_non_null(text);
    char *shown = coupling_table_find(text);
    assert_non_null(shown);
    check_lines(shown, table);
    free(shown);
    free(text);
    free(table);
}

static void references_are_accurate_to_1e_9(void **state)
{
    (void)state;
    static double t[N_ROWS_MOST], coarse[N_ROWS_MOST * REFERENCE_COLUMNS_MOST],
        fine[N_ROWS_MOST * REFERENCE_COLUMNS_MOST];
    for (int i = 0; i < N_ROWS_MOST; i++) t[i] = 0.005 * i;
    for (int i = 0; i < n_coupling_examples; i++) {
        const coupling_reference *reference = coupling_examples[i].reference;
        if (!reference || reference->n_states == 0) continue;
        reference_solve(reference, t, N_ROWS_MOST, 1e-3, coarse);
        reference_solve(reference, t, N_ROWS_MOST, 5e-4, fine);
        for (int k = 0; k < N_ROWS_MOST * reference->n_columns; k++)
            assert_near(coarse[k], fine[k], 1e-9 * fmax(1, fabs(fine[k])));
    }
}

int main(void)
{
    const char *written = getenv("TEST_WRITES");
    writes_table = written && strcmp(written, "table") == 0;
    writes_expected = written && strcmp(written, "expected") == 0;
    struct CMUnitTest tests[N_EXAMPLES_MOST + 3];
    int n = 0;
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(references_are_accurate_to_1e_9);
    tests[n++] = (struct CMUnitTest)test_in_sandbox(delay_line_goes_back_with_all_its_samples);
    for (int i = 0; i < n_coupling_examples && i < N_EXAMPLES_MOST; i++)
        tests[n++] = (struct CMUnitTest){.name = coupling_examples[i].folder,
                                         .test_func = has_the_expected_outcomes,
                                         .initial_state = (void *)&coupling_examples[i]};
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(table_shows_the_measured_outcomes);
    return _cmocka_run_group_tests("coupling examples", tests, (size_t)n, NULL, NULL);
}
