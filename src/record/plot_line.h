// SPDX-License-Identifier: MIT
// Lines of plots, as the data of an SVG path. Of all points that fall into one column of pixels only the
// first, the lowest, the highest and the last one are kept: that looks the same, however many there are.
// A jump (two points of the same x) stays vertical, but only the first one of a column of pixels.
#ifndef TAKT_RECORD_PLOT_LINE_H
#define TAKT_RECORD_PLOT_LINE_H

#include "base/text.h"

typedef struct takt_point {
    double x, y; ///< pixels
} takt_point;

/// A zeroed line with `out` set is ready for use.
typedef struct takt_line {
    takt_text *out;
    takt_point first, low, high, last; ///< of the present column of pixels
    bool low_is_first; ///< the lowest point came before the highest one
    bool has_points; ///< in the present column
    double jump; ///< the column of pixels in which the last jump was drawn exactly
    bool is_down; ///< the pen: a path has been started
    takt_point pen, before; ///< the last point written, and the one that waits
    bool has_pen;
} takt_line;

/// Adds the next point; x must not decrease. A point that is not finite interrupts the line.
void takt_line_add(takt_line *line, double x, double y);

/// Writes what is left.
void takt_line_end(takt_line *line);

#endif
