// SPDX-License-Identifier: MIT
// What a plot needs of results of any size, which are read twice: the ranges of time and values first, and then, when
// the panels have their place, the lines, thinned while they are read.
#ifndef TAKT_RECORD_PLOT_DATA_H
#define TAKT_RECORD_PLOT_DATA_H

#include "base/text.h"
#include "record/results.h"

/// Of one column.
typedef struct takt_plot_range {
    double low, high; ///< of finite values; low > high: there are none
    bool has_steps; ///< its values hold until the next row
} takt_plot_range;

typedef struct takt_plot_data {
    const char *file;
    takt_log *log;
    takt_results_stream *stream; ///< NULL: not opened
    const takt_table *table; ///< names, units and kinds of the columns; its rows are some of them
    takt_plot_range *ranges; ///< per column of the table
    double t_first, t_last; ///< s
    int64_t n_rows;
    takt_arena arena;
} takt_plot_data;

/// Reads a file once. Clear the result in any case.
takt_status takt_plot_data_read(const char *file, takt_log *log, takt_plot_data *out,
                                takt_error *err);
void takt_plot_data_clear(takt_plot_data *data);

/// A line to be drawn: x = x0 + t * x_scale and y = y0 + value * y_scale in pixels, values from low to high.
typedef struct takt_curve {
    int column;
    double x0, x_scale, y0, y_scale, low, high;
    takt_text path; ///< data of an SVG path; owned by the caller, who clears it
} takt_curve;

/// Reads the file once more and makes the paths of curves.
takt_status takt_plot_data_draw(const takt_plot_data *data, takt_curve *curves, int n,
                                takt_error *err);

#endif
