// SPDX-License-Identifier: MIT
// Results for plots; see plot_data.h.
#include "record/plot_data.h"

#include <math.h>
#include <string.h>

#include "base/path.h"
#include "record/plot_axis.h"
#include "record/plot_line.h"

// ---- ranges --------------------------------------------------------------------------------------

// The value of the reference at time t, left or right of a jump; NaN: it does not reach so far.
static double refer(const takt_table *table, int column, double t, bool is_left)
{
    const double *times = table->columns[0].numbers, *values = table->columns[column].numbers;
    int low = 0, high = table->n_rows; // rows before t
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool is_before = times[middle] < t || (!is_left && times[middle] == t);
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    int before = low - 1, behind = low;
    if (is_left && behind < table->n_rows && times[behind] == t) return values[behind];
    if (before >= 0 && times[before] == t) return values[before];
    if (before < 0 || behind >= table->n_rows) return NAN;
    const char *type = table->columns[column].type;
    if (type && strncmp(type, "Float", 5) != 0) return values[before];
    double share = (t - times[before]) / (times[behind] - times[before]);
    return values[before] + share * (values[behind] - values[before]);
}

// The value of row `i` as it is shown: perhaps without that of the reference. `column` is that of the plot.
static double shown_value(const takt_plot_data *data, const takt_table *table, double value, int i,
                          int column)
{
    if (!data->reference) return value;
    const double *t = table->columns[0].numbers;
    int k = data->reference_of[column];
    bool is_left = i + 1 < table->n_rows && t[i + 1] == t[i];
    return k < 0 ? NAN : value - refer(data->reference, k, t[i], is_left);
}

// Values of types that are not continuous, and those that are only 0 and 1, are drawn as steps. Rows beside the limits of
// time count as well: lines lead to them.
static void widen(const takt_plot_data *data, const takt_table *table, int column,
                  takt_plot_range *range)
{
    const takt_table_column *values = &table->columns[column];
    const double *t = table->columns[0].numbers;
    int n = table->n_rows;
    for (int i = 0; values->numbers && i < n; i++) {
        double value = values->numbers[i];
        if (!values->type && value != 0 && value != 1) range->has_steps = range->is_whole = false;
        value = shown_value(data, table, value, i, (int)(range - data->ranges));
        bool is_shown = t[i + 1 < n ? i + 1 : i] >= data->from && t[i ? i - 1 : i] <= data->to;
        if (!is_shown || !isfinite(value)) continue;
        range->low = fmin(range->low, value);
        range->high = fmax(range->high, value);
    }
}

static takt_status read_rows(takt_plot_data *data, takt_plot_source *source, takt_error *err)
{
    const takt_table *table = takt_results_stream_table(source->stream);
    for (;;) {
        takt_status st = takt_results_stream_next(source->stream, err);
        // Whether a column holds numbers or texts is known when it has been read.
        for (int i = 0; i < table->n_columns; i++)
            data->merged.columns[i ? source->first + i - 1 : 0] = table->columns[i];
        if (st || table->n_rows == 0) return st;
        const double *t = table->columns[0].numbers;
        source->t_last = t[table->n_rows - 1];
        for (int i = 0; i < table->n_rows; i++) {
            if (t[i] < data->from || t[i] > data->to) continue;
            data->t_first = fmin(data->t_first, t[i]);
            data->t_last = fmax(data->t_last, t[i]);
            data->n_rows++;
        }
        for (int i = 1; i < table->n_columns; i++)
            widen(data, table, i, &data->ranges[source->first + i - 1]);
    }
}

static takt_status open_sources(takt_plot_data *data, const char *const *files, int n_files,
                                takt_error *err)
{
    data->sources = takt_arena_array(&data->arena, (size_t)n_files, sizeof *data->sources);
    if (!data->sources) return takt_fail_memory(err);
    int n = 1;
    for (int i = 0; i < n_files; i++) {
        takt_plot_source *source = &data->sources[data->n_sources++];
        *source = (takt_plot_source){.file = files[i], .first = n, .t_last = -INFINITY};
        takt_status st = takt_results_stream_open(files[i], data->log, &source->stream, err);
        if (st) return st;
        n += takt_results_stream_table(source->stream)->n_columns - 1;
    }
    data->merged = (takt_table){.file = files[0], .n_columns = n};
    return TAKT_OK;
}

// What files are called in legends: their names, or where two are the same their paths.
static const char *label_of(const takt_plot_data *data, int i_source)
{
    const char *path = data->sources[i_source].file, *name = takt_path_name(path);
    for (int i = 0; i < data->n_sources; i++)
        if (i != i_source && strcmp(takt_path_name(data->sources[i].file), name) == 0) return path;
    return name;
}

// The columns of all files as those of one table.
static takt_status merge(takt_plot_data *data, takt_error *err)
{
    takt_table *merged = &data->merged;
    size_t n = (size_t)merged->n_columns;
    merged->columns = takt_arena_array(&data->arena, n, sizeof *merged->columns);
    data->ranges = takt_arena_array(&data->arena, n, sizeof *data->ranges);
    const char **labels = takt_arena_array(&data->arena, n, sizeof *labels);
    if (!merged->columns || !data->ranges || !labels) return takt_fail_memory(err);
    for (int s = 0; s < data->n_sources; s++) {
        const takt_table *table = takt_results_stream_table(data->sources[s].stream);
        for (int i = 1; i < table->n_columns; i++) {
            int k = data->sources[s].first + i - 1;
            const takt_table_column *column = &table->columns[i];
            bool is_whole = !column->type || strncmp(column->type, "Float", 5) != 0;
            bool is_discrete = column->variability && strcmp(column->variability, "discrete") == 0;
            merged->columns[k] = *column;
            labels[k] = label_of(data, s);
            data->ranges[k] =
                (takt_plot_range){INFINITY, -INFINITY, is_whole || is_discrete, is_whole};
        }
    }
    if (data->n_sources > 1) data->labels = labels;
    data->table = merged;
    return TAKT_OK;
}

// Reads what is to be subtracted, which is kept as a whole.
static takt_status read_reference(takt_plot_data *data, takt_error *err)
{
    takt_status st = takt_results_read(data->less, data->log, &data->reference, err);
    size_t n = (size_t)data->merged.n_columns;
    data->reference_of = takt_arena_array(&data->arena, n, sizeof *data->reference_of);
    if (st) return st;
    if (!data->reference_of) return takt_fail_memory(err);
    for (size_t i = 1; i < n; i++) {
        int k = takt_map_find(&data->reference->names, data->merged.columns[i].name);
        bool has_numbers = k > 0 && data->reference->columns[k].numbers;
        data->reference_of[i] = has_numbers ? k : -1;
    }
    return TAKT_OK;
}

takt_status takt_plot_data_read(const char *const *files, int n_files, takt_plot_data *out,
                                takt_error *err)
{
    out->t_first = INFINITY;
    out->t_last = -INFINITY;
    takt_status st = open_sources(out, files, n_files, err);
    if (!st) st = merge(out, err);
    if (!st && out->less) st = read_reference(out, err);
    for (int i = 0; i < out->n_sources && !st; i++) st = read_rows(out, &out->sources[i], err);
    bool is_limited = isfinite(out->from) || isfinite(out->to);
    if (!st && is_limited && out->n_rows == 0)
        return takt_fail(err, TAKT_ERR_USAGE, "%s has no row from t=%.15g s to t=%.15g s", files[0],
                         out->from, out->to);
    if (st || out->n_rows == 0) out->t_first = 0, out->t_last = 1; // an empty file
    if (isfinite(out->from)) out->t_first = out->from;
    if (isfinite(out->to)) out->t_last = out->to;
    return st;
}

void takt_plot_data_clear(takt_plot_data *data)
{
    for (int i = 0; i < data->n_sources; i++) takt_results_stream_close(data->sources[i].stream);
    takt_table_destroy(data->reference);
    takt_arena_clear(&data->arena);
    *data = (takt_plot_data){0};
}

// ---- lines ---------------------------------------------------------------------------------------

typedef struct plot_pen {
    takt_line line;
    double t, value; // of the row before
    bool has_steps, has_row;
    bool is_begun; // something is drawn
    bool is_dot; // of a line over another column, the last piece: it is one point as yet
} plot_pen;

static double y_of(const takt_curve *curve, double value)
{
    if (!isfinite(value)) return NAN;
    return curve->y0 + fmin(fmax(value, curve->low), curve->high) * curve->y_scale;
}

// The point of a line at the time t, between the row before and the next one.
static double value_at(const plot_pen *pen, double t, double t_next, double next)
{
    if (pen->has_steps || !(t_next > pen->t)) return pen->value;
    return pen->value + (next - pen->value) * (t - pen->t) / (t_next - pen->t);
}

static void draw_point(const takt_curve *curve, plot_pen *pen, double t, double value)
{
    double x = curve->x0 + t * curve->x_scale;
    if (pen->has_steps && pen->is_begun) takt_line_add(&pen->line, x, y_of(curve, pen->value));
    takt_line_add(&pen->line, x, y_of(curve, value));
    pen->is_begun = true;
}

// Lines begin and end at the limits of what is shown.
static void draw_row(const takt_plot_data *data, const takt_curve *curve, plot_pen *pen, double t,
                     double value)
{
    bool was_before = pen->has_row && pen->t < data->from;
    bool was_inside = pen->has_row && pen->t <= data->to;
    if (was_before && t >= data->from) {
        pen->value = value_at(pen, data->from, t, value);
        draw_point(curve, pen, data->from, pen->value);
    }
    if (t >= data->from && t <= data->to)
        draw_point(curve, pen, t, value);
    else if (t > data->to && was_inside)
        draw_point(curve, pen, data->to, value_at(pen, data->to, t, value));
    pen->t = t;
    pen->value = value;
    pen->has_row = true;
}

// A point alone is seen as well.
static void end_pairs(takt_curve *curve, plot_pen *pen)
{
    if (pen->is_begun && pen->is_dot) takt_text_add(&curve->path, "h2v2h-2z");
    pen->is_begun = false;
}

// Over another column lines may go back, so that nothing can be left out but points that are too near to be seen.
static void draw_pair(takt_curve *curve, plot_pen *pen, double x_value, double y_value)
{
    static const double NEAR = 0.4; // pixels
    double x = curve->x0 + x_value * curve->x_scale, y = y_of(curve, y_value);
    bool is_number = isfinite(x) && isfinite(y);
    bool is_near = pen->is_begun && fabs(x - pen->t) < NEAR && fabs(y - pen->value) < NEAR;
    if (!is_number) end_pairs(curve, pen);
    if (!is_number || is_near) return;
    pen->is_dot = !pen->is_begun;
    takt_text_add(&curve->path, pen->is_begun ? "L" : "M");
    takt_text_add_fixed(&curve->path, x, 1);
    takt_text_add(&curve->path, " ");
    takt_text_add_fixed(&curve->path, y, 1);
    pen->t = x;
    pen->value = y;
    pen->is_begun = true;
}

static void draw_pairs(const takt_plot_data *data, const takt_plot_source *source,
                       const takt_table *table, takt_curve *curve, plot_pen *pen)
{
    int x_column = takt_plot_data_x_of(data, curve->column) - source->first + 1;
    const double *t = table->columns[0].numbers, *x = table->columns[x_column].numbers,
                 *y = table->columns[curve->column - source->first + 1].numbers;
    for (int i = 0; x && y && i < table->n_rows && t[i] <= source->t_last; i++)
        if (t[i] >= data->from && t[i] <= data->to) draw_pair(curve, pen, x[i], y[i]);
}

int takt_plot_data_x_of(const takt_plot_data *data, int column)
{
    if (!data->x_column) return 0;
    const char *name = data->table->columns[data->x_column].name;
    int s = data->n_sources - 1;
    while (s > 0 && data->sources[s].first > column) s--;
    int end = s + 1 < data->n_sources ? data->sources[s + 1].first : data->table->n_columns;
    for (int i = data->sources[s].first; i < end; i++)
        if (strcmp(data->table->columns[i].name, name) == 0 && data->table->columns[i].numbers)
            return i;
    return 0;
}

static void draw_rows(const takt_plot_data *data, const takt_plot_source *source,
                      const takt_table *table, const takt_curve *curve, plot_pen *pen)
{
    const double *t = table->columns[0].numbers,
                 *values = table->columns[curve->column - source->first + 1].numbers;
    for (int i = 0; values && i < table->n_rows && t[i] <= source->t_last; i++)
        draw_row(data, curve, pen, t[i], shown_value(data, table, values[i], i, curve->column));
}

static bool is_of(const takt_plot_source *source, const takt_table *table, int column)
{
    return column >= source->first && column < source->first + table->n_columns - 1;
}

// Draws those of the curves that belong to one file.
static takt_status draw_source(const takt_plot_data *data, const takt_plot_source *source,
                               takt_curve *curves, plot_pen *pens, int n, takt_error *err)
{
    takt_results_stream *stream = NULL;
    // What there is to warn of was told when the file was read for the first time.
    takt_status st = takt_results_stream_open(source->file, NULL, &stream, err);
    const takt_table *table = st ? NULL : takt_results_stream_table(stream);
    if (!st && table->n_columns != takt_results_stream_table(source->stream)->n_columns)
        st = takt_fail(err, TAKT_ERR_INPUT, "%s: the file was replaced while it was read",
                       source->file);
    if (!st) st = takt_results_stream_next(stream, err);
    while (!st && table->n_rows) {
        for (int i = 0; i < n; i++)
            if (!is_of(source, table, curves[i].column))
                continue;
            else if (data->x_column)
                draw_pairs(data, source, table, &curves[i], &pens[i]);
            else
                draw_rows(data, source, table, &curves[i], &pens[i]);
        st = takt_results_stream_next(stream, err);
    }
    takt_results_stream_close(stream);
    return st;
}

takt_status takt_plot_data_draw(const takt_plot_data *data, takt_curve *curves, int n,
                                takt_error *err)
{
    takt_arena arena = {0};
    plot_pen *pens = takt_arena_array(&arena, (size_t)n, sizeof *pens);
    takt_status st = pens ? TAKT_OK : takt_fail_memory(err);
    for (int i = 0; i < n && !st; i++)
        pens[i] = (plot_pen){.line = {.out = &curves[i].path},
                             .has_steps = data->ranges[curves[i].column].has_steps};
    for (int i = 0; i < data->n_sources && !st; i++)
        st = draw_source(data, &data->sources[i], curves, pens, n, err);
    for (int i = 0; i < n && !st; i++) {
        if (data->x_column)
            end_pairs(&curves[i], &pens[i]);
        else
            takt_line_end(&pens[i].line);
        if (curves[i].path.failed) st = takt_fail_memory(err);
    }
    takt_arena_clear(&arena);
    return st;
}
