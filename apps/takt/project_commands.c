// SPDX-License-Identifier: MIT
// `takt new` and `takt edit`: projects by words of the command line, without writing XML.
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "content.h"
#include "session.h"
#include "support.h"

typedef struct project_options {
    const char *output; ///< of `edit`; NULL: the file itself
    bool quiet;
} project_options;

// ---- what was done -----------------------------------------------------------------------------------

static void print_connections(const takt_project *project, int first)
{
    for (int i = first; i < takt_project_count_connections(project); i++) {
        takt_connection_info c = {.size = sizeof c};
        if (takt_project_get_connection(project, i, &c, NULL)) continue;
        printf("  %s.%s -> %s.%s\n", c.from_component, c.from_variable, c.to_component,
               c.to_variable);
    }
}

static void ignore(void *context, const takt_message *message)
{
    (void)context, (void)message;
}

// The project is written; that inputs are open is no mistake, but often one that was forgotten.
static takt_status print_summary(cli_session *session, const char *path, int n_before,
                                 takt_error *err)
{
    const takt_project *project = session->project;
    char *text = NULL;
    printf("%s: written; components %d, connections %d\n", path,
           takt_project_count_components(project), takt_project_count_connections(project));
    if (n_before < takt_project_count_connections(project)) {
        printf("Connected by name:\n");
        print_connections(project, n_before);
    }
    session->console.collect = ignore; // what there is to warn of was said when it was written
    takt_status st = takt_system_create(project, &session->system, err);
    session->console.collect = NULL;
    if (!st)
        st = takt_system_describe(session->system, TAKT_TOPIC_INPUTS, TAKT_FORMAT_TEXT, &text, err);
    if (!st) fputs(text, stdout);
    takt_free(text);
    return st ? st : cli_output_end(stdout, err);
}

// Adds what the command line says in the end, and writes the project.
static takt_status finish(cli_session *session, const cli_arguments *arguments, const char *path,
                          takt_error *err)
{
    const project_options *options = arguments->options;
    int n_before = takt_project_count_connections(session->project);
    takt_status st = cli_content_finish(session->project, arguments, &session->console, err);
    if (!st) st = takt_project_write(session->project, path, err);
    return st || options->quiet ? st : print_summary(session, path, n_before, err);
}

// ---- commands ----------------------------------------------------------------------------------------

// Without a word there would be an empty project, which nobody wants.
static takt_status check_words(const cli_arguments *arguments, const char *command, takt_error *err)
{
    if (arguments->n_settings || arguments->n_operands > 1) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_USAGE, "nothing to do; see 'takt %s --help'", command);
}

static takt_status make(cli_session *session, const cli_arguments *arguments, takt_error *err)
{
    const char *path = arguments->operands[0];
    takt_status st = check_words(arguments, "new", err);
    if (!st && access(path, F_OK) == 0)
        st = cli_fail(err, TAKT_ERR_USAGE, "%s: is there already; 'takt edit' changes it", path);
    if (!st) st = takt_project_create(path, session->console.log, &session->project, err);
    for (int i = 1; i < arguments->n_operands && !st; i++)
        st = cli_content_add_file(session->project, arguments->operands[i], err);
    for (int i = 0; i < arguments->n_settings && !st; i++)
        st = cli_session_apply(session->project, &arguments->settings[i], err);
    return st ? st : finish(session, arguments, path, err);
}

static takt_status change(cli_session *session, const cli_arguments *arguments, takt_error *err)
{
    const project_options *options = arguments->options;
    const char *path = arguments->operands[0], *out = options->output ? options->output : path;
    bool is_ssp = cli_ends_in(path, ".ssd") || cli_ends_in(path, ".ssp") ||
                  !(cli_ends_in(path, ".fmu") || cli_ends_in(path, ".msim") ||
                    cli_ends_in(path, ".xml") || cli_ends_in(path, ".eas"));
    takt_status st = check_words(arguments, "edit", err);
    if (!st && !is_ssp && !options->output)
        st = cli_fail(err, TAKT_ERR_USAGE,
                      "%s: is not written, only SSP is; say where the result goes with "
                      "--output-file NAME.ssd",
                      path);
    if (!st) st = cli_session_open_project(session, path, arguments, err);
    return st ? st : finish(session, arguments, out, err);
}

static int execute(const cli_arguments *arguments,
                   takt_status (*act)(cli_session *, const cli_arguments *, takt_error *))
{
    cli_session session = {0};
    takt_error err = {0};
    takt_status st = cli_console_open(&session.console, TAKT_LEVEL_WARN, NULL, &err);
    if (!st) st = act(&session, arguments, &err);
    if (st) cli_session_fail(&session, &err);
    cli_session_close(&session);
    cli_console_close(&session.console);
    return takt_status_exit_code(st);
}

static int execute_new(const cli_arguments *arguments)
{
    return execute(arguments, make);
}

static int execute_edit(const cli_arguments *arguments)
{
    return execute(arguments, change);
}

static const cli_option new_table[] = {
    CLI_CONTENT_OPTIONS,
    CLI_PROJECT_OPTIONS,
    {"quiet", 'q', CLI_FLAG, NULL, NULL, "print nothing but problems", "Output",
     offsetof(project_options, quiet)},
    {0},
};

static const cli_option edit_table[] = {
    CLI_CONTENT_OPTIONS,
    {"disconnect", 0, CLI_SETTING, "A.y=B.u", NULL,
     "remove a connection, or all of a variable (A.y); repeatable", NULL, 0},
    {"remove", 0, CLI_SETTING, "NAME", NULL,
     "remove a component with its connections and values; repeatable", NULL, 0},
    {"rename", 0, CLI_SETTING, "OLD=NEW", NULL, "give a component another name; repeatable", NULL,
     0},
    {"unset", 0, CLI_SETTING, "A.k", NULL,
     "take back the value that the project gives to a variable; repeatable", NULL, 0},
    CLI_PROJECT_OPTIONS,
    {"output-file", 'o', CLI_TEXT, "FILE", NULL,
     "write there (.ssd, .ssp, or a folder whose name ends in /) and leave FILE as it is", "Output",
     offsetof(project_options, output)},
    {"quiet", 'q', CLI_FLAG, NULL, NULL, "print nothing but problems", NULL,
     offsetof(project_options, quiet)},
    {0},
};

const cli_command cli_new = {
    .name = "new",
    .operands = "FILE [FMU...] [options]",
    .summary = "make a project from FMUs, without writing XML",
    .details = "Writes a project of SSP (.ssd, .ssp, or a folder whose name ends in /) with the "
               "components, "
               "connections, values and settings that are given. FMUs behind FILE become "
               "components that are "
               "named after their files. The project is checked before it is written; inputs that "
               "stay open are "
               "listed.",
    .examples =
        "takt new plant.ssd --add Tank=tank.fmu --add Ctl=pid.fmu --connect Tank.level=Ctl.u "
        "--connect Ctl.y=Tank.valve --set Ctl.k=2\n"
        "takt new plant.ssp tank.fmu pid.fmu --auto-connect --stop-time 1h\n",
    .options = new_table,
    .has_settings = true,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .options_size = sizeof(project_options),
    .execute = execute_new,
};

const cli_command cli_edit = {
    .name = "edit",
    .operands = "FILE [options]",
    .summary = "change a project, without writing XML",
    .details = "Changes a project of SSP in the order in which the words are given; everything "
               "else in the "
               "file stays as it was written: comments, geometry, annotations of other programs. A "
               "project of another format is "
               "written as SSP to --output-file.",
    .examples = "takt edit plant.ssd --set Ctl.k=3 --step-size 0.1\n"
                "takt edit plant.ssd --remove Ctl --add Ctl=better.fmu --auto-connect\n"
                "takt edit plant.ssd --rename Tank=Boiler --disconnect Ctl.y=Boiler.valve\n",
    .options = edit_table,
    .has_settings = true,
    .min_operands = 1,
    .max_operands = 1,
    .options_size = sizeof(project_options),
    .execute = execute_edit,
};
