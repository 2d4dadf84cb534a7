// SPDX-License-Identifier: MIT
// What becomes of files and standard output when something goes wrong, through the program.
#include "support/command.h"
#include "support/ssd.h"

#define GAIN TEST_FMUS "/Gain.fmu"
#define QUOTED_GAIN "\"" GAIN "\"" // for a shell

static void every_command_says_that_standard_output_is_full(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", GAIN, "-q", "-o", "r.csv", NULL);
    static const char *const commands[] = {
        "run " QUOTED_GAIN " -o -",
        "run " QUOTED_GAIN " -o x.csv",
        "run " QUOTED_GAIN " -q --stats -",
        "info " QUOTED_GAIN,
        "info " QUOTED_GAIN " --json",
        "graph math003.ssd",
        "check " QUOTED_GAIN,
        "compare r.csv r.csv",
        "advise math003.ssd",
        "convert r.csv -",
        "convert r.csv x.mat",
        "convert " QUOTED_GAIN " x.ssp",
        "plot r.csv -o -",
        "plot r.csv -o x.svg",
        "cache",
        "help",
        "run --help",
        "--version",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char shell[2000];
        snprintf(shell, sizeof shell, "exec \"%s\" %s > /dev/full", TAKT_PROGRAM, commands[i]);
        test_run_program(box, "sh", "-c", shell, NULL);
        assert_exit(box, 1);
        assert_contains(box->err, "standard output");
    }
}

static void broken_pipe_is_quiet(void **state)
{
    test_sandbox *box = *state;
    static const char *const commands[] = {"run " QUOTED_GAIN
                                           " -q -o - --stop-time 1000 --step-size 0.001",
                                           "info " QUOTED_GAIN, "help run"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char shell[2000];
        snprintf(shell, sizeof shell, "\"%s\" %s | true", TAKT_PROGRAM, commands[i]);
        test_run_program(box, "sh", "-c", shell, NULL);
        assert_string_equal(box->err, "");
    }
}

static void endings_that_are_not_known_are_refused_before_any_work(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", GAIN, "-q", "-o", "r.csv", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "/no/such.fmu", "-o", "r.xlsx", NULL);
    assert_one_error(box, 2, "r.xlsx: results are not written as '.xlsx'; possible are .csv");
    test_run(box, "plot", "r.csv", "-o", "r.jpg", NULL);
    assert_one_error(box, 2, "r.jpg: pictures are written as .svg, .png or .pdf, not as '.jpg'");
    test_run(box, "convert", "r.csv", "r.txt", NULL);
    assert_one_error(box, 2, "r.txt: results are not written as '.txt'");
    assert_true(!test_has_file(box, "r.jpg") && !test_has_file(box, "r.txt"));
    test_run(box, "run", GAIN, "-q", "-o", "/dev/null", NULL);
    assert_exit(box, 0);
    test_run(box, "run", GAIN, "-q", "-o", "plain", NULL);
    assert_exit(box, 0);
}

static void run_that_fails_at_its_start_keeps_the_results_of_another(void **state)
{
    test_sandbox *box = *state;
    static const char *const names[] = {"r.csv", "r.mat"};
    for (int i = 0; i < 2; i++) {
        char side[16];
        snprintf(side, sizeof side, "%s.json", names[i]);
        test_run(box, "run", GAIN, "-q", "-o", names[i], NULL);
        assert_exit(box, 0);
        size_t n_before, n_after;
        char *before = test_read_file(box, names[i], &n_before);
        char *side_before = test_read_file(box, side, NULL);
        assert_non_null(side_before);
        test_run(box, "run", TEST_FMUS "/Misbehave.fmu", "-q", "-o", names[i], "--set",
                 "Misbehave.what=11", NULL);
        assert_exit(box, 1);
        char *after = test_read_file(box, names[i], &n_after);
        char *side_after = test_read_file(box, side, NULL);
        assert_int_equal(n_before, n_after);
        assert_memory_equal(before, after, n_before);
        assert_string_equal(side_before, side_after);
        // With a row it is replaced, and nothing of a longer file stays.
        test_run(box, "run", GAIN, "-q", "-o", names[i], "--stop-time", "1", "--step-size", "1",
                 NULL);
        assert_exit(box, 0);
        char *third = test_read_file(box, names[i], &n_after);
        assert_true(n_after < n_before);
        test_run(box, "compare", names[i], names[i], NULL);
        assert_exit(box, 0);
        free(before);
        free(after);
        free(third);
        free(side_before);
        free(side_after);
    }
}

// A file that may have so many bytes is like a disk that is full.
static void conversion_leaves_no_half_file(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", GAIN, "-q", "-o", "r.csv", "--stop-time", "10", "--step-size", "0.001",
             NULL);
    assert_exit(box, 0);
    test_write_text(box, "old.csv", "time,x\n0,1\n");
    static const char *const targets[] = {"new.csv", "new.mat", "old.csv", "folder/"};
    test_run_program(box, "mkdir", "folder", NULL);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char shell[2000];
        snprintf(shell, sizeof shell, "ulimit -f 8; trap '' XFSZ; exec \"%s\" convert %s %s",
                 TAKT_PROGRAM, i < 3 ? "r.csv" : QUOTED_GAIN, targets[i]);
        test_run_program(box, "sh", "-c", shell, NULL);
        assert_exit(box, 1);
    }
    assert_true(!test_has_file(box, "new.csv") && !test_has_file(box, "new.mat"));
    char *old = test_read_file(box, "old.csv", NULL);
    assert_string_equal(old, "time,x\n0,1\n");
    free(old);
    test_run_program(box, "sh", "-c",
                     "find . -name '*.part' -o -path './folder/*.fmu' -o -path './folder/*.ssd'",
                     NULL);
    assert_string_equal(box->out, "");
}

static void assert_text(test_sandbox *box, const char *name, const char *wanted)
{
    char *text = test_read_file(box, name, NULL);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    free(text);
}

// Statistics and reports take the place of older ones when they are complete.
static void statistics_and_reports_are_complete_or_absent(void **state)
{
    test_sandbox *box = *state;
    static const char *const options[][2] = {{"--stats", "s.json"}, {"--report", "s.html"}};
    for (int i = 0; i < 2; i++) {
        const char *file = options[i][1];
        char shell[2000];
        snprintf(shell, sizeof shell,
                 "ulimit -f 1; trap '' XFSZ; exec \"%s\" run %s -q --no-output %s %s", TAKT_PROGRAM,
                 QUOTED_GAIN, options[i][0], file);
        test_run_program(box, "sh", "-c", shell, NULL);
        assert_one_error(box, 1, "cannot write the");
        assert_false(test_has_file(box, file));
        test_write_text(box, file, "old\n");
        test_run_program(box, "sh", "-c", shell, NULL);
        assert_one_error(box, 1, "cannot write the");
        assert_text(box, file, "old\n");
        // A failure before the simulation takes nothing away either.
        test_run(box, "run", TEST_FMUS "/Nothing.fmu", options[i][0], file, NULL);
        assert_exit(box, 3);
        assert_text(box, file, "old\n");
        test_run_program(box, "ln", "-sf", file, "link", NULL);
        test_run(box, "run", GAIN, "-q", "--no-output", options[i][0], "link", NULL);
        assert_exit(box, 0);
        char *text = test_read_file(box, file, NULL); // what the link leads to
        assert_true(strlen(text) > 512);
        free(text);
        test_run(box, "run", GAIN, "-q", "--no-output", options[i][0], "/dev/full", NULL);
        assert_one_error(box, 1, "No space left on device");
        test_run(box, "run", GAIN, "-q", "--no-output", options[i][0], "none/s", NULL);
        assert_one_error(box, 1, "No such file");
    }
    test_run_program(box, "sh", "-c", "ls | grep part", NULL);
    assert_string_equal(box->out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(every_command_says_that_standard_output_is_full),
        test_in_sandbox(broken_pipe_is_quiet),
        test_in_sandbox(endings_that_are_not_known_are_refused_before_any_work),
        test_in_sandbox(run_that_fails_at_its_start_keeps_the_results_of_another),
        test_in_sandbox(conversion_leaves_no_half_file),
        test_in_sandbox(statistics_and_reports_are_complete_or_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
