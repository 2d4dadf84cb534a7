// SPDX-License-Identifier: MIT
// Files that the page may name: only those within the folder of the project.
#ifndef TAKT_APP_UI_PATHS_H
#define TAKT_APP_UI_PATHS_H

#include <jansson.h>

#include "takt/status.h"

/// The absolute path of a file that a request names, seen from `root` (absolute, without links). Fails unless it lies in that folder,
/// links resolved, and either exists or stands in a folder that does. The result is owned by the caller and freed with free().
takt_status ui_path_resolve(const char *root, const char *name, char **out, takt_error *err);

/// A path as the page shows it: seen from `root` where it lies in it, else as it is. Borrowed from `path`.
const char *ui_path_shown(const char *root, const char *path);

/// What lies in the folder, three levels deep, without hidden files: {"fmus": [...], "tables": [...], "projects": [...]} of paths seen from
/// `root`, sorted. NULL: out of memory.
json_t *ui_folder_list(const char *root);

#endif
