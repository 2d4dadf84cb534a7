// SPDX-License-Identifier: MIT
// Unpacked archives (FMUs, SSPs), kept from run to run. An entry (cache_entry.h) is a folder of the cache
// (cache_store.h) named by the SHA-256 of the archive. It is made in a private folder beside it and appears in one
// step, so that other processes see it complete or not at all. It is checked when it is used, and made again when it
// is damaged. Where the cache cannot be written, a private temporary folder takes its place.
#ifndef TAKT_BASE_CACHE_H
#define TAKT_BASE_CACHE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

/// An unpacked archive.
typedef struct takt_unpacked {
    char *folder; ///< absolute path of the unpacked files; in the arena given to takt_cache_open()
    char *private_folder; ///< to be removed with all that is in it; NULL when `folder` is cached
    int lock; ///< file descriptor + 1 that keeps others from removing the entry; 0: none
    const char *warning; ///< that the user should see; in the arena; NULL: none
} takt_unpacked;

/// Unpacks an archive, or finds it unpacked. End it with takt_cache_close(). Messages do not name the
/// file, which stays open; `name` is shown in lists of the cache.
takt_status takt_cache_open(FILE *file, const char *name, takt_arena *arena, takt_unpacked *out,
                            takt_error *err);

/// Removes what is private; the rest stays for the next run. Accepts a zeroed struct.
void takt_cache_close(takt_unpacked *unpacked);

#endif
