// SPDX-License-Identifier: MIT
// Results as a picture: takt_plot() of the public API. Panels stand one below the other over the same
// time axis; each has its own axis of values and a legend at its right.
//
// Colours are those of Okabe and Ito, which people with colour blindness can distinguish; yellow
// is left out, as it cannot be seen on white. After seven lines the colours come again with dashes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "record/plot_axis.h"
#include "record/plot_line.h"
#include "record/plot_panels.h"
#include "record/results.h"

// Pixels.
enum {
    LEFT = 72,
    TOP = 44,
    BOTTOM = 46,
    LEAST_HEIGHT = 150, // of a panel
    GAP = 34, // above a panel, for its heading
    LEGEND_ROW = 18,
    LEGEND_MARGIN = 44, // line sample and room around it
    MOST_LEGEND = 300,
    LEAST_WIDTH = 300,
    MOST_WIDTH = 10000,
};
static const double CHARACTER = 6.6; // width of a character in the legend

typedef struct picture {
    const takt_table *table;
    const takt_panel_list *list;
    const char *title;
    int width, legend; // of the picture and of the legends
    takt_axis time;
    takt_text svg;
} picture;

typedef struct frame {
    double x, y, width, height; // of a panel's area
    takt_axis axis;
} frame;

// ---- text ----------------------------------------------------------------------------------------

// Adds text for XML: special characters as entities; what XML does not allow becomes '?'.
static void add_escaped(takt_text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        switch (c) {
        case '&': takt_text_add(out, "&amp;"); break;
        case '<': takt_text_add(out, "&lt;"); break;
        case '>': takt_text_add(out, "&gt;"); break;
        case '"': takt_text_add(out, "&quot;"); break;
        default: takt_text_add_n(out, c < ' ' ? "?" : text + i, 1);
        }
    }
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

static int count_characters(const char *text)
{
    int n = 0;
    for (; *text; text++) n += !is_continuation(*text);
    return n;
}

// The byte at which character number `n` starts.
static size_t offset_of(const char *text, int n)
{
    size_t i = 0;
    for (; text[i] && n > 0; n--) do
            i++;
        while (is_continuation(text[i]));
    return i;
}

// Adds at most `most` characters; of a longer text the middle is left out.
static void add_shortened(takt_text *out, const char *text, int most)
{
    int n = count_characters(text);
    if (n <= most) {
        add_escaped(out, text, strlen(text));
        return;
    }
    add_escaped(out, text, offset_of(text, most / 2));
    takt_text_add(out, "\u2026");
    add_escaped(out, text + offset_of(text, n - (most - most / 2 - 1)),
                strlen(text) - offset_of(text, n - (most - most / 2 - 1)));
}

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

static void add_labels(picture *p, const frame *f, bool with_time)
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
    if (!with_time) return;
    begin_text(out, f->x + f->width / 2, f->y + f->height + 36, "middle");
    takt_text_print(out, "time [%s]</text>\n", p->time.unit);
}

static void add_heading(picture *p, const frame *f, const takt_panel *panel)
{
    takt_text *out = &p->svg;
    begin_text(out, f->x, f->y - 8, "heading");
    add_shortened(out, panel->heading, 60);
    if (panel->unit) {
        takt_text_add(out, *panel->heading ? " [" : "[");
        add_shortened(out, panel->unit, 30);
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

static void add_style(takt_text *out, int i)
{
    const char *dash = dashes[i / N_COLOURS % N_DASHES];
    takt_text_print(out, " stroke=\"%s\"", colours[i % N_COLOURS]);
    if (*dash) takt_text_print(out, " stroke-dasharray=\"%s\"", dash);
}

// Values of types that are not continuous, and those that are only 0 and 1, are drawn as steps.
static bool is_stepped(const takt_table *table, const takt_table_column *column)
{
    if (column->type) return strncmp(column->type, "Float", 5) != 0;
    for (int i = 0; i < table->n_rows; i++)
        if (column->numbers[i] != 0 && column->numbers[i] != 1) return false;
    return true;
}

static void add_curve(picture *p, const frame *f, const takt_table_column *column, int i_line)
{
    const double *t = p->table->columns[0].numbers;
    bool has_steps = is_stepped(p->table, column);
    takt_text_add(&p->svg, "<path class=\"curve\"");
    add_style(&p->svg, i_line);
    takt_text_add(&p->svg, " d=\"");
    takt_line line = {.out = &p->svg};
    for (int i = 0; i < p->table->n_rows; i++) {
        double x = x_of(p, f, t[i] / p->time.scale);
        if (has_steps && i) takt_line_add(&line, x, y_of(f, column->numbers[i - 1]));
        takt_line_add(&line, x, y_of(f, column->numbers[i]));
    }
    takt_line_end(&line);
    takt_text_add(&p->svg, "\"/>\n");
}

static void add_legend(picture *p, const frame *f, const takt_panel *panel)
{
    takt_text *out = &p->svg;
    double x = f->x + f->width + 12;
    int most = (int)((p->legend - LEGEND_MARGIN) / CHARACTER);
    for (int i = 0; i < panel->n_columns; i++) {
        const takt_table_column *column = &p->table->columns[panel->columns[i]];
        double y = f->y + 10 + LEGEND_ROW * i;
        takt_text_add(out, "<path class=\"curve\"");
        add_style(out, i);
        takt_text_print(out, " d=\"M%d %dh20\"/>\n", (int)x, (int)y);
        begin_text(out, x + 26, y + 4, NULL);
        add_shortened(out, column->name, most);
        takt_text_add(out, "<title>");
        add_escaped(out, column->name, strlen(column->name));
        if (column->description) {
            takt_text_add(out, ": ");
            add_escaped(out, column->description, strlen(column->description));
        }
        takt_text_add(out, "</title></text>\n");
    }
}

// ---- panels --------------------------------------------------------------------------------------

static takt_axis make_axis(const picture *p, const takt_panel *panel, double height)
{
    double low = INFINITY, high = -INFINITY;
    bool is_whole = true;
    for (int i = 0; i < panel->n_columns; i++) {
        const takt_table_column *column = &p->table->columns[panel->columns[i]];
        const double *values = column->numbers;
        is_whole = is_whole && is_stepped(p->table, column);
        for (int k = 0; k < p->table->n_rows; k++) {
            if (!isfinite(values[k])) continue;
            low = fmin(low, values[k]);
            high = fmax(high, values[k]);
        }
    }
    if (low > high) low = 0, high = 1;
    return takt_axis_make(low, high, (int)(height / 28), is_whole);
}

static double panel_height(const takt_panel *panel)
{
    double legend = LEGEND_ROW * panel->n_columns + 2;
    return legend > LEAST_HEIGHT ? legend : LEAST_HEIGHT;
}

static void add_panel(picture *p, const takt_panel *panel, double y, bool is_last)
{
    frame f = {.x = LEFT, .y = y, .width = p->width - LEFT - p->legend};
    f.height = panel_height(panel);
    f.axis = make_axis(p, panel, f.height);
    takt_text_add(&p->svg, "<g>\n");
    add_lines(p, &f);
    for (int i = 0; i < panel->n_columns; i++)
        add_curve(p, &f, &p->table->columns[panel->columns[i]], i);
    takt_text_print(&p->svg,
                    "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
                    (int)f.x, (int)f.y, (int)f.width, (int)f.height);
    add_labels(p, &f, is_last);
    add_heading(p, &f, panel);
    add_legend(p, &f, panel);
    takt_text_add(&p->svg, "</g>\n");
}

static int legend_width(const picture *p)
{
    int longest = 0;
    for (int i = 0; i < p->list->n_panels; i++)
        for (int k = 0; k < p->list->panels[i].n_columns; k++) {
            const char *name = p->table->columns[p->list->panels[i].columns[k]].name;
            int n = count_characters(name);
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
    add_escaped(&p->svg, p->title, strlen(p->title));
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
    add_shortened(&p->svg, p->title, (int)((p->width - LEFT) / 9));
    takt_text_add(&p->svg, "</text>\n");
}

static void draw(picture *p)
{
    const takt_table *table = p->table;
    const double *t = table->columns[0].numbers;
    double height = TOP + BOTTOM, y = TOP;
    for (int i = 0; i < p->list->n_panels; i++)
        height += panel_height(&p->list->panels[i]) + (i ? GAP : 0);
    p->legend = legend_width(p);
    int n_ticks = (p->width - LEFT - p->legend) / 70;
    p->time =
        takt_axis_make_time(table->n_rows ? t[0] : 0, table->n_rows ? t[table->n_rows - 1] : 1,
                            n_ticks > 2 ? n_ticks : 2);
    add_head(p, height + 16);
    y += 16;
    for (int i = 0; i < p->list->n_panels; i++) {
        add_panel(p, &p->list->panels[i], y, i + 1 == p->list->n_panels);
        y += panel_height(&p->list->panels[i]) + GAP;
    }
    takt_text_add(&p->svg, "</svg>\n");
}

// ---- public --------------------------------------------------------------------------------------

takt_plot_options takt_plot_options_default(void)
{
    return (takt_plot_options){.width = 900};
}

static takt_status write_svg(const char *path, const takt_text *svg, takt_error *err)
{
    if (svg->failed) return takt_fail_memory(err);
    if (strcmp(path, "-") != 0) return takt_file_write(path, svg->data, svg->length, err);
    bool ok = fwrite(svg->data, 1, svg->length, stdout) == svg->length && fflush(stdout) == 0;
    return ok ? TAKT_OK
              : takt_fail(err, TAKT_ERR_OUTPUT, "the plot cannot be written to standard output");
}

// The given title, or the name of a file, which may be in any encoding.
static takt_status make_title(takt_table *table, const char *text, const char **out,
                              takt_error *err)
{
    char *title = takt_arena_copy(&table->arena, text);
    if (!title) return takt_fail_memory(err);
    takt_utf8_clean(title);
    *out = title;
    return TAKT_OK;
}

takt_status takt_plot(const char *results, const char *svg, const takt_plot_options *options,
                      takt_log *log, takt_error *err)
{
    takt_plot_options usual = takt_plot_options_default();
    if (!options) options = &usual;
    if (!results || !svg) return takt_fail(err, TAKT_ERR_USAGE, "takt_plot: an argument is NULL");
    if (options->width < LEAST_WIDTH || options->width > MOST_WIDTH)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "a plot cannot be %d pixels wide; possible are %d to %d", options->width,
                         LEAST_WIDTH, MOST_WIDTH);
    takt_table *table = NULL;
    takt_panel_list list = {0};
    takt_status st = takt_results_check_target(results, svg, err);
    if (!st) st = takt_results_read(results, log, &table, err);
    if (!st) st = takt_panels_choose(table, options, log, &list, err);
    picture p = {.table = table, .list = &list, .width = options->width};
    if (!st)
        st = make_title(table, options->title ? options->title : takt_path_name(results), &p.title,
                        err);
    if (!st) {
        draw(&p);
        st = write_svg(svg, &p.svg, err);
    }
    takt_text_clear(&p.svg);
    takt_panels_clear(&list);
    takt_table_destroy(table);
    return st;
}
