// SPDX-License-Identifier: MIT
// Results of a file as a run that has ended. The library turns every kind of file into the same form of CSV, which is read here.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui_run.h"
#include "ui_text.h"
#include "support.h"

// Takes the next field of a line apart, in place; `*at` is behind its comma then, or NULL at the end.
static char *next_field(char **at)
{
    char *begin = *at, *to = begin, *from = begin;
    bool is_quoted = *from == '"';
    if (is_quoted) from++;
    while (*from && (is_quoted || *from != ',')) {
        if (is_quoted && *from == '"') {
            if (from[1] != '"') {
                is_quoted = false;
                from++;
                continue;
            }
            from++;
        }
        *to++ = *from++;
    }
    *at = *from == ',' ? from + 1 : NULL;
    *to = 0;
    return begin;
}

static void cut_line(char *line)
{
    size_t length = strlen(line);
    while (length && (line[length - 1] == '\n' || line[length - 1] == '\r')) line[--length] = 0;
}

static takt_status read_header(ui_run *run, char *line, takt_error *err)
{
    char *at = line;
    next_field(&at); // the time
    while (at)
        if (!ui_rows_add_column(&run->rows, next_field(&at), NULL, "Float64"))
            return cli_fail_memory(err);
    run->row = calloc((size_t)run->rows.n_columns + 1, sizeof *run->row);
    return run->row ? TAKT_OK : cli_fail_memory(err);
}

static double number_of(const char *text)
{
    double value = NAN;
    return takt_number_read(text, text + strlen(text), &value) ? value : NAN;
}

static void read_row(ui_run *run, char *line)
{
    char *at = line;
    double time = number_of(next_field(&at));
    for (int i = 0; i < run->rows.n_columns; i++)
        run->row[i] = at ? number_of(next_field(&at)) : NAN;
    if (!isnan(time)) ui_rows_add(&run->rows, time, run->row);
}

static takt_status read_csv(ui_run *run, takt_error *err)
{
    FILE *file = fopen(run->results, "r");
    char *line = NULL;
    size_t size = 0;
    if (!file) return cli_fail(err, TAKT_ERR_INPUT, "%s cannot be read", run->shown);
    takt_status st = getline(&line, &size, file) < 0
                         ? cli_fail(err, TAKT_ERR_INPUT, "%s is empty", run->shown)
                         : TAKT_OK;
    if (!st) {
        cut_line(line);
        st = read_header(run, line, err);
    }
    while (!st && getline(&line, &size, file) >= 0) {
        cut_line(line);
        read_row(run, line);
    }
    free(line);
    fclose(file);
    return st;
}

takt_status ui_run_load(const char *file, const char *shown, const ui_run_options *options,
                        ui_run **out, takt_error *err)
{
    ui_run *run = NULL;
    takt_status st = ui_run_make(options, &run, err);
    if (st) return st;
    run->name = strdup(shown);
    run->shown = strdup(shown);
    if (!run->name || !run->shown) st = cli_fail_memory(err);
    if (!st) st = takt_results_convert(file, run->results, run->log, err);
    if (!st) st = read_csv(run, err);
    if (st) {
        ui_run_end(run);
        return st;
    }
    run->state = UI_LOADED;
    run->is_over = true;
    if (run->rows.n) {
        run->start = run->rows.times[0];
        run->time = run->stop = run->rows.times[run->rows.n - 1];
    }
    *out = run;
    return TAKT_OK;
}
