// SPDX-License-Identifier: MIT
// Problems as JSON; see problem_list.h.
#include "problem_list.h"

#include <string.h>

// The length of the UTF-8 sequence at `p`; 0: there is none.
static int sequence_length(const unsigned char *p)
{
    int n = p[0] < 0x80                   ? 1
            : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
            : (p[0] & 0xF0) == 0xE0       ? 3
            : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                          : 0;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    return n;
}

static void put_text(FILE *file, const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + n;
    fputc('"', file);
    while (p < end) {
        int length = sequence_length(p);
        if (*p == '"' || *p == '\\')
            fprintf(file, "\\%c", *p);
        else if (*p < 0x20)
            fprintf(file, "\\u%04x", *p);
        else if (length == 0 || p + length > end)
            fputs("\\ufffd", file); // names of files may be anything
        else
            fwrite(p, 1, (size_t)length, file);
        p += length ? length : 1;
    }
    fputc('"', file);
}

static void put_item(FILE *file, const char *key, const char *text, size_t n)
{
    fprintf(file, ", \"%s\": ", key);
    if (text)
        put_text(file, text, n);
    else
        fputs("null", file);
}

static void begin_item(cli_problem_list *list, const char *severity, const char *file, int line)
{
    fprintf(list->file, "%s\n  {\"severity\": \"%s\"", list->n_items++ ? "," : "", severity);
    put_item(list->file, "file", file, file ? strlen(file) : 0);
    if (line)
        fprintf(list->file, ", \"line\": %d", line);
    else
        fputs(", \"line\": null", list->file);
}

void cli_problem_list_begin(cli_problem_list *list, FILE *file)
{
    *list = (cli_problem_list){.file = file, .parts = takt_problem_list_create(TAKT_LEVEL_TRACE)};
    fputs("[", file);
}

static void put_whole(FILE *file, const char *key, const char *text)
{
    put_item(file, key, text, text ? strlen(text) : 0);
}

void cli_problem_list_add(void *context, const takt_message *message)
{
    static const char *const severities[] = {"error", "warning", "info", "debug", "trace"};
    cli_problem_list *list = context;
    takt_problem_info info = {.size = sizeof info, .message = message->text};
    if (list->parts) takt_problem_list_clear(list->parts);
    if (list->parts) takt_problem_list_add(list->parts, message);
    if (list->parts) takt_problem_list_get(list->parts, 0, &info, NULL);
    const char *file = message->file ? message->file : list->about;
    begin_item(list, severities[message->level], file, message->line);
    put_whole(list->file, "component", info.component);
    put_whole(list->file, "message", info.message);
    put_whole(list->file, "suggestion", info.suggestion);
    fprintf(list->file, ", \"doubt\": %s}", message->is_doubt ? "true" : "false");
}

void cli_problem_list_add_facts(cli_problem_list *list, const char *message, const char *key,
                                const char *json)
{
    begin_item(list, "info", list->about, 0);
    put_item(list->file, "component", NULL, 0);
    put_item(list->file, "message", message, strlen(message));
    put_item(list->file, "suggestion", NULL, 0);
    fprintf(list->file, ", \"doubt\": false, \"%s\": %s}", key, json);
}

void cli_problem_list_end(cli_problem_list *list)
{
    fputs(list->n_items ? "\n]\n" : "]\n", list->file);
    takt_problem_list_destroy(list->parts);
    list->parts = NULL;
}
