// SPDX-License-Identifier: MIT
// Which columns of a table are shown in which panels of a plot.
#ifndef TAKT_RECORD_PLOT_PANELS_H
#define TAKT_RECORD_PLOT_PANELS_H

#include "record/plot_data.h"
#include "takt/results.h"

typedef struct takt_panel {
    const char *heading; ///< what its columns have in common; "": nothing
    const char *unit; ///< that all its columns have; NULL: none
    int *columns; ///< of the table
    int n_columns;
    bool is_strip; ///< all of them are whole numbers: each gets a lane of its own
} takt_panel;

typedef struct takt_panel_list {
    takt_arena arena;
    takt_panel *panels;
    int n_panels;
    int n_columns; ///< in all panels
} takt_panel_list;

/// Chooses columns and arranges them in panels. Clear the result in any case.
takt_status takt_panels_choose(const takt_plot_data *data, const takt_plot_options *options,
                               takt_log *log, takt_panel_list *out, takt_error *err);
void takt_panels_clear(takt_panel_list *list);

#endif
