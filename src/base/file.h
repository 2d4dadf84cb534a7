// SPDX-License-Identifier: MIT
// Files and folders. All functions that can fail name the path and the reason.
#ifndef TAKT_BASE_FILE_H
#define TAKT_BASE_FILE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/path.h"
#include "base/tree.h"

/// Opens a regular file for reading; anything else (a folder, a pipe that would block) is refused.
/// The caller closes it with fclose().
takt_status takt_file_open(const char *path, FILE **out, takt_error *err);

/// Reads a whole regular file of at most `limit` bytes. The data is followed by a 0 that is not
/// counted; owned by the caller, who frees it.
takt_status takt_file_read(const char *path, size_t limit, char **out, size_t *size,
                           takt_error *err);

/// The same for files that messages name differently, such as those of an unpacked archive.
takt_status takt_file_open_as(const char *path, const char *shown, FILE **out, takt_error *err);
takt_status takt_file_read_as(const char *path, const char *shown, size_t limit, char **out,
                              size_t *size, takt_error *err);

/// Writes a file, replacing an old one, which stays as it is until the new one is complete (replace.h).
takt_status takt_file_write(const char *path, const void *data, size_t size, takt_error *err);

/// Writes a file. One may be there only if it is the same, byte for byte.
takt_status takt_file_write_new(const char *path, const void *data, size_t size, takt_error *err);

/// Copies a file. A file at `to` may be there only if it is the same, byte for byte.
takt_status takt_file_copy(const char *from, const char *to, takt_error *err);

/// Moves a file or folder within a file system in one step that no other process sees half done. A
/// file at `to` is replaced; a folder is replaced only when it is empty.
takt_status takt_file_rename(const char *from, const char *to, takt_error *err);

/// Moves a file or folder like takt_file_rename(), but when `to` exists both change places, so that
/// something is found there at any moment.
takt_status takt_file_swap(const char *from, const char *to, takt_error *err);

/// Makes a folder and those above it, where they are missing.
takt_status takt_folder_create(const char *path, takt_error *err);
/// Removes a folder if there is nothing in it.
void takt_folder_remove_empty(const char *path);

/// Makes a new folder inside `parent` that only this user can enter; its name starts with `prefix`.
/// A `parent` of NULL is the system's folder for temporary files ($TMPDIR or /tmp). The path is made
/// in `arena`; the caller removes the folder with takt_tree_remove().
takt_status takt_folder_create_temporary(takt_arena *arena, const char *parent, const char *prefix,
                                         char **out, takt_error *err);

#endif
