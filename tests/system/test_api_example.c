// SPDX-License-Identifier: MIT
// The example program of the public API does what its read-me file says.
#include "support/results.h"
#include "support/ssd.h"

#define PROGRAM TEST_FMUS "/../examples/example_api"

static void example_simulates_and_prints_what_it_saw(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_run_program(box, PROGRAM, "lotka_volterra.ssd", "lv.csv", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "largest Prey.x: 38.3879\nend: t = 100 s\n");
    assert_string_equal(box->err, "");
    test_results r;
    test_results_read(&r, box, "lv.csv");
    assert_int_equal(r.n_rows, 1001);
    test_results_clear(&r);
}

static void example_reports_failures(void **state)
{
    test_sandbox *box = *state;
    test_run_program(box, PROGRAM, "nothing.ssd", "lv.csv", NULL);
    assert_one_error(box, 3, "nothing.ssd");
    test_run_program(box, PROGRAM, NULL);
    assert_exit(box, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(example_simulates_and_prints_what_it_saw),
        test_in_sandbox(example_reports_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
