// SPDX-License-Identifier: MIT
// What `takt ui` consists of: the project, the runs, the pages that look at them.
#ifndef TAKT_APP_UI_APP_H
#define TAKT_APP_UI_APP_H

#include "ui_editor.h"
#include "ui_events.h"
#include "ui_run.h"

enum { UI_MAX_RUNS = 20 };

typedef struct ui_app {
    ui_editor editor;
    ui_events events;
    ui_run *runs[UI_MAX_RUNS]; ///< the oldest first
    int n_runs, n_started;
    char folder[4096]; ///< temporary, for results
    bool is_isolated; ///< FMUs run in processes of their own
} ui_app;

/// A request that passed all checks of the door.
typedef struct ui_request {
    const char *method, *path;
    const json_t *body; ///< of a POST with JSON; else NULL
    const char *(*query)(void *context, const char *name); ///< NULL: not given
    void *context;
} ui_request;

/// What is answered: one of `json`, `text` and `file`.
typedef struct ui_reply {
    int status; ///< 200 by default
    json_t *json; ///< owned
    char *text; ///< owned
    char *file; ///< owned; the content of a file is sent
    const char *type; ///< media type of `text` and `file`
    const char *download; ///< NULL, or under which name it is to be saved
} ui_reply;

/// `file` (NULL: none) is the project to begin with.
takt_status ui_app_open(ui_app *app, const char *folder, const char *file, takt_error *err);
void ui_app_close(ui_app *app);

/// Answers a request of the page; failures become a message for it.
void ui_app_answer(ui_app *app, const ui_request *request, ui_reply *reply);

/// A file was put into the folder as `name` (absolute).
void ui_app_note_upload(ui_app *app, const char *name);

#endif
