// SPDX-License-Identifier: MIT
// Result files from one kind to another: takt_results_convert() of the public API.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/number.h"
#include "base/replace.h"
#include "record/csv_format.h"
#include "record/mat_format.h"
#include "record/results.h"
#include "takt/results.h"

enum { PORTION = 1 << 20, MAX_SIDE_FILE = 1 << 30 }; // bytes that are written at once; bytes

typedef struct converter {
    takt_results_stream *stream;
    const takt_table *table; // some rows of it
    int64_t n_rows; // so far
    double t_first, t_last; // s
    bool *loses_digits; // columns that have been reported
    const char *path;
    char separator; // of CSV
    bool keeps_units; // in the header of CSV; results have none there
    FILE *file;
    takt_buffer buffer;
    takt_error *err;
} converter;

static takt_status fail_to_write(const converter *c)
{
    return takt_fail(c->err, TAKT_ERR_OUTPUT, "%s: cannot write results: %s", c->path,
                     strerror(errno));
}

static takt_status flush(converter *c)
{
    size_t n = c->buffer.length;
    c->buffer.length = 0;
    return fwrite(c->buffer.data, 1, n, c->file) == n ? TAKT_OK : fail_to_write(c);
}

// ---- CSV -----------------------------------------------------------------------------------------

static bool add_csv_name(converter *c, const takt_table_column *column, takt_log *log)
{
    bool has_unit = c->keeps_units && column != c->table->columns && column->unit;
    if (!takt_csv_add_name(&c->buffer, column->name)) return false;
    if (!has_unit) return true;
    if (takt_csv_takes_unit(column->name, column->unit))
        return takt_csv_add_unit(&c->buffer, column->unit);
    takt_log_write(log, TAKT_LEVEL_WARN,
                   "the unit '%s' of %s is left out, as its name needs quotes", column->unit,
                   column->name);
    return true;
}

static bool add_csv_head(converter *c, takt_log *log)
{
    bool ok = true;
    for (int i = 0; ok && i < c->table->n_columns; i++) {
        ok = takt_buffer_reserve(&c->buffer, 2);
        if (ok && i) takt_buffer_put(&c->buffer, c->separator);
        ok = ok && add_csv_name(c, &c->table->columns[i], log);
    }
    ok = ok && takt_buffer_reserve(&c->buffer, 1);
    if (ok) takt_buffer_put(&c->buffer, '\n');
    return ok;
}

static bool add_csv_row(converter *c, int row)
{
    bool ok = true;
    for (int i = 0; ok && i < c->table->n_columns; i++) {
        const takt_table_column *column = &c->table->columns[i];
        ok = takt_buffer_reserve(&c->buffer, TAKT_NUMBER_SIZE + 2);
        if (!ok) break;
        if (i) takt_buffer_put(&c->buffer, c->separator);
        int64_t large = column->large ? column->large[row] : 0;
        bool is_unsigned = large < 0 && column->numbers[row] > 0;
        if (large)
            takt_csv_add_integer(&c->buffer, is_unsigned ? TAKT_UINT64 : TAKT_INT64, large);
        else if (i == 0)
            takt_csv_add_time(&c->buffer, column->numbers[row]);
        else if (column->numbers)
            takt_csv_add_real(&c->buffer, column->numbers[row]);
        else
            ok = takt_csv_add_bytes(&c->buffer, TAKT_STRING, column->texts[row],
                                    strlen(column->texts[row]));
    }
    ok = ok && takt_buffer_reserve(&c->buffer, 1);
    if (ok) takt_buffer_put(&c->buffer, '\n');
    return ok;
}

static takt_status write_csv(converter *c, takt_log *log)
{
    if (!add_csv_head(c, log)) return takt_fail_memory(c->err);
    takt_status st = TAKT_OK;
    while (!st && c->table->n_rows) {
        for (int i = 0; i < c->table->n_rows && !st; i++) {
            if (!add_csv_row(c, i)) return takt_fail_memory(c->err);
            if (c->buffer.length >= PORTION) st = flush(c);
        }
        if (!st) st = takt_results_stream_next(c->stream, c->err);
    }
    return st ? st : flush(c);
}

// ---- MAT -----------------------------------------------------------------------------------------

// Does a column have whole numbers that a double cannot hold?
static bool loses_digits(const takt_table_column *column, int n_rows)
{
    for (int i = 0; column->large && i < n_rows; i++) {
        int64_t large = column->large[i];
        bool is_unsigned = large < 0 && column->numbers[i] > 0;
        uint64_t size = is_unsigned || large > 0 ? (uint64_t)large : -(uint64_t)large;
        while (size && size % 2 == 0) size /= 2;
        if (size >> 53) return true;
    }
    return false;
}

static void report_digits(converter *c, takt_log *log)
{
    for (int i = 1; i < c->table->n_columns; i++) {
        const takt_table_column *column = &c->table->columns[i];
        if (c->loses_digits[i] || !loses_digits(column, c->table->n_rows)) continue;
        c->loses_digits[i] = true;
        takt_log_write(log, TAKT_LEVEL_WARN,
                       "MAT files hold numbers of 53 bits: larger whole numbers of %s are rounded",
                       column->name);
    }
}

// The head; columns of text are left out. The number of rows is put in at the end.
static bool add_mat_head(converter *c, takt_mat_places *places, takt_arena *arena, takt_log *log)
{
    int n = 0, n_columns = c->table->n_columns;
    takt_mat_variable *variables = takt_arena_array(arena, (size_t)n_columns, sizeof *variables);
    c->loses_digits = takt_arena_array(arena, (size_t)n_columns, sizeof *c->loses_digits);
    if (!variables || !c->loses_digits) return false;
    for (int i = 1; i < n_columns; i++) {
        const takt_table_column *column = &c->table->columns[i];
        if (column->numbers)
            variables[n++] =
                (takt_mat_variable){column->name, column->unit, column->description, false};
        else
            takt_log_write(log, TAKT_LEVEL_WARN, "MAT files hold no text: %s is left out",
                           column->name);
    }
    return takt_mat_add_head(&c->buffer, variables, n, places);
}

static takt_status add_mat_rows(converter *c)
{
    int n_columns = c->table->n_columns;
    takt_status st = TAKT_OK;
    for (int i = 0; i < c->table->n_rows && !st; i++) {
        if (!takt_buffer_reserve(&c->buffer, (size_t)n_columns * sizeof(double)))
            return takt_fail_memory(c->err);
        for (int k = 0; k < n_columns; k++)
            if (c->table->columns[k].numbers)
                takt_buffer_put_n(&c->buffer, &c->table->columns[k].numbers[i], sizeof(double));
        if (c->buffer.length >= PORTION) st = flush(c);
    }
    return st;
}

// Number of rows, and first and last time among the constants.
static takt_status complete_mat(converter *c, const takt_mat_places *places)
{
    if (c->n_rows > INT32_MAX)
        return takt_fail(c->err, TAKT_ERR_OUTPUT,
                         "%s: MAT files of level 4 hold %d rows at most; write CSV", c->path,
                         INT32_MAX);
    int32_t n = (int32_t)c->n_rows;
    double ends[2] = {c->t_first, c->t_last};
    bool ok = fseeko(c->file, (off_t)places->constants, SEEK_SET) == 0 &&
              fwrite(ends, sizeof ends, 1, c->file) == 1 &&
              fseeko(c->file, (off_t)places->n_rows, SEEK_SET) == 0 &&
              fwrite(&n, sizeof n, 1, c->file) == 1;
    return ok ? TAKT_OK : fail_to_write(c);
}

static takt_status write_mat(converter *c, takt_log *log)
{
    takt_arena arena = {0};
    takt_mat_places places;
    takt_status st = add_mat_head(c, &places, &arena, log) ? TAKT_OK : takt_fail_memory(c->err);
    while (!st && c->table->n_rows) {
        const double *t = c->table->columns[0].numbers;
        if (c->n_rows == 0) c->t_first = t[0];
        c->t_last = t[c->table->n_rows - 1];
        c->n_rows += c->table->n_rows;
        report_digits(c, log);
        st = add_mat_rows(c);
        if (!st) st = takt_results_stream_next(c->stream, c->err);
    }
    if (!st) st = flush(c);
    if (!st) st = complete_mat(c, &places);
    takt_arena_clear(&arena);
    return st;
}

// ---- files ---------------------------------------------------------------------------------------

static takt_status write_results(takt_results_stream *stream, bool keeps_units, const char *path,
                                 takt_log *log, takt_error *err)
{
    bool is_standard_output = strcmp(path, "-") == 0;
    takt_replacement target = {.file = stdout};
    takt_status st = is_standard_output ? TAKT_OK : takt_replace_begin(path, &target, err);
    if (st) return st;
    converter c = {.stream = stream,
                   .table = takt_results_stream_table(stream),
                   .path = is_standard_output ? "standard output" : path,
                   .separator = takt_results_separator(path),
                   .keeps_units = keeps_units,
                   .file = target.file,
                   .err = err};
    st = takt_results_is_mat(path) ? write_mat(&c, log) : write_csv(&c, log);
    takt_buffer_clear(&c.buffer);
    if (!st && fflush(c.file) != 0) st = fail_to_write(&c);
    return takt_replace_end(&target, st, err);
}

// What the side file says holds for the new file, too.
static takt_status copy_side_file(const char *in, const char *out, takt_error *err)
{
    takt_arena arena = {0};
    const char *from = takt_results_side_file(&arena, in),
               *to = takt_results_side_file(&arena, out);
    char *text = NULL;
    size_t size;
    takt_status st = from && to ? TAKT_OK : takt_fail_memory(err);
    if (!st && takt_path_is_file(out) && takt_path_is_file(from)) {
        st = takt_file_read(from, MAX_SIDE_FILE, &text, &size, err);
        if (!st) st = takt_file_write(to, text, size, err);
    }
    free(text);
    takt_arena_clear(&arena);
    return st;
}

takt_status takt_results_convert(const char *in, const char *out, takt_log *log, takt_error *err)
{
    if (!in || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_results_convert: an argument is NULL");
    takt_results_stream *stream = NULL;
    takt_status st = takt_results_check_target(in, out, err);
    if (!st) st = takt_results_check_ending(out, err);
    if (!st) st = takt_results_stream_open(in, log, &stream, err);
    if (!st) st = takt_results_stream_next(stream, err);
    if (!st) st = write_results(stream, !takt_results_is_mat(in), out, log, err);
    if (!st) st = copy_side_file(in, out, err);
    takt_results_stream_close(stream);
    return st;
}
