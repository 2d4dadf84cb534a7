// SPDX-License-Identifier: MIT
// Whatever fails in a simulation over several processes is told once, with its place, and nothing hangs.
#include <signal.h>

#include "support/hostile.h"
#include "support/mpi.h"
#include "support/ssd.h"

static void failures_are_told_once_with_their_place(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Misbehave", "in:u out:y");
    test_ssd_component(&ssd, "B", "Misbehave", "in:u out:y");
    test_ssd_connect(&ssd, "A.y", "B.u");
    test_ssd_write(&ssd, box, "two.ssd", 0, 1, "step-size=\"0.1\"");
    static const struct {
        const char *what, *message;
        int code;
    } cases[] = {
        {"error", "instance 'B' at t=0.4 s: fmi2DoStep failed", 1},
        {"slow", "has not returned within 1 s of real time", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[512];
        snprintf(command, sizeof command,
                 "run two.ssd -q -o r.csv --place B=1 --place A=0 --set B.what=%s --set B.when=0.5 "
                 "--set B.delay=100 --timeout 1",
                 cases[i].what);
        test_run_mpi(box, "2", command);
        assert_exit(box, cases[i].code);
        assert_contains(box->err, cases[i].message);
        if (strcmp(cases[i].what, "slow") == 0) assert_contains(box->err, "(rank 1 on host ");
    }
    test_run_mpi(box, "2", "run two.ssd --place C=1");
    assert_exit(box, 2);
    assert_contains(box->err, "--place C=1: no component matches");
    test_run_mpi(box, "2", "run two.ssd --place B=2");
    assert_exit(box, 2);
    assert_contains(box->err, "there are 2 ranks, the last one is 1");
    test_run_mpi(box, "2", "run none.ssd");
    assert_exit(box, 3);
}

static void a_crash_on_another_rank_is_named(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", "segfault step");
    test_run_mpi(box, "2",
                 "run Engine.fmu --step-size 0.1 --stop-time 1 -o r.csv -q --place Engine=1");
    assert_exit(box, 4);
    assert_contains(box->err, "component 'Engine' (Engine.fmu): crashed with SIGSEGV in fmi2DoStep "
                              "(rank 1 on host ");
    assert_contains(box->err, "results up to t=0.4 s are complete");
    char *rows = test_read_file(box, "r.csv", NULL);
    assert_int_equal(test_count(rows, "\n"), 6);
    free(rows);
}

// The processes of the ranks, by their parent.
static pid_t rank_process(pid_t mpirun, int rank)
{
    char command[128];
    snprintf(
        command, sizeof command,
        "for p in $(ps -o pid= --ppid %d); do ps -o pid= --ppid $p; done | sort -n | sed -n %dp",
        (int)mpirun, rank + 1);
    FILE *file = popen(command, "r");
    int process = 0;
    if (!file || fscanf(file, "%d", &process) != 1) process = 0;
    if (file) pclose(file);
    return (pid_t)process;
}

static void killed_ranks_end_the_run(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_ssd_example(box, "lotka_volterra");
    for (int rank = 0; rank < 3; rank++) {
        char command[256], file[16];
        snprintf(file, sizeof file, "r%d.csv", rank);
        snprintf(command, sizeof command,
                 "run lotka_volterra.ssd --stop-time 1e6 -q -o %s --place Prey=1 "
                 "--place Predator=2 --algorithm jacobi",
                 file);
        test_start_program(box, "bash", "-c", "set -f; " TEST_MPIRUN "\"$0\" \"$1-mpi\" $2", "3",
                           TAKT_PROGRAM, command, NULL);
        test_wait_for_lines(box, file, 10 + 40 * rank);
        pid_t process = rank_process(box->process, rank);
        assert_true(process > 0);
        kill(process, SIGKILL);
        test_wait(box);
        assert_int_not_equal(box->exit_code, 0);
        assert_int_not_equal(box->exit_code, 124); // timeout: it has hung
        if (rank) assert_contains(box->err, "does not answer any more: its process (rank ");
        if (rank) assert_contains(box->err, " s are complete");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(failures_are_told_once_with_their_place),
        test_in_sandbox(a_crash_on_another_rank_is_named),
        test_in_sandbox(killed_ranks_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
