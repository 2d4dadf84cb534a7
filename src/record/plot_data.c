// SPDX-License-Identifier: MIT
// Results for plots; see plot_data.h.
#include "record/plot_data.h"

#include <math.h>
#include <string.h>

#include "record/plot_line.h"

// ---- ranges --------------------------------------------------------------------------------------

// Values of types that are not continuous, and those that are only 0 and 1, are drawn as steps.
static void widen(const takt_table_column *column, int n_rows, takt_plot_range *range)
{
    for (int i = 0; column->numbers && i < n_rows; i++) {
        double value = column->numbers[i];
        if (!column->type && value != 0 && value != 1) range->has_steps = false;
        if (!isfinite(value)) continue;
        range->low = fmin(range->low, value);
        range->high = fmax(range->high, value);
    }
}

takt_status takt_plot_data_read(const char *file, takt_log *log, takt_plot_data *out,
                                takt_error *err)
{
    *out = (takt_plot_data){.file = file, .log = log, .t_last = 1};
    takt_status st = takt_results_stream_open(file, log, &out->stream, err);
    if (st) return st;
    const takt_table *table = out->table = takt_results_stream_table(out->stream);
    size_t n = (size_t)table->n_columns;
    out->ranges = takt_arena_array(&out->arena, n, sizeof *out->ranges);
    if (!out->ranges) return takt_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const char *type = table->columns[i].type;
        out->ranges[i] =
            (takt_plot_range){INFINITY, -INFINITY, !type || strncmp(type, "Float", 5) != 0};
    }
    for (;;) {
        st = takt_results_stream_next(out->stream, err);
        if (st || table->n_rows == 0) return st;
        const double *t = table->columns[0].numbers;
        if (out->n_rows == 0) out->t_first = t[0];
        out->t_last = t[table->n_rows - 1];
        out->n_rows += table->n_rows;
        for (size_t i = 1; i < n; i++) widen(&table->columns[i], table->n_rows, &out->ranges[i]);
    }
}

void takt_plot_data_clear(takt_plot_data *data)
{
    takt_results_stream_close(data->stream);
    takt_arena_clear(&data->arena);
    *data = (takt_plot_data){0};
}

// ---- lines ---------------------------------------------------------------------------------------

typedef struct plot_pen {
    takt_line line;
    double y; // before; not a number at the start
    bool has_steps, is_begun;
} plot_pen;

static double y_of(const takt_curve *curve, double value)
{
    if (!isfinite(value)) return NAN;
    return curve->y0 + fmin(fmax(value, curve->low), curve->high) * curve->y_scale;
}

static void draw_rows(const takt_plot_data *data, const takt_table *table, const takt_curve *curve,
                      plot_pen *pen)
{
    const double *t = table->columns[0].numbers, *values = table->columns[curve->column].numbers;
    for (int i = 0; i < table->n_rows && t[i] <= data->t_last; i++) { // the file may have grown
        double x = curve->x0 + t[i] * curve->x_scale, y = y_of(curve, values[i]);
        if (pen->has_steps && pen->is_begun) takt_line_add(&pen->line, x, pen->y);
        takt_line_add(&pen->line, x, y);
        pen->y = y;
        pen->is_begun = true;
    }
}

takt_status takt_plot_data_draw(const takt_plot_data *data, takt_curve *curves, int n,
                                takt_error *err)
{
    takt_arena arena = {0};
    takt_results_stream *stream = NULL;
    plot_pen *pens = takt_arena_array(&arena, (size_t)n, sizeof *pens);
    takt_status st = pens ? TAKT_OK : takt_fail_memory(err);
    for (int i = 0; i < n && !st; i++)
        pens[i] = (plot_pen){.line = {.out = &curves[i].path},
                             .has_steps = data->ranges[curves[i].column].has_steps};
    // What there is to warn of was told when the file was read for the first time.
    if (!st) st = takt_results_stream_open(data->file, NULL, &stream, err);
    const takt_table *table = st ? NULL : takt_results_stream_table(stream);
    if (!st && table->n_columns != data->table->n_columns)
        st = takt_fail(err, TAKT_ERR_INPUT, "%s: the file was replaced while it was read",
                       data->file);
    if (!st) st = takt_results_stream_next(stream, err);
    while (!st && table->n_rows) {
        for (int i = 0; i < n; i++)
            if (table->columns[curves[i].column].numbers)
                draw_rows(data, table, &curves[i], &pens[i]);
        st = takt_results_stream_next(stream, err);
    }
    for (int i = 0; i < n && !st; i++) {
        takt_line_end(&pens[i].line);
        if (curves[i].path.failed) st = takt_fail_memory(err);
    }
    takt_results_stream_close(stream);
    takt_arena_clear(&arena);
    return st;
}
