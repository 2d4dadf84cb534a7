// SPDX-License-Identifier: MIT
// Unpacked archives (FMUs, SSPs), kept from run to run. An entry is a folder named by the SHA-256 of the
// archive; it holds the unpacked files in `content` and their names and sizes in `manifest`. An entry is
// made in a private folder beside it and appears in one step, so that other processes see it complete
// or not at all. It is checked when it is used, and made again when it is damaged.
//
// The cache is $TAKT_CACHE_DIR, else $XDG_CACHE_HOME/takt, else ~/.cache/takt. Where it cannot be
// written, a private temporary folder takes its place.
#ifndef TAKT_BASE_CACHE_H
#define TAKT_BASE_CACHE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

/// An unpacked archive.
typedef struct takt_unpacked {
    char *folder; ///< absolute path of the unpacked files; in the arena given to takt_cache_open()
    char *private_folder; ///< to be removed with all that is in it; NULL when `folder` is cached
} takt_unpacked;

/// Unpacks an archive, or finds it unpacked. End it with takt_cache_close(). Messages do not name the
/// file, which stays open.
takt_status takt_cache_open(FILE *file, takt_arena *arena, takt_unpacked *out, takt_error *err);

/// Removes what is private; the rest stays for the next run. Accepts a zeroed struct.
void takt_cache_close(takt_unpacked *unpacked);

#endif
