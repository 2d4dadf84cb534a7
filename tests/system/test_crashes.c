// SPDX-License-Identifier: MIT
// FMUs that crash or end the program, by a hand-written library (hostile_fmu.c) that does it in the step from 0.4 s to
// 0.5 s: exit code 4, one message that names component, call and time, complete results, nothing left behind.
#include "support/hostile.h"
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

#define run_hostile(box, guid, ...)                                                                \
    do {                                                                                           \
        test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", guid);                                   \
        test_run(box, "run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1",               \
                 "--output-file", "r.csv", "--stats", "stats.json", __VA_ARGS__);                  \
    } while (0)

static void check_rows(test_sandbox *box, int n_rows)
{
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_int_equal(r.n_rows, n_rows);
    for (int i = 0; i < n_rows; i++) assert_near(test_result_time(&r, i), 0.1 * i, 1e-12);
    test_results_clear(&r);
    json_t *s = test_statistics_read(box, "stats.json");
    assert_string_equal(test_word(s, "status"), "crashed");
    json_decref(s);
}

// What happens, and what the message says about it.
typedef struct crash_case {
    const char *guid, *message;
    int n_rows;
} crash_case;

#define ENGINE "takt: error: component 'Engine' (Engine.fmu): "
#define RESULTS(t) " at t=" t " s; results up to t=" t " s are complete"

static void every_way_to_crash_is_named(void **state)
{
    test_sandbox *box = *state;
    static const crash_case cases[] = {
        {"segfault step", "crashed with SIGSEGV in fmi2DoStep" RESULTS("0.4"), 5},
        {"bus step", "crashed with SIGBUS in fmi2DoStep" RESULTS("0.4"), 5},
        {"illegal step", "crashed with SIGILL in fmi2DoStep" RESULTS("0.4"), 5},
        {"abort step", "crashed with SIGABRT in fmi2DoStep" RESULTS("0.4"), 5},
        {"overflow step", "crashed with SIGSEGV (stack overflow) in fmi2DoStep" RESULTS("0.4"), 5},
        {"exit0 step", "ended the program by exit(0) in fmi2DoStep" RESULTS("0.4"), 5},
        {"exit7 step", "ended the program by exit(7) in fmi2DoStep" RESULTS("0.4"), 5},
        {"_exit step", "ended the program by _exit(0) in fmi2DoStep" RESULTS("0.4"), 5},
        {"quick step", "ended the program by quick_exit(0) in fmi2DoStep" RESULTS("0.4"), 5},
        {"divide step", "crashed with SIGFPE in fmi2DoStep" RESULTS("0.4"), 5},
        {"segfault get", "crashed with SIGSEGV in fmi2GetReal", 5},
        {"segfault logger", "crashed with SIGSEGV in fmi2DoStep" RESULTS("0.4"), 5},
        {"segfault terminate", "crashed with SIGSEGV in fmi2Terminate at t=1 s", 11},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char piece[300];
        run_hostile(box, cases[i].guid, NULL);
        snprintf(piece, sizeof piece, ENGINE "%s", cases[i].message);
        assert_one_error(box, 4, piece);
        check_rows(box, cases[i].n_rows);
    }
}

// Before there are results, and after they are complete.
static void crashes_outside_of_steps_are_named(void **state)
{
    test_sandbox *box = *state;
    run_hostile(box, "segfault instantiate", NULL);
    assert_one_error(box, 4, ENGINE "crashed with SIGSEGV during its instantiation");
    run_hostile(box, "exit0 instantiate", NULL);
    assert_one_error(box, 4, ENGINE "ended the program by exit(0) during its instantiation");
    run_hostile(box, "segfault initialize", NULL);
    assert_one_error(box, 4, ENGINE "crashed with SIGSEGV in fmi2EnterInitializationMode at t=0 s");
    run_hostile(box, "segfault free", NULL);
    assert_one_error(box, 4, ENGINE "crashed with SIGSEGV in fmi2FreeInstance at t=1 s");
    run_hostile(box, "exit0 free", NULL);
    assert_one_error(box, 4, ENGINE "ended the program by exit(0) in fmi2FreeInstance at t=1 s");
}

static void threads_of_an_fmu_are_told_from_ours(void **state)
{
    test_sandbox *box = *state;
    run_hostile(box, "thread step", NULL);
    assert_one_error(box, 4, ENGINE "crashed with SIGSEGV in a thread of its own" RESULTS("0.4"));
    check_rows(box, 5);
    run_hostile(box, "thread_exit step", NULL);
    assert_one_error(box, 4, ENGINE "ended the program by exit(3) in a thread of its own");
    check_rows(box, 5);
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

// Fast segments, single calls, and several threads: the one that crashes is named.
static void the_component_that_crashes_is_named_among_others(void **state)
{
    test_sandbox *box = *state;
    write_pair(box);
    static const char *const jobs[] = {"1", "2"};
    static const char *const guids[][2] = {{"segfault step", "in fmi2DoStep"},
                                           {"segfault set", "in fmi2SetReal"},
                                           {"exit0 get", "in fmi2GetReal"}};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++) {
            test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", guids[k][0]);
            test_run(box, "run", "s.ssd", "--algorithm", "jacobi", "--jobs", jobs[i], "--step-size",
                     "0.001", "--set", "Good.k=0.5", "--output-file", "r.csv", NULL);
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
    run_hostile(box, "nothing step", NULL);
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
        run_hostile(box, cases[i][0], NULL);
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
        run_hostile(box, cases[i][0], NULL);
        assert_exit(box, 0);
        assert_int_equal(test_count(box->err, cases[i][1]), 1);
        assert_int_equal(test_count(box->err, "warning: "), 1);
        check_results(box, expected);
    }
    free(expected);
}

static void other_commands_name_the_component_too(void **state)
{
    test_sandbox *box = *state;
    test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", "exit0 step");
    test_run(box, "advise", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", NULL);
    assert_one_error(box, 4, ENGINE "ended the program by exit(0) in fmi2DoStep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(every_way_to_crash_is_named),
        test_in_sandbox(crashes_outside_of_steps_are_named),
        test_in_sandbox(threads_of_an_fmu_are_told_from_ours),
        test_in_sandbox(the_component_that_crashes_is_named_among_others),
        test_in_sandbox(the_processor_computes_as_before),
        test_in_sandbox(the_program_gets_back_what_an_fmu_changed),
        test_in_sandbox(other_commands_name_the_component_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
