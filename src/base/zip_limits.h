// SPDX-License-Identifier: MIT
// What an archive may grow to when it is unpacked, and a look at its size before it is opened.
#ifndef TAKT_BASE_ZIP_LIMITS_H
#define TAKT_BASE_ZIP_LIMITS_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/// Sizes are counted while inflating; what the archive says about itself is not trusted.
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

/// The limits that the user chose: $TAKT_UNPACK_LIMIT (a size; also the one of a single file, and who names it
/// trusts the archive: the ratio does not count) and $TAKT_UNPACK_ENTRIES.
takt_status takt_zip_limits_choose(takt_zip_limits *out, takt_error *err);

/// Refuses an archive whose directory says that it has too many entries, without reading that directory: libzip
/// would take seconds for a million. What does not look like an archive passes. The position is at the beginning
/// afterwards.
takt_status takt_zip_check_count(FILE *archive, const takt_zip_limits *limits, takt_error *err);

/// The message for too many entries.
takt_status takt_zip_fail_count(int64_t n, const takt_zip_limits *limits, takt_error *err);

#endif
