// SPDX-License-Identifier: MIT
// Reads CSV; see csv_reader.h for what is accepted.
//
// One pass over the whole text, cell by cell. Every row that is kept has used at least as many bytes
// as there are columns, so the arrays can be sized beforehand by the length of the text: a hostile
// file cannot ask for more than a small multiple of its own size. Problems of cells and rows do not end
// the reading, so that all of them are reported.
#include "base/csv_reader.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/csv_parse.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"

typedef struct cell {
    const char *begin, *end; // without quotes, and without blanks around it
    int line, column; // where it starts, counted from 1; columns in bytes
    bool is_quoted;
    bool has_escapes; // doubled quotes
    bool is_last; // of its row
} cell;

typedef takt_csv_parser reader;

// So many problems of a file are reported one by one.
enum { MAX_REPORTED = 20 };

// ---- cells -------------------------------------------------------------------------------------

// A piece of the file that can be shown in a message.
typedef struct excerpt {
    char text[48];
} excerpt;

static excerpt excerpt_of(const cell *c)
{
    excerpt e = {""};
    size_t length = (size_t)(c->end - c->begin), shown = length < 40 ? length : 40;
    for (size_t i = 0; i < shown; i++)
        e.text[i] = iscntrl((unsigned char)c->begin[i]) ? '?' : c->begin[i];
    if (shown < length) memcpy(e.text + shown, "...", 4);
    return e;
}

// Writes a problem to the log and keeps the first one.
static void add_problem(reader *r, int line, int column, const char *text)
{
    if (r->n_problems++ >= MAX_REPORTED) return;
    takt_log_problem(r->log, TAKT_LEVEL_ERROR, r->table->file, line, "%s", text);
    if (r->n_problems == 1)
        takt_fail(&r->first, TAKT_ERR_INPUT, "%s:%d:%d: %s", r->table->file, line, column, text);
}

// Bytes of 0 come from files that are not text, or from UTF-16; they explain all other problems.
takt_status takt_csv_check_text(reader *r, const char *end)
{
    const char *zero = r->begin < end ? memchr(r->begin, 0, (size_t)(end - r->begin)) : NULL;
    if (!zero || r->has_zeros) return TAKT_OK;
    int line = r->first_line;
    const char *start = r->begin;
    for (const char *p = r->begin; p < zero; p++) {
        if (*p != '\n') continue;
        line++;
        start = p + 1;
    }
    add_problem(r, line, (int)(zero - start) + 1, "a byte of 0; the file is not text in UTF-8");
    r->has_zeros = true;
    return TAKT_ERR_INPUT;
}

static void report(reader *r, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void report(reader *r, int line, int column, const char *format, ...)
{
    if (r->n_problems == 0) takt_csv_check_text(r, r->end);
    if (r->has_zeros) return;
    char text[TAKT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_problem(r, line, column, text);
}

// The same where nothing after it can be understood.
static takt_status give_up(reader *r, const cell *c, const char *what)
{
    report(r, c->line, c->column, "%s", what);
    return TAKT_ERR_INPUT;
}

static void report_in_column(reader *r, const cell *c, int column, const char *what)
{
    cell name = {.begin = r->table->columns[column].name};
    name.end = name.begin + strlen(name.begin);
    report(r, c->line, c->column, "column '%s': '%s' %s", excerpt_of(&name).text,
           excerpt_of(c).text, what);
}

static bool is_blank(const reader *r, char c)
{
    return c == ' ' || (c == '\t' && r->separator != '\t');
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && is_blank(r, *r->at)) r->at++;
}

static void start_line(reader *r)
{
    if (r->line < INT_MAX) r->line++; // a stream may have more
    r->line_start = r->at;
}

// From behind the opening quote to behind the closing one.
static takt_status scan_quoted(reader *r, cell *out)
{
    out->is_quoted = true;
    out->begin = r->at;
    for (; r->at < r->end; r->at++) {
        if (*r->at == '"') {
            if (r->at + 1 == r->end || r->at[1] != '"') break;
            out->has_escapes = true;
            r->at++;
        } else if (*r->at == '\n') {
            if (r->line < INT_MAX) r->line++;
            r->line_start = r->at + 1;
        }
    }
    if (r->at == r->end) return give_up(r, out, "the closing quote is missing");
    out->end = r->at++;
    skip_blanks(r);
    if (r->at < r->end && *r->at == '\r') r->at++;
    if (r->at < r->end && *r->at != r->separator && *r->at != '\n')
        return give_up(r, out, "there is more text after the closing quote");
    return TAKT_OK;
}

static void scan_plain(reader *r, cell *out)
{
    out->begin = r->at;
    while (r->at < r->end && *r->at != r->separator && *r->at != '\n') r->at++;
    out->end = r->at;
    if (out->end > out->begin && out->end[-1] == '\r') out->end--;
    while (out->end > out->begin && is_blank(r, out->end[-1])) out->end--;
}

static takt_status next_cell(reader *r, cell *out)
{
    skip_blanks(r);
    *out = (cell){.line = r->line, .column = (int)(r->at - r->line_start) + 1};
    if (r->at < r->end && *r->at == '"') {
        r->at++;
        takt_status st = scan_quoted(r, out);
        if (st) return st;
    } else {
        scan_plain(r, out);
    }
    out->is_last = r->at == r->end || *r->at == '\n';
    if (r->at < r->end) r->at++;
    if (out->is_last) start_line(r);
    return TAKT_OK;
}

// Moves to the next line that is neither blank nor a comment. Returns false at the end of the text.
static bool find_row(reader *r)
{
    while (r->at < r->end) {
        const char *p = r->at;
        while (p < r->end && (*p == ' ' || *p == '\r' || is_blank(r, *p))) p++;
        if (p < r->end && *p != '\n' && *p != '#') return true;
        while (p < r->end && *p != '\n') p++; // the rest of a comment
        r->at = p < r->end ? p + 1 : p;
        start_line(r);
    }
    return false;
}

// The text of a cell.
static char *copy_text(reader *r, const cell *c)
{
    char *text = takt_arena_copy_n(r->texts, c->begin, (size_t)(c->end - c->begin));
    if (!text || !c->has_escapes) return text;
    char *to = text;
    for (const char *from = text; *from; from++) {
        *to++ = *from;
        if (*from == '"') from++; // the second of a doubled quote
    }
    *to = 0;
    return text;
}

// ---- header ------------------------------------------------------------------------------------

// The separator is what follows the first cell.
static char find_separator(const char *at, const char *end)
{
    bool in_quotes = false;
    for (; at < end && (in_quotes || *at != '\n'); at++) {
        if (*at == '"') in_quotes = !in_quotes;
        if (!in_quotes && strchr(",;\t", *at)) return *at;
    }
    return ',';
}

// Splits "T_out [degC]". Without a blank in between it is an element of an array: "x[1]".
static void split_unit(char *name, takt_table_column *column)
{
    size_t length = strlen(name);
    char *bracket = strrchr(name, '[');
    column->name = name;
    if (!bracket || bracket - name < 2 || bracket[-1] != ' ' || name[length - 1] != ']') return;
    name[length - 1] = 0;
    column->unit = bracket + 1;
    while (bracket > name && bracket[-1] == ' ') bracket--;
    *bracket = 0;
    if (!*column->unit || strcmp(column->unit, "-") == 0) column->unit = NULL;
}

// "time (min)" is "time [min]", and so is "t[min]": the time is no array.
static void space_time_name(const char *name, char *spaced, size_t size)
{
    size_t n = strcspn(name, "([ "), length = strlen(name);
    const char *open = name + strcspn(name, "([");
    bool is_closed = *open && strchr(")]", name[length - 1]);
    if (is_closed)
        snprintf(spaced, size, "%.*s [%.*s]", (int)n, name, (int)(name + length - 2 - open),
                 open + 1);
    else
        snprintf(spaced, size, "%s", name);
}

// The first column: how long is one of its units?
static takt_status read_time_name(reader *r, const cell *c, char *name, takt_table_column *column)
{
    char spaced[64], unit[64];
    space_time_name(name, spaced, sizeof spaced);
    split_unit(spaced, column);
    snprintf(unit, sizeof unit, "1 %s", column->unit ? column->unit : "s");
    bool is_time = strcasecmp(column->name, "time") == 0 || strcasecmp(column->name, "t") == 0;
    column->name = "time";
    column->unit = "s";
    if (!is_time) {
        report(r, c->line, c->column,
               "the first column must be 'time', not '%s'; is this a CSV file with a header line?",
               excerpt_of(c).text);
        return TAKT_ERR_INPUT;
    }
    if (!takt_number_read_duration(unit, &r->time_unit))
        report(r, c->line, c->column,
               "'%s' is no unit of time; possible are ms, s, min, h, d and a", unit + 2);
    return TAKT_OK;
}

static takt_status add_column(reader *r, const cell *c, int *capacity, takt_table_column **columns)
{
    takt_table *table = r->table;
    takt_table_column column = {0};
    if (table->n_columns == TAKT_CSV_MAX_COLUMNS) return give_up(r, c, "too many columns");
    char *name = copy_text(r, c);
    if (!name || !takt_grow(columns, table->n_columns, capacity, sizeof **columns))
        return takt_fail_memory(r->err);
    if (table->n_columns == 0) {
        r->quotes_mean_text = !c->is_quoted;
        takt_status st = read_time_name(r, c, name, &column);
        if (st) return st;
    } else if (c->is_quoted && r->quotes_mean_text) {
        column.name = name;
    } else {
        split_unit(name, &column);
    }
    if (!takt_utf8_is_valid(column.name) || (column.unit && !takt_utf8_is_valid(column.unit)))
        report(r, c->line, c->column,
               "the name is not written in UTF-8; save the file in that encoding");
    else if (!*column.name)
        report(r, c->line, c->column, "a column has no name");
    else if (takt_map_find(&table->names, column.name) >= 0)
        report(r, c->line, c->column, "there are two columns '%s'", excerpt_of(c).text);
    else if (!takt_map_add(&table->names, column.name, table->n_columns))
        return takt_fail_memory(r->err);
    (*columns)[table->n_columns++] = column;
    return TAKT_OK;
}

// Counts the cells of the next row without reading it, and finds the last one; 0 where that is not
// possible.
static int count_cells(reader r, cell *last)
{
    r.err = NULL;
    r.log = NULL; // problems are reported when the row is read
    *last = (cell){0};
    int n = 0;
    if (!find_row(&r)) return 0;
    for (; !last->is_last; n++)
        if (next_cell(&r, last)) return 0;
    return n;
}

// Has the header more cells than the first row? Then there are names like der(x,2) without quotes.
static bool has_split_names(const reader *r)
{
    reader behind = *r;
    behind.err = NULL;
    behind.log = NULL;
    cell c;
    int n_names = count_cells(*r, &c);
    c = (cell){0};
    while (!c.is_last)
        if (next_cell(&behind, &c)) return false;
    int n_values = count_cells(behind, &c);
    return n_values > 0 && n_names > n_values;
}

static int open_brackets(const cell *c)
{
    int n = 0;
    for (const char *at = c->begin; at < c->end; at++) {
        n += *at == '(' || *at == '[';
        n -= *at == ')' || *at == ']';
    }
    return n;
}

// A name, with all up to the end of a bracket that a separator cut into pieces.
static takt_status next_name(reader *r, cell *c)
{
    takt_status st = next_cell(r, c);
    int n_open = !st && r->joins_names && !c->is_quoted ? open_brackets(c) : 0;
    while (!st && !c->is_last && n_open > 0) {
        cell more;
        st = next_cell(r, &more);
        c->end = more.end;
        c->is_last = more.is_last;
        n_open += st ? 0 : open_brackets(&more);
    }
    return st;
}

static takt_status read_header(reader *r)
{
    takt_table *table = r->table;
    if (!find_row(r)) {
        cell start = {.line = 1, .column = 1};
        return give_up(r, &start,
                       "the file is empty; a header line that starts with 'time' is missing");
    }
    r->separator = find_separator(r->at, r->end);
    r->joins_names = has_split_names(r);
    takt_table_column *columns = NULL;
    int capacity = 0;
    cell c = {0};
    takt_status st = TAKT_OK;
    while (!st && !c.is_last) {
        st = next_name(r, &c);
        if (!st) st = add_column(r, &c, &capacity, &columns);
    }
    if (!st) {
        size_t n = (size_t)table->n_columns;
        table->columns = takt_arena_array(&table->arena, n, sizeof *columns);
        if (table->columns) memcpy(table->columns, columns, n * sizeof *columns);
        if (!table->columns) st = takt_fail_memory(r->err);
    }
    free(columns);
    return st;
}

// ---- rows --------------------------------------------------------------------------------------

// Rows cannot be more than there are lines left, nor use fewer bytes than they have cells.
static void set_row_capacity(reader *r)
{
    size_t n_lines = 1;
    for (const char *p = r->at; p < r->end && (p = memchr(p, '\n', (size_t)(r->end - p))); p++)
        n_lines++;
    size_t most = (size_t)(r->end - r->at) / (size_t)r->table->n_columns + 1;
    r->row_capacity = (int)(n_lines < most ? n_lines : most);
}

// Bytes as a Binary is written, if they do not look like a number.
static bool is_hexadecimal(const cell *c)
{
    for (const char *at = c->begin; at < c->end; at++)
        if (!isxdigit((unsigned char)*at)) return false;
    return (c->end - c->begin) % 2 == 0;
}

static bool is_number_like(const cell *c)
{
    return c->begin < c->end && !is_hexadecimal(c) &&
           (isdigit((unsigned char)*c->begin) || strchr("+-.", *c->begin));
}

// Where commas separate nothing they may be decimal ones. Then "1.000" is a thousand for some who write so, and one for
// others; so all numbers of a file must have the same mark. Returns false for another one.
static bool is_same_mark(reader *r, const char *begin, const char *end)
{
    if (r->separator == ',') return true;
    size_t n = (size_t)(end - begin);
    char mark = memchr(begin, '.', n) ? '.' : memchr(begin, ',', n) ? ',' : 0;
    if (!r->decimal_mark) r->decimal_mark = mark;
    return !mark || mark == r->decimal_mark;
}

// A number with a decimal point, or a comma where that separates nothing.
static bool read_number(const reader *r, const cell *c, double *out)
{
    if (takt_number_read(c->begin, c->end, out)) return true;
    char text[64];
    size_t n = (size_t)(c->end - c->begin);
    const char *comma = r->separator == ',' || n >= sizeof text ? NULL : memchr(c->begin, ',', n);
    if (!comma || memchr(c->begin, '.', n)) return false;
    memcpy(text, c->begin, n);
    text[comma - c->begin] = '.';
    return takt_number_read(text, text + n, out);
}

// Numbers with blanks between them are the elements of an array, where a table drives a run.
static bool is_list(const reader *r, const cell *c)
{
    const char *at = c->begin, *piece, *piece_end;
    double number;
    int n = 0;
    for (; takt_csv_next_piece(&at, c->end, &piece, &piece_end); n++) {
        const cell part = {.begin = piece, .end = piece_end};
        if (!read_number(r, &part, &number)) return false;
    }
    return r->lists && n > 1;
}

static takt_status make_list(reader *r, const cell *c, int i_column)
{
    takt_csv_list *list = &r->lists[i_column];
    int n = takt_csv_count_pieces(c->begin, c->end);
    list->numbers = takt_arena_array(&r->table->arena, (size_t)n * (size_t)r->row_capacity,
                                     sizeof *list->numbers);
    if (list->numbers) list->n = n;
    return list->numbers ? TAKT_OK : takt_fail_memory(r->err);
}

// Decides by its first cell what a column holds. Numbers written in an unknown way must not become
// text silently.
static takt_status decide_kind(reader *r, const cell *c, int i_column)
{
    takt_table_column *column = &r->table->columns[i_column];
    if (i_column == 0) r->quotes_mean_text = !c->is_quoted; // the header may be quoted alone
    double number;
    bool is_text = c->is_quoted && r->quotes_mean_text;
    if (i_column > 0 && !is_text && is_list(r, c)) return make_list(r, c, i_column);
    if (i_column > 0 && !is_text)
        is_text =
            !takt_number_read(c->begin, c->end, &number) && c->begin < c->end && !is_number_like(c);
    size_t n = (size_t)r->row_capacity;
    takt_arena *arena = &r->table->arena;
    if (is_text)
        column->texts = takt_arena_array(arena, n, sizeof *column->texts);
    else
        column->numbers = r->numbers[i_column] = takt_arena_array(arena, n, sizeof(double));
    return column->texts || column->numbers ? TAKT_OK : takt_fail_memory(r->err);
}

static void store_time(reader *r, const cell *c, double number)
{
    number *= r->time_unit;
    if (!isfinite(number)) {
        report_in_column(r, c, 0, "is not a point in time");
        return;
    }
    if (r->has_time && number < r->last_time) {
        char last[TAKT_NUMBER_SIZE];
        takt_number_write(last, r->last_time / r->time_unit);
        report(r, c->line, c->column,
               "the time goes back from %s to %s; rows must be in the order of time", last,
               excerpt_of(c).text);
    }
    r->numbers[0][r->table->n_rows] = r->last_time = number;
    r->has_time = true;
}

static void store_number(reader *r, const cell *c, int i_column)
{
    double number;
    if (c->begin == c->end)
        report_in_column(r, c, i_column, "is empty; a number is missing");
    else if (!read_number(r, c, &number))
        report_in_column(r, c, i_column,
                         "is not a number; numbers are written with a decimal point and no unit");
    else if (!is_same_mark(r, c->begin, c->end))
        report_in_column(r, c, i_column,
                         r->decimal_mark == ','
                             ? "has a decimal point, but the numbers before have decimal commas"
                             : "has a decimal comma, but the numbers before have decimal points");
    else if (i_column == 0)
        store_time(r, c, number);
    else if (r->is_source && !isfinite(number))
        report_in_column(r, c, i_column, "is not finite; a source needs a number in every row");
    else
        r->numbers[i_column][r->table->n_rows] = number;
}

static void store_list(reader *r, const cell *c, int i_column)
{
    const takt_csv_list *list = &r->lists[i_column];
    double *to = list->numbers + (size_t)r->table->n_rows * (size_t)list->n;
    const char *at = c->begin, *piece, *piece_end;
    if (takt_csv_count_pieces(c->begin, c->end) != list->n) {
        report_in_column(r, c, i_column, "has not as many elements as the first row");
        return;
    }
    for (; takt_csv_next_piece(&at, c->end, &piece, &piece_end); to++) {
        const cell part = {.begin = piece, .end = piece_end};
        if (read_number(r, &part, to) && isfinite(*to) && is_same_mark(r, piece, piece_end))
            continue;
        report_in_column(r, c, i_column, "has an element that is not a number like the others");
        return;
    }
}

// From here on a double does not hold every whole number.
static const double LARGE = 0x1p53;

// The digits of a whole number as bits; false when it is none, or does not fit.
static bool read_large(const cell *c, int64_t *out)
{
    if (takt_number_read_integer(c->begin, c->end, out)) return true;
    uint64_t value;
    if (!takt_number_read_unsigned(c->begin, c->end, &value)) return false;
    *out = (int64_t)value;
    return true;
}

// Keeps a whole number that a double cannot hold.
static takt_status keep_large(reader *r, const cell *c, int i_column)
{
    takt_table_column *column = &r->table->columns[i_column];
    int64_t value;
    if (fabs(column->numbers[r->table->n_rows]) < LARGE || !read_large(c, &value)) return TAKT_OK;
    if (!column->large)
        column->large =
            takt_arena_array(&r->table->arena, (size_t)r->row_capacity, sizeof(int64_t));
    if (!column->large) return takt_fail_memory(r->err);
    ((int64_t *)column->large)[r->table->n_rows] = value;
    return TAKT_OK;
}

static takt_status store(reader *r, const cell *c, int i_column)
{
    takt_table_column *column = &r->table->columns[i_column];
    bool is_list = r->lists && r->lists[i_column].n;
    if (!column->texts && !column->numbers && !is_list) {
        takt_status st = decide_kind(r, c, i_column);
        if (st) return st;
        is_list = r->lists && r->lists[i_column].n;
    }
    if (is_list) {
        store_list(r, c, i_column);
        return TAKT_OK;
    }
    if (!column->texts) {
        store_number(r, c, i_column);
        return i_column == 0 ? TAKT_OK : keep_large(r, c, i_column);
    }
    if (c->begin == c->end && !c->is_quoted)
        report_in_column(r, c, i_column, "is empty; an empty text is written as \"\"");
    const char *text = copy_text(r, c);
    if (!text) return takt_fail_memory(r->err);
    column->texts[r->table->n_rows] = text;
    return TAKT_OK;
}

// Reads numbers that stand one after the other without anything around them, as programs write them,
// up to the first cell or end of a row that is different. Returns how many cells were read.
static int read_plain_numbers(reader *r)
{
    int n = 1, n_columns = r->table->n_columns, row = r->table->n_rows;
    for (; n < n_columns && r->numbers[n]; n++) {
        const char *end = takt_number_scan(r->at, r->end, &r->numbers[n][row]);
        if (!end || end == r->end || *end != (n + 1 < n_columns ? r->separator : '\n')) break;
        if (!(fabs(r->numbers[n][row]) < LARGE)) break; // store() keeps its digits, or refuses it
        if (!is_same_mark(r, r->at, end)) break; // store() refuses it
        r->at = end + 1;
    }
    return n;
}

static takt_status read_row(reader *r)
{
    takt_table *table = r->table;
    cell c = {0};
    int line = r->line, n = 0;
    for (; !c.is_last && n <= table->n_columns; n++) {
        if (n == 1 && table->n_rows > 0) n = read_plain_numbers(r);
        if (n > 1 && n == table->n_columns && r->at[-1] == '\n') {
            start_line(r);
            break;
        }
        takt_status st = next_cell(r, &c);
        if (!st && n < table->n_columns) st = store(r, &c, n);
        if (st) return st;
    }
    if (n == table->n_columns) {
        table->n_rows++;
        r->has_rows = true;
        return TAKT_OK;
    }
    report(r, line, n > table->n_columns ? c.column : 1, "the row has %s%d %s, the header %d",
           c.is_last ? "" : "at least ", n, n == 1 ? "cell" : "cells", table->n_columns);
    takt_status st = TAKT_OK;
    while (!st && !c.is_last) st = next_cell(r, &c);
    return st;
}

// The results of a program that was killed may end within a row. Warns of it; all rows before it are valid. A last
// number that can be read may have had more digits.
static bool is_cut_off(const reader *r, const char *last_line)
{
    if (r->is_source || r->at < last_line || !r->has_rows) return false;
    cell last;
    double number;
    bool is_cut = count_cells(*r, &last) < r->table->n_columns;
    if (!is_cut && r->numbers[r->table->n_columns - 1])
        is_cut = !takt_number_read(last.begin, last.end, &number);
    else if (!is_cut)
        is_cut = !last.is_quoted && last.begin == last.end;
    if (is_cut || !last.is_quoted)
        takt_log_problem(
            r->log, TAKT_LEVEL_WARN, r->table->file, r->line, "%s",
            is_cut ? "the file ends within a row, which is left out; was it cut off?"
                   : "the last row has no end of line; if the file was cut off, its last value is "
                     "not complete");
    return is_cut;
}

takt_status takt_csv_parse_rows(reader *r)
{
    const char *last_line = r->end;
    while (last_line > r->begin && last_line[-1] != '\n') last_line--;
    takt_status st = TAKT_OK;
    while (!st && r->table->n_rows < r->row_capacity && find_row(r) && !is_cut_off(r, last_line))
        st = read_row(r);
    return st;
}

// A table without rows has columns of no numbers.
takt_status takt_csv_complete_empty(reader *r)
{
    for (int i = 0; r->table->n_rows == 0 && i < r->table->n_columns; i++) {
        r->table->columns[i].numbers = takt_arena_array(&r->table->arena, 0, sizeof(double));
        if (!r->table->columns[i].numbers) return takt_fail_memory(r->err);
    }
    return TAKT_OK;
}

// ---- tables ------------------------------------------------------------------------------------

// Numbers have no bytes of 0, so that only the header and files with text or problems are searched.
bool takt_csv_has_texts(const reader *r)
{
    for (int i = 0; i < r->table->n_columns; i++)
        if (r->table->columns[i].texts) return true;
    return false;
}

// Some programs still end lines as old Macs did. All would be one line, with nothing behind it.
static takt_status check_line_ends(reader *r)
{
    size_t size = (size_t)(r->end - r->begin);
    const char *cr = size ? memchr(r->begin, '\r', size) : NULL;
    if (!cr || cr + 1 == r->end || memchr(r->begin, '\n', size)) return TAKT_OK;
    cell start = {.line = 1, .column = (int)(cr - r->begin) + 1};
    return give_up(r, &start, "lines end with CR alone; save the file with LF or CR LF");
}

takt_status takt_csv_parse_head(reader *r)
{
    takt_status st = check_line_ends(r);
    if (!st) st = read_header(r);
    return st ? st : takt_csv_check_text(r, r->at);
}

static takt_status read_table(reader *r)
{
    takt_status st = takt_csv_parse_head(r);
    if (!st) {
        set_row_capacity(r);
        r->numbers = calloc((size_t)r->table->n_columns, sizeof *r->numbers);
        if (r->is_source) r->lists = calloc((size_t)r->table->n_columns, sizeof *r->lists);
        if (!r->numbers || (r->is_source && !r->lists)) st = takt_fail_memory(r->err);
    }
    if (!st) st = takt_csv_parse_rows(r);
    if (!st) st = takt_csv_complete_empty(r);
    if (!st && r->lists && !r->n_problems) st = takt_csv_split_lists(r->table, r->lists, r->err);
    return !st && takt_csv_has_texts(r) ? takt_csv_check_text(r, r->end) : st;
}

// All problems that were found on the way count now.
takt_status takt_csv_fail(const reader *r)
{
    int n_more = r->n_problems - 1, n_untold = r->n_problems - MAX_REPORTED;
    if (n_untold > 0)
        takt_log_problem(r->log, TAKT_LEVEL_ERROR, r->table->file, 0, "and %d more problem%s",
                         n_untold, n_untold == 1 ? "" : "s");
    if (takt_log_wants(r->log, TAKT_LEVEL_ERROR))
        return takt_fail(r->err, TAKT_ERR_INPUT, "%s: %d problem%s", r->table->file, r->n_problems,
                         n_more == 0 ? "" : "s");
    if (n_more == 0) return takt_fail(r->err, TAKT_ERR_INPUT, "%s", r->first.message);
    return takt_fail(r->err, TAKT_ERR_INPUT, "%s (and %d more problem%s)", r->first.message, n_more,
                     n_more == 1 ? "" : "s");
}

static takt_status parse(const char *file, const char *data, size_t size, bool is_source,
                         takt_log *log, takt_table **out, takt_error *err)
{
    if (size > TAKT_CSV_MAX_SIZE)
        return takt_fail(err, TAKT_ERR_INPUT, "%s: the table is larger than %d bytes", file,
                         TAKT_CSV_MAX_SIZE);
    takt_table *table = calloc(1, sizeof *table);
    if (!table) return takt_fail_memory(err);
    table->file = takt_arena_copy(&table->arena, file);
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) data += 3, size -= 3;
    reader r = {.table = table,
                .begin = data,
                .at = data,
                .end = data + size,
                .line_start = data,
                .line = 1,
                .first_line = 1,
                .texts = &table->arena,
                .separator = ',',
                .is_source = is_source,
                .time_unit = 1,
                .log = log,
                .err = err};
    takt_status st = table->file ? read_table(&r) : takt_fail_memory(err);
    free(r.numbers);
    free(r.lists);
    if (r.n_problems && st != TAKT_ERR_MEMORY) st = takt_csv_fail(&r);
    if (st) {
        takt_table_destroy(table);
        return st;
    }
    *out = table;
    return TAKT_OK;
}

takt_status takt_csv_parse(const char *file, const char *data, size_t size, takt_log *log,
                           takt_table **out, takt_error *err)
{
    return parse(file, data, size, false, log, out, err);
}

static takt_status read_file(const char *path, const char *shown, bool is_source, takt_log *log,
                             takt_table **out, takt_error *err)
{
    char *data;
    size_t size;
    takt_status st = takt_file_read_as(path, shown, TAKT_CSV_MAX_SIZE, &data, &size, err);
    if (st) return st;
    st = parse(shown, data, size, is_source, log, out, err);
    free(data);
    return st;
}

takt_status takt_csv_read(const char *path, takt_log *log, takt_table **out, takt_error *err)
{
    return read_file(path, path, false, log, out, err);
}

takt_status takt_csv_read_source(const char *path, const char *shown, takt_log *log,
                                 takt_table **out, takt_error *err)
{
    return read_file(path, shown, true, log, out, err);
}
