// SPDX-License-Identifier: MIT
// The project that is edited: a file and the edits made since it was opened. Every state is made anew from a file by repeating edits, so that undo
// is to repeat one less, and a run gets a project of its own. The file is the one that was saved last, or the one that was opened where edits
// before that are taken back.
#ifndef TAKT_APP_UI_EDITOR_H
#define TAKT_APP_UI_EDITOR_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "ui_models.h"
#include "takt/takt.h"

#define UI_OTHERS SIZE_MAX

typedef struct ui_editor {
    char *root; ///< folder of the project: absolute, without links
    const char
        *folder; ///< temporary, for a copy of the file that was opened; must outlive the editor
    char *file; ///< absolute; NULL: no project is open
    bool is_new; ///< the file does not exist yet
    char *base; ///< the file with which the edits begin
    bool base_is_new; ///< they begin with nothing
    char *copy; ///< of `base`, which was overwritten since; NULL: it was not
    json_t *edits; ///< transactions {"label": ..., "ops": [...]}; the first `n_done` are in force
    size_t n_done;
    size_t n_saved; ///< how many of them `file` has; UI_OTHERS: it has other ones
    json_int_t revision; ///< grows with every change
    json_t *state; ///< what the page shows; NULL: no project is open
    struct timespec written; ///< of the file, when it was read
    ui_models models;
} ui_editor;

/// `root` is an existing folder, `folder` a temporary one.
takt_status ui_editor_open_folder(ui_editor *editor, const char *root, const char *folder,
                                  takt_error *err);
void ui_editor_close(ui_editor *editor);

/// Opens a project, or begins a new one. `file` is absolute and lies in the folder. After a failure the project before stays.
takt_status ui_editor_open(ui_editor *editor, const char *file, bool is_new, takt_error *err);

/// Applies a list of operations as one edit. After a failure nothing has changed. The words: docs/internals/ui.md.
takt_status ui_editor_edit(ui_editor *editor, const char *label, const json_t *ops,
                           takt_error *err);

/// Takes back the last edit, or repeats the next one. TAKT_ERR_USAGE: there is none.
takt_status ui_editor_undo(ui_editor *editor, takt_error *err);
takt_status ui_editor_redo(ui_editor *editor, takt_error *err);

/// Writes the project; `file` NULL: where it came from. Edits before it can be taken back as all others.
takt_status ui_editor_save(ui_editor *editor, const char *file, takt_error *err);

/// Makes the project as it is now. Owned by the caller; messages go to `log`, which must outlive it.
takt_status ui_editor_build(const ui_editor *editor, takt_log *log, takt_project **out,
                            takt_error *err);

/// What auto-connect would connect, without doing it: {"connections": [[component, variable, component, variable], ...],
/// "messages": [...]}. Owned by the caller.
takt_status ui_editor_propose(const ui_editor *editor, json_t **out, takt_error *err);

/// Why variable `from` cannot drive variable `to` ("Tank.level"), in a text that the caller owns and frees with free(); NULL: it can, as far
/// as the two of them are concerned.
char *ui_editor_refuses(ui_editor *editor, const char *from, const char *to);

/// Has another program changed the file since it was read?
bool ui_editor_is_outdated(const ui_editor *editor);

#endif
