// SPDX-License-Identifier: MIT
// Problems as JSON; see problem_list.h. Messages are sentences for people; what programs want to have apart is taken
// from their usual form: "component 'Tank': what is wrong; what to do about it".
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

// What stands between quotes behind a word.
static const char *find_quoted(const char *text, const char *word, size_t *n)
{
    const char *begin = strstr(text, word);
    if (!begin) return NULL;
    begin += strlen(word);
    const char *end = strchr(begin, '\'');
    if (!end) return NULL;
    *n = (size_t)(end - begin);
    return begin;
}

void cli_problem_list_begin(cli_problem_list *list, FILE *file)
{
    *list = (cli_problem_list){.file = file};
    fputs("[", file);
}

void cli_problem_list_add(void *context, const takt_message *message)
{
    static const char *const severities[] = {"error", "warning", "info", "debug", "trace"};
    cli_problem_list *list = context;
    const char *file = message->file ? message->file : list->about, *text = message->text;
    size_t n_component = 0;
    const char *component = find_quoted(text, "component '", &n_component);
    if (!component) component = find_quoted(text, "instance '", &n_component);
    const char *suggestion = strstr(text, "; ");
    fprintf(list->file, "%s\n  {\"severity\": \"%s\"", list->n_items++ ? "," : "",
            severities[message->level]);
    put_item(list->file, "file", file, file ? strlen(file) : 0);
    fprintf(list->file, ", \"line\": ");
    if (message->line)
        fprintf(list->file, "%d", message->line);
    else
        fputs("null", list->file);
    put_item(list->file, "component", component, n_component);
    put_item(list->file, "message", text, suggestion ? (size_t)(suggestion - text) : strlen(text));
    put_item(list->file, "suggestion", suggestion ? suggestion + 2 : NULL,
             suggestion ? strlen(suggestion + 2) : 0);
    fputs("}", list->file);
}

void cli_problem_list_end(cli_problem_list *list)
{
    fputs(list->n_items ? "\n]\n" : "]\n", list->file);
}
