// SPDX-License-Identifier: MIT
// One simulation on two computers that share no files: network namespaces, see tests/mpi/two_hosts.sh. Where these cannot be made nothing
// is tested, which is said.
#include "support/hostile.h"
#include "support/mpi.h"
#include "support/ssd.h"

// False where that is not possible here.
static bool run_on_two_hosts(test_sandbox *box, const char *command)
{
    enum { CANNOT = 77 };
    test_run_program(box, "bash", "-c", "set -f; exec \"$0\" \"$1-mpi\" $2",
                     TAKT_TESTS "/mpi/two_hosts.sh", TAKT_PROGRAM, command, NULL);
    if (box->exit_code == CANNOT) print_message("%s", box->out);
    return box->exit_code != CANNOT;
}

static void fmus_travel_to_computers_that_do_not_see_them(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_ssd_example(box, "lotka_volterra");
    test_ssd_example(box, "model_exchange");
    static const char *const cases[] = {
        "lotka_volterra.ssd --stop-time 5 --place Predator=1 --place Prey=0",
        "lotka_volterra.ssd --stop-time 5 --algorithm jacobi --place *=1",
        "model_exchange.ssd --stop-time 0.5 --place *=1",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[512];
        snprintf(command, sizeof command, "run %s -q -o two.csv", cases[i]);
        if (!run_on_two_hosts(box, command)) return;
        assert_exit(box, 0);
        snprintf(command, sizeof command, "set -f; exec \"$0\" run %.*s -q -o one.csv",
                 (int)(strstr(cases[i], " --place") - cases[i]), cases[i]);
        test_run_program(box, "bash", "-c", command, TAKT_PROGRAM, NULL);
        assert_exit(box, 0);
        char *one = test_read_file(box, "one.csv", NULL),
             *two = test_read_file(box, "two.csv", NULL);
        assert_string_equal(one, two);
        free(one);
        free(two);
    }
}

static void the_computer_of_a_crash_is_named(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", "segfault step");
    if (!run_on_two_hosts(
            box, "run Engine.fmu --step-size 0.1 --stop-time 1 -o r.csv -q --place Engine=1"))
        return;
    assert_exit(box, 4);
    assert_contains(box->err, "crashed with SIGSEGV in fmi2DoStep (rank 1 on host beta)");
    char *rows = test_read_file(box, "r.csv", NULL);
    assert_int_equal(test_count(rows, "\n"), 6);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(fmus_travel_to_computers_that_do_not_see_them),
        test_in_sandbox(the_computer_of_a_crash_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
