// SPDX-License-Identifier: MIT
// A run that the page controls, in a thread of its own. It goes on whether somebody looks or not. All functions may be called while it goes on, by one
// thread at a time.
#ifndef TAKT_APP_UI_RUN_H
#define TAKT_APP_UI_RUN_H

#include "ui_editor.h"
#include "ui_run_state.h"

/// Starts a run of the project as it is now. Its failures are part of its state. Owned by the caller.
takt_status ui_run_start(const ui_editor *editor, const ui_run_options *options, ui_run **out,
                         takt_error *err);

/// Results of a file (.csv, .tsv, .mat), as a run that has ended.
takt_status ui_run_load(const char *file, const char *shown, const ui_run_options *options,
                        ui_run **out, takt_error *err);

/// A run without a thread, for those that begin in another way.
takt_status ui_run_make(const ui_run_options *options, ui_run **out, takt_error *err);

/// Stops it after the present step, waits for its end, and frees everything.
void ui_run_end(ui_run *run);

int ui_run_id(const ui_run *run);
bool ui_run_is_over(ui_run *run);

/// "pause", "go", "step", "stop", "pace" (`value`: factor, 0: none), "set" and "hold" (`name`: variable, `text`: its value), "release".
takt_status ui_run_command(ui_run *run, const char *word, const char *name, const char *text,
                           double value, takt_error *err);

/// State, time, rows, progress, ...: what changes all the time.
json_t *ui_run_status(ui_run *run);

/// Columns, values at the end, settings, statistics, messages from number `after` on.
json_t *ui_run_columns(ui_run *run);
json_t *ui_run_messages(ui_run *run, size_t after);
json_t *ui_run_details(ui_run *run);

/// The values of a row: that at or before `time` (NaN: the last one).
char *ui_run_values(ui_run *run, double time);

/// See ui_rows_view(). `is_steps`: not the results but step size and sweeps of each step.
char *ui_run_view(ui_run *run, bool is_steps, double from, double to, int width, const int *columns,
                  int n_columns);

/// The file of its results; NULL: there are none. Borrowed.
const char *ui_run_results(const ui_run *run);

/// The report as HTML. Owned by the caller, freed with free().
takt_status ui_run_report(ui_run *run, char **out, takt_error *err);

#endif
