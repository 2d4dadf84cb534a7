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
    bool is_whole; ///< they are integers, truth values, or items of an enumeration
} takt_plot_range;

/// One of the files.
typedef struct takt_plot_source {
    const char *file;
    takt_results_stream *stream; ///< NULL: not opened
    int first; ///< its column 1 is this one of the plot
    double t_last; ///< s; the file may grow while it is drawn
} takt_plot_source;

typedef struct takt_plot_data {
    takt_log *log;
    takt_plot_source *sources;
    int n_sources;
    takt_table merged;
    const takt_table *table; ///< names, units and kinds of the columns of all files, without rows
    takt_plot_range *ranges; ///< per column of the table
    const char **labels; ///< per column: which file it is from; NULL: there is only one
    double from, to; ///< s; what is shown; infinite: all
    double t_first, t_last; ///< s; of what is shown
    int64_t n_rows; ///< shown
    const char *less; ///< file whose values are subtracted; NULL: none
    takt_table *reference; ///< what it holds, owned; NULL: none
    int *reference_of; ///< per column: that of the reference with its name; -1: there is none
    int x_column; ///< of what is drawn over another column; 0: over time
    takt_arena arena;
} takt_plot_data;

/// Reads files once, in the limits of `out`; all else is filled in. Clear the result in any case.
takt_status takt_plot_data_read(const char *const *files, int n_files, takt_plot_data *out,
                                takt_error *err);
void takt_plot_data_clear(takt_plot_data *data);

/// A line to be drawn: x = x0 + t * x_scale (over another column: its value in place of t) and y = y0 + value * y_scale in pixels, values from low to high.
typedef struct takt_curve {
    int column;
    double x0, x_scale, y0, y_scale, low, high;
    takt_text path; ///< data of an SVG path; owned by the caller, who clears it
} takt_curve;

/// The column of the same file over which a column is drawn; 0: time.
int takt_plot_data_x_of(const takt_plot_data *data, int column);

/// Reads the file once more and makes the paths of curves.
takt_status takt_plot_data_draw(const takt_plot_data *data, takt_curve *curves, int n,
                                takt_error *err);

#endif
