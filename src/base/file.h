// SPDX-License-Identifier: MIT
// Paths, files and folders. All functions that can fail name the path and the reason.
#ifndef TAKT_BASE_FILE_H
#define TAKT_BASE_FILE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

/// What follows the last '/' of a path. Borrowed from `path`.
const char *takt_path_name(const char *path);

/// These make texts in `arena` and return NULL when memory is exhausted. An absolute `name` is kept
/// by takt_path_join(); the folder of a bare file name is ".".
char *takt_path_join(takt_arena *arena, const char *folder, const char *name);
char *takt_path_folder(takt_arena *arena, const char *path);

/// The path seen from the root; symbolic links and ".." stay as they are.
char *takt_path_absolute(takt_arena *arena, const char *path);

/// "file:///a%20b/c" for an absolute path: all but letters, digits and "-._~/" is percent-encoded.
char *takt_path_uri(takt_arena *arena, const char *absolute_path);

/// Writes the path without symbolic links and ".." to `out`, in `arena`, or NULL where there is no such file.
/// Returns false when memory is exhausted.
bool takt_path_real(takt_arena *arena, const char *path, const char **out);

/// The path of a file seen from a folder, both real (see takt_path_real()): "../a/b.fmu".
char *takt_path_relative(takt_arena *arena, const char *folder, const char *path);

/// Does a path have this ending, whatever the case? `ending` has its dot: ".csv".
bool takt_path_ends_in(const char *path, const char *ending);

bool takt_path_is_file(const char *path); ///< a regular file, perhaps through a symbolic link
bool takt_path_is_folder(const char *path);

/// Are both the same regular file, or the same path where there is none yet? Devices may be given twice.
bool takt_path_is_same_file(const char *a, const char *b);

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

/// Writes a file, replacing an old one, which stays as it is after a failure where its folder allows that.
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

/// Makes a new folder inside `parent` that only this user can enter; its name starts with `prefix`.
/// A `parent` of NULL is the system's folder for temporary files ($TMPDIR or /tmp). The path is made
/// in `arena`; the caller removes the folder with takt_tree_remove().
takt_status takt_folder_create_temporary(takt_arena *arena, const char *parent, const char *prefix,
                                         char **out, takt_error *err);

/// The regular files in a folder and those below, as sorted paths seen from it, in `arena`. Symbolic
/// links to folders are not followed.
takt_status takt_tree_list(takt_arena *arena, const char *folder, char ***out, int *n_files,
                           takt_error *err);

/// Removes a file, or a folder with all that is in it; symbolic links are removed, not followed.
/// Returns false when something is left; nothing there counts as removed.
bool takt_tree_remove(const char *path);

#endif
