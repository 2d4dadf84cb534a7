// SPDX-License-Identifier: MIT
// Line-based project files; see lines.h.
#include "project/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"

enum { MAX_SIZE = 64 << 20 }; // bytes; a million connections take about 40 MB

static const char BLANKS[] = " \t\r\v\f";

// ---- text --------------------------------------------------------------------------------------

takt_status takt_lines_copy(takt_project *project, const void *data, size_t size, char **out,
                            takt_error *err)
{
    static const char mark[] = "\xEF\xBB\xBF"; // some editors write it before UTF-8
    const char *text = size ? data : "";
    if (memchr(text, 0, size))
        return takt_fail(err, TAKT_ERR_INPUT, "%s: this is not a text file", project->path);
    if (size >= 3 && memcmp(text, mark, 3) == 0) text += 3, size -= 3;
    char *copy = takt_arena_copy_n(&project->arena, text, size);
    if (!copy) return takt_fail_memory(err);
    *out = copy;
    return TAKT_OK;
}

takt_status takt_lines_read(takt_project *project, char **out, takt_error *err)
{
    char *data = NULL;
    size_t size = 0;
    takt_status st = takt_file_read(project->path, MAX_SIZE, &data, &size, err);
    if (!st) st = takt_lines_copy(project, data, size, out, err);
    free(data);
    return st;
}

static bool is_utf8(const char *text)
{
    while (*text) {
        int n = takt_utf8_length(text);
        if (n == 0) return false;
        text += n;
    }
    return true;
}

char *takt_lines_next(takt_lines *lines)
{
    while (*lines->rest) {
        char *line = lines->rest;
        size_t length = strcspn(line, "\n");
        lines->rest += length + (line[length] == '\n');
        lines->number++;
        while (length > 0 && strchr(BLANKS, line[length - 1])) length--;
        line[length] = 0;
        line += strspn(line, BLANKS);
        if (!*line || *line == '#') continue;
        if (is_utf8(line)) return line;
        takt_lines_report(lines, TAKT_LEVEL_ERROR,
                          "this line is not UTF-8; save the file with this encoding");
    }
    return NULL;
}

// ---- words -------------------------------------------------------------------------------------

char *takt_lines_cut_word(char *line)
{
    char *end = line + strcspn(line, BLANKS);
    char *next = end + strspn(end, BLANKS);
    *end = 0;
    return next;
}

int takt_lines_split(char *line, char *words[TAKT_MAX_WORDS])
{
    int n = 0;
    for (line += strspn(line, BLANKS); *line; line += strspn(line, BLANKS), n++) {
        bool is_quoted = *line == '"';
        char *word = line + is_quoted;
        char *end = is_quoted ? strchr(word, '"') : word + strcspn(word, BLANKS);
        if (!end) return -1;
        line = *end ? end + 1 : end;
        *end = 0;
        if (n < TAKT_MAX_WORDS) words[n] = word;
    }
    return n;
}

// ---- problems and settings ---------------------------------------------------------------------

takt_place takt_lines_place(const takt_lines *lines)
{
    return (takt_place){lines->project->path, lines->number};
}

static void report(takt_lines *lines, int number, takt_level level, const char *format,
                   va_list arguments)
{
    char text[TAKT_MESSAGE_SIZE];
    vsnprintf(text, sizeof text, format, arguments);
    takt_problem(&lines->project->problems, level, (takt_place){lines->project->path, number}, "%s",
                 text);
}

void takt_lines_report(takt_lines *lines, takt_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(lines, lines->number, level, format, arguments);
    va_end(arguments);
}

void takt_lines_report_at(takt_lines *lines, int number, takt_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(lines, number, level, format, arguments);
    va_end(arguments);
}

void takt_lines_set(takt_lines *lines, int number, const char *keyword, const char *setting,
                    const char *value)
{
    takt_error err = {0};
    takt_project *project = lines->project;
    takt_status st =
        takt_project_set_at(project, setting, value, (takt_place){project->path, number}, &err);
    if (st == TAKT_ERR_MEMORY)
        lines->is_out_of_memory = true;
    else if (st)
        takt_lines_report_at(lines, number, TAKT_LEVEL_ERROR, "%s: %s", keyword, err.message);
}

void takt_lines_set_number(takt_lines *lines, int number, const char *keyword, const char *setting,
                           double value)
{
    char text[TAKT_NUMBER_SIZE];
    takt_number_write(text, value);
    takt_lines_set(lines, number, keyword, setting, text);
}

// ---- paths -------------------------------------------------------------------------------------

const char *takt_lines_path(takt_lines *lines, const char *path)
{
    takt_arena *arena = &lines->project->arena;
    char *copy = takt_arena_copy(arena, path);
    for (char *c = copy; c && *c; c++)
        if (*c == '\\') *c = '/';
    if (copy && strchr(lines->project->path, '/')) {
        const char *folder = takt_path_folder(arena, lines->project->path);
        copy = folder ? takt_path_join(arena, folder, copy) : NULL;
    }
    if (!copy) lines->is_out_of_memory = true;
    return copy;
}

// ---- end ---------------------------------------------------------------------------------------

takt_status takt_lines_end(takt_lines *lines, const char *example, takt_error *err)
{
    takt_project *project = lines->project;
    if (project->n_components) return TAKT_OK;
    takt_lines_report_at(lines, 0, TAKT_LEVEL_ERROR,
                         "the project has no simulators; write lines like %s", example);
    return takt_problems_end(&project->problems, project->path, err);
}
