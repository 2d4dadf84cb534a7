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

enum { N_RING = 24 }; // FMUs

// A ring whose FMUs are on all three ranks, several on each.
static void write_ring(test_sandbox *box)
{
    test_ssd ssd = {0};
    for (int i = 0; i < N_RING; i++) {
        char name[16], from[16], to[16];
        snprintf(name, sizeof name, "c%d", i);
        snprintf(from, sizeof from, "c%d.x", i);
        snprintf(to, sizeof to, "c%d.u", (i + 1) % N_RING);
        test_ssd_component(&ssd, name, "Lag", "in:u out:x");
        test_ssd_connect(&ssd, from, to);
    }
    test_ssd_write(&ssd, box, "ring.ssd", 0, 1e6, "step-size=\"0.1\"");
}

// A long run of three ranks that has written so many lines.
static void start_long(test_sandbox *box, const char *file, int n_lines, const char *patience)
{
    char command[256];
    snprintf(command, sizeof command,
             "run ring.ssd -q -o %s --place c?=1 --place c1?=2 --place c2?=0 --algorithm jacobi",
             file);
    test_start_mpi(box, "3", command, patience);
    test_wait_for_lines(box, file, n_lines);
}

// The file ends with a complete row.
static void assert_complete(test_sandbox *box, const char *file)
{
    size_t n;
    char *rows = test_read_file(box, file, &n);
    assert_non_null(rows);
    assert_true(n > 0 && rows[n - 1] == '\n');
    char *last = rows + n - 1;
    while (last > rows && last[-1] != '\n') last--;
    assert_int_equal(test_count(last, ","), N_RING);
    free(rows);
}

// TAKT_TEST_KILLS=50 does it as often, at moments of which nobody knows what goes on.
static void killed_ranks_end_the_run(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    write_ring(box);
    const char *asked = getenv("TAKT_TEST_KILLS");
    int n_kills = asked ? (int)strtol(asked, NULL, 10) : 2;
    for (int i = 0; i < n_kills; i++) {
        char file[16];
        int rank = i % 3;
        snprintf(file, sizeof file, "r%d.csv", i);
        start_long(box, file, 10 + (i * 97) % 400, rank ? "2" : "0");
        kill(test_rank_process(box, rank), SIGKILL);
        test_wait(box);
        assert_int_not_equal(box->exit_code, 0);
        assert_int_not_equal(box->exit_code, 124); // timeout: it has hung
        if (rank == 0) continue;
        assert_contains(box->err, "does not answer any more: its process (rank ");
        assert_int_equal(test_count(box->err, "takt: "), 1);
        assert_contains(box->err, " s are complete");
        assert_complete(box, file);
    }
}

/// Who gets a signal.
typedef enum target { MPIRUN, ONE_RANK, ALL_RANKS, EVERYBODY } target;

static void send_signal(test_sandbox *box, target to, int number)
{
    pid_t ranks[3], mpirun = test_mpirun_process(box);
    for (int i = 0; i < 3; i++) ranks[i] = test_rank_process(box, i);
    for (int i = 0; i < 3; i++)
        if (to == ALL_RANKS || to == EVERYBODY || (to == ONE_RANK && i == 1))
            kill(ranks[i], number);
    if (to == MPIRUN || to == EVERYBODY) kill(mpirun, number);
}

// Ctrl-C reaches mpirun, schedulers also tell some or all of the ranks.
static void signals_end_the_run_in_order(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    write_ring(box);
    static const struct {
        target to;
        int number, code; // that of mpirun is 1 if it is the one who ends the ranks
        const char *patience;
    } cases[] = {
        {MPIRUN, SIGINT, 1, "2"},
        {ONE_RANK, SIGTERM, 130, "0"},
        {ALL_RANKS, SIGTERM, 130, "0"},
        {EVERYBODY, SIGTERM, 1, "2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[16];
        snprintf(file, sizeof file, "r%d.csv", (int)i);
        start_long(box, file, 20, cases[i].patience);
        send_signal(box, cases[i].to, cases[i].number);
        test_wait(box);
        assert_exit(box, cases[i].code);
        assert_int_equal(test_count(box->err, "takt: "), 1);
        assert_contains(box->err, "takt: interrupted at t = ");
        assert_contains(box->err, "the results up to there are complete");
        assert_complete(box, file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(failures_are_told_once_with_their_place),
        test_in_sandbox(a_crash_on_another_rank_is_named),
        test_in_sandbox(killed_ranks_end_the_run),
        test_in_sandbox(signals_end_the_run_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
