// SPDX-License-Identifier: MIT
// FMUs in processes of their own (--isolate): what goes wrong in one is named as within the process, results are
// complete, the exit code says what happened, and nothing is left behind.
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/hostile.h"
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

#define run_isolated(box, guid, ...)                                                               \
    do {                                                                                           \
        test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", guid);                                   \
        test_run(box, "run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1",               \
                 "--output-file", "r.csv", "--stats", "stats.json", "--isolate", __VA_ARGS__);     \
    } while (0)

static void check_rows(test_sandbox *box, int n_rows, const char *status)
{
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_int_equal(r.n_rows, n_rows);
    for (int i = 0; i < n_rows; i++) assert_near(test_result_time(&r, i), 0.1 * i, 1e-12);
    test_results_clear(&r);
    json_t *s = test_statistics_read(box, "stats.json");
    assert_string_equal(test_word(s, "status"), status);
    json_decref(s);
}

#define ENGINE "takt: error: component 'Engine' (Engine.fmu): "
#define RESULTS(t) " at t=" t " s; results up to t=" t " s are complete"

typedef struct crash_case {
    const char *guid, *message;
    int n_rows; // 0: there are no results
} crash_case;

static void every_crash_is_named(void **state)
{
    test_sandbox *box = *state;
    static const crash_case cases[] = {
        {"segfault step", "crashed with SIGSEGV in fmi2DoStep" RESULTS("0.4"), 5},
        {"bus step", "crashed with SIGBUS in fmi2DoStep" RESULTS("0.4"), 5},
        {"illegal step", "crashed with SIGILL in fmi2DoStep" RESULTS("0.4"), 5},
        {"abort step", "crashed with SIGABRT in fmi2DoStep" RESULTS("0.4"), 5},
        {"divide step", "crashed with SIGFPE in fmi2DoStep" RESULTS("0.4"), 5},
        {"overflow step", "crashed with SIGSEGV (stack overflow) in fmi2DoStep" RESULTS("0.4"), 5},
        {"exit0 step", "ended the program by exit(0) in fmi2DoStep" RESULTS("0.4"), 5},
        {"exit7 step", "ended the program by exit(7) in fmi2DoStep" RESULTS("0.4"), 5},
        {"_exit step", "ended the program by _exit(0) in fmi2DoStep" RESULTS("0.4"), 5},
        {"quick step", "ended the program by quick_exit(0) in fmi2DoStep" RESULTS("0.4"), 5},
        {"kill step", "crashed with SIGKILL during a step" RESULTS("0.4"), 5},
        {"segfault get", "crashed with SIGSEGV in fmi2GetReal" RESULTS("0.4"), 5},
        {"segfault logger", "crashed with SIGSEGV in fmi2DoStep" RESULTS("0.4"), 5},
        {"thread step", "crashed with SIGSEGV in a thread of its own" RESULTS("0.4"), 5},
        {"thread_exit step", "ended the program by exit(3) in a thread of its own" RESULTS("0.4"),
         5},
        {"segfault terminate", "crashed with SIGSEGV in fmi2Terminate at t=1 s", 11},
        {"segfault free", "crashed with SIGSEGV in fmi2FreeInstance at t=1 s", 11},
        {"exit0 free", "ended the program by exit(0) in fmi2FreeInstance at t=1 s", 11},
        {"segfault initialize", "crashed with SIGSEGV in fmi2EnterInitializationMode at t=0 s", 0},
        {"segfault instantiate", "crashed with SIGSEGV during its instantiation", 0},
        {"exit0 instantiate", "ended the program by exit(0) during its instantiation", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char piece[300];
        run_isolated(box, cases[i].guid, NULL);
        snprintf(piece, sizeof piece, ENGINE "%s", cases[i].message);
        assert_one_error(box, 4, piece);
        if (cases[i].n_rows) check_rows(box, cases[i].n_rows, "crashed");
    }
}

static void calls_on_the_stack_are_in_the_log(void **state)
{
    test_sandbox *box = *state;
    run_isolated(box, "segfault step", "--log-level", "info", NULL);
    assert_exit(box, 4);
    assert_contains(box->err, "hostile.so: fmi2DoStep+0x");
}

// What an FMU changes belongs to its process alone: results are the same, and nothing has to be undone.
static void what_an_fmu_changes_stays_in_its_process(void **state)
{
    test_sandbox *box = *state;
    run_isolated(box, "nothing step", NULL);
    assert_exit(box, 0);
    char *expected = test_read_file(box, "r.csv", NULL);
    static const char *const guids[] = {"folder always", "locale always", "mask always",
                                        "handlers always", "close always"};
    for (size_t i = 0; i < sizeof guids / sizeof *guids; i++) {
        run_isolated(box, guids[i], NULL);
        assert_exit(box, 0);
        assert_string_equal(box->err, "");
        char *found = test_read_file(box, "r.csv", NULL);
        assert_string_equal(found, expected);
        free(found);
    }
    free(expected);
}

static void fmu_that_hangs_is_named_and_ended(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {{"loop step", "0.4"}, {"deadlock step", "0.4"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_isolated(box, cases[i][0], "--timeout", "0.3", NULL);
        assert_one_error(box, 5,
                         "instance 'Engine' at t=0.4 s: fmi2DoStep has not returned within 0.3 s");
        check_rows(box, 5, "timeout");
    }
}

// The same, byte by byte: in the process, then isolated.
static void compare(test_sandbox *box, const char *project, const char *const options[5],
                    const char *on_crash)
{
    const char *o[5] = {"--quiet", "--quiet", "--quiet", "--quiet", "--quiet"};
    for (int i = 0; i < 5 && options[i]; i++) o[i] = options[i];
    bool is_fmu = strstr(project, ".fmu") != NULL;
    if (!is_fmu) test_link(box, "fmus", TEST_FMUS);
    if (!is_fmu) test_ssd_copy(box, project, "project.ssd");
    if (!is_fmu) project = "project.ssd";
    test_run(box, "run", project, "--output-file", "a.csv", o[0], o[1], o[2], o[3], o[4], NULL);
    int code = box->exit_code;
    test_run(box, "run", project, "--output-file", "b.csv", "--isolate", "--on-crash", on_crash,
             o[0], o[1], o[2], o[3], o[4], NULL);
    assert_int_equal(box->exit_code, code);
    char *a = test_read_file(box, "a.csv", NULL), *b = test_read_file(box, "b.csv", NULL);
    assert_non_null(a);
    assert_non_null(b);
    if (a && b) assert_string_equal(a, b);
    free(a);
    free(b);
}

// The FMU passes its input on: all outputs are those of the start.
static void outputs_of_an_fmu_that_crashed_are_held(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {
        {"segfault step", "crashed with SIGSEGV in fmi2DoStep; from here on its outputs keep"},
        {"segfault get", "crashed with SIGSEGV in fmi2GetReal; from here on its outputs keep"},
        {"loop step", "has not returned within 0.3 s of real time"},
        {"exit0 free", "ended the program by exit(0) in fmi2FreeInstance; from here on"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_isolated(box, cases[i][0], "--on-crash", "hold", "--timeout", "0.3", NULL);
        assert_exit(box, 0);
        assert_contains(box->err, cases[i][1]);
        check_rows(box, 11, "ok");
    }
    run_isolated(box, "segfault initialize", "--on-crash", "hold", NULL);
    assert_exit(box, 4);
}

// It would crash in the same way each time.
static void fmu_that_always_crashes_is_given_up(void **state)
{
    test_sandbox *box = *state;
    run_isolated(box, "segfault step", "--on-crash", "restart", NULL);
    assert_one_error(box, 4, ENGINE "crashed with SIGSEGV in fmi2DoStep" RESULTS("0.4"));
    assert_contains(box->err, "cannot serialise its state, so that it cannot be restarted");
    check_rows(box, 5, "crashed");
}

// Each step's state travels to the master, which must not change results.
static void results_are_the_same_where_a_restart_is_possible(void **state)
{
    test_sandbox *box = *state;
    static const char *const projects[] = {TEST_FMUS "/Swing.fmu", TEST_FMUS "/Chain.fmu"};
    for (size_t i = 0; i < sizeof projects / sizeof *projects; i++)
        compare(box, projects[i], (const char *const[5]){"--stop-time", "1", "--step-size", "0.1"},
                "restart");
}

// Whatever it writes where the master reads: the run ends with a message, or goes on with what is finite.
static void fmu_that_writes_over_shared_memory_harms_only_itself(void **state)
{
    test_sandbox *box = *state;
    run_isolated(box, "scribble step", "--timeout", "2", NULL);
    assert_true(box->exit_code == 1 || box->exit_code == 4 || box->exit_code == 5);
    assert_contains(box->err, "'Engine'");
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_true(r.n_rows >= 5);
    test_results_clear(&r);
}

static void results_are_the_same_for_every_algorithm(void **state)
{
    test_sandbox *box = *state;
    static const char *const algorithms[] = {"auto",   "jacobi",       "seidel",  "fixed-point",
                                             "newton", "quasi-newton", "anderson"};
    static const char *const projects[] = {TAKT_EXAMPLES "/math003/math003.ssd",
                                           TAKT_EXAMPLES "/coupling/22_rc_circuit/system.ssd"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        for (size_t k = 0; k < sizeof projects / sizeof *projects; k++)
            compare(box, projects[k],
                    (const char *const[5]){"--algorithm", algorithms[i], "--stop-time", "0.5"},
                    "stop");
}

static void results_are_the_same_for_every_kind_of_fmu(void **state)
{
    test_sandbox *box = *state;
    static const char *const names[] = {"Ball",        "Ball_fmi1",       "Ball_fmi1me",
                                        "Ball_fmi3",   "Arrays_fmi3",     "Types3_fmi3",
                                        "Passthrough", "ClockTimer_fmi3", "EventGain_fmi3",
                                        "Swing",       "Relay_fmi3",      "Chain"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[2 * TEST_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s.fmu", TEST_FMUS, names[i]);
        compare(box, path, (const char *const[5]){"--stop-time", "1", "--step-size", "0.1"},
                "stop");
        compare(box, path, (const char *const[5]){"--stop-time", "1", "--interface", "me"}, "stop");
        compare(box, path,
                (const char *const[5]){"--stop-time", "1", "--step-control", "richardson"}, "stop");
    }
}

static void results_are_the_same_with_central_integration(void **state)
{
    test_sandbox *box = *state;
    compare(box, TAKT_EXAMPLES "/model_exchange/model_exchange.ssd",
            (const char *const[5]){"--me", "central", "--stop-time", "0.2"}, "stop");
}

static void the_sandbox_refuses_and_says_what(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {
        {"read step", "refused FMU Engine.fmu /etc/passwd; --sandbox-read PATH allows"},
        {"write step", "refused FMU Engine.fmu /tmp/hostile; --sandbox-read PATH allows"},
        {"network step", "refused FMU Engine.fmu the network, or a connection to another program"},
        {"fork step", "refused FMU Engine.fmu starting another program (system)"},
        {"others step", "refused FMU Engine.fmu looking into other processes (ptrace)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_isolated(box, cases[i][0], "--sandbox", NULL);
        assert_exit(box, 0);
        assert_contains(box->err, cases[i][1]);
        check_rows(box, 11, "ok");
    }
    run_isolated(box, "read step", "--sandbox", "--sandbox-read", "/etc/passwd", NULL);
    assert_exit(box, 4);
    assert_contains(box->err, "ended the program by exit(11) in fmi2DoStep");
}

// Without a sandbox all of this is possible; so the tests above show something.
static void without_the_sandbox_nothing_is_refused(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {{"read step", "exit(11)"},
                                           {"network step", "exit(14)"},
                                           {"fork step", "exit(15)"},
                                           {"others step", "exit(17)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_isolated(box, cases[i][0], NULL);
        assert_exit(box, 4);
        assert_contains(box->err, cases[i][1]);
    }
}

#ifndef __SANITIZE_ADDRESS__
static void memory_is_limited(void **state)
{
    test_sandbox *box = *state;
    run_isolated(box, "memory step", "--memory-limit", "300MB", NULL);
    assert_one_error(box, 4, ENGINE "crashed with SIGABRT in fmi2DoStep" RESULTS("0.4"));
    run_isolated(box, "nothing step", "--memory-limit", "300MB", NULL);
    assert_exit(box, 0);
    run_isolated(box, "nothing step", "--memory-limit", "much", NULL);
    assert_one_error(box, 2, "memory-limit: 'much' is not a size");
}

#endif

// Neither processes nor folders, whatever happened.
static void nothing_is_left_behind(void **state)
{
    test_sandbox *box = *state;
    static const char *const guids[] = {"nothing step", "segfault step", "exit0 free"};
    for (size_t i = 0; i < sizeof guids / sizeof *guids; i++)
        run_isolated(box, guids[i], "--sandbox", NULL);
    DIR *folder = opendir(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(folder);
    char own[64];
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        long process = 0;
        if (sscanf(entry->d_name, "takt-worker-%ld", &process) != 1) continue;
        snprintf(own, sizeof own, "/proc/%ld", process); // that of a test beside this one
        if (access(own, F_OK)) fail_msg("%s is left", entry->d_name);
    }
    if (folder) closedir(folder);
}

static void others_are_not_isolated(void **state)
{
    test_sandbox *box = *state;
    char path[2 * TEST_PATH_SIZE];
    test_ssd ssd = {0};
    test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", "segfault step");
    snprintf(path, sizeof path, "%s/Engine.fmu", box->work);
    test_ssd_component(&ssd, "Good", "Gain", "in:u out:y");
    test_ssd_component(&ssd, "Bad", path, "in:u out:y");
    test_ssd_connect(&ssd, "Good.y", "Bad.u");
    test_ssd_write(&ssd, box, "s.ssd", 0, 1, "step-size=\"0.1\" isolate=\"B*\"");
    test_run(box, "run", "s.ssd", "--output-file", "r.csv", NULL);
    assert_one_error(box, 4, "takt: error: component 'Bad' (Engine.fmu): crashed with SIGSEGV in");
    test_run(box, "run", "s.ssd", "--isolate", "Nobody", "--output-file", "r.csv", NULL);
    assert_contains(box->err, "isolate: no component matches 'Nobody'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(every_crash_is_named),
        test_in_sandbox(calls_on_the_stack_are_in_the_log),
        test_in_sandbox(what_an_fmu_changes_stays_in_its_process),
        test_in_sandbox(fmu_that_hangs_is_named_and_ended),
        test_in_sandbox(fmu_that_writes_over_shared_memory_harms_only_itself),
        test_in_sandbox(outputs_of_an_fmu_that_crashed_are_held),
        test_in_sandbox(fmu_that_always_crashes_is_given_up),
        test_in_sandbox(results_are_the_same_where_a_restart_is_possible),
        test_in_sandbox(the_sandbox_refuses_and_says_what),
        test_in_sandbox(without_the_sandbox_nothing_is_refused),
#ifndef __SANITIZE_ADDRESS__ // whose own memory is beyond any limit
        test_in_sandbox(memory_is_limited),
#endif
        test_in_sandbox(nothing_is_left_behind),
        test_in_sandbox(results_are_the_same_for_every_algorithm),
        test_in_sandbox(results_are_the_same_for_every_kind_of_fmu),
        test_in_sandbox(results_are_the_same_with_central_integration),
        test_in_sandbox(others_are_not_isolated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
