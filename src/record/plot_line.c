// SPDX-License-Identifier: MIT
// Thinning of lines; see plot_line.h.
#include "record/plot_line.h"

#include <math.h>

#include "record/plot_axis.h"

static bool is_same(double a, double b)
{
    return fabs(a - b) < 0.05; // the first decimal is written
}

static void write_point(takt_line *line, takt_point p)
{
    takt_text_add(line->out, line->is_down ? "L" : "M");
    takt_text_add_fixed(line->out, p.x, 1);
    takt_text_add(line->out, " ");
    takt_text_add_fixed(line->out, p.y, 1);
    line->is_down = true;
    line->pen = p;
}

// One point always waits: as long as the line stays at the same height, only its end is needed.
static void draw_to(takt_line *line, takt_point p)
{
    if (!line->is_down) {
        write_point(line, p);
        line->before = p;
        return;
    }
    bool has_waiting = line->has_pen;
    if (is_same(p.x, line->before.x) && is_same(p.y, line->before.y)) return;
    bool is_level =
        has_waiting && is_same(line->pen.y, line->before.y) && is_same(p.y, line->pen.y);
    if (has_waiting && !is_level) write_point(line, line->before);
    line->before = p;
    line->has_pen = true;
}

static void end_column(takt_line *line)
{
    if (!line->has_points) return;
    line->has_points = false;
    draw_to(line, line->first);
    draw_to(line, line->low_is_first ? line->low : line->high);
    draw_to(line, line->low_is_first ? line->high : line->low);
    draw_to(line, line->last);
}

void takt_line_end(takt_line *line)
{
    end_column(line);
    if (line->has_pen)
        write_point(line, line->before);
    else if (line->is_down)
        takt_text_add(line->out, "h2"); // a point alone is a dot
    line->has_pen = line->is_down = false;
}

void takt_line_add(takt_line *line, double x, double y)
{
    takt_point p = {x, y};
    if (!isfinite(x) || !isfinite(y)) {
        takt_line_end(line);
        return;
    }
    if (line->has_points && floor(x) != floor(line->first.x)) end_column(line);
    bool is_jump = line->has_points && x == line->last.x && !is_same(y, line->last.y);
    if (is_jump && line->jump != floor(x)) {
        end_column(line);
        line->jump = floor(x);
    }
    if (!line->has_points) {
        line->first = line->low = line->high = line->last = p;
        line->has_points = line->low_is_first = true;
        return;
    }
    if (y < line->low.y) line->low = p, line->low_is_first = false;
    if (y > line->high.y) line->high = p, line->low_is_first = true;
    line->last = p;
}
