// SPDX-License-Identifier: MIT
// `takt convert`: writes a project as SSP, and results as CSV or MAT.
#include <string.h>

#include "command.h"
#include "session.h"
#include "support.h"

typedef struct convert_options {
    bool quiet;
} convert_options;

static takt_status convert_project(cli_session *session, const cli_arguments *arguments,
                                   takt_error *err)
{
    takt_status st = cli_session_open_project(session, arguments->operands[0], arguments, err);
    return st ? st : takt_project_write(session->project, arguments->operands[1], err);
}

static takt_status convert_results(const cli_arguments *arguments, takt_log *log, takt_error *err)
{
    const char *in = arguments->operands[0], *out = arguments->operands[1];
    if (arguments->n_settings)
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s: results have no settings: --%s belongs to projects", in,
                        arguments->settings[0].name);
    if (cli_ends_in(out, ".ssp") || cli_ends_in(out, ".ssd"))
        return cli_fail(err, TAKT_ERR_USAGE,
                        "%s: results cannot become a project; write them as .csv, .tsv or .mat",
                        out);
    return takt_results_convert(in, out, log, err);
}

static int execute(const cli_arguments *arguments)
{
    const convert_options *options = arguments->options;
    const char *in = arguments->operands[0], *out = arguments->operands[1];
    cli_session session = {0};
    takt_error err = {0};
    takt_status st = cli_console_open(&session.console, TAKT_LEVEL_WARN, NULL, &err);
    if (!st)
        st = takt_results_is_path(in) ? convert_results(arguments, session.console.log, &err)
                                      : convert_project(&session, arguments, &err);
    int n_warnings = takt_log_count(session.console.log, TAKT_LEVEL_WARN);
    if (!st && !options->quiet && strcmp(out, "-") != 0) {
        printf("%s: written", out);
        if (n_warnings) printf(", with %d warning%s", n_warnings, n_warnings == 1 ? "" : "s");
        printf("\n");
        st = cli_output_end(stdout, &err);
    }
    if (st) cli_session_fail(&session, &err);
    cli_session_close(&session);
    cli_console_close(&session.console);
    return takt_status_exit_code(st);
}

static const cli_option table[] = {
    {"quiet", 'q', CLI_FLAG, NULL, NULL, "print nothing but problems", "Output",
     offsetof(convert_options, quiet)},
    CLI_PROJECT_OPTIONS,
    {0},
};

const cli_command cli_convert = {
    .name = "convert",
    .operands = "IN OUT [options]",
    .summary = "write a project as SSP, or results as CSV or MAT",
    .details =
        "Reads a project of any format and writes it as a package with all files it needs (.ssp, "
        "or a folder if OUT ends in / or is one), or as a description (.ssd) that refers to them. "
        "Settings and values that are given go into it. What was read from SSP stays as it is "
        "otherwise; what cannot be expressed gives a warning. Results (.csv, .tsv, .mat) are "
        "written as "
        "another kind, bit by bit the same.",
    .examples = "takt convert plant.ssd plant.ssp\tpack it for another computer\n"
                "takt convert plant.csv plant.mat\n"
                "takt convert tank.fmu tank.ssd --step-size 0.1 --set Tank.level=1\n",
    .options = table,
    .has_settings = true,
    .min_operands = 2,
    .max_operands = 2,
    .options_size = sizeof(convert_options),
    .execute = execute,
};
