// SPDX-License-Identifier: MIT
// Warnings that results may be wrong: in `takt check` and at the start of a run, and a failure with --strict.
#include "support/results.h"
#include "support/ssd.h"

// The algebraic loop A.y = u, B.y = -2 u, with u the other's output: only 0 solves it. `version` is that of B.
static void write_gains(test_sandbox *box, const char *name, const char *version)
{
    test_ssd ssd = {0};
    char fmu[64];
    snprintf(fmu, sizeof fmu, "Gain%s", version);
    test_ssd_component(&ssd, "A", "Gain", "in:u out:y");
    test_ssd_component(&ssd, "B", fmu, "in:u out:y parameter:k");
    test_ssd_connect(&ssd, "A.y", "B.u");
    test_ssd_connect(&ssd, "B.y", "A.u");
    test_ssd_write(&ssd, box, name, 0, 1, "step-size=\"0.1\"");
}

#define SET_K "--set", "B.k=-2"
static const char unsolved[] = "component 'B' cannot be rewound (its FMU does not save its state), "
                               "so the algebraic loop of A, B "
                               "is computed with seidel, without iterating: it is not solved, and "
                               "its results may be wrong by any "
                               "amount; use an FMU that saves its state, or break the loop";

static void an_algebraic_loop_without_rewinding_is_a_doubt(void **state)
{
    test_sandbox *box = *state;
    write_gains(box, "loop.ssd", "_fmi1");
    test_run(box, "check", "loop.ssd", SET_K, NULL);
    assert_exit(box, 0);
    assert_contains(box->err, unsolved);
    assert_string_equal(box->out, "loop.ssd: results may be wrong, 1 warning\n");
    test_run(box, "run", "loop.ssd", SET_K, "--no-output", "-q", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "warning: component 'B' cannot be rewound");
}

static void strict_makes_a_doubt_a_failure(void **state)
{
    test_sandbox *box = *state;
    static const char failure[] = "loop.ssd: 1 warning says that results may be wrong, which "
                                  "--strict makes a failure";
    write_gains(box, "loop.ssd", "_fmi1");
    test_run(box, "check", "loop.ssd", SET_K, "--strict", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, unsolved);
    assert_contains(box->err, failure);
    assert_string_equal(box->out, "loop.ssd: 1 error, 1 warning\n");
    test_run(box, "run", "loop.ssd", SET_K, "--strict", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, unsolved);
    assert_contains(box->err, failure);
    // What the log hides is in the error.
    test_run(box, "run", "loop.ssd", SET_K, "--strict", "--log-level", "error", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "a failure; the first: component 'B' cannot be rewound");
}

static void an_algorithm_that_cannot_solve_the_loop_is_a_doubt(void **state)
{
    test_sandbox *box = *state;
    write_gains(box, "loop.ssd", "");
    test_run(box, "check", "loop.ssd", SET_K, "--algorithm", "jacobi", NULL);
    assert_exit(box, 0);
    assert_contains(box->err,
                    "algorithm jacobi does not iterate, so the algebraic loop of A, B is not "
                    "solved, and its results may be wrong by any amount; choose "
                    "fixed-point or newton");
    test_run(box, "run", "loop.ssd", SET_K, "--algorithm", "jacobi", "--strict", NULL);
    assert_exit(box, 3);
}

static void what_is_solved_is_no_doubt(void **state)
{
    test_sandbox *box = *state;
    write_gains(box, "loop.ssd", "");
    test_run(box, "check", "loop.ssd", SET_K, "--strict", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    assert_string_equal(box->out, "loop.ssd: ok\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(an_algebraic_loop_without_rewinding_is_a_doubt),
        test_in_sandbox(strict_makes_a_doubt_a_failure),
        test_in_sandbox(an_algorithm_that_cannot_solve_the_loop_is_a_doubt),
        test_in_sandbox(what_is_solved_is_no_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
