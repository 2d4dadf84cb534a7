// SPDX-License-Identifier: MIT
// FMUs in processes of their own (--isolate): what goes wrong in one is named as within the process, results are
// complete, the exit code says what happened, and nothing is left behind.
#include "support/examples.h"
#include "support/hostile.h"
#include "support/results.h"

#define run_isolated(box, guid, ...) test_run_hostile(box, guid, "--isolate", __VA_ARGS__)

#define ENGINE "takt: error: component 'Engine' (Engine.fmu): "
#define RESULTS(t) " at t=" t " s; results up to t=" t " s are complete"

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
    static const char *const guids[] = {"folder always",   "locale always", "mask always",
                                        "handlers always", "close always",  "folder instantiate"};
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

// How the processor computes is put back after each call, as in the process; else the FMU would compute differently.
static void what_an_fmu_changes_of_the_processor_is_undone(void **state)
{
    test_sandbox *box = *state;
    run_isolated(box, "nothing step", NULL);
    char *expected = test_read_file(box, "r.csv", NULL);
    static const char *const cases[][2] = {
        {"round always", "changes how numbers are rounded (in fmi2DoStep)"},
#if defined(__x86_64__)
        {"flush always", "changes that tiny numbers count as zero (in fmi2DoStep)"},
        {"trap always", "changes which floating-point exceptions end the program (in fmi2DoStep)"},
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_isolated(box, cases[i][0], NULL);
        assert_exit(box, 0);
        assert_contains(box->err, cases[i][1]);
        char *found = test_read_file(box, "r.csv", NULL);
        assert_string_equal(found, expected);
        free(found);
    }
    free(expected);
}

// 4 GB, which nobody reads.
static void fmu_may_print_gigabytes(void **state)
{
    test_sandbox *box = *state;
    test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", "print step");
    for (int i = 0; i < 2; i++) {
        test_run_program(box, "/bin/sh", "-c",
                         "\"$0\" run Engine.fmu --step-size 0.1 --stop-time 1 -o r.csv "
                         "--stats stats.json \"$@\" > /dev/null 2> /dev/null",
                         TAKT_PROGRAM, i ? "--isolate" : "--quiet", NULL);
        assert_exit(box, 0);
        test_hostile_rows(box, 11, "ok");
    }
}

static void fmu_that_hangs_is_named_and_ended(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {{"loop step", "0.4"}, {"deadlock step", "0.4"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_isolated(box, cases[i][0], "--timeout", "0.3", NULL);
        assert_one_error(box, 5,
                         "instance 'Engine' at t=0.4 s: fmi2DoStep has not returned within 0.3 s");
        test_hostile_rows(box, 5, "timeout");
    }
}

static void forget(const test_sandbox *box, const char *name)
{
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", box->work, name);
    remove(path);
}

// The same, byte by byte: in the process, then isolated.
static void compare(test_sandbox *box, const char *project, const char *const options[5],
                    const char *on_crash)
{
    const char *o[5] = {"--quiet", "--quiet", "--quiet", "--quiet", "--quiet"};
    for (int i = 0; i < 5 && options[i]; i++) o[i] = options[i];
    const char *shown = project;
    bool is_fmu = strstr(project, ".fmu") != NULL;
    if (!is_fmu) test_link(box, "fmus", TEST_FMUS);
    if (!is_fmu) test_ssd_copy(box, project, "project.ssd");
    if (!is_fmu) project = "project.ssd";
    forget(box, "a.csv");
    forget(box, "b.csv");
    test_run(box, "run", project, "--output-file", "a.csv", o[0], o[1], o[2], o[3], o[4], NULL);
    int code = box->exit_code;
    test_run(box, "run", project, "--output-file", "b.csv", "--isolate", "--on-crash", on_crash,
             o[0], o[1], o[2], o[3], o[4], NULL);
    assert_int_equal(box->exit_code, code);
    char *a = test_read_file(box, "a.csv", NULL), *b = test_read_file(box, "b.csv", NULL);
    assert_true(!a == !b);
    assert_true(a || code); // some algorithms and interfaces are refused
    if (a && b && strcmp(a, b) != 0) fail_msg("%s, %s %s: other results", shown, o[0], o[1]);
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
        {"loop step", "has not returned within 1 s of real time"},
        {"exit0 free", "ended the program by exit(0) in fmi2FreeInstance; from here on"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_isolated(box, cases[i][0], "--on-crash", "hold", "--timeout", "1", NULL);
        assert_exit(box, 0);
        assert_contains(box->err, cases[i][1]);
        test_hostile_rows(box, 11, "ok");
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
    test_hostile_rows(box, 5, "crashed");
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
    assert_int_equal(test_count(box->err, "the sandbox refused"),
                     0); // what lies there says nothing
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_true(r.n_rows >= 5);
    test_results_clear(&r);
}

// As above, with numbers that could be right, at random places of the head, the log, questions and answers, once or all the time.
static void whatever_lies_in_shared_memory_the_master_goes_on_or_says_what(void **state)
{
    test_sandbox *box = *state;
    for (int seed = 0; seed < 40; seed++) {
        char guid[32];
        snprintf(guid, sizeof guid, seed % 4 ? "spoil%d step" : "storm%d step", seed);
        run_isolated(box, guid, "--timeout", "0.5", NULL);
        int code = box->exit_code;
        if (code != 0 && code != 1 && code != 4 && code != 5) print_error("%s", box->err);
        assert_true(code == 0 || code == 1 || code == 4 || code == 5);
        if (code) assert_contains(box->err, "'Engine'");
        test_results r;
        test_results_read(&r, box, "r.csv");
        assert_true(r.n_rows >= (code ? 5 : 11));
        test_results_clear(&r);
    }
}

static void compare_example(test_sandbox *box, const char *project, const char *algorithm,
                            const char *stop)
{
    compare(box, project, (const char *const[5]){"--algorithm", algorithm, stop}, "stop");
}

static void results_of_every_example_are_the_same(void **state)
{
    test_each_example(*state, "TAKT_TEST_ISOLATE", compare_example);
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
        test_in_sandbox(calls_on_the_stack_are_in_the_log),
        test_in_sandbox(what_an_fmu_changes_stays_in_its_process),
        test_in_sandbox(what_an_fmu_changes_of_the_processor_is_undone),
        test_in_sandbox(fmu_may_print_gigabytes),
        test_in_sandbox(fmu_that_hangs_is_named_and_ended),
        test_in_sandbox(fmu_that_writes_over_shared_memory_harms_only_itself),
        test_in_sandbox(whatever_lies_in_shared_memory_the_master_goes_on_or_says_what),
        test_in_sandbox(outputs_of_an_fmu_that_crashed_are_held),
        test_in_sandbox(fmu_that_always_crashes_is_given_up),
        test_in_sandbox(results_are_the_same_where_a_restart_is_possible),
        test_in_sandbox(results_of_every_example_are_the_same),
        test_in_sandbox(results_are_the_same_for_every_kind_of_fmu),
        test_in_sandbox(results_are_the_same_with_central_integration),
        test_in_sandbox(others_are_not_isolated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
