// SPDX-License-Identifier: MIT
// `takt run --report FILE`; see run_report.h.
#include "run_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "ui_text.h"
#include "whole_file.h"

enum { MAX_MESSAGES = 2000 };

static void note(void *context, const takt_message *message)
{
    cli_run_report *report = context;
    if (message->level > TAKT_LEVEL_WARN || json_array_size(report->messages) >= MAX_MESSAGES)
        return;
    json_array_append_new(
        report->messages,
        json_pack("{s:s,s:s}", "level", takt_level_name(message->level), "text", message->text));
}

void cli_run_report_listen(cli_run_report *report, cli_console *console)
{
    report->messages = json_array();
    console->listen = note;
    console->listen_context = report;
}

static int see_row(void *context, const takt_row *row)
{
    cli_run_report *report = context;
    for (int i = 0; i < report->n_columns; i++) {
        const takt_column_info *c = &report->infos[i];
        double value = c->kind == TAKT_KIND_REAL      ? row->reals[c->index]
                       : c->kind == TAKT_KIND_INTEGER ? (double)row->integers[c->index]
                                                      : NAN;
        cli_report_column_add(&report->columns[i], value);
    }
    return 0;
}

takt_status cli_run_report_watch(cli_run_report *report, takt_run *run, takt_error *err)
{
    int n = takt_run_count_columns(run);
    report->columns = calloc((size_t)n + 1, sizeof *report->columns);
    report->infos = calloc((size_t)n + 1, sizeof *report->infos);
    if (!report->columns || !report->infos) return cli_fail_memory(err);
    for (int i = 0; i < n; i++) {
        report->infos[i].size = sizeof report->infos[i];
        takt_status st = takt_run_get_column(run, i, &report->infos[i], err);
        if (st) return st;
        report->columns[i] = cli_report_column_begin(report->infos[i].name, report->infos[i].unit);
    }
    report->n_columns = n;
    return takt_run_observe(run, see_row, report, err);
}

// A word of the shell.
static void print_word(ui_text *out, const char *word)
{
    bool is_plain =
        *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_-./=:,+@%")];
    if (is_plain) {
        ui_text_print(out, " %s", word);
        return;
    }
    ui_text_print(out, " '");
    for (; *word; word++) ui_text_print(out, *word == '\'' ? "'\\''" : "%c", *word);
    ui_text_print(out, "'");
}

static char *print_command(const cli_arguments *arguments, const char *path)
{
    ui_text out = {0};
    ui_text_print(&out, "takt run");
    for (int i = 0; i < arguments->n_operands; i++) print_word(&out, arguments->operands[i]);
    for (int i = 0; i < arguments->n_settings; i++) {
        const cli_setting *s = &arguments->settings[i];
        ui_text word = {0};
        bool is_flag = !s->value || strcmp(s->value, "true") == 0;
        ui_text_print(&word, is_flag ? "--%s" : "--%s=%s", s->name, s->value ? s->value : "");
        if (word.data) print_word(&out, word.data);
        free(ui_text_take(&word));
    }
    ui_text_print(&out, " --report");
    print_word(&out, path);
    return ui_text_take(&out);
}

takt_status cli_run_report_write(const cli_run_report *report, const char *path,
                                 const cli_report *given, const cli_arguments *arguments,
                                 takt_error *err)
{
    char *text = NULL, *command = print_command(arguments, path);
    cli_report all = *given;
    all.messages = report->messages;
    all.columns = report->columns;
    all.n_columns = report->n_columns;
    all.command = command;
    takt_status st = cli_report_make(&all, &text, err);
    if (!st && !cli_whole_file_write(path, text, ""))
        st = cli_fail(err, TAKT_ERR_OUTPUT, "cannot write the report to %s: %s", path,
                      strerror(errno));
    free(text);
    free(command);
    return st;
}

void cli_run_report_clear(cli_run_report *report)
{
    json_decref(report->messages);
    free(report->columns);
    free(report->infos);
    *report = (cli_run_report){0};
}
