// SPDX-License-Identifier: MIT
// Scenarios as tables (CSV, TSV): a header with the names time, variable, value and perhaps action, in any order, then one change
// per row. Without an action a value is held from its time on; an empty one releases the variable. Cells are
// separated by what the header has: tab, semicolon or comma; quotes as in RFC 4180.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "project/scenario.h"

enum { TIME, VARIABLE, VALUE, ACTION, N_COLUMNS, MAX_CELLS = 16 };

static const char *const column_names[] = {"time", "variable", "value", "action", NULL};

typedef struct table_reader {
    takt_scenario_reader *to;
    const char *at, *end;
    int line; // of `at`
    int row_line; // where the present row begins
    char separator;
    const char *cells[MAX_CELLS]; // of the present row
    int n_cells; // of it, perhaps more than there is room for
    int column[N_COLUMNS]; // which cell; -1: there is none
} table_reader;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// A cell in quotes, of which `at` is the first; to `out`. False: it has no end.
static bool read_quoted(table_reader *reader, char *out, size_t *n)
{
    for (reader->at++; reader->at < reader->end; reader->at++) {
        bool is_quote = *reader->at == '"';
        bool is_double = is_quote && reader->at + 1 < reader->end && reader->at[1] == '"';
        if (is_quote && !is_double) {
            reader->at++;
            return true;
        }
        reader->line += *reader->at == '\n';
        out[(*n)++] = *reader->at;
        reader->at += is_double;
    }
    return false;
}

// Where the cell at `at` ends at the latest.
static size_t longest_cell(const table_reader *reader)
{
    const char *at = reader->at;
    bool is_quoted = false;
    for (; at < reader->end && (is_quoted || (*at != '\n' && *at != reader->separator)); at++)
        is_quoted ^= *at == '"';
    return (size_t)(at - reader->at);
}

// Reads a cell up to the separator or the end of the line. False, with a report, where quotes do not close.
static bool read_cell(table_reader *reader)
{
    char *text = takt_arena_alloc(reader->to->arena, longest_cell(reader) + 1);
    size_t n = 0;
    bool ok = true;
    reader->to->is_out_of_memory |= !text;
    if (!text) return false;
    while (reader->at < reader->end && is_blank(*reader->at) && *reader->at != reader->separator)
        reader->at++;
    bool is_quoted = reader->at < reader->end && *reader->at == '"';
    if (is_quoted) ok = read_quoted(reader, text, &n);
    size_t n_quoted = n;
    while (ok && reader->at < reader->end && *reader->at != '\n' &&
           *reader->at != reader->separator)
        text[n++] = *reader->at++;
    while (n > n_quoted && is_blank(text[n - 1])) n--;
    if (!ok || (is_quoted && n > n_quoted)) {
        takt_scenario_report(reader->to, reader->row_line,
                             ok ? "something follows a cell in quotes" : "quotes are not closed");
        return false;
    }
    text[n] = 0;
    if (reader->n_cells < MAX_CELLS) reader->cells[reader->n_cells] = text;
    reader->n_cells++;
    return true;
}

static void skip_line(table_reader *reader)
{
    while (reader->at < reader->end && *reader->at != '\n') reader->at++;
    if (reader->at < reader->end) reader->at++;
    reader->line++;
}

// The next row that is not empty. False: there is none, or memory is exhausted. A row that is wrong has no cells.
static bool read_row(table_reader *reader)
{
    for (;;) {
        while (reader->at < reader->end && is_blank(*reader->at) &&
               *reader->at != reader->separator)
            reader->at++;
        if (reader->at >= reader->end) return false;
        if (*reader->at != '\n') break;
        skip_line(reader);
    }
    reader->row_line = reader->line;
    reader->n_cells = 0;
    for (;;) {
        bool ok = read_cell(reader);
        if (reader->to->is_out_of_memory) return false;
        if (!ok) reader->n_cells = 0;
        bool goes_on = ok && reader->at < reader->end && *reader->at == reader->separator;
        if (!goes_on) break;
        reader->at++;
    }
    skip_line(reader);
    return true;
}

// ---- header ------------------------------------------------------------------------------------

static char find_separator(const char *text, const char *end)
{
    const char *line_end = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((line_end ? line_end : end) - text);
    if (memchr(text, '\t', length)) return '\t';
    return memchr(text, ';', length) ? ';' : ',';
}

static void report_column(table_reader *reader, const char *name)
{
    const char *nearest;
    takt_problems_is_listed(reader->to->problems, name, column_names, &nearest);
    takt_problem(reader->to->problems, TAKT_LEVEL_WARN,
                 (takt_place){reader->to->scenario->file, reader->row_line},
                 "the column '%s' is not known and ignored%s%s%s", name,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static void take_column(table_reader *reader, int i)
{
    for (int c = 0; c < N_COLUMNS; c++) {
        if (strcmp(reader->cells[i], column_names[c]) != 0) continue;
        if (reader->column[c] >= 0)
            takt_scenario_report(reader->to, reader->row_line, "two columns have the name '%s'",
                                 column_names[c]);
        reader->column[c] = i;
        return;
    }
    report_column(reader, reader->cells[i]);
}

static bool read_header(table_reader *reader)
{
    bool is_complete = true;
    for (int c = 0; c < N_COLUMNS; c++) reader->column[c] = -1;
    if (!read_row(reader)) {
        if (!reader->to->is_out_of_memory)
            takt_scenario_report(reader->to, 1,
                                 "the table is empty; its first line is "
                                 "time,variable,value");
        return false;
    }
    for (int i = 0; i < reader->n_cells && i < MAX_CELLS; i++) take_column(reader, i);
    for (int c = 0; c < ACTION; c++) {
        if (reader->column[c] >= 0) continue;
        takt_scenario_report(reader->to, reader->row_line,
                             "the header has no column '%s'; it is time,variable,value",
                             column_names[c]);
        is_complete = false;
    }
    return is_complete;
}

// ---- rows --------------------------------------------------------------------------------------

// The cell of a column; "": there is none.
static const char *cell(const table_reader *reader, int column)
{
    int i = reader->column[column];
    return i >= 0 && i < reader->n_cells && i < MAX_CELLS ? reader->cells[i] : "";
}

static void add_row(table_reader *reader)
{
    takt_scenario_reader *to = reader->to;
    int line = reader->row_line;
    const char *action = cell(reader, ACTION), *value = cell(reader, VALUE);
    takt_scenario_event event = {.change = {.place = {to->scenario->file, line},
                                            .variable = cell(reader, VARIABLE),
                                            .value = value}};
    bool ok = takt_scenario_read_time(to, line, "time", cell(reader, TIME), &event.time);
    if (*action)
        ok &= takt_scenario_read_action(to, line, action, &event.action);
    else
        event.action = *value ? TAKT_SCENARIO_OVERRIDE : TAKT_SCENARIO_RESET;
    event.change.is_difference = event.action == TAKT_SCENARIO_BIAS;
    if (!*event.change.variable) {
        takt_scenario_report(to, line, "the row names no variable");
        ok = false;
    }
    if (ok) takt_scenario_add(to, &event);
}

void takt_scenario_parse_table(takt_scenario_reader *to, const char *text, size_t size)
{
    table_reader reader = {.to = to,
                           .at = text,
                           .end = text + size,
                           .line = 1,
                           .separator = find_separator(text, text + size)};
    if (!read_header(&reader)) return;
    while (read_row(&reader))
        if (reader.n_cells > 0) add_row(&reader);
}
