// SPDX-License-Identifier: MIT
// Every example runs with its FMUs as they are for Windows, and gives the results of those for Linux.
#include <dirent.h>
#include <math.h>

#include "support/programs.h"
#include "support/results.h"
#include "support/ssd.h"
#include "support/wine.h"

// Mathematical functions of the two systems may differ in the last digit (of the sines and exponentials of some of these FMUs). Measured:
// 3e-15 of the largest value in the worst example, lotka_volterra, bit-equal in all but six.
static void assert_near_results(test_sandbox *box, const char *example)
{
    test_results one, other;
    double largest = 1, difference = 0; // some examples have nothing but rounding errors around 0
    test_results_read(&one, box, "linux.csv");
    test_results_read(&other, box, "windows.csv");
    assert_int_equal(one.n_rows, other.n_rows);
    assert_int_equal(one.n_columns, other.n_columns);
    for (int i = 0; i < one.n_rows * one.n_columns; i++) {
        if (i % one.n_columns == 0) continue; // time
        largest = fmax(largest, fabs(one.values[i]));
        difference = fmax(difference, fabs(one.values[i] - other.values[i]));
    }
    if (difference > 1e-13 * largest) fail_msg("%s: %g of %g", example, difference, largest);
    test_results_clear(&one);
    test_results_clear(&other);
}

// Two of them cannot be solved; they end alike.
static void compare_example(test_sandbox *box, const char *path)
{
    test_link(box, "fmus", TEST_FMUS);
    test_ssd_copy(box, path, "system.ssd");
    test_run(box, "run", "system.ssd", "-o", "linux.csv", "--quiet", NULL);
    int code = box->exit_code;
    bool has_results = test_has_file(box, "linux.csv");
    assert_true(code == 0 || code == 1);
    test_run(box, "run", "system.ssd", "-o", "windows.csv", "--quiet", "--binary", "wine", NULL);
    assert_exit(box, code);
    if (has_results) assert_near_results(box, path);
}

static void every_example_gives_the_same_results(void **state)
{
    test_sandbox *box = *state;
    struct dirent **names;
    int n = scandir(TAKT_EXAMPLES "/coupling", &names, NULL, alphasort), n_run = 0;
    for (int i = 0; i < n; i++) {
        char path[2 * TEST_PATH_SIZE];
        snprintf(path, sizeof path, TAKT_EXAMPLES "/coupling/%s/system.ssd", names[i]->d_name);
        if (access(path, R_OK) == 0) compare_example(box, path), n_run++;
        free(names[i]);
    }
    free(names);
    assert_true(n_run > 20);
    compare_example(box, TAKT_EXAMPLES "/math003/math003.ssd");
    compare_example(box, TAKT_EXAMPLES "/lotka_volterra/lotka_volterra.ssd");
    compare_example(box, TAKT_EXAMPLES "/model_exchange/model_exchange.ssd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(every_example_gives_the_same_results),
    };
    if (!test_can_run_wine(TEST_HOSTILE_DLL)) return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
