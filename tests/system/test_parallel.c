// SPDX-License-Identifier: MIT
// The options --jobs and --one-thread of the program. That results do not depend on threads is shown by
// tests/unit/api/test_parallel.c, which can force them.
#include "fmus/misbehave.h"
#include "support/ssd.h"

static void write_three(test_sandbox *box)
{
    test_ssd ssd = {0};
    for (int i = 0; i < 3; i++)
        test_ssd_component(&ssd, (const char *[]){"a", "b", "c"}[i], "Misbehave", "in:u out:y");
    test_ssd_write(&ssd, box, "three.ssd", 0, 1, "step-size=\"0.05\" algorithm=\"jacobi\"");
}

static void the_program_tells_when_threads_are_at_work(void **state)
{
    test_sandbox *box = *state;
    char slow[3][24];
    write_three(box);
    for (int i = 0; i < 3; i++)
        snprintf(slow[i], sizeof slow[i], "%c.what=%d", 'a' + i, MISBEHAVE_SLOW);
    test_run(box, "run", "three.ssd", "--log-level", "info", "--jobs", "2", "--set", slow[0],
             "--set", slow[1], "--set", slow[2], "--set", "a.delay=0.004", "--set", "b.delay=0.004",
             "--set", "c.delay=0.004", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "2 threads have stepped instances side by side");
    test_run(box, "run", "three.ssd", "--log-level", "info", "--jobs", "1", NULL);
    assert_exit(box, 0);
    assert_int_equal(test_count(box->err, "side by side"), 0);
}

static void the_program_checks_jobs_and_names_of_one_thread(void **state)
{
    test_sandbox *box = *state;
    write_three(box);
    test_run(box, "run", "three.ssd", "--jobs", "0", NULL);
    assert_one_error(box, 2, "jobs");
    test_run(box, "run", "three.ssd", "--jobs", "many", NULL);
    assert_one_error(box, 2, "jobs");
    test_run(box, "run", "three.ssd", "--jobs", "1000000", NULL); // as many as there are instances
    assert_exit(box, 0);
    test_run(box, "run", "three.ssd", "--one-thread", "a", "--one-thread", "x*", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "one-thread: no component matches 'x*'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(the_program_tells_when_threads_are_at_work),
        test_in_sandbox(the_program_checks_jobs_and_names_of_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
