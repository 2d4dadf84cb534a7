// SPDX-License-Identifier: MIT
// Reading small tables; see sweep_table.h. Cells are cut out of the text in place.
#include "sweep_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { MAX_COLUMNS = 100000 };

// ---- rows --------------------------------------------------------------------------------------

/// Reading, from the front to the back.
typedef struct scanner {
    const char *path;
    char *at, *end; ///< what is left
    char separator;
    int line;
    const char **cells; ///< of the present row
    int n_cells, capacity;
} scanner;

static takt_status fail_line(const scanner *s, takt_error *err, const char *what)
{
    return cli_fail(err, TAKT_ERR_INPUT, "%s:%d: %s", s->path, s->line, what);
}

// A quoted cell: what is between the quotes, where two stand for one. Returns what follows, or NULL at the end of the file.
static char *cut_quoted(scanner *s, char **cell)
{
    char *from = s->at + 1, *to = from;
    *cell = to;
    for (; from < s->end; from++) {
        if (*from == '"' && from[1] != '"') {
            *to = 0;
            return from + 1;
        }
        if (*from == '"') from++;
        if (*from == '\n') s->line++;
        *to++ = *from;
    }
    return NULL;
}

static char *trim(char *cell)
{
    cell += strspn(cell, " ");
    size_t n = strlen(cell);
    while (n > 0 && (cell[n - 1] == ' ' || cell[n - 1] == '\r')) cell[--n] = 0;
    return cell;
}

static takt_status add_cell(scanner *s, const char *cell, takt_error *err)
{
    if (s->n_cells == MAX_COLUMNS) return fail_line(s, err, "has too many cells");
    if (!cli_grow(&s->cells, s->n_cells, &s->capacity, sizeof *s->cells))
        return cli_fail_memory(err);
    s->cells[s->n_cells++] = cell;
    return TAKT_OK;
}

// One row; `at` stands behind its end of line then.
static takt_status cut_row(scanner *s, takt_error *err)
{
    bool is_more = true;
    int line = s->line;
    s->n_cells = 0;
    while (is_more) {
        char *cell = s->at, *next;
        bool is_quoted = *cell == '"';
        next = is_quoted ? cut_quoted(s, &cell)
                         : cell + strcspn(cell, (char[]){s->separator, '\n', 0});
        if (!next) {
            s->line = line;
            return fail_line(s, err, "a quoted text does not end");
        }
        next += is_quoted && *next == '\r';
        if (next < s->end && *next != s->separator && *next != '\n')
            return fail_line(s, err, *next ? "text behind a quoted cell" : "holds a zero byte");
        is_more = next < s->end && *next == s->separator;
        s->at = next < s->end ? next + 1 : next;
        *next = 0;
        takt_status st = add_cell(s, is_quoted ? cell : trim(cell), err);
        if (st) return st;
    }
    return TAKT_OK;
}

static bool skip_empty_lines(scanner *s)
{
    while (s->at < s->end) {
        size_t n = strspn(s->at, " \r");
        if (s->at[n] != '\n') return s->at[n] != 0 || s->at + n < s->end;
        s->at += n + 1;
        s->line++;
    }
    return false;
}

// What separates the names of the columns: the first that stands outside of quotes.
static char find_separator(const char *text)
{
    bool is_quoted = false;
    for (; *text && (*text != '\n' || is_quoted); text++) {
        if (*text == '"') is_quoted = !is_quoted;
        if (!is_quoted && strchr(",;\t", *text)) return *text;
    }
    return ',';
}

static takt_status take_header(scanner *s, cli_table *out, takt_error *err)
{
    takt_status st = cut_row(s, err);
    if (st) return st;
    out->n_columns = s->n_cells;
    out->header = s->cells;
    s->cells = NULL;
    s->capacity = 0;
    for (int i = 0; i < out->n_columns; i++) {
        if (!*out->header[i])
            return cli_fail(err, TAKT_ERR_INPUT, "%s:%d: column %d has no name", s->path, s->line,
                            i + 1);
        for (int k = 0; k < i; k++)
            if (strcmp(out->header[i], out->header[k]) == 0)
                return cli_fail(err, TAKT_ERR_INPUT, "%s:%d: there are two columns '%s'", s->path,
                                s->line, out->header[i]);
    }
    return TAKT_OK;
}

static takt_status take_rows(scanner *s, cli_table *out, takt_error *err)
{
    int row_capacity = 0;
    size_t n = (size_t)out->n_columns, cell_capacity = 0;
    for (takt_status st; s->line++, skip_empty_lines(s); out->n_rows++) {
        int line = s->line;
        if ((st = cut_row(s, err))) return st;
        if (s->n_cells != out->n_columns)
            return cli_fail(err, TAKT_ERR_INPUT,
                            "%s:%d: has %d cells, but there are %d columns (line 1)", s->path, line,
                            s->n_cells, out->n_columns);
        size_t used = (size_t)out->n_rows * n;
        if (used + n > cell_capacity) {
            cell_capacity = 2 * (used + n);
            const char **grown = reallocarray(out->cells, cell_capacity, sizeof *grown);
            if (!grown) return cli_fail_memory(err);
            out->cells = grown;
        }
        if (!cli_grow(&out->lines, out->n_rows, &row_capacity, sizeof *out->lines))
            return cli_fail_memory(err);
        memcpy(&out->cells[used], s->cells, n * sizeof *out->cells);
        out->lines[out->n_rows] = line;
    }
    return TAKT_OK;
}

takt_status cli_table_read(const char *path, bool may_be_cut, cli_table *out, takt_error *err)
{
    *out = (cli_table){0};
    size_t size;
    takt_status st = cli_file_read(path, &out->text, &size, err);
    if (st) return st;
    for (out->n_complete = size; out->n_complete && out->text[out->n_complete - 1] != '\n';)
        out->n_complete--;
    if (may_be_cut) size = out->n_complete;
    out->text[size] = 0;
    scanner s = {.path = path, .at = out->text, .end = out->text + size, .line = 1};
    if (size >= 3 && memcmp(s.at, "\xef\xbb\xbf", 3) == 0) s.at += 3; // byte order mark
    s.separator = find_separator(s.at);
    if (!skip_empty_lines(&s))
        st = cli_fail(err, TAKT_ERR_INPUT, "%s: is empty; the first line names the columns", path);
    if (!st) st = take_header(&s, out, err);
    if (!st) st = take_rows(&s, out, err);
    free(s.cells);
    return st;
}

void cli_table_clear(cli_table *table)
{
    free(table->text);
    free(table->cells);
    free(table->header);
    free(table->lines);
    *table = (cli_table){0};
}

int cli_table_find(const cli_table *table, const char *name)
{
    for (int i = 0; i < table->n_columns; i++)
        if (strcmp(table->header[i], name) == 0) return i;
    return -1;
}
