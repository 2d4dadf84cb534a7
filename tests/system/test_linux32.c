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
    static const char *const options[][2] = {{"--step-size=0.1", "--interface=cs"},
                                             {"--tolerance=1e-6", "--interface=cs"},
                                             {"--solver=rk4", "--interface=me"}};
    make_ball(box);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *const files[] = {TEST_FMUS "/Ball.fmu", "Ball.fmu"};
        char *texts[2];
        for (int k = 0; k < 2; k++) {
            test_run(box, "run", files[k], "--stop-time", "2", "--solver-step", "0.001",
                     "--record=*", "-o", "r.csv", "--quiet", "--log-level", "error", options[i][0],
                     options[i][1], NULL);
            assert_exit(box, 0);
            texts[k] = test_read_file(box, "r.csv", NULL);
            assert_non_null(texts[k]);
        }
        assert_string_equal(texts[0], texts[1]);
        assert_true(strlen(texts[0]) > 200);
        free(texts[0]);
        free(texts[1]);
    }
}

static void what_is_not_there_with_32_bits_is_said(void **state)
{
    test_sandbox *box = *state;
    make_ball(box);
    test_run(box, "run", "Ball.fmu", "--interface", "me", NULL);
    assert_one_error(box, 3, "the integrators of SUNDIALS are not there with 32 bits; choose");
    test_run(box, "run", "Ball.fmu", "--isolate", NULL);
    assert_one_error(box, 3, "there is no sandbox for FMUs with 32 bits");
    test_run(box, "run", "Ball.fmu", "--isolate", "--sandbox=false", "--quiet", NULL);
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
        test_in_sandbox(what_is_not_there_with_32_bits_is_said),
        test_in_sandbox(what_goes_wrong_is_named),
        test_in_sandbox(ways_are_listed),
    };
    if (!TEST_32_BITS[0]) {
        print_message("NOT TESTED: FMUs with 32 bits. Tests need a compiler for 32 bits "
                      "(tools/install_packages.sh linux32), and no sanitizers.\n");
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
