// SPDX-License-Identifier: MIT
// Paths of files and folders.
#ifndef TAKT_BASE_PATH_H
#define TAKT_BASE_PATH_H

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
takt_status takt_path_real(takt_arena *arena, const char *path, const char **out, takt_error *err);

/// The path of a file seen from a folder, both real (see takt_path_real()): "../a/b.fmu".
char *takt_path_relative(takt_arena *arena, const char *folder, const char *path);

/// Does a path have this ending, whatever the case? `ending` has its dot: ".csv".
bool takt_path_ends_in(const char *path, const char *ending);

/// A regular file, perhaps through a symbolic link. Where the system cannot tell, the answer is yes: opening it
/// then says why.
bool takt_path_is_file(const char *path);
bool takt_path_may_be_file(const char *path); ///< there is one, or nothing at all
bool takt_path_is_folder(const char *path); ///< no, where the system cannot tell

/// The same, with a failure where the system cannot tell.
takt_status takt_path_find_folder(const char *path, bool *out, takt_error *err);
takt_status takt_path_find_file(const char *path, bool *out, takt_error *err); ///< likewise

/// Can it be started as a program? Also true where that cannot be found out: starting it will tell.
bool takt_path_is_program(const char *path);

/// Are both the same regular file, or the same path where there is none yet? Devices may be given twice.
bool takt_path_is_same_file(const char *a, const char *b);

#endif
