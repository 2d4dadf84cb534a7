// SPDX-License-Identifier: MIT
// FMUs for Windows, run by Wine: results are those of the same FMUs for Linux, and what goes wrong in them is named. The FMUs
// of this build have libraries for both where mingw-w64 and Wine are installed; elsewhere nothing is tested here, which
// is said loudly.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/archive.h"
#include "support/hostile.h"
#include "support/programs.h"
#include "support/results.h"
#include "support/ssd.h"
#include "support/wine.h"

// ---- results -------------------------------------------------------------------------------------

static void assert_same_file(test_sandbox *box, const char *one, const char *other)
{
    size_t n_one, n_other;
    char *a = test_read_file(box, one, &n_one), *b = test_read_file(box, other, &n_other);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(n_one, n_other);
    assert_memory_equal(a, b, n_one);
    free(a);
    free(b);
}

// Runs a project natively and by Wine; the files are equal byte for byte.
#define assert_same(box, project, ...)                                                             \
    do {                                                                                           \
        test_run(box, "run", project, "-o", "linux.csv", "--quiet", __VA_ARGS__, NULL);            \
        assert_exit(box, 0);                                                                       \
        test_run(box, "run", project, "-o", "windows.csv", "--quiet", "--binary", "wine",          \
                 __VA_ARGS__, NULL);                                                               \
        assert_exit(box, 0);                                                                       \
        assert_same_file(box, "linux.csv", "windows.csv");                                         \
    } while (0)

// Every version of FMI and both interfaces; types, arrays, clocks, events, states.
static void every_kind_of_fmu_gives_equal_results(void **state)
{
    static const char *const names[] = {"Gain",           "Gain_fmi1",        "Gain_fmi3",
                                        "Tank",           "Tank_fmi1me",      "Ball",
                                        "Ball_fmi1me",    "Ball_fmi3",        "Counter",
                                        "Stairs",         "Types3_fmi3",      "Arrays_fmi3",
                                        "EventGain_fmi3", "ClockSource_fmi3", "ClockTimer_fmi3"};
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[2 * TEST_PATH_SIZE];
        snprintf(path, sizeof path, TEST_FMUS "/%s.fmu", names[i]);
        assert_same(box, path, "--stop-time", "2", "--step-size", "0.1");
    }
    assert_same(box, TEST_FMUS "/Ball.fmu", "--stop-time", "2", "--interface", "me");
    assert_same(box, TEST_FMUS "/Ball_fmi3.fmu", "--stop-time", "2", "--interface", "me");
}

static void every_algorithm_gives_equal_results(void **state)
{
    static const char *const algorithms[] = {"jacobi", "seidel",       "fixed-point",
                                             "newton", "quasi-newton", "auto"};
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        assert_same(box, "math003.ssd", "--algorithm", algorithms[i]);
    assert_same(box, "math003.ssd", "--step-control", "richardson", "--tolerance", "1e-4");
    assert_same(box, "math003.ssd", "--tolerance", "1e-5", "--jobs", "2");
}

// Part2 is for Windows only here, the others run natively.
static void windows_and_linux_are_coupled(void **state)
{
    test_sandbox *box = *state;
    char command[4 * TEST_PATH_SIZE];
    snprintf(command, sizeof command,
             "cp -r " TEST_FMUS ".unpacked/Math003Part2 p && rm -r p/binaries/linux64 && "
             "ls p/binaries");
    test_ssd_example(box, "math003");
    test_run_program(box, "sh", "-c", command, NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "win64\n");
    test_run(box, "run", "math003.ssd", "-o", "linux.csv", "--quiet", NULL);
    assert_exit(box, 0);
    test_run_program(box, "sh", "-c",
                     "rm fmus; mkdir fmus; ln -s " TEST_FMUS "/Math003Part[13].fmu fmus; cd p && "
                     "cmake -E tar cf ../fmus/Math003Part2.fmu --format=zip modelDescription.xml "
                     "binaries",
                     NULL);
    assert_exit(box, 0);
    test_run(box, "run", "math003.ssd", "-o", "windows.csv", "--quiet", NULL);
    assert_exit(box, 0);
    assert_same_file(box, "linux.csv", "windows.csv");
    test_run(box, "run", "math003.ssd", "-o", "native.csv", "--quiet", "--binary", "native", NULL);
    assert_one_error(box, 3, "binaries/linux64/Math003Part2.so is missing");
}

static void resources_are_found(void **state)
{
    static const char *const names[] = {"Resources", "Resources_fmi1", "Resources_fmi3"};
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[2 * TEST_PATH_SIZE];
        size_t n;
        snprintf(path, sizeof path, TEST_FMUS "/%s.fmu", names[i]);
        test_run(box, "run", path, "-o", "r.csv", "--quiet", "--binary", "wine", "--record", "*",
                 "--stop-time", "0.1", "--step-size", "0.1", NULL);
        assert_exit(box, 0);
        char *text = test_read_file(box, "r.csv", &n);
        assert_non_null(strstr(text, "Z:"));
        assert_non_null(strstr(text, ""));
        free(text);
    }
}

// ---- failures ------------------------------------------------------------------------------------

#define run_hostile(box, guid, ...)                                                                \
    do {                                                                                           \
        test_hostile_fmu(box, TEST_HOSTILE_DLL, "Engine.fmu", guid);                               \
        test_run(box, "run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1",               \
                 "--output-file", "r.csv", __VA_ARGS__, NULL);                                     \
    } while (0)

#define ENGINE "takt: error: component 'Engine' (Engine.fmu): "
#define RESULTS " in fmi2DoStep at t=0.4 s; results up to t=0.4 s are complete"

static void what_goes_wrong_is_named(void **state)
{
    static const struct {
        const char *guid, *message;
    } cases[] = {
        {"crash step", "crashed with SEH exception 0xC0000005 (an access violation)" RESULTS},
        {"divide step",
         "crashed with SEH exception 0xC0000094 (an integer division by zero)" RESULTS},
        {"overflow step", "crashed with SEH exception 0xC00000FD (a stack overflow)" RESULTS},
        {"illegal step", "crashed with SEH exception 0xC000001D (an illegal instruction)" RESULTS},
        {"throw step",
         "crashed with SEH exception 0xE06D7363 (a C++ exception that nobody catches)" RESULTS},
        {"filter step", "crashed with SEH exception 0xC0000005 (an access violation)" RESULTS},
        {"thread step", "crashed with SEH exception 0xC0000005 (an access violation)"},
        {"abort step", "ended the program by ExitProcess(3)" RESULTS},
        {"exit step", "ended the program by ExitProcess(7)" RESULTS},
        {"ExitProcess step", "ended the program by ExitProcess(3)" RESULTS},
        {"TerminateProcess step", "ended the program by exit(4) during a step at t=0.4 s"},
        {"crash instantiate", "(an access violation) during its instantiation"},
        {"crash initialize", "(an access violation) in fmi2EnterInitializationMode at t=0 s"},
        {"crash free", "(an access violation) in fmi2FreeInstance at t=1 s"},
    };
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char piece[300];
        run_hostile(box, cases[i].guid, "--quiet");
        snprintf(piece, sizeof piece, "%s", cases[i].message);
        assert_one_error(box, 4, piece);
        assert_non_null(strstr(box->err, ENGINE));
    }
}

static void nobody_waits_for_a_message_box(void **state)
{
    test_sandbox *box = *state;
    run_hostile(box, "box step", "--timeout", "20");
    assert_exit(box, 0);
    assert_non_null(strstr(box->err, "the FMU opens a message box Engine: no license"));
}

static void a_call_that_hangs_is_ended(void **state)
{
    test_sandbox *box = *state;
    run_hostile(box, "hang step", "--timeout", "5"); // Wine itself takes a while to start
    assert_one_error(box, 5, "fmi2DoStep has not returned within 5 s of real time");
}

static void arithmetic_that_is_changed_is_restored(void **state)
{
    test_sandbox *box = *state;
    run_hostile(box, "round step", "--jobs", "1");
    assert_exit(box, 0);
    assert_non_null(strstr(box->err, "changes how numbers are rounded (in fmi2DoStep)"));
    run_hostile(box, "x87 step", "--jobs", "1");
    assert_exit(box, 0);
}

// Arguments like those of printf come in Windows' way, and `long` has 32 bits.
static void messages_are_formatted(void **state)
{
    test_sandbox *box = *state;
    run_hostile(box, "log instantiate", "--jobs", "1");
    assert_exit(box, 0);
    assert_non_null(strstr(box->err, "text -1 2 3 0.500 1e-09 ff c at file:///Z:/"));
}

static void library_that_is_missing_is_named(void **state)
{
    test_sandbox *box = *state;
    char path[2 * TEST_PATH_SIZE];
    run_hostile(box, "nothing step", "--jobs", "1");
    assert_exit(box, 0);
    snprintf(path, sizeof path, "%s/broken.dll", box->work);
    test_run_program(box, "cp", TEST_HOSTILE_DLL, path, NULL);
    assert_exit(box, 0);
    test_patch(path, "USER32.dll", "MYTOOL.dll", strlen("USER32.dll"));
    test_hostile_fmu(box, path, "Engine.fmu", "nothing step");
    test_run(box, "run", "Engine.fmu", "--stop-time", "1", NULL);
    assert_one_error(box, 3,
                     "it needs the DLL MYTOOL.dll, which is neither beside it nor part of Wine");
    test_run(box, "check", "Engine.fmu", NULL);
    assert_non_null(strstr(box->err, "cannot be loaded on this machine: it needs the DLL MYTOOL"));
}

static void ways_are_listed_and_checked(void **state)
{
    test_sandbox *box = *state;
    test_hostile_fmu(box, TEST_HOSTILE_DLL, "Engine.fmu", "nothing step");
    test_run(box, "info", "Engine.fmu", NULL);
    assert_exit(box, 0);
    assert_non_null(strstr(box->out, "runs        wine\n"));
    setenv("TAKT_WINE", "/nowhere/wine64", 1);
    test_run(box, "info", "Engine.fmu", NULL);
    unsetenv("TAKT_WINE");
    assert_exit(box, 0);
    assert_non_null(strstr(box->out, "runs        wine (not here: Wine, which runs FMUs for "));
}

static void the_sandbox_is_refused(void **state)
{
    test_sandbox *box = *state;
    run_hostile(box, "nothing step", "--sandbox");
    assert_one_error(box, 3, "there is no sandbox for FMUs for Windows");
    test_run(box, "check", "--run", "Engine.fmu", NULL);
    assert_exit(box, 3);
    assert_non_null(strstr(box->err, "--sandbox=false runs it in a process of its own without"));
    test_run(box, "check", "--run", "--sandbox=false", "Engine.fmu", NULL);
    assert_exit(box, 0);
    assert_non_null(strstr(box->out, "repetition: the same values"));
}

// Isolated FMUs are in a sandbox by default, these are not. Once for each FMU, not for each component.
static void who_counts_on_the_sandbox_is_warned(void **state)
{
    test_sandbox *box = *state;
    static const char warning[] = "FMU Engine.fmu runs without a sandbox";
#define run_two(...)                                                                               \
    test_run(box, "run", "two.ssd", "--step-size", "0.1", "--stop-time", "0.2", __VA_ARGS__,       \
             NULL);                                                                                \
    assert_exit(box, 0)
    test_hostile_fmu(box, TEST_HOSTILE_DLL, "Engine.fmu", "nothing step");
    test_run(box, "new", "two.ssd", "--add", "A=Engine.fmu", "--add", "B=Engine.fmu", NULL);
    assert_exit(box, 0);
    run_two("--isolate");
    assert_int_equal(test_count(box->err, warning), 1);
    assert_non_null(strstr(box->err, "takt: warning: FMU Engine.fmu"));
    run_two("--isolate=nobody");
    assert_int_equal(test_count(box->err, warning), 0);
    run_two("--log-level", "info");
    assert_int_equal(test_count(box->err, warning), 1);
    run_two("--isolate", "--sandbox=false");
    assert_int_equal(test_count(box->err, warning), 0);
}

static void without_wine_the_packages_are_named(void **state)
{
    test_sandbox *box = *state;
    setenv("TAKT_WINE", "/nowhere/wine64", 1);
    run_hostile(box, "nothing step", "--quiet");
    unsetenv("TAKT_WINE");
    assert_one_error(box, 3, "apt-get install wine64");
}

// ---- the end -------------------------------------------------------------------------------------

// Processes whose command line has the name of our worker, and are not dead.
static int count_workers(test_sandbox *box)
{
    test_run_program(
        box, "sh", "-c",
        "for p in /proc/[0-9]*; do "
        "tr '\\0' ' ' < $p/cmdline 2>/dev/null | grep -q 'takt-worker-win64[.]exe' && "
        "tr '\\0' '\\n' < $p/environ 2>/dev/null | grep -q \"TAKT_TEST_MARK=$PPID\" && "
        "echo $p; done; true",
        NULL);
    return test_count(box->out, "/proc/");
}

static void nothing_is_left_of_a_run_that_is_killed(void **state)
{
    test_sandbox *box = *state;
    char mark[32];
    snprintf(mark, sizeof mark, "%d", (int)getpid());
    setenv("TAKT_TEST_MARK", mark, 1);
    test_hostile_fmu(box, TEST_HOSTILE_DLL, "Engine.fmu", "hang step");
    test_start(box, "run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", "-o", "r.csv",
               NULL);
    test_wait_for_lines(box, "r.csv", 1);
    kill(box->process, SIGKILL);
    test_wait(box);
    int n = 1;
    for (int i = 0; n > 0 && i < 100; i++) {
        usleep(100 * 1000);
        n = count_workers(box);
    }
    unsetenv("TAKT_TEST_MARK");
    assert_int_equal(n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(every_kind_of_fmu_gives_equal_results),
        test_in_sandbox(every_algorithm_gives_equal_results),
        test_in_sandbox(windows_and_linux_are_coupled),
        test_in_sandbox(resources_are_found),
        test_in_sandbox(what_goes_wrong_is_named),
        test_in_sandbox(nobody_waits_for_a_message_box),
        test_in_sandbox(a_call_that_hangs_is_ended),
        test_in_sandbox(arithmetic_that_is_changed_is_restored),
        test_in_sandbox(messages_are_formatted),
        test_in_sandbox(library_that_is_missing_is_named),
        test_in_sandbox(ways_are_listed_and_checked),
        test_in_sandbox(the_sandbox_is_refused),
        test_in_sandbox(who_counts_on_the_sandbox_is_warned),
        test_in_sandbox(without_wine_the_packages_are_named),
        test_in_sandbox(nothing_is_left_of_a_run_that_is_killed),
    };
    if (!test_can_run_wine(TEST_HOSTILE_DLL)) return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
