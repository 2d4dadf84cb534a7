// SPDX-License-Identifier: MIT
// Reads MAT files; see mat_reader.h.
//
// The matrices are found first, each checked against the size of the file; then every value is taken
// through one function that handles types and orientation. Columns are made once per row of a matrix and
// shared by the variables that name it, and the memory for constants is limited, so that a small file
// cannot ask for much memory.
#include "record/mat_reader.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "record/mat_format.h"

static const size_t MAX_SIZE = (size_t)16 << 30; // of a file, bytes
static const double MAX_CONSTANTS = 1 << 27; // values that constants become

typedef struct matrix {
    const char *data; // NULL: not in the file
    int precision; // digit of the type: 0 double, 1 float, 2 int32, 3 int16, 4 uint16, 5 uint8
    int n_rows, n_columns;
    bool is_turned; // rows and columns change places
} matrix;

typedef struct reader {
    takt_table *table;
    const char *at, *end, *begin;
    matrix class, name, description, info, data[2];
    const double **shared[2]; // columns made so far, per row of data_1 and data_2
    double n_constant_values;
    takt_error *err;
} reader;

static const int sizes[] = {8, 4, 4, 2, 2, 1};

// ---- matrices ------------------------------------------------------------------------------------

static takt_status fail(const reader *r, const char *what)
{
    return takt_fail(r->err, TAKT_ERR_INPUT, "%s: %s", r->table->file, what);
}

static matrix *find_place(reader *r, const char *name)
{
    const struct {
        const char *name;
        matrix *place;
    } known[] = {
        {"Aclass", &r->class},   {"name", &r->name},
        {"names", &r->name},     {"description", &r->description},
        {"dataInfo", &r->info},  {"data_1", &r->data[0]},
        {"data_2", &r->data[1]},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].place;
    return NULL;
}

// A file that ends within a matrix was cut off, or is none of this kind.
static takt_status fail_short(const reader *r)
{
    return takt_fail(r->err, TAKT_ERR_INPUT,
                     "%s: the file ends within the matrix that starts at byte %lld; was it cut "
                     "off, or is it no MAT file of level 4?",
                     r->table->file, (long long)(r->at - r->begin));
}

// What is wrong with the head of a matrix; NULL: nothing.
static const char *find_damage(const takt_mat_head *head)
{
    if (head->type < 0 || head->type % 10 > 1 || head->type / 10 > 5)
        return "this is no MAT file of level 4 with numbers in the byte order of x86";
    if (head->is_complex) return "a matrix is complex; that is no trajectory";
    if (head->n_rows < 0 || head->n_columns < 0 || head->name_size < 1)
        return "the head of a matrix is damaged";
    return NULL;
}

static takt_status read_matrix(reader *r)
{
    takt_mat_head head;
    size_t left = (size_t)(r->end - r->at);
    if (left < sizeof head) return fail_short(r);
    memcpy(&head, r->at, sizeof head);
    const char *damage = find_damage(&head);
    if (damage) return fail(r, damage);
    int precision = head.type / 10;
    left -= sizeof head;
    if (left < (size_t)head.name_size) return fail_short(r);
    const char *name = r->at + sizeof head;
    if (name[head.name_size - 1]) return fail(r, "the name of a matrix is damaged");
    left -= (size_t)head.name_size;
    uint64_t n = (uint64_t)head.n_rows * (uint64_t)head.n_columns;
    if (n > left / (uint64_t)sizes[precision]) return fail_short(r);
    matrix *place = find_place(r, name);
    if (place)
        *place = (matrix){name + head.name_size, precision, head.n_rows, head.n_columns, false};
    r->at = name + head.name_size + n * (uint64_t)sizes[precision];
    // What follows the growing matrix of a killed run is not complete.
    if (place == &r->data[1]) r->at = r->end;
    return TAKT_OK;
}

static double value_at(const matrix *m, int row, int column)
{
    size_t i = m->is_turned ? (size_t)row * (size_t)m->n_rows + (size_t)column
                            : (size_t)column * (size_t)m->n_rows + (size_t)row;
    const char *p = m->data + i * (size_t)sizes[m->precision];
    double real;
    float single;
    int32_t i32;
    int16_t i16;
    uint16_t u16;
    switch (m->precision) {
    case 0: memcpy(&real, p, sizeof real); return real;
    case 1: memcpy(&single, p, sizeof single); return single;
    case 2: memcpy(&i32, p, sizeof i32); return i32;
    case 3: memcpy(&i16, p, sizeof i16); return i16;
    case 4: memcpy(&u16, p, sizeof u16); return u16;
    default: return (unsigned char)*p;
    }
}

static int n_rows(const matrix *m)
{
    return m->is_turned ? m->n_columns : m->n_rows;
}

static int n_columns(const matrix *m)
{
    return m->is_turned ? m->n_rows : m->n_columns;
}

// ---- variables -----------------------------------------------------------------------------------

static char character_at(const matrix *m, int row, int column)
{
    double c = value_at(m, row, column);
    return c >= 1 && c < 256 ? (char)(unsigned char)c : 0;
}

// The text in a column of a matrix, without blanks at its end.
static char *text_at(reader *r, const matrix *m, int column)
{
    int n = m->data && column < n_columns(m) ? n_rows(m) : 0;
    char *text = takt_arena_alloc(&r->table->arena, (size_t)n + 1);
    if (!text) return NULL;
    int length = 0;
    for (int i = 0; i < n; i++) {
        text[i] = character_at(m, i, column);
        if (text[i] && text[i] != ' ') length = i + 1;
    }
    text[length] = 0;
    takt_utf8_clean(text);
    return text;
}

// Splits "Temperature [K|degC]": the unit of the values is the first one. Words in brackets are none.
static void split_description(char *text, takt_table_column *column)
{
    size_t length = strlen(text);
    char *bracket = strrchr(text, '[');
    bool is_apart = bracket && (bracket == text || bracket[-1] == ' ');
    if (is_apart && text[length - 1] == ']' && !strchr(bracket, ' ')) {
        text[length - 1] = 0;
        char *unit = bracket + 1;
        unit[strcspn(unit, "|")] = 0;
        if (*unit) column->unit = unit;
        while (bracket > text && bracket[-1] == ' ') bracket--;
        *bracket = 0;
    }
    if (*text) column->description = text;
}

static takt_status fail_info(const reader *r, int variable)
{
    return takt_fail(r->err, TAKT_ERR_INPUT,
                     "%s: dataInfo says nothing useful about variable number %d", r->table->file,
                     variable + 1);
}

// Values of row `row` of data_1 or data_2, `sign` times, for all rows of the table.
static takt_status make_numbers(reader *r, int i_data, int row, double sign, const double **out)
{
    const matrix *data = &r->data[i_data];
    int n = r->table->n_rows;
    const double **shared = n ? &r->shared[i_data][2 * row + (sign < 0)] : out;
    if (!n || !*shared) {
        if (i_data == 0) r->n_constant_values += n;
        if (r->n_constant_values > MAX_CONSTANTS)
            return fail(r, "there are too many constants for so many rows");
        double *numbers = takt_arena_array(&r->table->arena, (size_t)n, sizeof *numbers);
        if (!numbers) return takt_fail_memory(r->err);
        for (int i = 0; i < n; i++) numbers[i] = sign * value_at(data, row, i_data ? i : 0);
        *shared = numbers;
    }
    *out = *shared;
    return TAKT_OK;
}

static takt_status read_variable(reader *r, int i)
{
    takt_table_column *column = &r->table->columns[i];
    char *name = text_at(r, &r->name, i), *description = text_at(r, &r->description, i);
    if (!name || !description) return takt_fail_memory(r->err);
    double number = value_at(&r->info, 0, i), place = value_at(&r->info, 1, i);
    if (i == 0) number = 2, place = 1;
    column->name = i ? name : "time"; // Dymola writes "Time"
    split_description(description, column);
    int i_data = number == 1 ? 0 : 1;
    const matrix *data = &r->data[i_data];
    bool has_values = data->data && (i_data == 1 || n_columns(data) > 0);
    bool has_place = fabs(place) >= 1 && fabs(place) <= n_rows(data) && place == floor(place);
    if ((number != 0 && number != 1 && number != 2) || !has_values || !has_place)
        return fail_info(r, i);
    if (!*column->name) return fail(r, "a variable has no name");
    if (takt_map_find(&r->table->names, column->name) >= 0)
        return takt_fail(r->err, TAKT_ERR_INPUT, "%s: there are two variables '%s'", r->table->file,
                         column->name);
    if (!takt_map_add(&r->table->names, column->name, i)) return takt_fail_memory(r->err);
    return make_numbers(r, i_data, (int)fabs(place) - 1, place < 0 ? -1 : 1, &column->numbers);
}

// ---- tables --------------------------------------------------------------------------------------

// Reads the matrix Aclass: what the file is, and which way round.
static takt_status read_class(reader *r)
{
    char words[2][12] = {"", ""};
    const matrix *class = &r->class;
    for (int k = 0; k < 2; k++)
        for (int j = 0; class->data && class->n_rows >= 4 && j < 11 && j < class->n_columns; j++)
            words[k][j] = character_at(class, k ? 3 : 0, j);
    bool is_normal = strncmp(words[1], "binNormal", 9) == 0;
    if (strcmp(words[0], "Atrajectory") != 0 ||
        (!is_normal && strncmp(words[1], "binTrans", 8) != 0))
        return fail(r, "this MAT file holds no trajectories in the layout of Dymola: its matrix "
                       "Aclass does not say so");
    r->name.is_turned = r->description.is_turned = r->info.is_turned = is_normal;
    r->data[0].is_turned = r->data[1].is_turned = is_normal;
    return TAKT_OK;
}

static takt_status check_times(const reader *r)
{
    const double *t = r->table->columns[0].numbers;
    for (int i = 0; i < r->table->n_rows; i++) {
        char now[TAKT_NUMBER_SIZE], before[TAKT_NUMBER_SIZE];
        if (isfinite(t[i]) && (i == 0 || t[i] >= t[i - 1])) continue;
        takt_number_write(now, t[i]);
        if (!isfinite(t[i]))
            return takt_fail(r->err, TAKT_ERR_INPUT, "%s: row %d: '%s' is not a point in time",
                             r->table->file, i + 1, now);
        takt_number_write(before, t[i - 1]);
        return takt_fail(r->err, TAKT_ERR_INPUT, "%s: row %d: the time goes back from %s to %s",
                         r->table->file, i + 1, before, now);
    }
    return TAKT_OK;
}

static takt_status read_variables(reader *r)
{
    takt_table *table = r->table;
    if (!r->name.data || !r->info.data || !r->data[1].data || n_rows(&r->info) < 2 ||
        n_columns(&r->info) < 1)
        return fail(r, "one of the matrices name, dataInfo and data_2 is missing or empty");
    table->n_columns = n_columns(&r->info);
    table->n_rows = n_columns(&r->data[1]);
    table->columns =
        takt_arena_array(&table->arena, (size_t)table->n_columns, sizeof *table->columns);
    for (int k = 0; k < 2; k++) {
        int n = r->data[k].data && n_columns(&r->data[k]) ? n_rows(&r->data[k]) : 0;
        r->shared[k] = takt_arena_array(&table->arena, 2 * (size_t)n, sizeof *r->shared[k]);
    }
    if (!table->columns || !r->shared[0] || !r->shared[1]) return takt_fail_memory(r->err);
    takt_status st = TAKT_OK;
    for (int i = 0; i < table->n_columns && !st; i++) st = read_variable(r, i);
    return st ? st : check_times(r);
}

takt_status takt_mat_parse(const char *file, const void *data, size_t size, takt_table **out,
                           takt_error *err)
{
    takt_table *table = calloc(1, sizeof *table);
    if (!table) return takt_fail_memory(err);
    table->file = takt_arena_copy(&table->arena, file);
    reader r = {
        .table = table, .begin = data, .at = data, .end = (const char *)data + size, .err = err};
    takt_status st = table->file ? TAKT_OK : takt_fail_memory(err);
    if (!st && size == 0) st = fail(&r, "the file is empty");
    while (!st && r.at < r.end) st = read_matrix(&r);
    if (!st) st = read_class(&r);
    if (!st) st = read_variables(&r);
    if (st) {
        takt_table_destroy(table);
        return st;
    }
    *out = table;
    return TAKT_OK;
}

// A file that is something else is refused at once, before all of it is read: it may be huge.
static takt_status check_start(const char *path, takt_error *err)
{
    FILE *file = NULL;
    takt_mat_head head;
    takt_status st = takt_file_open(path, &file, err);
    if (st) return st;
    bool is_short = fread(&head, sizeof head, 1, file) != 1; // reported when all is read
    fclose(file);
    const char *damage = is_short ? NULL : find_damage(&head);
    return damage ? takt_fail(err, TAKT_ERR_INPUT, "%s: %s", path, damage) : TAKT_OK;
}

takt_status takt_mat_read(const char *path, takt_table **out, takt_error *err)
{
    char *data;
    size_t size;
    takt_status st = check_start(path, err);
    if (!st) st = takt_file_read(path, MAX_SIZE, &data, &size, err);
    if (st) return st;
    st = takt_mat_parse(path, data, size, out, err);
    free(data);
    return st;
}
