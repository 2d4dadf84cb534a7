// SPDX-License-Identifier: MIT
// Files that are complete or not there: written beside, and moved to their place at the end. A file that was there
// stays as it is until then, and so does its content on the disk. Where the file system can do that, the new file has no
// name until it is complete, so that a killed process leaves nothing behind. What is no regular file (a pipe, a device), or lies in a
// folder where nothing can be made, is written in place.
#ifndef TAKT_BASE_REPLACE_H
#define TAKT_BASE_REPLACE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

typedef struct takt_replacement {
    FILE *file; ///< to write to
    char *path, *part; ///< its place, and where it is written; part is NULL: in place
    bool is_nameless; ///< it gets the name `part` when it is complete
    bool has_old; ///< a file is replaced
    bool is_safe; ///< it must survive a crash of the system, whatever was there
    unsigned mode; ///< permissions of that file
} takt_replacement;

/// Begins a file. It must be ended.
takt_status takt_replace_begin(const char *path, takt_replacement *out, takt_error *err);

/// The same, but fails where the file could only be written in place: what is there is never lost. The new file is on
/// the disk before it takes its place, also if it replaces none.
takt_status takt_replace_begin_safely(const char *path, takt_replacement *out, takt_error *err);

/// Ends it: with a status of TAKT_OK the file takes its place; else it is removed, and the status is returned.
takt_status takt_replace_end(takt_replacement *replacement, takt_status st, takt_error *err);

#endif
