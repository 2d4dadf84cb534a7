// SPDX-License-Identifier: MIT
// What a run consists of; for ui_run.c and ui_load.c only.
#ifndef TAKT_APP_UI_RUN_STATE_H
#define TAKT_APP_UI_RUN_STATE_H

#include <pthread.h>
#include <time.h>

#include "takt/takt.h"
#include "ui_rows.h"
#include "ui_text.h"

/// A run, or results that were loaded from a file.
typedef struct ui_run ui_run;

/// Who is told that something has changed; called from the thread of the run.
typedef void (*ui_changed_fn)(void *context);

typedef struct ui_run_options {
    int id;
    const char *folder; ///< for the results, results-ID.csv; must outlive the run
    double pace; ///< 0: as fast as possible
    bool is_paused; ///< it stops after the initialization
    bool is_isolated; ///< FMUs run in processes of their own
    ui_changed_fn changed;
    void *context;
} ui_run_options;

typedef enum ui_state {
    UI_STARTING,
    UI_RUNNING,
    UI_PAUSED,
    UI_FINISHED,
    UI_TERMINATED,
    UI_STOPPED,
    UI_FAILED,
    UI_LOADED,
} ui_state;

/// What the page may do to a variable.
typedef enum ui_change_kind { UI_SET, UI_HOLD, UI_RELEASE } ui_change_kind;

struct ui_run {
    ui_run_options options;
    char *name, *results, *shown; ///< owned
    time_t created;
    pthread_t thread;
    bool has_thread;
    // Of the thread of the run alone, once it has started.
    takt_project *project;
    takt_system *system;
    takt_run *run;
    takt_log *log;
    takt_column_info *columns;
    double *row;
    int64_t sweeps, rejected, unconverged;
    double looked;
    const char *ending; ///< NULL: it goes on
    // Guarded by `lock`.
    pthread_mutex_t lock;
    pthread_cond_t wakes; ///< something to do, or done
    ui_state state;
    bool is_initialized, is_over;
    bool wants_pause, wants_stop, has_new_pace;
    int n_steps; ///< that are wanted while it is paused
    double pace;
    ui_change_kind change_kind;
    const char *change_name, *change_text; ///< a change that waits
    bool is_changing; ///< it is being made
    takt_status change_status;
    takt_error change_error, failure;
    double time, start, stop, began, elapsed;
    ui_rows rows, steps;
    json_t *messages, *experiment;
    json_t *held; ///< variables that are held, with the value as it was given
    int n_warnings;
    char *statistics;
};

#endif
