// SPDX-License-Identifier: MIT
// The command line: words, options, help, and where everything is printed.
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"
#include "takt/takt.h"

// ---- words and options -----------------------------------------------------------------------------

static void help_is_given_everywhere(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "--help", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "  run ");
    assert_contains(box->out, "  compare ");
    assert_string_equal(box->err, "");
    const char *const commands[] = {"run", "check", "info", "graph", "compare"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        test_run(box, commands[i], "--help", NULL);
        assert_exit(box, 0);
        assert_contains(box->out, "Usage: takt ");
        assert_contains(box->out, commands[i]);
        assert_contains(box->out, "--version");
        assert_contains(box->out, "Examples:");
        char *first = strdup(box->out);
        test_run(box, "help", commands[i], NULL);
        assert_exit(box, 0);
        assert_string_equal(box->out, first);
        free(first);
    }
}

static void help_lines_have_at_most_80_columns(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", "-h", NULL);
    for (const char *line = box->out; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
}

static void help_keeps_to_the_width_of_the_terminal(void **state)
{
    test_sandbox *box = *state;
    const char *const commands[] = {"run", "check", "info", "graph", "compare", "convert", "plot"};
    setenv("COLUMNS", "50", 1);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        test_run(box, commands[i], "--help", NULL);
        const char *end = strstr(box->out, "\nExamples:"); // commands are not broken into lines
        assert_non_null(end);
        size_t widest = 0;
        for (const char *line = strchr(box->out, '\n') + 1; line < end;
             line += strcspn(line, "\n") + 1) {
            size_t length = strcspn(line, "\n");
            if (length > widest) widest = length;
        }
        assert_in_range(widest, 40, 50);
    }
    setenv("COLUMNS", "70", 1);
    test_run(box, "--help", NULL);
    for (const char *line = box->out; *line; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 0, 70);
    unsetenv("COLUMNS");
}

static void help_of_other_commands_is_about_them(void **state)
{
    test_sandbox *box = *state;
    const char *const commands[] = {"check", "info", "graph", "convert", "advise"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        test_run(box, commands[i], "--help", NULL);
        assert_exit(box, 0);
        int n_lines = 0;
        for (const char *p = box->out; *p; p++) n_lines += *p == '\n';
        assert_in_range(n_lines, 10, 60); // that of run has 200
        assert_null(strstr(box->out, "--step-reduction"));
        assert_contains(box->out, "settings of 'takt run'");
        const char *values = strstr(box->out, "\nValues:");
        assert_non_null(values);
        assert_null(strstr(values + 1, "\nValues:"));
    }
}

static void help_shows_settings_of_the_library_with_their_defaults(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", "--help", NULL);
    for (int i = 0; takt_setting(i); i++) {
        char option[64];
        snprintf(option, sizeof option, "--%s", takt_setting(i)->name);
        assert_contains(box->out, option);
    }
    assert_contains(box->out, "(default: exact)");
}

// Every option that a help text shows stands in the reference, too.
static void options_are_documented(void **state)
{
    test_sandbox *box = *state;
    char *reference = test_read_path(TAKT_EXAMPLES "/../docs/reference/command-line.md", NULL);
    char *settings = test_read_path(TAKT_EXAMPLES "/../docs/reference/settings.md", NULL);
    assert_non_null(reference);
    assert_non_null(settings);
    const char *const commands[] = {"run", "check", "info", "graph", "compare", "convert"};
    int n_options = 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        test_run(box, commands[i], "--help", NULL);
        for (const char *at = box->out; (at = strstr(at, "--")); at += 2) {
            char option[64];
            size_t length = 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
            snprintf(option, sizeof option, "%.*s", (int)length, at);
            if (!strstr(reference, option)) assert_contains(settings, option);
            n_options++;
        }
    }
    assert_true(n_options > 50);
    free(reference);
    free(settings);
}

static void version_is_given_everywhere(void **state)
{
    test_sandbox *box = *state;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "takt %s\n", takt_version());
    test_run(box, "--version", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, wanted);
    test_run(box, "graph", "--version", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, wanted);
}

static void nothing_at_all_is_wrong_usage(void **state)
{
    test_sandbox *box = *state;
    test_run(box, NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "Usage: takt COMMAND");
    assert_string_equal(box->out, "");
}

static void unknown_words_are_refused_with_a_suggestion(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "rum", NULL);
    assert_one_error(box, 2, "takt: error: unknown command 'rum'; did you mean 'run'?");
    test_run(box, "hlep", NULL);
    assert_one_error(box, 2, "takt: error: unknown command 'hlep'; did you mean 'help'?");
    test_run(box, "frobnicate", NULL);
    assert_one_error(box, 2, "unknown command 'frobnicate'; 'takt help' lists all");
    test_run(box, "run", "x.ssd", "--stpe-size", "0.1", NULL);
    assert_one_error(box, 2, "unknown option '--stpe-size'; did you mean '--step-size'?");
    test_run(box, "run", "x.ssd", "--stpe-size=0.1", NULL);
    assert_one_error(box, 2, "unknown option '--stpe-size'; did you mean '--step-size'?");
    test_run(box, "x.ssd", "--zzzzzzzzzzz", NULL);
    assert_one_error(box, 2, "unknown option '--zzzzzzzzzzz'; see 'takt run --help'");
    test_run(box, "run", "x.ssd", "-x", NULL);
    assert_one_error(box, 2, "unknown option '-x'");
    test_run(box, "help", "rnu", NULL);
    assert_one_error(box, 2, "unknown command 'rnu'");
}

static void wrong_values_of_options_are_refused(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", "x.ssd", "--step-size", "--quiet", NULL);
    assert_one_error(box, 2, "--step-size needs a value");
    test_run(box, "run", "x.ssd", "--output-file", NULL);
    assert_one_error(box, 2, "--output-file needs a value");
    test_run(box, "run", "x.ssd", "--output-file=", NULL);
    assert_one_error(box, 2, "--output-file needs a value");
    test_run(box, "run", "x.ssd", "--quiet=yes", NULL);
    assert_one_error(box, 2, "--quiet takes no value, but got 'yes'");
    test_run(box, "run", "x.ssd", "--progress", "fast", NULL);
    assert_one_error(box, 2, "--progress: 'fast' is none of auto|bar|plain|json|none");
    test_run(box, "compare", "a", "b", "--time-tolerance", "-1", NULL);
    assert_one_error(box, 2, "--time-tolerance: '-1' is not a time from 0 on");
    test_run(box, "run", NULL);
    assert_one_error(box, 2, "too few arguments; usage: takt run FILE");
    test_run(box, "run", "a.ssd", "b.ssd", NULL);
    assert_one_error(box, 2, "unexpected argument 'b.ssd'");
    test_run(box, "run", "a.ssd", "-o", "-", "--stats=-", NULL);
    assert_one_error(box, 2, "exclude each other");
    test_run(box, "run", "a.ssd", "-o", "a.csv", "--no-output", NULL);
    assert_one_error(box, 2, "exclude each other");
}

static void options_may_stand_anywhere_and_end_with_two_dashes(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "--step-size=0.5", "math003.ssd", "-oa.csv", "--quiet", "--quiet", NULL);
    assert_exit(box, 0);
    assert_true(test_has_file(box, "a.csv"));
    test_run(box, "run", "-q", "--", "math003.ssd", NULL);
    assert_exit(box, 0);
    assert_true(test_has_file(box, "math003.csv"));
    test_run(box, "run", "--", "--math003.ssd", NULL);
    assert_one_error(box, 3, "--math003.ssd");
}

// ---- results and statistics ------------------------------------------------------------------------

static void results_on_standard_output_are_alone_there(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--output-file", "-", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_parse(&r, box->out);
    assert_int_equal(r.n_rows, 101);
    test_results_clear(&r);
    assert_contains(box->err, "Solver statistics\n");
    assert_contains(box->err, "Results: standard output (101 rows, 5 columns)\n");
    assert_false(test_has_file(box, "math003.csv"));
}

static void statistics_table_has_the_form_of_the_paper(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--algorithm", "seidel", NULL);
    assert_exit(box, 0);
    const char *const lines[] = {"Solver statistics\n-----",
                                 "\nWall clock time ",
                                 "\nOutput writing ",
                                 "\nMaster algorithm ",
                                 "\nConvergence failures ",
                                 "\nError test time and failures ",
                                 "\nPart1 ",
                                 " doStep = ",
                                 " getState = ",
                                 " setState = ",
                                 "\nPart3 ",
                                 "\nLoop of Part3, Part2: seidel, 100 sweeps\n",
                                 "\nResults: math003.csv (101 rows, 5 columns)\n"};
    const char *at = box->out;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *found = strstr(at, lines[i]);
        if (!found) assert_contains(at, lines[i]);
        at = found;
    }
    assert_string_equal(box->err, "");
}

static void table_shows_the_most_expensive_of_many_instances(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    for (int i = 1; i <= 25; i++) {
        char name[64];
        snprintf(name, sizeof name, i == 1 ? "TheOneWithTheVeryLongName%d" : "Gain%d", i);
        test_ssd_component(&ssd, name, "Gain", "in:u out:y");
    }
    test_ssd_write(&ssd, box, "many.ssd", 0, 1, "step-size=\"0.1\"");
    test_run(box, "run", "many.ssd", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "The 10 most expensive of 25 instances (--stats FILE has all):\n");
    assert_int_equal(test_count(box->out, " doStep = "), 11);
    const char *sum = strstr(box->out, "All 25 instances ");
    assert_non_null(sum);
    assert_contains(sum, " 250\n");
    // Aligned: every "=" stands in the same column.
    size_t column = 0;
    for (const char *line = box->out; *line; line += strcspn(line, "\n") + 1) {
        size_t equals = strcspn(line, "=\n");
        if (line[equals] != '=') continue;
        if (column) assert_int_equal(equals, column);
        column = equals;
    }
    assert_true(column > 0);
}

static void quiet_run_says_nothing(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--quiet", "--algorithm", "seidel", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "");
    assert_string_equal(box->err, "");
    assert_true(test_has_file(box, "math003.csv"));
    test_run(box, "run", "math003.ssd", "-q", "--no-output", "--stats", "-", NULL);
    assert_exit(box, 0);
    json_t *s = json_loads(box->out, 0, NULL);
    assert_non_null(s);
    json_decref(s);
}

static void statistics_file_has_all_members_of_the_contract(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--stats", "stats.json", NULL);
    assert_exit(box, 0);
    json_t *s = test_statistics_read(box, "stats.json");
    assert_string_equal(test_word(s, "takt"), takt_version());
    assert_string_equal(test_word(s, "status"), "ok");
    assert_near(test_number(s, "start_time"), 0, 0);
    assert_near(test_number(s, "stop_time"), 10, 0);
    double parts =
        test_number(s, "output") + test_number(s, "master") + test_number(s, "error_test");
    assert_true(test_number(s, "wall") >= parts * 0.99);
    assert_near(test_number(s, "steps"), 100, 0);
    const char *const zero[] = {"rejected", "convergence_failures", "error_test_failures"};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        assert_near(test_number(s, zero[i]), 0, 0);
    assert_true(test_number(s, "iteration_limit_exceeded") >= 0);
    double total = test_number(s, "instances/Part1/do_step/count") +
                   test_number(s, "instances/Part2/do_step/count") +
                   test_number(s, "instances/Part3/do_step/count");
    assert_near(test_number(s, "do_step_total"), total, 0);
    const char *const calls[] = {"do_step", "get_state", "set_state", "set", "get"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char path[64];
        snprintf(path, sizeof path, "instances/Part2/%s/count", calls[i]);
        assert_true(test_number(s, path) > 0);
        snprintf(path, sizeof path, "instances/Part2/%s/time", calls[i]);
        assert_true(test_number(s, path) > 0);
    }
    json_decref(s);
}

static void files_that_cannot_be_written_are_found_before_the_run(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "-o", "no/where.csv", NULL);
    assert_one_error(box, 1, "no/where.csv");
    test_run(box, "run", "math003.ssd", "--stats", "no/where.json", NULL);
    assert_one_error(box, 1, "no/where.json");
    assert_false(test_has_file(box, "math003.csv"));
    test_run(box, "run", "math003.ssd", "--log-file", "no/where.log", NULL);
    assert_one_error(box, 1, "no/where.log");
}

static void full_disk_is_reported(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "-o", "/dev/full", NULL);
    assert_one_error(box, 1, "/dev/full");
    test_run(box, "run", "math003.ssd", "--stats", "/dev/full", NULL);
    assert_one_error(box, 1, "/dev/full");
}

static void full_standard_output_is_reported_by_every_command(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_write_text(box, "a.csv", "time,x\n0,1\n");
    const char *const lines[] = {
        "--help",
        "--version",
        "help run",
        "info --help",
        "info math003.ssd",
        "info math003.ssd --json",
        "graph math003.ssd --format json",
        "graph math003.ssd --format dot",
        "check math003.ssd",
        "check math003.ssd --json",
        "convert a.csv a.mat",
        "convert math003.ssd o.ssd",
        "plot a.csv",
        "cache",
        "cache --json",
        "cache --clean",
        "advise math003.ssd -q --max-steps 3",
        "compare a.csv a.csv",
        "run math003.ssd --no-output",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[128];
        snprintf(line, sizeof line, "\"$0\" %s > /dev/full", lines[i]);
        test_run_program(box, "sh", "-c", line, TAKT_PROGRAM, NULL);
        assert_one_error(box, 1, "cannot write to standard output");
    }
    test_run_program(box, "sh", "-c", "\"$0\" run math003.ssd -q --no-output --stats - > /dev/full",
                     TAKT_PROGRAM, NULL);
    assert_one_error(box, 1, "cannot write the statistics to standard output");
}

static void closed_standard_files_do_no_harm(void **state)
{
    test_sandbox *box = *state;
    test_run_program(box, "sh", "-c",
                     "\"$0\" run \"" TEST_FMUS "/Misbehave.fmu\" -q -o a.csv --stop-time 1 "
                     "--step-size 0.5 --set what=4 <&- >&- 2>&-",
                     TAKT_PROGRAM, NULL); // warnings
    assert_exit(box, 0);
    char *results = test_read_file(box, "a.csv", NULL);
    assert_string_equal(results, "time,Misbehave.y\n0,0\n0.5,0\n1,0\n");
    free(results);
    test_run_program(box, "sh", "-c",
                     "\"$0\" run \"" TEST_FMUS "/Misbehave.fmu\" -q -o b.csv --stop-time 1 "
                     "--step-size 0.5 --set what=12 >&-",
                     TAKT_PROGRAM, NULL); // writes to standard output
    assert_exit(box, 0);
    results = test_read_file(box, "b.csv", NULL);
    assert_string_equal(results, "time,Misbehave.y\n0,0\n0.5,0\n1,0\n");
    free(results);
    test_run_program(box, "sh", "-c", "\"$0\" run \"" TEST_FMUS "/Gain.fmu\" -q -o - >&-",
                     TAKT_PROGRAM, NULL);
    assert_one_error(box, 1, "standard output");
}

static void project_is_never_overwritten(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_link(box, "link.ssd", "math003.ssd");
    const char *const options[] = {"--output-file", "--stats", "--log-file", "--step-log"};
    char *before = test_read_file(box, "math003.ssd", NULL);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        test_run(box, "run", "math003.ssd", options[i], "link.ssd", NULL);
        assert_one_error(box, 2, "link.ssd would overwrite the project");
        char *after = test_read_file(box, "math003.ssd", NULL);
        assert_string_equal(after, before);
        free(after);
    }
    free(before);
}

static void two_outputs_need_two_files(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "-o", "x", "--stats", "x", NULL);
    assert_one_error(box, 2, "--output-file and --stats are the same file x");
    test_write_text(box, "y", "");
    test_run(box, "run", "math003.ssd", "-o", "y", "--step-log", "./y", NULL);
    assert_one_error(box, 2, "--output-file and --step-log are the same file ./y");
    test_run(box, "run", "math003.ssd", "-o", "/dev/null", "--stats", "/dev/null", NULL);
    assert_exit(box, 0);
}

// FMUs, tables, a checkpoint to go on from; results and their description under the names that they have by default.
static void nothing_that_a_run_needs_is_overwritten(void **state)
{
    test_sandbox *box = *state;
    static const struct {
        const char *words[4], *message;
    } cases[] = {
        {{"--checkpoint", "Model.fmu"}, "Model.fmu would overwrite the project"},
        {{"--add", "B=Other.fmu", "--checkpoint", "Other.fmu"},
         "--checkpoint Other.fmu would overwrite the source of component 'B'"},
        {{"--add", "B=Other.fmu", "--trace", "./Other.fmu"},
         "--trace ./Other.fmu would overwrite the source of component 'B'"},
        {{"--input-file", "in.csv", "--checkpoint", "in.csv"}, "--checkpoint in.csv would"},
        {{"--scenario", "s.csv", "--step-log", "s.csv"},
         "--step-log s.csv would overwrite the file of --scenario"},
        {{"--checkpoint", "./Model.csv"}, "--checkpoint ./Model.csv would overwrite the results"},
        {{"--stats", "Model.csv.json"},
         "--stats Model.csv.json would overwrite the description of the results"},
        {{"--output-file", "r.csv", "--checkpoint", "./r.csv"}, "are the same file ./r.csv"},
        {{"--resume", "a.csv", "--stats", "a.csv"},
         "--stats a.csv would overwrite the checkpoint to go on from"},
        {{"--resume", "a.csv", "--output-file", "a.csv"},
         "--output-file a.csv would overwrite the checkpoint to go on from"},
    };
    test_run_program(box, "cp", TEST_FMUS "/Gain.fmu", "Model.fmu", NULL);
    test_run_program(box, "cp", TEST_FMUS "/Gain.fmu", "Other.fmu", NULL);
    test_write_text(box, "in.csv", "time,u\n0,1\n1,1\n");
    test_write_text(box, "s.csv", "time,variable,value\n0.5,k,2\n");
    test_run(box, "run", "Model.fmu", "-q", "-o", "first.csv", "--checkpoint", "a.csv", NULL);
    assert_exit(box, 0);
    test_run_program(box, "sh", "-c", "cat Other.fmu in.csv s.csv a.csv | sha256sum", NULL);
    char *before = strdup(box->out);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *w = cases[i].words;
        test_run(box, "run", "Model.fmu", "-q", w[0], w[1], w[2], w[3], NULL);
        assert_one_error(box, 2, cases[i].message);
        test_run_program(box, "sh", "-c", "cat Other.fmu in.csv s.csv a.csv | sha256sum", NULL);
        assert_string_equal(box->out, before);
    }
    free(before);
    // The checkpoint may be replaced by the next one.
    test_run(box, "run", "Model.fmu", "-q", "--resume", "a.csv", "--checkpoint", "a.csv", NULL);
    assert_exit(box, 0);
}

static void empty_file_name_is_wrong_usage(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", "", NULL);
    assert_one_error(box, 2, "the name of a file is empty");
    test_run(box, "compare", "a.csv", "", NULL);
    assert_one_error(box, 2, "the name of a file is empty");
}

static void test_init_keeps_earlier_results(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_write_text(box, "math003.csv", "mine\n");
    test_run(box, "run", "math003.ssd", "--test-init", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "initialization succeeded at t = 0 s");
    char *kept = test_read_file(box, "math003.csv", NULL);
    assert_string_equal(kept, "mine\n");
    free(kept);
    test_run(box, "run", "math003.ssd", "--test-init", "-o", "init.csv", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "init.csv");
    assert_int_equal(r.n_rows, 1);
    test_results_clear(&r);
}

static void recorded_variables_can_be_chosen(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--record", "*.x3", "--record", "Part1.*",
             "--record-exclude", "*.x1", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "math003.csv");
    assert_string_equal(r.names[1], "Part1.x2");
    test_result(&r, 0, "Part2.x3");
    for (int i = 0; i < r.n_columns; i++) assert_null(strstr(r.names[i], "x1"));
    test_results_clear(&r);
}

static void single_fmu_is_a_project(void **state)
{
    test_sandbox *box = *state;
    test_run(box, TEST_FMUS "/Math003Part1.fmu", "--stop-time", "2", "--step-size", "0.5", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "Math003Part1.csv");
    assert_int_equal(r.n_rows, 5);
    test_results_clear(&r);
}

// ---- progress and log --------------------------------------------------------------------------------

static void progress_as_json_is_one_object_per_line(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--algorithm", "seidel", "--progress", "json", NULL);
    assert_exit(box, 0);
    int n = 0;
    double share = -1;
    char *rest = NULL;
    for (char *line = strtok_r(box->err, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_t *object = json_loads(line, 0, NULL);
        assert_non_null(object);
        assert_true(test_number(object, "progress") >= share);
        share = test_number(object, "progress");
        assert_near(test_number(object, "stop_time"), 10, 0);
        assert_true(test_number(object, "wall") >= 0);
        if (share == 1) assert_near(test_number(object, "time"), 10, 0);
        json_decref(object);
        n++;
    }
    assert_true(n >= 2);
    assert_near(share, 1, 0);
}

static void progress_bar_is_erased_at_the_end(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/Misbehave.fmu", "--set", "what=slow", "--set", "delay=0.05",
             "--step-size", "0.1", "--stop-time", "1", "--progress", "bar", "--no-output", NULL);
    assert_exit(box, 0);
    size_t length = strlen(box->err);
    static const char erase[] = "\r\033[K";
    assert_true(length >= strlen(erase));
    assert_string_equal(box->err + length - strlen(erase), erase);
    assert_contains(box->err, " %  t = ");
    assert_contains(box->err, " x real time");
    assert_contains(box->err, " left");
}

static void log_level_filters_messages(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--algorithm", "seidel", "--log-level", "trace", NULL);
    assert_exit(box, 0);
    size_t all = strlen(box->err);
    test_run(box, "run", "math003.ssd", "--algorithm", "seidel", "--log-level", "trace",
             "--log-file", "run.log", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    char *log = test_read_file(box, "run.log", NULL);
    assert_non_null(log);
    assert_true(strlen(log) > 0 && strlen(log) < 2 * all + 100);
    free(log);
    test_run(box, "run", "math003.ssd", "--log-level", "error", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
}

// ---- other commands ----------------------------------------------------------------------------------

static void graph_shows_the_loop_in_all_formats(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "graph", "math003.ssd", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "Part1");
    assert_contains(box->out, "Part2");
    test_run(box, "graph", "math003.ssd", "--format", "dot", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "digraph");
    test_run(box, "graph", "math003.ssd", "--format=json", NULL);
    assert_exit(box, 0);
    json_t *json = json_loads(box->out, 0, NULL);
    assert_non_null(json);
    json_decref(json);
}

static void info_shows_variables(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "info", "math003.ssd", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "Part3");
    assert_contains(box->out, "x4");
    test_run(box, "info", TEST_FMUS "/Gain.fmu", "--json", NULL);
    assert_exit(box, 0);
    json_t *json = json_loads(box->out, 0, NULL);
    assert_non_null(json);
    json_decref(json);
    assert_contains(box->out, "\"dependencies\": {\n        \"y\": [\n          \"u\"\n");
    assert_false(test_has_file(box, "Gain.csv"));
    test_run(box, "info", TEST_FMUS "/Gain.fmu", NULL);
    assert_contains(box->out, "  depend      1 of 1 outputs\n    y on u\n");
}

static void info_as_json_knows_every_name(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "a\xFF\xED\xA0\x80.fmu", TEST_FMUS "/Gain.fmu");
    test_run(box, "info", "a\xFF\xED\xA0\x80.fmu", "--json", "--record", "nan", "--record-exclude",
             "\xFE", NULL);
    assert_exit(box, 0);
    json_t *json = json_loads(box->out, 0, NULL);
    assert_non_null(json);
    assert_string_equal(test_word(json, "name"), "a____");
    assert_string_equal(test_word(json, "file"), "a____.fmu");
    json_decref(json);
    test_run(box, "run", "a\xFF\xED\xA0\x80.fmu", "-q", "--no-output", "--stats", "-", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "\"a____\"");
}

static void compare_tells_equal_from_different(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "a.csv", "time,A.x\n0,1\n1,2\n2,3\n");
    test_write_text(box, "b.csv", "time,A.x\n0,1\n2,3.0000001\n");
    test_write_text(box, "c.csv", "time,A.x\n0,1\n1,2.5\n2,3\n");
    test_run(box, "compare", "a.csv", "b.csv", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "a.csv agrees with b.csv: 1 column, 2 rows");
    test_run(box, "compare", "a.csv", "c.csv", NULL);
    assert_exit(box, 6);
    assert_contains(box->out, "a.csv differs from c.csv in 1 of 1 columns");
    assert_contains(box->out, "most in A.x at t = 1 s: 2 instead of 2.5");
    test_run(box, "compare", "a.csv", "c.csv", "--absolute-tolerance", "0.5", NULL);
    assert_exit(box, 0);
    test_run(box, "compare", "a.csv", "nothing.csv", NULL);
    assert_one_error(box, 3, "nothing.csv");
}

static void compare_counts_missing_columns(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "a.csv", "time,A.x\n0,1\n1,2\n");
    test_write_text(box, "b.csv", "time,A.x,B.x\n0,1,5\n1,2,5\n");
    test_run(box, "compare", "a.csv", "b.csv", NULL);
    assert_exit(box, 6);
    assert_contains(box->err, "B.x is missing in a.csv");
    assert_contains(box->out, "a.csv differs from b.csv in 1 of 2 columns");
    assert_contains(box->out, "most in B.x at t = 0 s: no number instead of 5");
}

static void compare_prints_no_numbers_for_text(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "a.csv", "time,A.s\n0,\"x\"\n");
    test_write_text(box, "b.csv", "time,A.s\n0,\"y\"\n");
    test_run(box, "compare", "a.csv", "b.csv", NULL);
    assert_exit(box, 6);
    assert_contains(box->out, "most in A.s at t = 0 s\n");
    assert_contains(box->err, "\"x\", reference \"y\"");
}

static void check_accepts_a_good_project(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "check", "math003.ssd", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "math003.ssd: ok\n");
    assert_string_equal(box->err, "");
}

// Of all three versions: variables with types, units and start values, capabilities, platforms, defaults.
static void info_shows_what_an_fmu_of_any_version_has(void **state)
{
    test_sandbox *box = *state;
    static const struct {
        const char *fmu, *pieces[8];
    } cases[] = {
        {TEST_FMUS "/OncePerProcess_fmi1.fmu",
         {"OncePerProcess (FMI 1.0)", "can         variable_step, once_per_process",
          "platforms   linux64", "runs        native",
          "k         Float64     parameter           fixed  = 1"}},
        {TEST_FMUS "/Passthrough.fmu",
         {"Passthrough (FMI 2.0)", "can         rewind, serialize, variable_step",
          "Mode: Enumeration off = 1, slow = 2, fast = 5", "  units       1\n    m\n",
          "real_in          Float64     input               continuous  = 0  [m]",
          "enumeration_in   Enumeration input               discrete  = 1  : Mode"}},
        {TEST_FMUS "/Types3_fmi3.fmu",
         {"Types3 (FMI 3.0)", "-linux",
          "uint64_in        UInt64      input               discrete  = 18446744073709551615",
          "int8_in          Int8        input               discrete  = -128",
          "Mode: Enumeration back = -3, off = 1, fast = 5"}},
        {TEST_FMUS "/ClockSource_fmi3.fmu",
         {"can         rewind, serialize, variable_step, events",
          "default     start_time 0, stop_time 2, step_size 0.1",
          "tick      Clock       output              discrete"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_run(box, "info", cases[i].fmu, NULL);
        assert_exit(box, 0);
        for (int k = 0; k < 8 && cases[i].pieces[k]; k++)
            assert_contains(box->out, cases[i].pieces[k]);
        test_run(box, "info", cases[i].fmu, "--json", NULL);
        assert_exit(box, 0);
    }
    test_run(box, "info", TEST_FMUS "/Types3_fmi3.fmu", "--json", NULL);
    assert_contains(box->out, "\"18446744073709551615\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(help_is_given_everywhere),
        test_in_sandbox(help_lines_have_at_most_80_columns),
        test_in_sandbox(help_keeps_to_the_width_of_the_terminal),
        test_in_sandbox(help_of_other_commands_is_about_them),
        test_in_sandbox(help_shows_settings_of_the_library_with_their_defaults),
        test_in_sandbox(options_are_documented),
        test_in_sandbox(version_is_given_everywhere),
        test_in_sandbox(nothing_at_all_is_wrong_usage),
        test_in_sandbox(unknown_words_are_refused_with_a_suggestion),
        test_in_sandbox(wrong_values_of_options_are_refused),
        test_in_sandbox(options_may_stand_anywhere_and_end_with_two_dashes),
        test_in_sandbox(results_on_standard_output_are_alone_there),
        test_in_sandbox(statistics_table_has_the_form_of_the_paper),
        test_in_sandbox(table_shows_the_most_expensive_of_many_instances),
        test_in_sandbox(quiet_run_says_nothing),
        test_in_sandbox(statistics_file_has_all_members_of_the_contract),
        test_in_sandbox(files_that_cannot_be_written_are_found_before_the_run),
        test_in_sandbox(full_disk_is_reported),
        test_in_sandbox(full_standard_output_is_reported_by_every_command),
        test_in_sandbox(closed_standard_files_do_no_harm),
        test_in_sandbox(project_is_never_overwritten),
        test_in_sandbox(two_outputs_need_two_files),
        test_in_sandbox(nothing_that_a_run_needs_is_overwritten),
        test_in_sandbox(empty_file_name_is_wrong_usage),
        test_in_sandbox(test_init_keeps_earlier_results),
        test_in_sandbox(recorded_variables_can_be_chosen),
        test_in_sandbox(single_fmu_is_a_project),
        test_in_sandbox(progress_as_json_is_one_object_per_line),
        test_in_sandbox(progress_bar_is_erased_at_the_end),
        test_in_sandbox(log_level_filters_messages),
        test_in_sandbox(info_shows_what_an_fmu_of_any_version_has),
        test_in_sandbox(graph_shows_the_loop_in_all_formats),
        test_in_sandbox(info_shows_variables),
        test_in_sandbox(info_as_json_knows_every_name),
        test_in_sandbox(compare_tells_equal_from_different),
        test_in_sandbox(compare_counts_missing_columns),
        test_in_sandbox(compare_prints_no_numbers_for_text),
        test_in_sandbox(check_accepts_a_good_project),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
