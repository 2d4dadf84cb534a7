// SPDX-License-Identifier: MIT
// Problems as JSON; see problem_list.h. Messages are sentences for people; what programs want to have apart is taken
// from their usual form: "component 'Tank': what is wrong; what to do about it". Names of users may hold all of these signs:
// a quote ends a name only where no letter or digit follows, and what stands in quotes is passed over.
#include "problem_list.h"

#include <ctype.h>
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

// The quote that ends a name whose first character is at `name`; NULL: none.
static const char *find_quote(const char *name)
{
    const char *end = name;
    do end = strchr(end + (end != name), '\'');
    while (end && isalnum((unsigned char)end[1]));
    return end;
}

// What stands between quotes behind a word.
static const char *find_quoted(const char *text, const char *word, size_t *n)
{
    const char *begin = strstr(text, word);
    if (!begin) return NULL;
    begin += strlen(word);
    const char *end = find_quote(begin);
    if (!end) return NULL;
    *n = (size_t)(end - begin);
    return begin;
}

// The first "; " that is not part of a name; NULL: none.
static const char *find_suggestion(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (p[0] == ';' && p[1] == ' ') return p;
        bool opens = *p == '\'' && (p == text || !isalnum((unsigned char)p[-1]));
        const char *end = opens ? find_quote(p + 1) : NULL;
        if (end) p = end;
    }
    return NULL;
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
    const char *suggestion = find_suggestion(text);
    begin_item(list, severities[message->level], file, message->line);
    put_item(list->file, "component", component, n_component);
    put_item(list->file, "message", text, suggestion ? (size_t)(suggestion - text) : strlen(text));
    put_item(list->file, "suggestion", suggestion ? suggestion + 2 : NULL,
             suggestion ? strlen(suggestion + 2) : 0);
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
}
