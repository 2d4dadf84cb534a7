// SPDX-License-Identifier: MIT
// Result files from one kind to another: takt_results_convert() of the public API.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/number.h"
#include "record/csv_format.h"
#include "record/mat_format.h"
#include "record/results.h"
#include "takt/results.h"

enum { PORTION = 1 << 20 }; // bytes that are written at once

typedef struct converter {
    const takt_table *table;
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
    for (int i = 0; i < c->table->n_rows && !st; i++) {
        if (!add_csv_row(c, i)) return takt_fail_memory(c->err);
        if (c->buffer.length >= PORTION) st = flush(c);
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

// The head, with all numbers in place; columns of text are left out.
static bool add_mat_head(converter *c, takt_mat_variable *variables, takt_log *log)
{
    int n = 0;
    for (int i = 1; i < c->table->n_columns; i++) {
        const takt_table_column *column = &c->table->columns[i];
        if (column->numbers)
            variables[n++] =
                (takt_mat_variable){column->name, column->unit, column->description, false};
        else
            takt_log_write(log, TAKT_LEVEL_WARN, "MAT files hold no text: %s is left out",
                           column->name);
        if (loses_digits(column, c->table->n_rows))
            takt_log_write(log, TAKT_LEVEL_WARN,
                           "MAT files hold numbers of 53 bits: larger whole numbers of %s are "
                           "rounded",
                           column->name);
    }
    takt_mat_places places;
    if (!takt_mat_add_head(&c->buffer, variables, n, &places)) return false;
    int n_rows = c->table->n_rows;
    const double *t = c->table->columns[0].numbers;
    double ends[2] = {n_rows ? t[0] : 0, n_rows ? t[n_rows - 1] : 0};
    int32_t count = n_rows;
    memcpy(c->buffer.data + places.constants, ends, sizeof ends);
    memcpy(c->buffer.data + places.n_rows, &count, sizeof count);
    return true;
}

static takt_status write_mat(converter *c, takt_log *log)
{
    takt_arena arena = {0};
    int n_columns = c->table->n_columns;
    takt_mat_variable *variables = takt_arena_array(&arena, (size_t)n_columns, sizeof *variables);
    bool ok = variables && add_mat_head(c, variables, log);
    takt_arena_clear(&arena);
    takt_status st = ok ? TAKT_OK : takt_fail_memory(c->err);
    for (int i = 0; i < c->table->n_rows && !st; i++) {
        if (!takt_buffer_reserve(&c->buffer, (size_t)n_columns * sizeof(double)))
            return takt_fail_memory(c->err);
        for (int k = 0; k < n_columns; k++)
            if (c->table->columns[k].numbers)
                takt_buffer_put_n(&c->buffer, &c->table->columns[k].numbers[i], sizeof(double));
        if (c->buffer.length >= PORTION) st = flush(c);
    }
    return st ? st : flush(c);
}

// ---- files ---------------------------------------------------------------------------------------

static takt_status write_table(const takt_table *table, bool keeps_units, const char *path,
                               takt_log *log, takt_error *err)
{
    bool is_standard_output = strcmp(path, "-") == 0;
    converter c = {.table = table,
                   .path = path,
                   .separator = takt_results_separator(path),
                   .keeps_units = keeps_units,
                   .err = err};
    c.file = is_standard_output ? stdout : fopen(path, "wb");
    if (!c.file)
        return takt_fail(err, TAKT_ERR_OUTPUT, "%s: cannot create the file for results: %s", path,
                         strerror(errno));
    takt_status st = takt_results_is_mat(path) ? write_mat(&c, log) : write_csv(&c, log);
    takt_buffer_clear(&c.buffer);
    int problem = is_standard_output ? fflush(c.file) : fclose(c.file);
    if (!st && problem) st = fail_to_write(&c);
    if (st && !is_standard_output && takt_path_is_file(path))
        remove(path); // half a file is of no use
    return st;
}

takt_status takt_results_convert(const char *in, const char *out, takt_log *log, takt_error *err)
{
    if (!in || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_results_convert: an argument is NULL");
    takt_table *table = NULL;
    takt_status st = takt_results_check_target(in, out, err);
    if (!st) st = takt_results_read(in, log, &table, err);
    if (!st) st = write_table(table, !takt_results_is_mat(in), out, log, err);
    takt_table_destroy(table);
    return st;
}
