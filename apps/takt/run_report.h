// SPDX-License-Identifier: MIT
// `takt run --report FILE`: what a report needs is noted while the run goes on.
#ifndef TAKT_APP_RUN_REPORT_H
#define TAKT_APP_RUN_REPORT_H

#include "command.h"
#include "console.h"
#include "report.h"

typedef struct cli_run_report {
    json_t *messages;
    cli_report_column *columns;
    takt_column_info *infos; ///< of the columns
    int n_columns;
} cli_run_report;

/// Notes errors and warnings that the console shows from now on.
void cli_run_report_listen(cli_run_report *report, cli_console *console);

/// Notes the values of all rows. Before the run is initialized.
takt_status cli_run_report_watch(cli_run_report *report, takt_run *run, takt_error *err);

/// Writes the report to `path`. `given` has what all reports need but columns, messages and the command.
takt_status cli_run_report_write(const cli_run_report *report, const char *path,
                                 const cli_report *given, const cli_arguments *arguments,
                                 takt_error *err);

void cli_run_report_clear(cli_run_report *report);

#endif
