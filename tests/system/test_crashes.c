// SPDX-License-Identifier: MIT
// FMUs that crash or end the program, by a hand-written library (hostile_fmu.c) that does it in the step from 0.4 s to
// 0.5 s: exit code 4, one message that names component, call and time, complete results, nothing left behind.
#include <signal.h>

#include "support/hostile.h"
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

// What happens, and what the message says about it.
typedef struct crash_case {
    const char *guid, *message;
    int n_rows; // 0: there are no results
} crash_case;

#define ENGINE "takt: error: component 'Engine' (Engine.fmu): "
#define RESULTS " at t=0.4 s; results up to t=0.4 s are complete"

static const crash_case crashes[] = {
    {"segfault step", "crashed with SIGSEGV in fmi2DoStep" RESULTS, 5},
    {"bus step", "crashed with SIGBUS in fmi2DoStep" RESULTS, 5},
    {"illegal step", "crashed with SIGILL in fmi2DoStep" RESULTS, 5},
    {"abort step", "crashed with SIGABRT in fmi2DoStep" RESULTS, 5},
    {"divide step", "crashed with SIGFPE in fmi2DoStep" RESULTS, 5},
    {"throw step", "crashed with SIGABRT in fmi2DoStep" RESULTS, 5},
    {"overflow step", "crashed with SIGSEGV (stack overflow) in fmi2DoStep" RESULTS, 5},
    {"exit0 step", "ended the program by exit(0) in fmi2DoStep" RESULTS, 5},
    {"exit7 step", "ended the program by exit(7) in fmi2DoStep" RESULTS, 5},
    {"_exit step", "ended the program by _exit(0) in fmi2DoStep" RESULTS, 5},
    {"quick step", "ended the program by quick_exit(0) in fmi2DoStep" RESULTS, 5},
    {"segfault get", "crashed with SIGSEGV in fmi2GetReal", 5},
    {"segfault logger", "crashed with SIGSEGV in fmi2DoStep" RESULTS, 5},
    {"thread step", "crashed with SIGSEGV in a thread of its own" RESULTS, 5},
    {"thread_exit step", "ended the program by exit(3) in a thread of its own" RESULTS, 5},
#if !defined __SANITIZE_ADDRESS__ &&                                                               \
    !defined __SANITIZE_THREAD__ // which replace these functions themselves
    {"default step", "crashed with SIGSEGV in fmi2DoStep" RESULTS, 5},
    {"sigaction step", "crashed with SIGSEGV in fmi2DoStep" RESULTS, 5},
    {"handler step", "crashed with SIGSEGV in fmi2DoStep" RESULTS, 5},
    {"pthread_exit step", "ended the program by pthread_exit() in fmi2DoStep" RESULTS, 5},
#endif
    {"segfault terminate", "crashed with SIGSEGV in fmi2Terminate at t=1 s", 11},
    {"segfault free", "crashed with SIGSEGV in fmi2FreeInstance at t=1 s", 11},
    {"exit0 free", "ended the program by exit(0) in fmi2FreeInstance at t=1 s", 11},
    {"segfault initialize", "crashed with SIGSEGV in fmi2EnterInitializationMode at t=0 s", 0},
    {"segfault instantiate", "crashed with SIGSEGV during its instantiation", 0},
    {"exit0 instantiate", "ended the program by exit(0) during its instantiation", 0},
};

// What no program outlives, if it is its own.
static const crash_case worst_cases[] = {
    {"kill step", "crashed with SIGKILL during a step" RESULTS, 5},
#ifndef __SANITIZE_ADDRESS__ // which ends the program in a way of its own
    {"heap step", "crashed with SIGABRT in fmi2DoStep" RESULTS, 5},
#endif
};
enum {
    N_CRASHES = sizeof crashes / sizeof *crashes,
    N_WORST_CASES = sizeof worst_cases / sizeof *worst_cases
};

static void check_crashes(test_sandbox *box, const crash_case *from, int n, const char *option)
{
    for (const crash_case *at = from; at < from + n; at++) {
        char piece[300];
        test_run_hostile(box, at->guid, option, NULL);
        snprintf(piece, sizeof piece, ENGINE "%s", at->message);
        assert_one_error(box, 4, piece);
        bool is_late = strstr(at->guid, " free") && strcmp(option, "--isolate") != 0;
        // Statistics are written before FMUs of the process are freed.
        if (at->n_rows) test_hostile_rows(box, at->n_rows, is_late ? "ok" : "crashed");
    }
}

static void every_way_to_crash_is_named(void **state)
{
    check_crashes(*state, crashes, N_CRASHES, "--quiet");
}

static void every_way_to_crash_is_named_in_a_process_of_its_own(void **state)
{
    check_crashes(*state, crashes, N_CRASHES, "--isolate");
    check_crashes(*state, worst_cases, N_WORST_CASES, "--isolate");
}

// What it does with threads of its own is its business.
static void an_fmu_may_end_threads_of_its_own(void **state)
{
    test_sandbox *box = *state;
    test_run_hostile(box, "own_exit step", "--quiet", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
}

static void write_pair(test_sandbox *box)
{
    char path[2 * TEST_PATH_SIZE];
    test_ssd ssd = {0};
    snprintf(path, sizeof path, "%s/Engine.fmu", box->work);
    test_ssd_component(&ssd, "Good", "Gain", "in:u out:y");
    test_ssd_component(&ssd, "Bad", path, "in:u out:y");
    test_ssd_connect(&ssd, "Good.y", "Bad.u");
    test_ssd_connect(&ssd, "Bad.y", "Good.u");
    test_ssd_write(&ssd, box, "s.ssd", 0, 1, "step-size=\"0.1\"");
}

// Fast segments, single calls, several threads and processes: the one that crashes is named.
static void the_component_that_crashes_is_named_among_others(void **state)
{
    test_sandbox *box = *state;
    write_pair(box);
    static const char *const how[] = {"--jobs=1", "--jobs=2", "--isolate"};
    static const char *const guids[][2] = {{"segfault step", "in fmi2DoStep"},
                                           {"segfault set", "in fmi2SetReal"},
                                           {"exit0 get", "in fmi2GetReal"}};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", guids[k][0]);
            test_run(box, "run", "s.ssd", "--algorithm", "jacobi", how[i], "--step-size", "0.001",
                     "--set", "Good.k=0.5", "--output-file", "r.csv", NULL);
            assert_one_error(box, 4, "takt: error: component 'Bad' (Engine.fmu): ");
            assert_contains(box->err, guids[k][1]);
            assert_contains(box->err, "results up to t=0.");
            test_results r;
            test_results_read(&r, box, "r.csv");
            assert_true(r.n_rows >= 499 && r.n_rows <= 502);
            test_results_clear(&r);
        }
}

// ---- what an FMU changes ---------------------------------------------------------------------------

// With rounding upwards, or a decimal comma, results would look different.
static void check_results(test_sandbox *box, const char *expected)
{
    char *text = test_read_file(box, "r.csv", NULL);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

// The results of an FMU that does nothing of the kind. Owned by the caller.
static char *run_harmless(test_sandbox *box)
{
    test_run_hostile(box, "nothing step", NULL);
    assert_exit(box, 0);
    return test_read_file(box, "r.csv", NULL);
}

static void the_processor_computes_as_before(void **state)
{
    test_sandbox *box = *state;
    char *expected = run_harmless(box);
    static const char *const cases[][2] = {
        {"round always", "changes how numbers are rounded (in fmi2DoStep)"},
        {"round instantiate", "changes how numbers are rounded (in fmi2Instantiate)"},
#if defined(__x86_64__)
        {"flush always", "changes that tiny numbers count as zero (in fmi2DoStep)"},
        {"trap always", "changes which floating-point exceptions end the program (in fmi2DoStep)"},
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_run_hostile(box, cases[i][0], NULL);
        assert_exit(box, 0);
        assert_contains(box->err, cases[i][1]);
        assert_contains(box->err, "instance 'Engine'");
        assert_int_equal(test_count(box->err, "that is undone after each of its calls"), 1);
        check_results(box, expected);
    }
    free(expected);
}

// The results' file is named relative to the folder that the FMU leaves, and written after it does.
static void the_program_gets_back_what_an_fmu_changed(void **state)
{
    test_sandbox *box = *state;
    char *expected = run_harmless(box);
    static const char *const cases[][2] = {
        {"folder always", "instance 'Engine' changed the working folder of the whole program"},
        {"folder instantiate", "instance 'Engine' changed the working folder of the whole program"},
        {"locale always", "instance 'Engine' changed the locale of the whole program"},
        {"mask always", "instance 'Engine' changed which signals are blocked"},
        {"handlers always", "instance 'Engine' changed how signals are handled"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_run_hostile(box, cases[i][0], NULL);
        assert_exit(box, 0);
        assert_int_equal(test_count(box->err, cases[i][1]), 1);
        assert_int_equal(test_count(box->err, "warning: "), 1);
        check_results(box, expected);
    }
    free(expected);
}

// Its results cannot be written any more, but what happened is said.
static void an_fmu_that_closes_files_is_named(void **state)
{
    test_sandbox *box = *state;
    test_run_hostile(box, "close step", NULL);
    assert_exit(box, 1);
    assert_contains(box->err, "instance 'Engine' changed standard input, output or errors of the "
                              "whole program");
    assert_contains(box->err, "r.csv: cannot write results");
}

static void other_commands_name_the_component_too(void **state)
{
    test_sandbox *box = *state;
    test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", "exit0 step");
    test_run(box, "advise", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", NULL);
    assert_one_error(box, 4, ENGINE "ended the program by exit(0) in fmi2DoStep");
}

// No call of an FMU goes on. (It waits for real time, at 0.5 s.)
static void a_crash_of_takt_is_not_said_to_be_one_of_an_fmu(void **state)
{
    test_sandbox *box = *state;
    test_start(box, "run", TEST_FMUS "/Gain.fmu", "--step-size", "0.5", "--stop-time", "100",
               "--real-time", "--output-file", "r.csv", NULL);
    test_wait_for_lines(box, "r.csv", 2);
    kill(box->process, SIGSEGV);
    test_wait(box);
#ifndef __SANITIZE_ADDRESS__ // which ends the program in a way of its own
    assert_exit(box, 128 + SIGSEGV);
#endif
    assert_contains(box->err, "takt: error: Takt itself crashed with SIGSEGV");
    assert_contains(box->err,
                    "unless an FMU has damaged its memory before (--isolate shows which)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(every_way_to_crash_is_named),
        test_in_sandbox(an_fmu_may_end_threads_of_its_own),
        test_in_sandbox(every_way_to_crash_is_named_in_a_process_of_its_own),
        test_in_sandbox(the_component_that_crashes_is_named_among_others),
        test_in_sandbox(the_processor_computes_as_before),
        test_in_sandbox(the_program_gets_back_what_an_fmu_changed),
        test_in_sandbox(an_fmu_that_closes_files_is_named),
        test_in_sandbox(other_commands_name_the_component_too),
        test_in_sandbox(a_crash_of_takt_is_not_said_to_be_one_of_an_fmu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
