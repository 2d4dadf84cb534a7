// SPDX-License-Identifier: MIT
// A report of a run as one HTML file that needs nothing else, no script either: result, plots, system, FMUs with their hashes, values and
// settings with their origin, statistics, warnings, and the command to repeat it.
#ifndef TAKT_APP_REPORT_H
#define TAKT_APP_REPORT_H

#include <jansson.h>

#include "takt/takt.h"

/// What is told of a column of the results.
typedef struct cli_report_column {
    const char *name, *unit; ///< borrowed; unit NULL: none
    double first, last, smallest, largest; ///< NaN: there is no number
} cli_report_column;

/// What a report is made of. All of it is borrowed.
typedef struct cli_report {
    const char *file; ///< of the project
    const takt_project *project;
    const takt_system *system;
    const char *statistics; ///< JSON, of takt_run_statistics_json()
    const char *results; ///< file; NULL: there is none to draw
    const cli_report_column *columns; ///< of the results
    int n_columns;
    const json_t *messages; ///< [{"level", "text"}, ...]; NULL: none
    const char *command; ///< how the run is repeated
} cli_report;

/// Makes the report. Owned by the caller, freed with free().
takt_status cli_report_make(const cli_report *report, char **out, takt_error *err);

/// A column that has seen no row yet; and one row more.
cli_report_column cli_report_column_begin(const char *name, const char *unit);
void cli_report_column_add(cli_report_column *column, double value);

#endif
