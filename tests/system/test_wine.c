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
    assert_non_null(strstr(box->err, "changes how the x87 unit computes (in fmi2DoStep)"));
}

// Arguments like those of printf come in Windows' way, and `long` has 32 bits.
static void messages_are_formatted(void **state)
{
    test_sandbox *box = *state;
    static const char *const options[] = {"--jobs=1", "--isolate"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        run_hostile(box, "log instantiate", options[i]);
        assert_exit(box, 0);
        assert_non_null(strstr(box->err, "text -1 2 3 0.500 1e-09 ff c at file:///Z:/"));
        assert_int_equal(test_count(box->err, "sandbox"), 0);
    }
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

// ---- the sandbox ---------------------------------------------------------------------------------

// HOSTILE_TARGET, as Windows sees it: a file of this user that is no business of the FMU.
static void set_target(test_sandbox *box)
{
    char path[2 * TEST_PATH_SIZE];
    test_run_program(box, "sh", "-c", "echo mine >target", NULL);
    snprintf(path, sizeof path, "Z:%s/target", box->work);
    setenv("HOSTILE_TARGET", path, 1);
}

static void assert_target_is_whole(test_sandbox *box)
{
    char *text = test_read_file(box, "target", NULL);
    assert_non_null(text);
    if (text) assert_string_equal(text, "mine\n");
    free(text);
}

static void the_sandbox_refuses_and_says_what(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {
        {"read step", "refused FMU Engine.fmu /etc/passwd; --sandbox-read PATH allows"},
        {"write step", "refused FMU Engine.fmu writing C:\\hostile; --sandbox-write PATH allows"},
        {"change step", "/target; --sandbox-write PATH allows"},
        {"network step", "refused FMU Engine.fmu the network, or a connection to another program"},
        {"fork step", "refused FMU Engine.fmu starting another program (CreateProcess)"},
        {"others step", "refused FMU Engine.fmu signals to other processes (kill)"},
    };
    static const char *const options[] = {"--sandbox", "--isolate"}; // either means both
    set_target(box);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_hostile(box, cases[i][0], options[i % 2]);
        assert_exit(box, 0);
        assert_contains(box->err, cases[i][1]);
        assert_target_is_whole(box);
    }
    run_hostile(box, "read step", "--sandbox", "--sandbox-read", "/etc/passwd");
    assert_one_error(box, 4, "ended the program by ExitProcess(11) in fmi2DoStep");
    run_hostile(box, "write step", "--isolate", "--sandbox-write", box->work);
    assert_one_error(box, 4, "ended the program by ExitProcess(12) in fmi2DoStep");
    unsetenv("HOSTILE_TARGET");
}

// Without a sandbox all of this is possible; so the test above shows something.
static void without_the_sandbox_nothing_is_refused(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {
        {"read step", "ExitProcess(11)"},    {"write step", "ExitProcess(12)"},
        {"network step", "ExitProcess(14)"}, {"fork step", "ExitProcess(16)"},
        {"others step", "ExitProcess(17)"},  {"change step", "ExitProcess(21)"}};
    set_target(box);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_hostile(box, cases[i][0], "--isolate", "--sandbox=false");
        assert_one_error(box, 4, cases[i][1]);
    }
    unsetenv("HOSTILE_TARGET");
}

// Its own folder is gone when it ends; that of its results is not.
static void files_in_the_sandbox_are_where_they_are_said_to_be(void **state)
{
    test_sandbox *box = *state;
    run_hostile(box, "write step", "--isolate");
    assert_exit(box, 0);
    assert_contains(box->err, "FMU Engine.fmu has written own");
    run_hostile(box, "nothing step", "--isolate");
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    test_run(box, "run", TEST_FMUS "/ResultsFolder.fmu", "--isolate", "--binary", "wine",
             "--step-size", "0.1", "--stop-time", "1", "-o", "r.csv", "--quiet", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    char *text = test_read_file(box, "r.files/ResultsFolder/own.txt", NULL);
    assert_non_null(text);
    free(text);
}

static void results_in_the_sandbox_are_the_same(void **state)
{
    static const char *const names[] = {"Gain", "Tank_fmi1me", "Ball_fmi3", "Types3_fmi3"};
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[2 * TEST_PATH_SIZE];
        snprintf(path, sizeof path, TEST_FMUS "/%s.fmu", names[i]);
        assert_same(box, path, "--stop-time", "2", "--step-size", "0.1", "--isolate");
    }
    test_ssd_example(box, "math003");
    assert_same(box, "math003.ssd", "--isolate");
    test_run(box, "run", TEST_FMUS "/Resources.fmu", "-o", "r.csv", "--quiet", "--binary", "wine",
             "--isolate", "--stop-time", "0.1", "--step-size", "0.1", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
}

// Workers change their folder before they start.
static void programs_and_the_cache_may_have_relative_paths(void **state)
{
    test_sandbox *box = *state;
    test_hostile_fmu(box, TEST_HOSTILE_DLL, "Engine.fmu", "nothing step");
    test_run_program(box, "sh", "-c",
                     "work=$PWD; cd \"${0%/*}\"; export TAKT_CACHE_DIR=$(realpath --relative-to=. "
                     "\"$TAKT_CACHE_DIR\"); ./takt run \"$work/Engine.fmu\" --isolate --quiet "
                     "-o \"$work/r.csv\"",
                     TAKT_PROGRAM, NULL);
    assert_exit(box, 0);
}

static void what_goes_wrong_in_the_sandbox_is_named(void **state)
{
    static const struct {
        const char *guid, *message;
    } cases[] = {{"crash step", "SEH exception 0xC0000005 (an access violation)" RESULTS},
                 {"overflow step", "SEH exception 0xC00000FD (a stack overflow)" RESULTS},
                 {"exit step", "ended the program by ExitProcess(7)" RESULTS},
                 {"thread step", "SEH exception 0xC0000005 (an access violation)"}};
    test_sandbox *box = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_hostile(box, cases[i].guid, "--quiet", "--isolate");
        assert_one_error(box, 4, cases[i].message);
    }
    run_hostile(box, "box step", "--isolate");
    assert_exit(box, 0);
    assert_contains(box->err, "the FMU opens a message box Engine: no license");
    run_hostile(box, "hang step", "--timeout", "5", "--isolate");
    assert_one_error(box, 5, "fmi2DoStep has not returned within 5 s of real time");
}

static void strangers_can_be_tried(void **state)
{
    test_sandbox *box = *state;
    test_hostile_fmu(box, TEST_HOSTILE_DLL, "Engine.fmu", "read step");
    test_run(box, "check", "--run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "repetition: the same values");
    assert_contains(box->err, "sandbox refused FMU Engine.fmu /etc/passwd");
    test_hostile_fmu(box, TEST_HOSTILE_DLL, "Engine.fmu", "crash step");
    test_run(box, "check", "--run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", NULL);
    assert_one_error(box, 4, "trial, steps: component 'Engine' (Engine.fmu): crashed with SEH");
}

// Who does not isolate them is told what that adds, if they want to know.
static void fmus_run_without_a_sandbox_unless_isolated(void **state)
{
    test_sandbox *box = *state;
    static const char message[] = "without a sandbox; --isolate adds one";
    run_hostile(box, "nothing step", "--log-level", "info");
    assert_exit(box, 0);
    assert_int_equal(test_count(box->err, message), 1);
    run_hostile(box, "nothing step", "--isolate", "--log-level", "info");
    assert_exit(box, 0);
    assert_int_equal(test_count(box->err, message), 0);
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

// Processes of Wine that this program has started, directly or not, and that are not dead.
static int count_processes(test_sandbox *box)
{
    test_run_program(
        box, "sh", "-c",
        "for p in $(grep -las 'takt-[w]orker\\|[w]ineserver' /proc/[0-9]*/cmdline); do "
        "grep -qas \"TAKT_TEST_MARK=$PPID\" ${p%cmdline}environ && echo $p; done; true",
        NULL);
    return test_count(box->out, "/proc/");
}

static void wait_for_the_last(test_sandbox *box)
{
    int n = 1;
    for (int i = 0; n > 0 && i < 100; i++) {
        usleep(100 * 1000);
        n = count_processes(box);
    }
    assert_int_equal(n, 0);
}

static void mark_processes(void)
{
    char mark[32];
    snprintf(mark, sizeof mark, "%d", (int)getpid());
    setenv("TAKT_TEST_MARK", mark, 1);
}

// Also not the server of Wine, with the sandbox and without it.
static void nothing_is_left_of_a_run_that_is_killed(void **state)
{
    test_sandbox *box = *state;
    static const char *const options[] = {"--quiet", "--isolate"};
    mark_processes();
    test_hostile_fmu(box, TEST_HOSTILE_DLL, "Engine.fmu", "hang step");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        test_run_program(box, "rm", "-f", "r.csv", NULL);
        test_start(box, "run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", "-o",
                   "r.csv", options[i], NULL);
        test_wait_for_lines(box, "r.csv", 1);
        kill(box->process, SIGKILL);
        test_wait(box);
        wait_for_the_last(box);
    }
    unsetenv("TAKT_TEST_MARK");
}

// Each has a process, and one of Wine's that serves it.
static void a_hundred_at_once(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "Gain.fmu", TEST_FMUS "/Gain.fmu");
    test_run_program(box, "sh", "-c",
                     "for i in $(seq 100); do set -- \"$@\" --add I$i=Gain.fmu; done; "
                     "exec \"$0\" new hundred.ssd \"$@\"",
                     TAKT_PROGRAM, NULL);
    assert_exit(box, 0);
    mark_processes();
    assert_same(box, "hundred.ssd", "--isolate", "--step-size", "0.1", "--stop-time", "1");
    wait_for_the_last(box);
    unsetenv("TAKT_TEST_MARK");
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
        test_in_sandbox(the_sandbox_refuses_and_says_what),
        test_in_sandbox(without_the_sandbox_nothing_is_refused),
        test_in_sandbox(files_in_the_sandbox_are_where_they_are_said_to_be),
        test_in_sandbox(results_in_the_sandbox_are_the_same),
        test_in_sandbox(programs_and_the_cache_may_have_relative_paths),
        test_in_sandbox(what_goes_wrong_in_the_sandbox_is_named),
        test_in_sandbox(strangers_can_be_tried),
        test_in_sandbox(fmus_run_without_a_sandbox_unless_isolated),
        test_in_sandbox(without_wine_the_packages_are_named),
        test_in_sandbox(nothing_is_left_of_a_run_that_is_killed),
        test_in_sandbox(a_hundred_at_once),
    };
    if (!test_can_run_wine(TEST_HOSTILE_DLL)) return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
