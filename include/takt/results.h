// SPDX-License-Identifier: MIT
// Result files: converting and plotting them. The end of the name decides about the kind: `.mat` is
// MAT of level 4 in the layout of Dymola, everything else that is read is CSV.
#ifndef TAKT_RESULTS_H
#define TAKT_RESULTS_H

#include <stddef.h>
#include <string.h>

#include "takt/log.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Is it the name of a result file: does it end in .csv, .tsv or .mat?
TAKT_API int takt_results_is_path(const char *path);

/// Can results be written there? The ending must be one that is known (.csv, .tsv, .mat), or there is none, or the path
/// leads to something that is no regular file (a device, a pipe). "-" can.
TAKT_API takt_status takt_results_check_ending(const char *path, takt_error *err);

/// The names of the columns of a result file, without the time, a line for each. The text is owned by the caller and freed with
/// takt_free().
TAKT_API takt_status takt_results_list(const char *path, char **out, takt_error *err);

/// Converts results ("-" as `out`: CSV to standard output). Numbers stay the same, bit by bit. What
/// the new kind cannot hold (MAT: columns of text) is left out and reported to `log` (may be NULL).
TAKT_API takt_status takt_results_convert(const char *in, const char *out, takt_log *log,
                                          takt_error *err);

/// How columns are put together in panels of a plot.
typedef enum takt_panels {
    TAKT_PANELS_AUTO, ///< by unit if units are known, else by name
    TAKT_PANELS_UNIT, ///< one for each unit
    TAKT_PANELS_NAME, ///< one for each name of a variable, without its component
    TAKT_PANELS_COMPONENT, ///< one for each component
    TAKT_PANELS_EACH, ///< one for each column
    TAKT_PANELS_ONE, ///< all in one
} takt_panels;

/// What a plot shows; start from takt_plot_options_default().
typedef struct takt_plot_options {
    size_t size; ///< of this struct, set by takt_plot_options_default()
    const char *const *columns; ///< patterns with * and ?; a column that matches one is shown
    int n_columns; ///< of patterns; 0: all columns are shown
    takt_panels panels; ///< how columns are put together
    const char *title; ///< NULL: the name of the file
    int width; ///< of the picture, in pixels
    double from, to; ///< s; what is shown; NaN: all
    int is_difference; ///< of two results: the first one without the second
    const char *over; ///< name of a column over which the others are drawn; NULL: over time
} takt_plot_options;

/// Fills options with their defaults, as far as their `size` says. Mostly called by takt_plot_options_default().
TAKT_API void takt_plot_options_init(takt_plot_options *options);

/// All columns, panels by unit or name, 900 pixels.
static inline takt_plot_options takt_plot_options_default(void)
{
    takt_plot_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    takt_plot_options_init(&options);
    return options;
}

/// Draws results over time: one panel below the other, as SVG, or PNG or PDF if the name ends so (which needs the library librsvg). Columns of text are left out and
/// reported to `log` (may be NULL). Patterns that match nothing are an error.
TAKT_API takt_status takt_plot(const char *results, const char *svg,
                               const takt_plot_options *options, takt_log *log, takt_error *err);

/// The same for several results: columns of the same name share a panel, and legends name the files.
TAKT_API takt_status takt_plot_results(const char *const *results, int n_results, const char *path,
                                       const takt_plot_options *options, takt_log *log,
                                       takt_error *err);

#ifdef __cplusplus
}
#endif
#endif
