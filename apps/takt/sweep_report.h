// SPDX-License-Identifier: MIT
// What is shown of a sweep at its end, all of it read from its manifest: a table and a picture.
#ifndef TAKT_APP_SWEEP_REPORT_H
#define TAKT_APP_SWEEP_REPORT_H

#include "sweep_variant.h"

/// Prints how many variants ended how, the range of each kept value, and the first failures; then draws `picture`.
takt_status sweep_report(const sweep_job *job, const char *manifest, const char *picture,
                         takt_error *err);

/// Draws the successful variants: one varied and one kept value as points, more of them as lines between parallel axes.
/// `*n_drawn` of them.
takt_status sweep_draw(const sweep_job *job, const cli_table *table, const char *path, int *n_drawn,
                       takt_error *err);

/// Is the row one of a successful variant, and which number stands in a column? NaN: none.
bool sweep_row_is_ok(const cli_table *table, int row);
double sweep_number_at(const cli_table *table, int row, int column);

#endif
