// SPDX-License-Identifier: MIT
// Unpacking of zip archives from unknown sources. Refused are: names that would leave the folder
// (absolute, "..", drive letters), links and special files, names with control characters, names that
// occur twice with different content, or differ only in case (they would be one file elsewhere),
// encrypted entries, and archives that grow out of proportion. Backslashes in names count as slashes.
#ifndef TAKT_BASE_ZIP_H
#define TAKT_BASE_ZIP_H

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/zip_limits.h"

/// A file that was unpacked.
typedef struct takt_zip_entry {
    const char *name; ///< relative to the folder, with slashes, in UTF-8
    int64_t size;
} takt_zip_entry;

typedef struct takt_zip_content {
    takt_zip_entry *entries; ///< files only
    int n_entries;
} takt_zip_content;

/// Is this an archive at all, with no more entries than allowed? Only its directory is read. The file stays open,
/// at its beginning.
takt_status takt_zip_check(FILE *archive, const takt_zip_limits *limits, takt_error *err);

/// Unpacks an archive into an existing, empty folder and lists in `arena` what was unpacked. Files are
/// made read-only. After a failure some files may be there; messages name the entry, not the
/// archive. The file stays open.
takt_status takt_zip_unpack(FILE *archive, const char *folder, const takt_zip_limits *limits,
                            takt_arena *arena, takt_zip_content *out, takt_error *err);

#endif
