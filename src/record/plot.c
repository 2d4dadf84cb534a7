// SPDX-License-Identifier: MIT
// Results as a picture: takt_plot() of the public API. Panels stand one below the other over the same
// time axis; each has its own axis of values and a legend at its right.
//
// Colours are those of Okabe and Ito, which people with colour blindness can distinguish; yellow
// is left out, as it cannot be seen on white. After seven lines the colours come again with dashes.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/sized.h"
#include "base/svg.h"
#include "record/plot_axis.h"
#include "record/plot_data.h"
#include "record/plot_panels.h"
#include "record/render.h"
#include "record/results.h"

// Pixels.
enum {
    LEFT = 72,
    TOP = 44,
    BOTTOM = 46,
    LEAST_HEIGHT = 150, // of a panel
    GAP = 34, // above a panel, for its heading
    LABEL_GAP = 16, // more, where every panel has labels of time
    LANE = 18, // of a strip, for what goes on and off
    NUMBER_LANE = 38, // for other whole numbers
    PAGE_COLUMNS = 84, // of a picture with several panels
    LEGEND_ROW = 18,
    LEGEND_MARGIN = 44, // line sample and room around it
    MOST_LEGEND = 300,
    LEAST_WIDTH = 300,
    MOST_WIDTH = 10000,
    MOST_RESULTS = 100,
    MOST_NAMED = 4, // files in the title
};
static const double CHARACTER = 6.6; // width of a character in the legend

typedef struct picture {
    const takt_plot_data *data;
    const takt_table *table; // of it
    const takt_panel_list *list;
    struct frame *frames; // of the panels
    takt_curve *curves; // of all panels, one after the other
    bool labels_all; // every panel has its own labels of time
    const char *title;
    int width, legend; // of the picture and of the legends
    int height;
    takt_axis time;
    takt_text svg;
} picture;

typedef struct frame {
    double x, y, width, height; // of a panel's area
    takt_axis axis;
} frame;

// ---- text ----------------------------------------------------------------------------------------

// "×10³"
static void add_power(takt_text *out, int exponent)
{
    static const char *const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char number[16];
    snprintf(number, sizeof number, "%d", exponent);
    takt_text_add(out, "\u00d710");
    for (const char *c = number; *c; c++)
        takt_text_add(out, *c == '-' ? "\u207b" : digits[*c - '0']);
}

// An attribute with one decimal.
static void add_number(takt_text *out, const char *name, double value)
{
    takt_text_print(out, " %s=\"", name);
    takt_text_add_fixed(out, value, 1);
    takt_text_add(out, "\"");
}

static void begin_text(takt_text *out, double x, double y, const char *class)
{
    takt_text_add(out, "<text");
    add_number(out, "x", x);
    add_number(out, "y", y);
    takt_text_print(out, "%s%s%s>", class ? " class=\"" : "", class ? class : "",
                    class ? "\"" : "");
}

// ---- axes ----------------------------------------------------------------------------------------

static double x_of(const picture *p, const frame *f, double t)
{
    return f->x + (t - p->time.low) / (p->time.high - p->time.low) * f->width;
}

static double y_of(const frame *f, double value)
{
    if (!isfinite(value)) return NAN;
    value = fmin(fmax(value, f->axis.low), f->axis.high); // see takt_axis_make()
    return f->y + (f->axis.high - value) / (f->axis.high - f->axis.low) * f->height;
}

static void add_lines(picture *p, const frame *f)
{
    takt_text *out = &p->svg;
    takt_text_add(out, "<path class=\"grid\" d=\"");
    for (int i = 0; i < p->time.n_ticks; i++) {
        takt_text_add(out, "M");
        takt_text_add_fixed(out, x_of(p, f, takt_axis_tick(&p->time, i)), 1);
        takt_text_print(out, " %dv%d", (int)f->y, (int)f->height);
    }
    for (int i = 0; i < f->axis.n_ticks; i++) {
        takt_text_print(out, "M%d ", (int)f->x);
        takt_text_add_fixed(out, y_of(f, takt_axis_tick(&f->axis, i)), 1);
        takt_text_print(out, "h%d", (int)f->width);
    }
    takt_text_add(out, "\"/>\n");
}

// What is drawn from left to right.
static void add_x_title(picture *p)
{
    takt_text *out = &p->svg;
    if (!p->data->x_column) {
        takt_text_print(out, "time [%s]", p->time.unit);
        return;
    }
    const takt_table_column *column = &p->table->columns[p->data->x_column];
    takt_svg_add_shortened(out, column->name, 60);
    if (column->unit) {
        takt_text_add(out, " [");
        takt_svg_add_shortened(out, column->unit, 30);
        takt_text_add(out, "]");
    }
    if (!p->time.exponent) return;
    takt_text_add(out, " \u2002");
    add_power(out, p->time.exponent);
}

static void add_labels(picture *p, const frame *f, bool with_time, bool is_last)
{
    takt_text *out = &p->svg;
    for (int i = 0; i < f->axis.n_ticks; i++) {
        begin_text(out, f->x - 7, y_of(f, takt_axis_tick(&f->axis, i)) + 4, "end");
        takt_axis_add_label(out, &f->axis, i);
        takt_text_add(out, "</text>\n");
    }
    for (int i = 0; with_time && i < p->time.n_ticks; i++) {
        begin_text(out, x_of(p, f, takt_axis_tick(&p->time, i)), f->y + f->height + 17, "middle");
        takt_axis_add_label(out, &p->time, i);
        takt_text_add(out, "</text>\n");
    }
    if (!is_last) return;
    begin_text(out, f->x + f->width / 2, f->y + f->height + 36, "middle");
    add_x_title(p);
    takt_text_add(out, "</text>\n");
}

static void add_heading(picture *p, const frame *f, const takt_panel *panel)
{
    takt_text *out = &p->svg;
    begin_text(out, f->x, f->y - 8, "heading");
    takt_svg_add_shortened(out, panel->heading, 60);
    if (panel->unit) {
        takt_text_add(out, *panel->heading ? " [" : "[");
        takt_svg_add_shortened(out, panel->unit, 30);
        takt_text_add(out, "]");
    }
    if (f->axis.exponent) {
        takt_text_add(out, *panel->heading || panel->unit ? " \u2002" : "");
        add_power(out, f->axis.exponent);
    }
    takt_text_add(out, "</text>\n");
}

// ---- lines ---------------------------------------------------------------------------------------

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000"};
static const char *const dashes[] = {"", "7 4", "2 3", "9 3 2 3"};
enum { N_COLOURS = 7, N_DASHES = 4 };

// Lines in lanes need no dashes.
static void add_style(takt_text *out, const takt_panel *panel, int i)
{
    const char *dash = panel->is_strip ? "" : dashes[i / N_COLOURS % N_DASHES];
    takt_text_print(out, " stroke=\"%s\"", colours[i % N_COLOURS]);
    if (*dash) takt_text_print(out, " stroke-dasharray=\"%s\"", dash);
}

static void add_curve(picture *p, const takt_panel *panel, const takt_curve *curve, int i_line)
{
    takt_text_add(&p->svg, "<path class=\"curve\"");
    add_style(&p->svg, panel, i_line);
    takt_text_add(&p->svg, " d=\"");
    if (curve->path.data) takt_text_add_n(&p->svg, curve->path.data, curve->path.length);
    takt_text_add(&p->svg, "\"/>\n");
}

// "Tank.level", of several files "Tank.level \u00b7 a.csv".
static void add_name(takt_text *out, const char *name, const char *label, int most)
{
    int room = label ? takt_svg_count_characters(label) + 3 : 0;
    takt_svg_add_shortened(out, name, most - room > most / 2 ? most - room : most / 2);
    if (!label) return;
    takt_text_add(out, " \u00b7 ");
    takt_svg_add_shortened(out, label, most - most / 2);
}

// ---- panels --------------------------------------------------------------------------------------

static takt_axis make_axis(const picture *p, const takt_panel *panel, double height)
{
    double low = INFINITY, high = -INFINITY;
    bool is_whole = true;
    for (int i = 0; i < panel->n_columns; i++) {
        const takt_plot_range *range = &p->data->ranges[panel->columns[i]];
        is_whole = is_whole && range->has_steps;
        low = fmin(low, range->low);
        high = fmax(high, range->high);
    }
    if (low > high) low = 0, high = 1;
    return takt_axis_make(low, high, (int)(height / 28), is_whole);
}

static bool is_switch(const takt_plot_range *range)
{
    return range->low >= 0 && range->high <= 1;
}

// Where the lane of a column in a strip begins; behind the last column, the height of all.
static int lane_top(const picture *p, const takt_panel *panel, int i)
{
    int y = 0;
    for (int k = 0; k < i; k++)
        y += is_switch(&p->data->ranges[panel->columns[k]]) ? LANE : NUMBER_LANE;
    return y;
}

static double panel_height(const picture *p, const takt_panel *panel)
{
    double legend = LEGEND_ROW * panel->n_columns + 2;
    if (panel->is_strip) return lane_top(p, panel, panel->n_columns) + 2;
    return legend > LEAST_HEIGHT ? legend : LEAST_HEIGHT;
}

static takt_curve make_curve(const picture *p, const frame *f, int column)
{
    double x_scale = f->width / (p->time.high - p->time.low) / p->time.scale;
    double y_scale = -f->height / (f->axis.high - f->axis.low);
    return (takt_curve){.column = column,
                        .x0 = f->x - p->time.low * p->time.scale * x_scale,
                        .x_scale = x_scale,
                        .y0 = f->y - f->axis.high * y_scale,
                        .y_scale = y_scale,
                        .low = f->axis.low, // see takt_axis_make()
                        .high = f->axis.high};
}

// The part of a strip in which a column goes up and down, beside its name.
static frame lane_of(const picture *p, const frame *f, const takt_panel *panel, int i)
{
    frame lane = *f;
    if (!panel->is_strip) return lane;
    const takt_plot_range *range = &p->data->ranges[panel->columns[i]];
    bool is_on_off = is_switch(range), is_level = !(range->low < range->high);
    lane.y = f->y + lane_top(p, panel, i) + (is_on_off ? 5 : 9);
    lane.height = is_on_off ? LANE - 8 : NUMBER_LANE - 16;
    double room = is_level ? 1 + 0.1 * fabs(range->low) : 0;
    lane.axis.low = is_on_off ? 0 : range->low - room;
    lane.axis.high = is_on_off ? 1 : range->high + room;
    return lane;
}

// A whole number in few characters: 12345, 4.29e9.
static void add_whole(takt_text *out, double value)
{
    int exponent = fabs(value) < 1e6 ? 0 : (int)floor(log10(fabs(value)));
    takt_text_add_fixed(out, value / pow(10, exponent), exponent ? 2 : 0);
    if (exponent) takt_text_print(out, "e%d", exponent);
}

// The least and the largest value of each lane with numbers.
static void add_lane_labels(picture *p, const frame *f, const takt_panel *panel)
{
    for (int i = 0; i < panel->n_columns; i++) {
        const takt_plot_range *range = &p->data->ranges[panel->columns[i]];
        const double ends[] = {range->low, range->high};
        if (is_switch(range) || range->low > range->high) continue;
        frame lane = lane_of(p, f, panel, i);
        for (int k = range->low < range->high ? 0 : 1; k < 2; k++) {
            begin_text(&p->svg, f->x - 7, y_of(&lane, ends[k]) + 4, "end");
            add_whole(&p->svg, ends[k]);
            takt_text_add(&p->svg, "</text>\n");
        }
    }
}

static void add_legend(picture *p, const frame *f, const takt_panel *panel)
{
    takt_text *out = &p->svg;
    double x = f->x + f->width + 12;
    int most = (int)((p->legend - LEGEND_MARGIN) / CHARACTER);
    for (int i = 0; i < panel->n_columns; i++) {
        const takt_table_column *column = &p->table->columns[panel->columns[i]];
        frame lane = lane_of(p, f, panel, i);
        double y = panel->is_strip ? lane.y + lane.height / 2 : f->y + 10 + LEGEND_ROW * i;
        takt_text_add(out, "<path class=\"curve\"");
        add_style(out, panel, i);
        takt_text_print(out, " d=\"M%d %dh20\"/>\n", (int)x, (int)y);
        const char *label = p->data->labels ? p->data->labels[panel->columns[i]] : NULL;
        begin_text(out, x + 26, y + 4, NULL);
        add_name(out, column->name, label, most);
        takt_text_add(out, "<title>");
        takt_svg_add_escaped(out, column->name, strlen(column->name));
        if (column->description) {
            takt_text_add(out, ": ");
            takt_svg_add_escaped(out, column->description, strlen(column->description));
        }
        takt_text_add(out, "</title></text>\n");
    }
}

static void add_panel(picture *p, int i_panel, const takt_curve *curves)
{
    const takt_panel *panel = &p->list->panels[i_panel];
    const frame f = p->frames[i_panel];
    takt_text_add(&p->svg, "<g>\n");
    add_lines(p, &f);
    for (int i = 0; i < panel->n_columns; i++) add_curve(p, panel, &curves[i], i);
    takt_text_print(&p->svg,
                    "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
                    (int)f.x, (int)f.y, (int)f.width, (int)f.height);
    bool is_last = i_panel + 1 == p->list->n_panels;
    add_labels(p, &f, p->labels_all || is_last, is_last);
    if (panel->is_strip) add_lane_labels(p, &f, panel);
    add_heading(p, &f, panel);
    add_legend(p, &f, panel);
    takt_text_add(&p->svg, "</g>\n");
}

static int legend_width(const picture *p)
{
    int longest = 0;
    for (int i = 0; i < p->list->n_panels; i++)
        for (int k = 0; k < p->list->panels[i].n_columns; k++) {
            int column = p->list->panels[i].columns[k];
            int n = takt_svg_count_characters(p->table->columns[column].name);
            if (p->data->labels) n += 3 + takt_svg_count_characters(p->data->labels[column]);
            if (n > longest) longest = n;
        }
    double width = LEGEND_MARGIN + CHARACTER * (longest + 1);
    return width > MOST_LEGEND || width > p->width / 3.0 ? (int)fmin(MOST_LEGEND, p->width / 3.0)
                                                         : (int)width;
}

static void add_head(picture *p, double height)
{
    takt_text_print(&p->svg,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                    "viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
                    p->width, (int)height, p->width, (int)height);
    takt_svg_add_escaped(&p->svg, p->title, strlen(p->title));
    takt_text_add(&p->svg, "</title>\n<style>\n"
                           "text { font: 12px sans-serif; fill: #222 }\n"
                           ".title { font-size: 15px; font-weight: bold }\n"
                           ".heading { font-weight: bold }\n"
                           ".end { text-anchor: end }\n.middle { text-anchor: middle }\n"
                           ".grid { stroke: #ddd; fill: none }\n"
                           ".frame { stroke: #666; fill: none }\n"
                           ".curve { stroke-width: 1.6; fill: none; stroke-linejoin: round }\n"
                           "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    begin_text(&p->svg, LEFT, 26, "title");
    takt_svg_add_shortened(&p->svg, p->title, (int)((p->width - LEFT) / 9));
    takt_text_add(&p->svg, "</text>\n");
}

// The axis of time, or of the column over which the others are drawn, in all files.
static takt_axis make_x_axis(const takt_plot_data *data, int n_ticks)
{
    if (!data->x_column) return takt_axis_make_time(data->t_first, data->t_last, n_ticks);
    double low = INFINITY, high = -INFINITY;
    for (int i = 1; i < data->table->n_columns; i++) {
        if (takt_plot_data_x_of(data, i) != i) continue;
        low = fmin(low, data->ranges[i].low);
        high = fmax(high, data->ranges[i].high);
    }
    if (low > high) low = 0, high = 1;
    takt_axis axis = takt_axis_make(low, high, n_ticks, false);
    axis.scale = 1;
    return axis;
}

// Gives every panel its place and its axis. Returns the height of all.
static double arrange(picture *p)
{
    const takt_plot_data *data = p->data;
    p->legend = legend_width(p);
    int n_ticks = (p->width - LEFT - p->legend) / 70, n_curves = 0;
    p->time = make_x_axis(data, n_ticks > 2 ? n_ticks : 2);
    p->labels_all = p->list->n_panels > 1;
    double y = TOP + 16;
    for (int i = 0; i < p->list->n_panels; i++) {
        const takt_panel *panel = &p->list->panels[i];
        frame *f = &p->frames[i];
        *f = (frame){.x = LEFT, .y = y, .width = p->width - LEFT - p->legend};
        f->height = panel_height(p, panel);
        if (data->x_column) f->height = fmax(f->height, floor(0.55 * f->width));
        f->axis = make_axis(p, panel, f->height);
        if (panel->is_strip) f->axis.n_ticks = f->axis.exponent = 0;
        for (int k = 0; k < panel->n_columns; k++) {
            frame lane = lane_of(p, f, panel, k);
            p->curves[n_curves++] = make_curve(p, &lane, panel->columns[k]);
        }
        y += f->height + GAP + (p->labels_all ? LABEL_GAP : 0);
    }
    return y - GAP - (p->labels_all ? LABEL_GAP : 0) + BOTTOM;
}

static takt_status draw(picture *p, takt_arena *arena, takt_error *err)
{
    int n_panels = p->list->n_panels, n_curves = p->list->n_columns;
    p->frames = takt_arena_array(arena, (size_t)n_panels, sizeof *p->frames);
    p->curves = takt_arena_array(arena, (size_t)n_curves, sizeof *p->curves);
    if (!p->frames || !p->curves) return takt_fail_memory(err);
    double height = arrange(p);
    takt_status st = takt_plot_data_draw(p->data, p->curves, n_curves, err);
    p->height = (int)height;
    if (!st) add_head(p, height);
    const takt_curve *curves = p->curves;
    for (int i = 0; i < n_panels && !st; curves += p->list->panels[i++].n_columns)
        add_panel(p, i, curves);
    takt_text_add(&p->svg, "</svg>\n");
    for (int i = 0; i < n_curves; i++) takt_text_clear(&p->curves[i].path);
    return st;
}

// ---- public --------------------------------------------------------------------------------------

void takt_plot_options_init(takt_plot_options *options)
{
    const takt_plot_options defaults = {
        .size = sizeof(takt_plot_options), .width = 900, .from = NAN, .to = NAN};
    takt_sized_fill(options, &defaults, sizeof defaults, NULL);
}

static takt_status write_picture(const char *path, const picture *p, takt_error *err)
{
    const takt_text *svg = &p->svg;
    if (svg->failed) return takt_fail_memory(err);
    if (strcmp(path, "-") != 0) {
        bool is_png = takt_path_ends_in(path, ".png");
        if (!is_png && !takt_path_ends_in(path, ".pdf"))
            return takt_file_write(path, svg->data, svg->length, err);
        takt_text out = {0};
        takt_status st = takt_render(svg->data, svg->length, p->width, p->height,
                                     is_png ? TAKT_RENDER_PNG : TAKT_RENDER_PDF, &out, err);
        if (!st) st = takt_file_write(path, out.data, out.length, err);
        takt_text_clear(&out);
        return st ? takt_within(err, st, "%s", path) : TAKT_OK;
    }
    bool ok = fwrite(svg->data, 1, svg->length, stdout) == svg->length && fflush(stdout) == 0;
    return ok ? TAKT_OK
              : takt_fail(err, TAKT_ERR_OUTPUT, "the plot cannot be written to standard output");
}

// The given title, or the name of a file, which may be in any encoding.
static takt_status make_title(takt_arena *arena, const char *text, const char **out,
                              takt_error *err)
{
    char *title = takt_arena_copy(arena, text);
    if (!title) return takt_fail_memory(err);
    takt_utf8_clean(title);
    *out = title;
    return TAKT_OK;
}

// A picture of another kind would be a file that nothing can open.
static takt_status check_ending(const char *path, takt_error *err)
{
    const char *name = takt_path_name(path), *dot = strrchr(name, '.');
    bool is_special = !takt_path_is_file(path) && access(path, F_OK) == 0; // a device, a pipe
    if (!dot || dot == name || is_special || takt_path_ends_in(path, ".svg") ||
        takt_path_ends_in(path, ".png") || takt_path_ends_in(path, ".pdf"))
        return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE,
                     "%s: pictures are written as .svg, .png or .pdf, not as '%s'", path, dot);
}

// How many of the panels from number `first` on fit on a page.
static int count_panels(const takt_panel_list *list, int first, int *n_columns)
{
    int n = 0;
    *n_columns = 0;
    for (; first + n < list->n_panels; n++) {
        int more = list->panels[first + n].n_columns;
        if (n > 0 && *n_columns + more > PAGE_COLUMNS) break;
        *n_columns += more;
    }
    return n;
}

// "plant.svg", "plant-2.svg", ...
static const char *name_page(takt_arena *arena, const char *path, int number)
{
    const char *dot = strrchr(takt_path_name(path), '.');
    int length = (int)(dot ? (size_t)(dot - path) : strlen(path));
    if (number == 1) return path;
    return takt_arena_print(arena, "%.*s-%d%s", length, path, number, dot ? dot : "");
}

// Hundreds of columns need several pictures.
static takt_status draw_pages(takt_plot_data *data, const takt_panel_list *list, const char *title,
                              const char *svg, int width, takt_error *err)
{
    int n_pages = 0, n_columns;
    for (int i = 0; i < list->n_panels; n_pages++) i += count_panels(list, i, &n_columns);
    if (n_pages > 1 && strcmp(svg, "-") == 0)
        return takt_fail(
            err, TAKT_ERR_USAGE,
            "%d columns need %d pictures; give a name for them with -o, or choose some "
            "by their names, as --column 'Tank.*'",
            list->n_columns, n_pages);
    takt_status st = TAKT_OK;
    for (int page = 1, first = 0; page <= n_pages && !st; page++) {
        takt_panel_list part = {.panels = list->panels + first};
        part.n_panels = count_panels(list, first, &part.n_columns);
        picture p = {.data = data, .table = data->table, .list = &part, .width = width};
        const char *path = name_page(&data->arena, svg, page), *text = title;
        if (n_pages > 1)
            text = takt_arena_print(&data->arena, "%s (%d of %d)", title, page, n_pages);
        st = path && text ? make_title(&data->arena, text, &p.title, err) : takt_fail_memory(err);
        if (!st) st = draw(&p, &data->arena, err);
        if (!st) st = write_picture(path, &p, err);
        if (!st && page > 1)
            takt_log_write(data->log, TAKT_LEVEL_WARN, "further columns are in %s", path);
        takt_text_clear(&p.svg);
        first += part.n_panels;
    }
    return st;
}

// Limits as the user gave them; NaN: none.
static takt_status set_limits(takt_plot_data *data, const takt_plot_options *options,
                              takt_error *err)
{
    data->from = isnan(options->from) ? -INFINITY : options->from;
    data->to = isnan(options->to) ? INFINITY : options->to;
    if (data->from < data->to) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE,
                     "what is shown cannot begin at t=%.15g s and end at t=%.15g s", data->from,
                     data->to);
}

static const char *column_name(void *context, int i)
{
    return ((const takt_table *)context)->columns[i + 1].name;
}

static takt_status find_x_column(takt_plot_data *data, const char *name, takt_error *err)
{
    const takt_table *table = data->table;
    for (int i = 1; name && i < table->n_columns && !data->x_column; i++)
        if (strcmp(table->columns[i].name, name) == 0) data->x_column = i;
    if (!name || (data->x_column && table->columns[data->x_column].numbers)) return TAKT_OK;
    if (data->x_column)
        return takt_fail(err, TAKT_ERR_USAGE, "%s: column '%s' holds text", table->file, name);
    const char *nearest = takt_text_nearest(name, table->n_columns - 1, column_name, (void *)table);
    return takt_fail(err, TAKT_ERR_USAGE, "%s has no column '%s'%s%s%s", table->file, name,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
}

static const char *name_of(const char *const *results, int n, const takt_plot_options *options,
                           takt_arena *arena)
{
    if (options->title) return options->title;
    const char *title = takt_path_name(results[0]);
    for (int i = 1; i < n && i < MOST_NAMED && title; i++)
        title = takt_arena_print(
            arena, "%s, %s", title,
            i + 1 == MOST_NAMED && n > MOST_NAMED ? "\u2026" : takt_path_name(results[i]));
    return title;
}

static takt_status plot(const char *const *results, int n, const char *path,
                        const takt_plot_options *options, takt_log *log, takt_error *err)
{
    takt_panel_list list = {0};
    takt_plot_data data = {.log = log};
    takt_status st = TAKT_OK;
    for (int i = 0; i < n && !st; i++) st = takt_results_check_target(results[i], path, err);
    if (!st) st = check_ending(path, err);
    if (!st) st = set_limits(&data, options, err);
    if (options->is_difference) data.less = results[--n];
    if (!st) st = takt_plot_data_read(results, n, &data, err);
    if (!st) st = find_x_column(&data, options->over, err);
    if (!st) st = takt_panels_choose(&data, options, log, &list, err);
    const char *title = st ? NULL : name_of(results, n, options, &data.arena);
    if (title && data.less && !options->title)
        title = takt_arena_print(&data.arena, "%s \u2212 %s", title, takt_path_name(data.less));
    if (!st && !title) st = takt_fail_memory(err);
    if (!st) st = draw_pages(&data, &list, title, path, options->width, err);
    takt_panels_clear(&list);
    takt_plot_data_clear(&data);
    return st;
}

static takt_status check_arguments(const char *const *results, int n_results, const char *path,
                                   const takt_plot_options *options, takt_error *err)
{
    bool is_complete = results && n_results > 0 && path;
    for (int i = 0; i < n_results && is_complete; i++) is_complete = results[i] != NULL;
    if (!is_complete)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_plot: results and path must not be NULL");
    if (options->n_columns < 0 || (options->n_columns > 0 && !options->columns))
        return takt_fail(err, TAKT_ERR_USAGE, "takt_plot: the list 'columns' is missing");
    for (int i = 0; i < options->n_columns; i++)
        if (!options->columns[i])
            return takt_fail(err, TAKT_ERR_USAGE, "takt_plot: columns[%d] must not be NULL", i);
    if (options->panels < TAKT_PANELS_AUTO || options->panels > TAKT_PANELS_ONE)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_plot: there are no panels of kind %d",
                         (int)options->panels);
    return TAKT_OK;
}

takt_status takt_plot_results(const char *const *results, int n_results, const char *path,
                              const takt_plot_options *given, takt_log *log, takt_error *err)
{
    takt_plot_options complete = takt_plot_options_default();
    takt_status st = takt_sized_take(&complete, given, sizeof complete, err);
    if (st) return st;
    const takt_plot_options *options = &complete;
    st = check_arguments(results, n_results, path, options, err);
    if (st) return st;
    if (options->is_difference && (n_results != 2 || options->over))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "a difference is that of two results over time; given are %d%s", n_results,
                         options->over ? ", over a column" : "");
    if (n_results > MOST_RESULTS)
        return takt_fail(err, TAKT_ERR_USAGE, "a plot can show %d results, not %d", MOST_RESULTS,
                         n_results);
    if (options->width < LEAST_WIDTH || options->width > MOST_WIDTH)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "a plot cannot be %d pixels wide; possible are %d to %d", options->width,
                         LEAST_WIDTH, MOST_WIDTH);
    return plot(results, n_results, path, options, log, err);
}

takt_status takt_plot(const char *results, const char *svg, const takt_plot_options *options,
                      takt_log *log, takt_error *err)
{
    return takt_plot_results(&results, results ? 1 : 0, svg, options, log, err);
}
