// SPDX-License-Identifier: MIT
// The rows of a run, kept for plots; see ui_rows.h.
#include "ui_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "takt/text.h"
#include "ui_text.h"

bool ui_rows_add_column(ui_rows *rows, const char *name, const char *unit, const char *type)
{
    ui_column *grown =
        reallocarray(rows->columns, (size_t)rows->n_columns + 1, sizeof *rows->columns);
    if (!grown) return false;
    rows->columns = grown;
    rows->columns[rows->n_columns] =
        (ui_column){.name = strdup(name), .unit = unit ? strdup(unit) : NULL, .type = type};
    return rows->columns[rows->n_columns++].name != NULL;
}

static bool resize(double **values, size_t n)
{
    double *grown = reallocarray(*values, n, sizeof **values);
    if (grown) *values = grown;
    return grown != NULL;
}

static bool make_room(ui_rows *rows)
{
    if (rows->n < rows->capacity) return true;
    size_t wanted = rows->capacity ? 2 * rows->capacity : 16 * UI_ROWS_BLOCK;
    double bytes = (double)wanted * ((double)rows->n_columns + 1) * sizeof(double);
    bool ok = bytes <= UI_ROWS_MEGABYTES * 1e6 && resize(&rows->times, wanted);
    for (int i = 0; i < rows->n_columns && ok; i++) {
        ui_column *c = &rows->columns[i];
        ok = resize(&c->values, wanted) && resize(&c->lows, wanted / UI_ROWS_BLOCK) &&
             resize(&c->highs, wanted / UI_ROWS_BLOCK);
    }
    if (ok)
        rows->capacity = wanted;
    else
        rows->is_full = true;
    return ok;
}

void ui_rows_add(ui_rows *rows, double time, const double *values)
{
    if (rows->is_full || !make_room(rows)) return;
    size_t row = rows->n, block = row / UI_ROWS_BLOCK;
    rows->times[row] = time;
    for (int i = 0; i < rows->n_columns; i++) {
        ui_column *c = &rows->columns[i];
        bool is_first = row % UI_ROWS_BLOCK == 0;
        c->values[row] = values[i];
        c->lows[block] = is_first ? values[i] : fmin(c->lows[block], values[i]);
        c->highs[block] = is_first ? values[i] : fmax(c->highs[block], values[i]);
    }
    rows->n++;
}

void ui_rows_clear(ui_rows *rows)
{
    for (int i = 0; i < rows->n_columns; i++) {
        free(rows->columns[i].name);
        free(rows->columns[i].unit);
        free(rows->columns[i].values);
        free(rows->columns[i].lows);
        free(rows->columns[i].highs);
    }
    free(rows->columns);
    free(rows->times);
    *rows = (ui_rows){0};
}

size_t ui_rows_find(const ui_rows *rows, double time)
{
    size_t low = 0, high = rows->n; // rows before `low` are not later
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows->times[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

// ---- what can be seen ------------------------------------------------------------------------------

/// Where the smallest and the largest of some rows lie.
typedef struct extremes {
    double low, high;
    size_t low_at, high_at;
} extremes;

static void consider(extremes *e, double low, double high, size_t at)
{
    if (!isnan(low) && !(low >= e->low)) { // also where there is none so far
        e->low = low;
        e->low_at = at;
    }
    if (!isnan(high) && !(high <= e->high)) {
        e->high = high;
        e->high_at = at;
    }
}

static extremes find_extremes(const ui_column *c, size_t begin, size_t end)
{
    extremes e = {NAN, NAN, begin, begin};
    for (size_t i = begin; i < end;) {
        if (i % UI_ROWS_BLOCK == 0 && i + UI_ROWS_BLOCK <= end) {
            consider(&e, c->lows[i / UI_ROWS_BLOCK], c->highs[i / UI_ROWS_BLOCK], i);
            i += UI_ROWS_BLOCK;
        } else {
            consider(&e, c->values[i], c->values[i], i);
            i++;
        }
    }
    return e;
}

static void print_rows(const ui_rows *rows, size_t begin, size_t end, const int *columns, int n,
                       ui_text *out)
{
    ui_text_print(out, "{\"exact\":true,\"t\":[");
    for (size_t i = begin; i < end; i++) ui_text_number(out, rows->times[i], i > begin);
    ui_text_print(out, "],\"y\":[");
    for (int k = 0; k < n; k++) {
        ui_text_print(out, k ? ",[" : "[");
        const double *values = rows->columns[columns[k]].values;
        for (size_t i = begin; i < end; i++) ui_text_number(out, values[i], i > begin);
        ui_text_print(out, "]");
    }
    ui_text_print(out, "]");
}

// Row numbers at which pixels begin; the last one is the end. Each pixel has two points.
static size_t *find_pixels(const ui_rows *rows, size_t begin, size_t end, int width, size_t *n)
{
    size_t *starts = malloc(((size_t)width + 2) * sizeof *starts);
    if (!starts) return NULL;
    double first = rows->times[begin], pixel = (rows->times[end - 1] - first) / width;
    *n = 0;
    for (size_t i = begin; i < end;) {
        starts[(*n)++] = i;
        double next = first + floor((rows->times[i] - first) / pixel + 1) * pixel;
        size_t after = ui_rows_find(rows, next) + 1;
        bool is_last = *n > (size_t)width || !(pixel > 0);
        i = is_last || after > end ? end : after > i ? after : i + 1;
    }
    starts[*n] = end;
    return starts;
}

static void print_extremes(const ui_rows *rows, const size_t *starts, size_t n, const int *columns,
                           int n_columns, ui_text *out)
{
    ui_text_print(out, "{\"exact\":false,\"t\":[");
    for (size_t i = 0; i < n; i++) {
        ui_text_number(out, rows->times[starts[i]], i > 0);
        ui_text_number(out, rows->times[starts[i + 1] - 1], true);
    }
    ui_text_print(out, "],\"y\":[");
    for (int k = 0; k < n_columns; k++) {
        ui_text_print(out, k ? ",[" : "[");
        for (size_t i = 0; i < n; i++) {
            extremes e = find_extremes(&rows->columns[columns[k]], starts[i], starts[i + 1]);
            bool is_up = e.low_at <= e.high_at;
            ui_text_number(out, is_up ? e.low : e.high, i > 0);
            ui_text_number(out, is_up ? e.high : e.low, true);
        }
        ui_text_print(out, "]");
    }
    ui_text_print(out, "]");
}

char *ui_rows_view(const ui_rows *rows, double from, double to, int width, const int *columns,
                   int n_columns)
{
    ui_text out = {0};
    size_t begin = rows->n ? ui_rows_find(rows, from) : 0;
    while (begin > 0 && rows->times[begin - 1] >= from) begin--; // all rows of a jump
    size_t end = rows->n ? ui_rows_find(rows, to) + 1 : 0;
    if (end < rows->n) end++;
    if (end - begin <= 2 * (size_t)width) {
        print_rows(rows, begin, end, columns, n_columns, &out);
    } else {
        size_t n = 0, *starts = find_pixels(rows, begin, end, width, &n);
        if (starts) print_extremes(rows, starts, n, columns, n_columns, &out);
        if (!starts) out.is_failed = true;
        free(starts);
    }
    ui_text_print(&out, ",\"rows\":%zu,\"full\":%s,\"first\":", rows->n,
                  rows->is_full ? "true" : "false");
    ui_text_number(&out, rows->n ? rows->times[0] : NAN, false);
    ui_text_print(&out, ",\"last\":");
    ui_text_number(&out, rows->n ? rows->times[rows->n - 1] : NAN, false);
    ui_text_print(&out, "}");
    return ui_text_take(&out);
}
