// SPDX-License-Identifier: MIT
// Where the polyline through the rows of a column bends.
#ifndef TAKT_TABLE_KNOTS_H
#define TAKT_TABLE_KNOTS_H

#include <stdbool.h>

/// A column that is interpolated: y over t, n rows of ascending times; two of the same time are a jump.
typedef struct takt_polyline {
    const double *t, *y;
    int n;
} takt_polyline;

/// Marks the rows at which the line bends: between two of them (and jumps, which are not marked) it is straight,
/// but for `relative` of the largest value there. Before the first and after the last row values are held.
void takt_polyline_mark_knots(const takt_polyline *line, double relative, bool *is_knot);

#endif
