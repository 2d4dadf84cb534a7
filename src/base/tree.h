// SPDX-License-Identifier: MIT
// Folders and all that is in them. A folder that cannot be read is a failure, never an empty one.
#ifndef TAKT_BASE_TREE_H
#define TAKT_BASE_TREE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/// Gets the name of one thing in a folder. A failure ends the visit.
typedef takt_status takt_folder_fn(void *context, const char *name, takt_error *err);

/// Calls `visit` for all that is in a folder, in no order.
takt_status takt_folder_visit(const char *path, takt_folder_fn *visit, void *context,
                              takt_error *err);

/// Is a file or folder within a tree wanted? `name` is its path seen from the tree.
typedef bool takt_tree_choice(const char *name, bool is_folder);

/// The files in a folder and those below, as sorted paths seen from it, in `arena`. `wants` NULL: all;
/// what is not wanted is not looked at. Symbolic links are followed. Fails where something cannot be read, is neither a
/// file nor a folder, leads back to a folder above it, or is deeper than 64 folders.
takt_status takt_tree_list(takt_arena *arena, const char *folder, takt_tree_choice *wants,
                           char ***out, int *n_files, takt_error *err);

/// Removes a file, or a folder with all that is in it; symbolic links are removed, not followed.
/// Returns false when something is left; nothing there counts as removed. Needs no memory.
bool takt_tree_remove(const char *path);

/// Bytes of a file, or of all files in a folder and those below, as far as they can be read; links are not followed.
int64_t takt_tree_size(const char *path);

#endif
