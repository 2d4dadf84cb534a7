// SPDX-License-Identifier: MIT
// Knots of a polyline; see knots.h.
//
// From the last knot a cone is kept: the slopes of all straight lines that pass the rows since then within the
// tolerance. A row within the cone may be the end of such a line, and makes the cone narrower; the first one
// outside makes the row before it a knot, from which the next cone starts. (Known as the cone intersection
// method; one pass, no memory.) So many rows on a straight line, or on a smooth curve to the tolerance, are few
// knots.
#include "table/knots.h"

#include <math.h>

typedef struct cone {
    int apex; // row
    double low, high; // slopes
    double largest; // |y| since the apex
} cone;

static cone start_at(const takt_polyline *line, int row)
{
    return (cone){row, -INFINITY, INFINITY, fabs(line->y[row])};
}

// Takes a row into the cone; false: it is outside.
static bool take(const takt_polyline *line, double relative, int row, cone *c)
{
    double h = line->t[row] - line->t[c->apex], rise = line->y[row] - line->y[c->apex];
    if (rise < c->low * h || rise > c->high * h) return false;
    c->largest = fmax(c->largest, fabs(line->y[row]));
    double tolerance = relative * c->largest;
    c->low = fmax(c->low, (rise - tolerance) / h);
    c->high = fmin(c->high, (rise + tolerance) / h);
    return true;
}

// Does a line with a slope begin at the row?
static bool slopes(const takt_polyline *line, int row)
{
    return line->t[row] < line->t[row + 1] && line->y[row] != line->y[row + 1];
}

void takt_polyline_mark_knots(const takt_polyline *line, double relative, bool *is_knot)
{
    int last = line->n - 1;
    if (last < 1) return;
    cone c = start_at(line, 0);
    for (int i = 1; i <= last; i++) {
        if (line->t[i] == line->t[i - 1]) {
            c = start_at(line, i);
        } else if (!take(line, relative, i, &c)) {
            is_knot[i - 1] = true;
            c = start_at(line, i - 1);
            take(line, relative, i, &c);
        }
    }
    is_knot[0] |= slopes(line, 0); // values are held before
    is_knot[last] |= slopes(line, last - 1); // and behind
}
