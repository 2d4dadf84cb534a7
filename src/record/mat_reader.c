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
#include <sys/stat.h>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "record/mat_format.h"

static const size_t MAX_SIZE = (size_t)16 << 30; // of a file, bytes
static const double MAX_CONSTANTS = 1 << 27; // values that constants become
enum { MAX_FRONT = 1 << 30 }; // bytes before the numbers of a stream

typedef struct matrix {
    const char *data; // NULL: not in the file
    int precision; // digit of the type: 0 double, 1 float, 2 int32, 3 int16, 4 uint16, 5 uint8
    int n_rows, n_columns;
    bool is_turned; // rows and columns change places
} matrix;

typedef struct reader {
    takt_table *table;
    const char *at, *end, *begin;
    uint64_t beyond; // bytes of the file behind `end`; of a stream, which reads data_2 later
    int row_capacity; // of a stream; 0: all rows are read at once
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
    left += r->beyond;
    if (n > left / (uint64_t)sizes[precision]) return fail_short(r);
    matrix *place = find_place(r, name);
    if (place)
        *place = (matrix){name + head.name_size, precision, head.n_rows, head.n_columns, false};
    // What follows the growing matrix of a killed run is not complete.
    if (place == &r->data[1])
        r->at = r->end;
    else
        r->at = name + head.name_size + n * (uint64_t)sizes[precision];
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
    int n = r->row_capacity ? r->row_capacity : r->table->n_rows;
    const double **shared = r->table->n_rows ? &r->shared[i_data][2 * row + (sign < 0)] : out;
    if (!r->table->n_rows || !*shared) {
        if (i_data == 0) r->n_constant_values += n;
        if (r->n_constant_values > MAX_CONSTANTS)
            return fail(r, "there are too many constants for so many rows");
        double *numbers = takt_arena_array(&r->table->arena, (size_t)n, sizeof *numbers);
        if (!numbers) return takt_fail_memory(r->err);
        bool is_later = r->row_capacity && i_data == 1;
        for (int i = 0; i < n && !is_later; i++)
            numbers[i] = sign * value_at(data, row, i_data ? i : 0);
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

// `first` is the number of rows before those of the table, the last of which has the time `last`.
static takt_status check_times(const reader *r, int first, double last)
{
    const double *t = r->table->columns[0].numbers;
    for (int i = 0; i < r->table->n_rows; last = t[i++]) {
        char now[TAKT_NUMBER_SIZE], before[TAKT_NUMBER_SIZE];
        if (isfinite(t[i]) && (first + i == 0 || t[i] >= last)) continue;
        takt_number_write(now, t[i]);
        if (!isfinite(t[i]))
            return takt_fail(r->err, TAKT_ERR_INPUT, "%s: row %d: '%s' is not a point in time",
                             r->table->file, first + i + 1, now);
        takt_number_write(before, last);
        return takt_fail(r->err, TAKT_ERR_INPUT, "%s: row %d: the time goes back from %s to %s",
                         r->table->file, first + i + 1, before, now);
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
    return st || r->row_capacity ? st : check_times(r, 0, 0);
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

// ---- files of any size ---------------------------------------------------------------------------

// Bytes of numbers that are held; rows.
enum { STREAM_SIZE = 1 << 23, STREAM_MOST_ROWS = 1 << 16 };

struct takt_mat_stream {
    reader reader;
    FILE *file;
    char *front; // the file up to the numbers of data_2
    char *block; // some rows of them, as in the file
    off_t place; // of these numbers
    int n_rows, next; // of the file; to be read
    double last_time;
};

// Goes from head to head and finds where the numbers of data_2 begin; what has no such matrix is read to its end.
static takt_status find_front(takt_mat_stream *s, uint64_t size, takt_error *err)
{
    takt_mat_head head;
    char name[8];
    off_t at = 0;
    while ((uint64_t)at < size) {
        if (fseeko(s->file, at, SEEK_SET) != 0 || fread(&head, sizeof head, 1, s->file) != 1) break;
        if (find_damage(&head)) break; // is told when it is read
        size_t n = (size_t)head.name_size < sizeof name ? (size_t)head.name_size : sizeof name;
        if (fread(name, 1, n, s->file) != n) break;
        at += (off_t)sizeof head + head.name_size;
        if (n == sizeof "data_2" && memcmp(name, "data_2", n) == 0) break;
        at += (off_t)((uint64_t)head.n_rows * (uint64_t)head.n_columns) * sizes[head.type / 10];
    }
    s->place = (uint64_t)at < size ? at : (off_t)size;
    if (s->place > MAX_FRONT)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "%s: this is no file of results: its names have %lld bytes",
                         s->reader.table->file, (long long)s->place);
    s->front = malloc((size_t)s->place + 1);
    if (!s->front) return takt_fail_memory(err);
    rewind(s->file);
    if (fread(s->front, 1, (size_t)s->place, s->file) == (size_t)s->place) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_INPUT, "%s: cannot be read", s->reader.table->file);
}

static takt_status open_stream(takt_mat_stream *s, const char *path, takt_error *err)
{
    reader *r = &s->reader;
    r->err = err;
    r->table = calloc(1, sizeof *r->table);
    if (!r->table) return takt_fail_memory(err);
    r->table->file = takt_arena_copy(&r->table->arena, path);
    if (!r->table->file) return takt_fail_memory(err);
    struct stat status;
    takt_status st = takt_file_open(path, &s->file, err);
    uint64_t size = !st && fstat(fileno(s->file), &status) == 0 ? (uint64_t)status.st_size : 0;
    if (!st && size == 0) st = fail(r, "the file is empty");
    if (!st) st = find_front(s, size, err);
    if (st) return st;
    r->begin = r->at = s->front;
    r->end = s->front + s->place;
    r->beyond = size - (uint64_t)s->place;
    while (!st && r->at < r->end) st = read_matrix(r);
    if (!st) st = read_class(r);
    if (st) return st;
    int n_values = n_rows(&r->data[1]) > 0 ? n_rows(&r->data[1]) : 1;
    int n = STREAM_SIZE / (int)sizeof(double) / n_values;
    r->row_capacity = n < 16 ? 16 : n > STREAM_MOST_ROWS ? STREAM_MOST_ROWS : n;
    st = read_variables(r);
    s->n_rows = r->table->n_rows;
    r->table->n_rows = 0;
    s->block = malloc((size_t)n_values * (size_t)r->row_capacity * sizeof(double));
    if (!st && !s->block) st = takt_fail_memory(err);
    return st;
}

takt_status takt_mat_stream_open(const char *path, takt_mat_stream **out, takt_error *err)
{
    takt_mat_stream *s = calloc(1, sizeof *s);
    if (!s) return takt_fail_memory(err);
    takt_status st = open_stream(s, path, err);
    if (st) {
        takt_mat_stream_close(s);
        return st;
    }
    *out = s;
    return TAKT_OK;
}

takt_table *takt_mat_stream_table(takt_mat_stream *s)
{
    return s->reader.table;
}

// Reads `n` values from number `first` of the matrix on.
static bool read_values(takt_mat_stream *s, uint64_t first, size_t n, char *out)
{
    size_t size = (size_t)sizes[s->reader.data[1].precision];
    return fseeko(s->file, s->place + (off_t)(first * size), SEEK_SET) == 0 &&
           fread(out, size, n, s->file) == n;
}

// Reads rows as they lie in the file: one after the other, or each variable for itself.
static bool read_block(takt_mat_stream *s, int n, matrix *out)
{
    *out = s->reader.data[1];
    out->data = s->block;
    size_t n_values = (size_t)n_rows(out), step = (size_t)sizes[out->precision] * (size_t)n;
    uint64_t first = (uint64_t)s->next;
    if (!out->is_turned) return read_values(s, first * n_values, n_values * (size_t)n, s->block);
    for (size_t i = 0; i < n_values; i++)
        if (!read_values(s, i * (uint64_t)out->n_rows + first, (size_t)n, s->block + i * step))
            return false;
    out->n_rows = n;
    return true;
}

takt_status takt_mat_stream_next(takt_mat_stream *s, takt_error *err)
{
    reader *r = &s->reader;
    int left = s->n_rows - s->next, n = left < r->row_capacity ? left : r->row_capacity;
    matrix block;
    r->err = err;
    r->table->n_rows = n;
    if (n == 0) return TAKT_OK;
    if (!read_block(s, n, &block)) return fail(r, "the file cannot be read, or has become shorter");
    for (int row = 0; row < n_rows(&block); row++)
        for (int k = 0; k < 2; k++) {
            double *numbers = (double *)r->shared[1][2 * row + k], sign = k ? -1 : 1;
            for (int i = 0; numbers && i < n; i++) numbers[i] = sign * value_at(&block, row, i);
        }
    takt_status st = check_times(r, s->next, s->last_time);
    s->next += n;
    s->last_time = r->table->columns[0].numbers[n - 1];
    return st;
}

void takt_mat_stream_close(takt_mat_stream *s)
{
    if (!s) return;
    if (s->file) fclose(s->file);
    takt_table_destroy(s->reader.table);
    free(s->front);
    free(s->block);
    free(s);
}
