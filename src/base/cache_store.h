// SPDX-License-Identifier: MIT
// The cache of unpacked archives as a whole: where it is, what is in it, how large it may grow.
//
// The last use of an entry is the time of its folder. What is to go is renamed first, so that other processes see
// it complete or not at all. Entries in use are locked (cache_entry.h) and stay.
#ifndef TAKT_BASE_CACHE_STORE_H
#define TAKT_BASE_CACHE_STORE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/// Folders in which entries are made, or from which they are removed, are called like this.
#define TAKT_CACHE_NEW ".new-"

/// Bytes that the entries may have together unless the user says otherwise.
#define TAKT_CACHE_LIMIT_DEFAULT INT64_C(4000000000)

typedef struct takt_stored {
    const char *path,
        *archive; ///< folder; name of the file that was unpacked; "": damaged, or of another version
    int64_t size; ///< of the unpacked files and what was compiled from them, bytes
    int64_t used; ///< s since 1970
    bool is_in_use; ///< by this or another process, now
} takt_stored;

/// The folder: $TAKT_CACHE_DIR, else $XDG_CACHE_HOME/takt, else ~/.cache/takt. In `arena`; NULL: nowhere.
char *takt_cache_folder(takt_arena *arena);

/// The limit in bytes: $TAKT_CACHE_LIMIT, else what takt_cache_set_limit() kept, else the usual one.
takt_status takt_cache_limit(const char *cache, int64_t *out, takt_error *err);

/// Keeps a limit in the cache.
takt_status takt_cache_set_limit(const char *cache, int64_t limit, takt_error *err);

/// All entries, the most recently used first, in `arena`. A cache that is not there is empty.
takt_status takt_cache_list(const char *cache, takt_arena *arena, takt_stored **out, int *n,
                            takt_error *err);

/// Removes the least recently used entries until the others have at most `limit` bytes, but none in use and not
/// `kept` (may be NULL); and what killed processes left behind. Counts what is gone.
takt_status takt_cache_trim(const char *cache, int64_t limit, const char *kept, int *n_removed,
                            int64_t *removed, takt_error *err);

/// Removes an entry, or a folder in which one was made, unless another process holds its lock.
bool takt_cache_remove(const char *cache, const char *entry);

/// Removes folders that killed processes left behind.
void takt_cache_remove_stale(const char *cache);

#endif
