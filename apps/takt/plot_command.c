// SPDX-License-Identifier: MIT
// `takt plot`: results as a picture.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "command.h"
#include "support.h"

typedef struct plot_options {
    const char *output, *title;
    double width;
    const char *from, *to, *over;
    int panels;
    bool quiet, difference;
} plot_options;

// "plant.svg" for "results/plant.csv", or what was given; the caller frees it.
static char *choose_output(const char *given, const char *results)
{
    if (given) return strdup(given);
    const char *slash = strrchr(results, '/'), *name = slash ? slash + 1 : results;
    const char *dot = strrchr(name, '.');
    int length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
    size_t size = (size_t)length + sizeof ".svg";
    char *output = malloc(size);
    if (output) snprintf(output, size, "%.*s.svg", length, name);
    return output;
}

static takt_status read_time(const char *option, const char *text, double *out, takt_error *err)
{
    if (!text || takt_number_read_duration(text, out)) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_USAGE, "--%s: '%s' is not a time, such as 10min", option, text);
}

static takt_status plot(const cli_arguments *arguments, cli_console *console, takt_error *err)
{
    const plot_options *given = arguments->options;
    const char *results = arguments->operands[0];
    takt_status st = TAKT_OK;
    char *output = choose_output(given->output, results);
    const char **columns = calloc((size_t)arguments->n_settings + 1, sizeof *columns);
    takt_plot_options options = takt_plot_options_default();
    options.columns = columns;
    options.panels = (takt_panels)given->panels;
    options.title = given->title;
    options.over = given->over;
    options.is_difference = given->difference;
    options.width = given->width < 1e6 ? (int)given->width : 1000000;
    if (!output || !columns) st = cli_fail_memory(err);
    if (!st) st = read_time("from", given->from, &options.from, err);
    if (!st) st = read_time("to", given->to, &options.to, err);
    for (int i = 0; !st && i < arguments->n_settings; i++) // only --column is kept there
        columns[options.n_columns++] = arguments->settings[i].value;
    if (!st)
        st = takt_plot_results(arguments->operands, arguments->n_operands, output, &options,
                               console->log, err);
    if (!st && !given->quiet && strcmp(output, "-") != 0) {
        printf("Plot: %s\n", output);
        st = cli_output_end(stdout, err);
    }
    free(columns);
    free(output);
    return st;
}

static int execute(const cli_arguments *arguments)
{
    cli_console console = {0};
    takt_error err = {0};
    takt_status st = cli_console_open(&console, TAKT_LEVEL_WARN, NULL, &err);
    if (!st) st = plot(arguments, &console, &err);
    if (st) cli_console_error(&console, &err);
    cli_console_close(&console);
    return takt_status_exit_code(st);
}

#define FIELD(member) offsetof(plot_options, member)

static const cli_option options[] = {
    {"output-file", 'o', CLI_TEXT, "FILE", "<name of the results>.svg in the current folder",
     "where the picture goes: .svg, .png or .pdf; - is standard output, as SVG", "Picture",
     FIELD(output)},
    {"column", 'c', CLI_SETTING, "GLOB", "all columns",
     "show columns whose name matches; * stands for any characters; may be given several times",
     NULL, 0},
    {"panel", 0, CLI_CHOICE, "auto|unit|name|component|each|one", "auto",
     "which columns share a panel: those of a unit, of a name, of a component; auto: by unit if "
     "units are known, else by name",
     NULL, FIELD(panels)},
    {"from", 0, CLI_TEXT, "T", "the first row", "show what happens from this time on", NULL,
     FIELD(from)},
    {"to", 0, CLI_TEXT, "T", "the last row", "show what happens up to this time", NULL, FIELD(to)},
    {"difference", 0, CLI_FLAG, NULL, NULL, "of two results, show the first one minus the second",
     NULL, FIELD(difference)},
    {"over", 0, CLI_TEXT, "COLUMN", "time", "draw the columns over this one", NULL, FIELD(over)},
    {"title", 0, CLI_TEXT, "TEXT", "name of the results", "what stands above", NULL, FIELD(title)},
    {"width", 0, CLI_NUMBER, "PIXELS", "900", "width of the picture", NULL, FIELD(width)},
    {"quiet", 'q', CLI_FLAG, NULL, NULL, "do not say where the picture is", "Messages",
     FIELD(quiet)},
    {0},
};

static const plot_options defaults = {.width = 900};

const cli_command cli_plot = {
    .name = "plot",
    .operands = "RESULT... [options]",
    .summary = "draw results over time",
    .details = "Draws results (.csv or .mat) as a picture (SVG, PNG or PDF), one panel below the "
               "other. Of several results, columns of the same name share a panel. Units "
               "come from the result file or from its side file, which takt run writes.",
    .examples = "takt plot plant.csv -o plant.svg\n"
                "takt plot old.csv new.csv --column Tank.level --from 10min --to 1h -o level.png\n"
                "takt plot plant.mat --column 'Tank.*' --column '*.T' --panel each\n",
    .options = options,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .options_size = sizeof(plot_options),
    .defaults = &defaults,
    .execute = execute,
};
