// SPDX-License-Identifier: MIT
// A sweep as a picture (SVG); see sweep_report.h. The colour of a variant follows its first kept value: from blue (least) over grey to
// orange (most). Of very many variants an even choice is drawn, and the picture says so.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "sweep_report.h"

enum {
    WIDTH = 900,
    HEIGHT = 480,
    TOP = 70,
    BOTTOM = 50,
    SIDE = 80,
    MOST_AXES = 16,
    MOST_ROWS = 2000
};

/// An axis: one column of the manifest.
typedef struct axis {
    int column;
    const char *name;
    double least, most;
} axis;

typedef struct picture {
    FILE *file;
    const cli_table *table;
    axis axes[MOST_AXES];
    int n_axes;
    int colour_axis; // whose value decides about the colour
    int n_ok, n_drawn;
} picture;

static void write_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else if ((unsigned char)*text >= 0x20)
            fputc(*text, file);
    }
}

// Adds a column that has numbers, if they differ or it is kept.
static void add_axis(picture *p, int column, bool is_kept)
{
    axis a = {
        .column = column, .name = p->table->header[column], .least = INFINITY, .most = -INFINITY};
    for (int row = 0; row < p->table->n_rows; row++) {
        double x = sweep_row_is_ok(p->table, row) ? sweep_number_at(p->table, row, column) : NAN;
        if (isnan(x)) continue;
        a.least = fmin(a.least, x);
        a.most = fmax(a.most, x);
    }
    bool is_useful = a.least < a.most || (is_kept && a.least == a.most);
    if (is_useful && p->n_axes < MOST_AXES) p->axes[p->n_axes++] = a;
}

// 0 at the least value, 1 at the most.
static double share_of(const picture *p, int i_axis, int row)
{
    const axis *a = &p->axes[i_axis];
    double x = sweep_number_at(p->table, row, a->column);
    if (isnan(x)) return NAN;
    return a->most > a->least ? (x / 2 - a->least / 2) / (a->most / 2 - a->least / 2) : 0.5;
}

static void write_colour(const picture *p, int row)
{
    static const double ends[3][3] = {{33, 102, 172}, {150, 150, 150}, {221, 107, 16}};
    double share = share_of(p, p->colour_axis, row);
    if (isnan(share)) share = 0.5;
    int from = share < 0.5 ? 0 : 1;
    double part = 2 * share - from;
    fputs("rgb(", p->file);
    for (int i = 0; i < 3; i++)
        fprintf(p->file, "%s%.0f", i ? "," : "",
                ends[from][i] + part * (ends[from + 1][i] - ends[from][i]));
    fputc(')', p->file);
}

static double x_of(const picture *p, int i_axis)
{
    return p->n_axes < 2 ? WIDTH / 2 : SIDE + (double)(WIDTH - 2 * SIDE) * i_axis / (p->n_axes - 1);
}

static double y_of(double share)
{
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
}

static void label(const picture *p, double x, double y, const char *anchor, const char *text)
{
    fprintf(p->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    write_text(p->file, text);
    fputs("</text>\n", p->file);
}

static void label_number(const picture *p, double x, double y, const char *anchor, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    label(p, x, y, anchor, text);
}

static void draw_point(const picture *p, int row)
{
    double x = share_of(p, 0, row), y = share_of(p, 1, row);
    if (isnan(x) || isnan(y)) return;
    fprintf(p->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"",
            SIDE + x * (WIDTH - 2 * SIDE), y_of(y));
    write_colour(p, row);
    fputs("\"/>\n", p->file);
}

static void draw_line(const picture *p, int row)
{
    fputs("<polyline fill=\"none\" stroke=\"", p->file);
    write_colour(p, row);
    fputs("\" points=\"", p->file);
    for (int i = 0; i < p->n_axes; i++) {
        double share = share_of(p, i, row);
        if (!isnan(share)) fprintf(p->file, "%.1f,%.1f ", x_of(p, i), y_of(share));
    }
    fputs("\"/>\n", p->file);
}

static void draw_parallel_axes(const picture *p)
{
    for (int i = 0; i < p->n_axes; i++) {
        double x = x_of(p, i);
        fprintf(p->file,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#333\"/>\n", x, x,
                y_of(0), y_of(1));
        label(p, x, i % 2 ? TOP - 36 : TOP - 22, "middle", p->axes[i].name);
        label_number(p, x, TOP - 6, "middle", p->axes[i].most);
        label_number(p, x, HEIGHT - BOTTOM + 16, "middle", p->axes[i].least);
    }
}

static void draw_plane(const picture *p)
{
    fprintf(p->file,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#333\"/>\n",
            SIDE, TOP, WIDTH - 2 * SIDE, HEIGHT - TOP - BOTTOM);
    label(p, WIDTH / 2, HEIGHT - 12, "middle", p->axes[0].name);
    label(p, SIDE, TOP - 10, "start", p->axes[1].name);
    label_number(p, SIDE, HEIGHT - BOTTOM + 18, "middle", p->axes[0].least);
    label_number(p, WIDTH - SIDE, HEIGHT - BOTTOM + 18, "middle", p->axes[0].most);
    label_number(p, SIDE - 6, y_of(0), "end", p->axes[1].least);
    label_number(p, SIDE - 6, y_of(1) + 10, "end", p->axes[1].most);
}

static void draw(picture *p)
{
    bool is_plane = p->n_axes == 2;
    int wanted = p->n_ok < MOST_ROWS ? p->n_ok : MOST_ROWS;
    char title[128];
    fprintf(p->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" "
            "height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    if (p->n_ok > wanted)
        snprintf(title, sizeof title, "%d of %d variants", wanted, p->n_ok);
    else
        snprintf(title, sizeof title, "%d variants", p->n_ok);
    label(p, WIDTH / 2, 18, "middle", title);
    fprintf(p->file, "<g stroke-opacity=\"0.5\" fill-opacity=\"0.7\">\n");
    int64_t i_ok = 0;
    for (int row = 0; row < p->table->n_rows; row++) {
        if (!sweep_row_is_ok(p->table, row)) continue;
        int64_t before = i_ok * wanted / p->n_ok, after = ++i_ok * wanted / p->n_ok;
        if (before == after) continue;
        is_plane ? draw_point(p, row) : draw_line(p, row);
        p->n_drawn++;
    }
    fputs("</g>\n", p->file);
    is_plane ? draw_plane(p) : draw_parallel_axes(p);
    fputs("</svg>\n", p->file);
}

takt_status sweep_draw(const sweep_job *job, const cli_table *table, const char *path, int *n_drawn,
                       takt_error *err)
{
    picture p = {.table = table};
    int n_varied = job->plan.n_columns;
    for (int row = 0; row < table->n_rows; row++) p.n_ok += sweep_row_is_ok(table, row);
    for (int i = 0; i < n_varied && i < MOST_AXES - 4; i++) add_axis(&p, SWEEP_COLUMNS + i, false);
    p.colour_axis = p.n_axes;
    for (int i = SWEEP_COLUMNS + n_varied; i < table->n_columns; i++) add_axis(&p, i, true);
    if (p.colour_axis == p.n_axes) p.colour_axis = 0;
    if (p.n_ok == 0 || p.n_axes < 2) return TAKT_OK;
    p.file = fopen(path, "w");
    if (!p.file)
        return cli_fail(err, TAKT_ERR_OUTPUT, "cannot write %s: %s", path, strerror(errno));
    draw(&p);
    bool ok = fflush(p.file) == 0 && !ferror(p.file);
    if (fclose(p.file) != 0) ok = false;
    *n_drawn = p.n_drawn;
    if (ok) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_OUTPUT, "cannot write %s: %s", path, strerror(errno));
}
