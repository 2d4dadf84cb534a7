// SPDX-License-Identifier: MIT
// FMUs with libraries of 32 bits for Linux: they run in a worker with 32 bits, give the results of the same FMU with 64 bits, and what
// goes wrong in them is named. Where the compiler cannot make such libraries nothing is tested here, which is said loudly.
#include <stdlib.h>

#include "support/hostile.h"
#include "support/programs.h"
#include "support/results.h"

#define HOSTILE_32 TEST_32_BITS "/hostile_32.so"

// "Ball.fmu" with 32 bits, and "../Ball.fmu" as it is.
static void make_ball(test_sandbox *box)
{
    test_run_program(
        box, "sh", "-c",
        "cp -r \"$0.unpacked/Ball\" b && rm -r b/binaries && mkdir -p b/binaries/linux32 && "
        "cp \"$1/ball_32.so\" b/binaries/linux32/Ball.so && cd b && "
        "cmake -E tar cf ../Ball.fmu --format=zip modelDescription.xml binaries",
        TEST_FMUS, TEST_32_BITS, NULL);
    assert_exit(box, 0);
}

static void results_are_those_of_64_bits(void **state)
{
    test_sandbox *box = *state;
    static const char *const options[][2] = {
        {"--step-size=0.1", "--interface=cs"}, {"--tolerance=1e-6", "--interface=cs"},
        {"--solver=rk4", "--interface=me"},    {"--tolerance=1e-6", "--interface=me"},
        {"--step-size=0.1", "--interface=me"}, {"--solver=cvode-adams", "--interface=me"}};
    make_ball(box);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *const files[] = {TEST_FMUS "/Ball.fmu", "Ball.fmu"};
        char *texts[2];
        for (int k = 0; k < 2; k++) {
            test_run(box, "run", files[k], "--stop-time", "2", "--solver-step", "0.001",
                     "--record=*", "-o", "r.csv", "--quiet", "--log-level", "error", options[i][0],
                     options[i][1], k && i % 2 ? "--isolate" : "--quiet", NULL);
            assert_exit(box, 0);
            assert_string_equal(box->err, "");
            texts[k] = test_read_file(box, "r.csv", NULL);
            assert_non_null(texts[k]);
        }
        assert_string_equal(texts[0], texts[1]);
        assert_true(strlen(texts[0]) > 200);
        free(texts[0]);
        free(texts[1]);
    }
}

// The master integrates, and asks the worker for values; what the FMU says, and what it dies of, are told as ever.
static void integration_by_the_master_ends_as_one_here(void **state)
{
    test_sandbox *box = *state;
    static const char *const options[] = {"--log-level=trace", "--isolate", "--timeout=60"};
    make_ball(box);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        test_run(box, "run", "Ball.fmu", "--interface=me", "--set", "Ball.h=nan", options[i], NULL);
        assert_true(box->exit_code != 0 && box->exit_code != 4);
        assert_int_equal(test_count(box->err, "makes no sense"), 0);
    }
    test_run(box, "run", "Ball.fmu", "--interface=me", "--stop-time", "1", "--tolerance", "1e-6",
             "--checkpoint", "c", "--checkpoint-interval", "0.5", "-o", "a.csv", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "Ball.fmu", "--interface=me", "--stop-time", "2", "--resume", "c", "-o",
             "a.csv", "--tolerance", "1e-6", NULL);
    assert_exit(box, 0);
}

static void what_goes_wrong_is_named(void **state)
{
    static const char *const cases[][2] = {
        {"segfault step", "crashed with SIGSEGV in fmi2DoStep at t=0.4 s"},
        {"abort step", "crashed with SIGABRT in fmi2DoStep at t=0.4 s"},
        {"exit7 step", "ended the program by exit(7)"},
        {"segfault initialize", "crashed with SIGSEGV in fmi2EnterInitializationMode"}};
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_hostile_fmu(box, HOSTILE_32, "Engine.fmu", cases[i][0]);
        test_run(box, "run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", "-o", "r.csv",
                 NULL);
        assert_one_error(box, 4, cases[i][1]);
    }
    test_hostile_fmu(box, HOSTILE_32, "Engine.fmu", "loop step");
    test_run(box, "run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", "-o", "r.csv",
             "--timeout", "1", NULL);
    assert_one_error(box, 5, "fmi2DoStep has not returned within 1 s of real time");
}

static void arithmetic_that_is_changed_is_restored(void **state)
{
    static const char *const cases[][2] = {
        {"round step", "changes how numbers are rounded (in fmi2DoStep)"},
        {"trap step", "changes which floating-point exceptions end the program (in fmi2DoStep)"},
        {"x87 step", "changes how the x87 unit computes (in fmi2DoStep)"}};
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_run_library(box, HOSTILE_32, cases[i][0], "--isolate", NULL);
        assert_exit(box, 0);
        assert_contains(box->err, cases[i][1]);
        test_hostile_rows(box, 11, "ok");
    }
}

// A copy of the program alone has no workers beside it.
static void ways_are_listed(void **state)
{
    test_sandbox *box = *state;
    test_hostile_fmu(box, HOSTILE_32, "Engine.fmu", "nothing step");
    test_run(box, "info", "Engine.fmu", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "runs        linux32\n");
    test_run_program(box, "sh", "-c",
                     "mkdir -p a/b/c && cp \"$0\" a/b/c && a/b/c/takt info Engine.fmu",
                     TAKT_PROGRAM, NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "linux32 (not here: the program takt-worker-linux32, in which FMUs");
    assert_contains(box->out, "apt-get install gcc-multilib");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(results_are_those_of_64_bits),
        test_in_sandbox(integration_by_the_master_ends_as_one_here),
        test_in_sandbox(what_goes_wrong_is_named),
        test_in_sandbox(arithmetic_that_is_changed_is_restored),
        test_in_sandbox(ways_are_listed),
    };
    if (!TEST_32_BITS[0]) {
        print_message("NOT TESTED: FMUs with 32 bits. Tests need a compiler for 32 bits "
                      "(tools/install_packages.sh linux32), and no sanitizers.\n");
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
