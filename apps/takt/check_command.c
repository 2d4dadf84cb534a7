// SPDX-License-Identifier: MIT
// `takt check`: opens projects and systems, runs no code of FMUs, reports all problems. With --run it tries the FMUs in
// processes of their own.
#include <limits.h>
#include <string.h>

#include "command.h"
#include "problem_list.h"
#include "session.h"
#include "stdout_guard.h"
#include "support.h"
#include "trial.h"

typedef struct check_options {
    int log_level;
    bool json, run;
} check_options;

static void print_count(int n, const char *what)
{
    printf("%d %s%s", n, what, n == 1 ? "" : "s");
}

// Whoever reads only the summary must not take a system for good whose results may be wrong.
static void print_summary(const char *file, int n_errors, const takt_log *log)
{
    int n_warnings = takt_log_count(log, TAKT_LEVEL_WARN);
    printf("%s: ", file);
    if (n_errors)
        print_count(n_errors, "error");
    else
        fputs(takt_log_count_doubts(log) ? "results may be wrong" : "ok", stdout);
    if (n_warnings) {
        printf(", ");
        print_count(n_warnings, "warning");
    }
    printf("\n");
}

// What a user may have forgotten. It is no problem: some inputs are meant to keep their values.
static takt_status tell_inputs(const takt_system *system, cli_problem_list *list, takt_error *err)
{
    char *text = NULL;
    takt_status st = takt_system_describe(system, TAKT_TOPIC_INPUTS,
                                          list ? TAKT_FORMAT_JSON : TAKT_FORMAT_TEXT, &text, err);
    if (!st && !list) fputs(text, stdout);
    if (!st && list && strcmp(text, "[]") != 0)
        cli_problem_list_add_facts(list, "inputs that are not connected keep their values",
                                   "unconnected_inputs", text);
    takt_free(text);
    return st;
}

// ---- trials ---------------------------------------------------------------------------------------

typedef struct trial_report {
    const char *file;
    cli_console *console;
    cli_problem_list *list; // NULL: text
    cli_stdout_guard guard; // FMUs may print
} trial_report;

static void tell_part(void *context, const char *part, takt_status st, const char *text)
{
    trial_report *report = context;
    takt_error err = {.status = st};
    cli_stdout_show(&report->guard, NULL);
    if (st) {
        cli_fail(&err, st, "trial, %s: %s", part, text);
        cli_console_error(report->console, &err);
    } else if (report->list) {
        char line[400];
        snprintf(line, sizeof line, "trial, %s: %s", part, text);
        const takt_message message = {
            .size = sizeof message, .level = TAKT_LEVEL_INFO, .text = line};
        cli_problem_list_add(report->list, &message);
    } else {
        printf("%s: %s: %s\n", report->file, part, text);
        fflush(stdout);
    }
    cli_stdout_hide(&report->guard);
}

// Whatever an FMU does, it must not harm who tries it; what the command line says wins.
static takt_status protect(takt_project *project, const cli_arguments *arguments, takt_error *err)
{
    static const char *const defaults[][2] = {
        {"isolate", "*"}, {"sandbox", "true"}, {"timeout", "10"}, {"memory-limit", "4GB"}};
    takt_status st = TAKT_OK;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults && !st; i++) {
        bool is_given = false;
        for (int k = 0; k < arguments->n_settings; k++)
            is_given |= strcmp(arguments->settings[k].name, defaults[i][0]) == 0;
        if (!is_given) st = takt_project_set(project, defaults[i][0], defaults[i][1], err);
    }
    return st;
}

static takt_status open_protected(cli_session *session, const char *file,
                                  const cli_arguments *arguments, takt_error *err)
{
    takt_status st = cli_session_open_project(session, file, arguments, err);
    if (!st) st = protect(session->project, arguments, err);
    return st ? st : takt_system_create(session->project, &session->system, err);
}

static takt_status try_file(const char *file, cli_session *session, cli_problem_list *list)
{
    trial_report report = {
        .file = file, .console = &session->console, .list = list, .guard = {.is_needed = true}};
    cli_stdout_hide(&report.guard);
    takt_status st = cli_trial(session->system, session->console.log, tell_part, &report);
    cli_stdout_show(&report.guard, NULL);
    return st;
}

// ---- files ----------------------------------------------------------------------------------------

// With `list` every problem goes there, and nothing else is printed.
static takt_status check_file(const char *file, const cli_arguments *arguments,
                              cli_problem_list *list)
{
    const check_options *options = arguments->options;
    cli_session session = {0};
    takt_error err = {0};
    takt_status st = cli_console_open(&session.console, (takt_level)options->log_level, NULL, &err);
    if (list) {
        list->about = file;
        session.console.collect = cli_problem_list_add;
        session.console.collect_context = list;
    }
    // Whoever checks an FMU wants to know all about it; in a project remarks about the XML of FMUs would
    // hide what matters.
    if (!st) takt_log_set_strict(session.console.log, cli_ends_in(file, ".fmu"));
    if (!st)
        st = options->run ? open_protected(&session, file, arguments, &err)
                          : cli_session_open(&session, file, arguments, &err);
    if (!st) st = takt_system_check(session.system, &err);
    bool is_tried = !st && options->run;
    if (is_tried) st = try_file(file, &session, list);
    int n_errors = takt_log_count(session.console.log, TAKT_LEVEL_ERROR);
    // Problems have been reported one by one; other failures come as a single message.
    bool is_told = n_errors && (st == TAKT_ERR_INPUT || st == TAKT_ERR_USAGE);
    if (st && is_tried) {
        n_errors++;
    } else if (st && !is_told) {
        cli_console_error(&session.console, &err);
        n_errors++;
    }
    if (!list) print_summary(file, n_errors, session.console.log);
    if (session.system && !st) {
        st = tell_inputs(session.system, list, &err);
        if (st) cli_console_error(&session.console, &err);
    }
    takt_error unwritten = {0};
    if (cli_output_end(stdout, &unwritten)) {
        cli_console_error(&session.console, &unwritten);
        if (!st) st = unwritten.status;
    }
    cli_session_close(&session);
    cli_console_close(&session.console);
    return st;
}

static int execute(const cli_arguments *arguments)
{
    const check_options *options = arguments->options;
    cli_problem_list list;
    takt_status first = TAKT_OK;
    if (options->json) cli_problem_list_begin(&list, stdout);
    for (int i = 0; i < arguments->n_operands; i++) {
        takt_status st =
            check_file(arguments->operands[i], arguments, options->json ? &list : NULL);
        if (!first) first = st;
    }
    if (options->json) cli_problem_list_end(&list);
    takt_error err = {0};
    if (cli_output_end(stdout, &err) && (options->json || !first)) {
        first = err.status;
        fprintf(stderr, "takt: error: %s\n", err.message); // no console is open any more
    }
    return takt_status_exit_code(first);
}

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, NULL, NULL, "print the problems as a JSON list instead of text", "Output",
     offsetof(check_options, json)},
    {"run", 0, CLI_FLAG, NULL, NULL,
     "try the FMUs as well, in processes of their own with a sandbox: initialize, step, rewind, "
     "serialise, repeat and compare",
     "Trial", offsetof(check_options, run)},
    {"log-level", 0, CLI_CHOICE, "error|warn|info|debug|trace", "warn", "which messages are shown",
     "Messages", offsetof(check_options, log_level)},
    CLI_PROJECT_OPTIONS,
    {0},
};

static const check_options defaults = {.log_level = TAKT_LEVEL_WARN};

const cli_command cli_check = {
    .name = "check",
    .operands = "FILE... [options]",
    .summary = "find all problems of projects without simulating",
    .details =
        "Reads projects and the descriptions of their FMUs, runs no code of the FMUs, and "
        "reports every problem with file and line; of an FMU also broken rules of the standard "
        "that do not matter for a run. The exit code is 3 if there is an error. With --run the "
        "FMUs are tried, too, without risk for the caller; then it is 4 where one crashed, 5 "
        "where one did not return (--timeout, 10 s), 1 where it failed otherwise.",
    .examples = "takt check plant.ssd\n"
                "takt check tank.fmu\n"
                "takt check --run unknown.fmu\n"
                "\tdoes it do what it says, without doing harm?\n"
                "takt check variants/*.ssd --algorithm fixed-point\n"
                "\tcan all of them be run with this algorithm?\n",
    .options = options,
    .has_settings = true,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .options_size = sizeof(check_options),
    .defaults = &defaults,
    .execute = execute,
};
