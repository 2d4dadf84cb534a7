// SPDX-License-Identifier: MIT
// `takt info` and `takt graph`: descriptions of a system, made by takt_system_describe().
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "ranks.h"
#include "session.h"
#include "support.h"

typedef struct info_options {
    bool json;
} info_options;

typedef struct graph_options {
    int format; ///< index in graph_formats
    double n_ranks; ///< for which components are placed; 0: none
} graph_options;

// In the order of the words of --format.
static const takt_format graph_formats[] = {TAKT_FORMAT_TEXT, TAKT_FORMAT_DOT, TAKT_FORMAT_JSON,
                                            TAKT_FORMAT_SVG};

static takt_status print_description(const takt_system *system, takt_topic topic,
                                     takt_format format, takt_error *err)
{
    char *text = NULL;
    takt_status st = takt_system_describe(system, topic, format, &text, err);
    if (st) return st;
    fputs(text, stdout);
    if (*text && text[strlen(text) - 1] != '\n') fputc('\n', stdout);
    takt_free(text);
    return cli_output_end(stdout, err);
}

static int describe(const cli_arguments *arguments, takt_topic topic, takt_format format)
{
    cli_session session = {0};
    takt_error err = {0};
    takt_status st = cli_console_open(&session.console, TAKT_LEVEL_WARN, NULL, &err);
    if (!st) st = cli_session_open(&session, arguments->operands[0], arguments, &err);
    cli_session_note_places(&session, arguments, "it belongs to --ranks N");
    if (!st) st = print_description(session.system, topic, format, &err);
    if (st) cli_session_fail(&session, &err);
    cli_session_close(&session);
    cli_console_close(&session.console);
    return takt_status_exit_code(st);
}

static int execute_info(const cli_arguments *arguments)
{
    const info_options *options = arguments->options;
    return describe(arguments, TAKT_TOPIC_CONTENT,
                    options->json ? TAKT_FORMAT_JSON : TAKT_FORMAT_TEXT);
}

// Where components would run.
static takt_status describe_ranks(const cli_arguments *arguments, const takt_system *system,
                                  int n_ranks, takt_error *err)
{
    int *ranks = calloc((size_t)takt_system_count_components(system) + 1, sizeof *ranks);
    takt_status st =
        ranks ? cli_place(system, arguments, n_ranks, ranks, err) : cli_fail_memory(err);
    if (!st) st = cli_describe_places(system, arguments, ranks, n_ranks, err);
    free(ranks);
    return st ? st : cli_output_end(stdout, err);
}

static int execute_ranks(const cli_arguments *arguments, double n_ranks)
{
    cli_session session = {0};
    takt_error err = {0};
    takt_status st = cli_console_open(&session.console, TAKT_LEVEL_WARN, NULL, &err);
    if (!st && (n_ranks > 100000 || n_ranks != (double)(int)n_ranks))
        st = cli_fail(&err, TAKT_ERR_USAGE, "--ranks: %g is not a number of processes", n_ranks);
    if (!st) st = cli_session_open(&session, arguments->operands[0], arguments, &err);
    if (!st) st = describe_ranks(arguments, session.system, (int)n_ranks, &err);
    if (st) cli_session_fail(&session, &err);
    cli_session_close(&session);
    cli_console_close(&session.console);
    return takt_status_exit_code(st);
}

static int execute_graph(const cli_arguments *arguments)
{
    const graph_options *options = arguments->options;
    if (options->n_ranks > 0) return execute_ranks(arguments, options->n_ranks);
    return describe(arguments, TAKT_TOPIC_GRAPH, graph_formats[options->format]);
}

static const cli_option info_table[] = {
    {"json", 0, CLI_FLAG, NULL, NULL, "print JSON instead of text", "Output",
     offsetof(info_options, json)},
    CLI_PROJECT_OPTIONS,
    {0},
};

static const cli_option graph_table[] = {
    {"format", 0, CLI_CHOICE, "text|dot|json|svg", "text",
     "the form; dot is for Graphviz, svg a picture", "Output", offsetof(graph_options, format)},
    {"ranks", 0, CLI_NUMBER, "N", NULL,
     "show instead on which of N processes of takt-mpi each component would run", NULL,
     offsetof(graph_options, n_ranks)},
    CLI_PLACE_OPTIONS,
    CLI_PROJECT_OPTIONS,
    {0},
};

const cli_command cli_info = {
    .name = "info",
    .operands = "FILE [options]",
    .summary = "show what an FMU or a system contains",
    .details = "Shows the components of a system, their variables and abilities, and the settings "
               "of the experiment. Runs no code of the FMUs.",
    .examples = "takt info tank.fmu\n"
                "takt info plant.ssd --json | jq .\n",
    .options = info_table,
    .has_settings = true,
    .min_operands = 1,
    .max_operands = 1,
    .options_size = sizeof(info_options),
    .execute = execute_info,
};

const cli_command cli_graph = {
    .name = "graph",
    .operands = "FILE [options]",
    .summary = "show calling sequence, loops and feedthrough",
    .details = "Shows in which order the instances of a system are called, which of them depend on "
               "each other in loops, and where an input acts on an output without delay.",
    .examples = "takt graph plant.ssd\n"
                "takt graph plant.ssd --format svg > plant.svg\n",
    .options = graph_table,
    .has_settings = true,
    .min_operands = 1,
    .max_operands = 1,
    .options_size = sizeof(graph_options),
    .execute = execute_graph,
};
