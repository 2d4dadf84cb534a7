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

/// What an archive may grow to. Sizes are counted while inflating; what the archive says about itself
/// is not trusted.
typedef struct takt_zip_limits {
    int64_t n_entries; ///< a large FMU with sources and documentation has some thousands
    int64_t entry_size; ///< bytes; more than any library or table seen, less than a small disk
    int64_t total_size; ///< bytes
    int64_t ratio; ///< inflated to packed size; text reaches 10 to 20, tables of zeros 100
    int64_t ratio_free; ///< bytes up to which the ratio is not looked at
    int depth; ///< folders within each other; file systems and libraries fail on very deep ones
} takt_zip_limits;

#define TAKT_ZIP_LIMITS_DEFAULT                                                                    \
    ((takt_zip_limits){.n_entries = 100000,                                                        \
                       .entry_size = INT64_C(2) << 30,                                             \
                       .total_size = INT64_C(4) << 30,                                             \
                       .ratio = 200,                                                               \
                       .ratio_free = INT64_C(64) << 20,                                            \
                       .depth = 32})

/// A file that was unpacked.
typedef struct takt_zip_entry {
    const char *name; ///< relative to the folder, with slashes, in UTF-8
    int64_t size;
} takt_zip_entry;

typedef struct takt_zip_content {
    takt_zip_entry *entries; ///< files only
    int n_entries;
} takt_zip_content;

/// Is this an archive at all? Only its directory is read. The file stays open, at its beginning.
takt_status takt_zip_check(FILE *archive, takt_error *err);

/// Unpacks an archive into an existing, empty folder and lists in `arena` what was unpacked. Files are
/// made read-only. After a failure some files may be there; messages name the entry, not the
/// archive. The file stays open.
takt_status takt_zip_unpack(FILE *archive, const char *folder, const takt_zip_limits *limits,
                            takt_arena *arena, takt_zip_content *out, takt_error *err);

#endif
