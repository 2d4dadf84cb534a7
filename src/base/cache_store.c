// SPDX-License-Identifier: MIT
// The cache as a whole; see cache_store.h.
#include "base/cache_store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cache_entry.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/size.h"

// Who has just made a folder has not locked it yet; who could not lock an entry, as files were scarce, may use it.
enum { NEW_AGE = 60 }; // s

char *takt_cache_folder(takt_arena *arena)
{
    const char *folder = getenv("TAKT_CACHE_DIR");
    if (folder && folder[0]) return takt_path_absolute(arena, folder);
    folder = getenv("XDG_CACHE_HOME");
    if (folder && folder[0] == '/') return takt_path_join(arena, folder, "takt");
    folder = getenv("HOME");
    if (folder && folder[0] == '/') return takt_path_join(arena, folder, ".cache/takt");
    return NULL;
}

// ---- limit -------------------------------------------------------------------------------------

takt_status takt_cache_limit(const char *cache, int64_t *out, takt_error *err)
{
    const char *given = getenv("TAKT_CACHE_LIMIT");
    *out = TAKT_CACHE_LIMIT_DEFAULT;
    if (given && *given) {
        if (takt_size_read(given, out)) return TAKT_OK;
        return takt_fail(err, TAKT_ERR_USAGE,
                         "TAKT_CACHE_LIMIT: '%s' is no size such as 500MB or 8GB", given);
    }
    takt_arena scratch = {0};
    char *path = takt_path_join(&scratch, cache, "limit"), *text = NULL;
    size_t size;
    if (path && takt_file_read(path, 64, &text, &size, NULL) == TAKT_OK) {
        text[strcspn(text, "\n")] = 0;
        if (!takt_size_read(text, out)) *out = TAKT_CACHE_LIMIT_DEFAULT;
    }
    free(text);
    takt_arena_clear(&scratch);
    return TAKT_OK;
}

takt_status takt_cache_set_limit(const char *cache, int64_t limit, takt_error *err)
{
    takt_arena scratch = {0};
    char *path = takt_path_join(&scratch, cache, "limit");
    char *text = takt_arena_print(&scratch, "%lld\n", (long long)limit);
    takt_status st = path && text ? takt_folder_create(cache, err) : takt_fail_memory(err);
    if (!st) st = takt_file_write(path, text, strlen(text), err);
    takt_arena_clear(&scratch);
    return st;
}

// ---- entries -----------------------------------------------------------------------------------

static bool is_entry_name(const char *name)
{
    return strlen(name) == TAKT_HASH_SIZE - 1 &&
           strspn(name, "0123456789abcdef") == TAKT_HASH_SIZE - 1;
}

static bool is_locked(const char *entry)
{
    takt_arena scratch = {0};
    int lock = takt_entry_lock(entry, true, &scratch);
    takt_arena_clear(&scratch);
    if (lock >= 0) close(lock);
    return lock == TAKT_ENTRY_LOCKED_ELSEWHERE;
}

// An entry that another version made, or a damaged one, has no name; it is found all the same, and counts with all that
// is in it.
static bool add_entry(const char *cache, const char *name, takt_arena *arena, takt_stored *out)
{
    struct stat status;
    *out = (takt_stored){.path = takt_path_join(arena, cache, name), .archive = ""};
    const char *compiled = out->path ? takt_path_join(arena, out->path, "compiled") : NULL;
    if (!compiled) return false;
    if (lstat(out->path, &status) == 0) out->used = status.st_mtim.tv_sec;
    if (takt_entry_read(out->path, arena, &out->archive, &out->size)) {
        out->size += takt_tree_size(compiled);
    } else {
        out->archive = "";
        out->size = takt_tree_size(out->path);
    }
    out->is_in_use = is_locked(out->path);
    return true;
}

static int by_use(const void *a, const void *b)
{
    const takt_stored *x = a, *y = b;
    if (x->used != y->used) return x->used < y->used ? 1 : -1;
    return strcmp(x->path, y->path);
}

static takt_status fail_to_read(const char *cache, takt_error *err)
{
    return takt_fail(err, takt_status_of_errno(errno, TAKT_ERR_INPUT),
                     "%s: the cache cannot be read: %s", cache, strerror(errno));
}

takt_status takt_cache_list(const char *cache, takt_arena *arena, takt_stored **out, int *n,
                            takt_error *err)
{
    DIR *folder = opendir(cache);
    if (!folder && errno != ENOENT) return fail_to_read(cache, err);
    takt_stored *found = NULL;
    int n_found = 0, capacity = 0;
    bool ok = true;
    takt_status st = TAKT_OK;
    while (ok && folder) {
        errno = 0; // the only way to tell the end from a failure
        struct dirent *item = readdir(folder);
        if (!item && errno) st = fail_to_read(cache, err);
        if (!item) break;
        if (!is_entry_name(item->d_name)) continue;
        ok = takt_grow(&found, n_found, &capacity, sizeof *found) &&
             add_entry(cache, item->d_name, arena, &found[n_found]);
        n_found += ok;
    }
    if (folder) closedir(folder);
    takt_stored *list = ok && !st ? takt_arena_array(arena, (size_t)n_found, sizeof *list) : NULL;
    if (list && n_found) {
        qsort(found, (size_t)n_found, sizeof *found, by_use);
        memcpy(list, found, (size_t)n_found * sizeof *found);
    }
    free(found);
    if (st) return st;
    if (!list) return takt_fail_memory(err);
    *out = list;
    *n = n_found;
    return TAKT_OK;
}

// ---- removing ----------------------------------------------------------------------------------

bool takt_cache_remove(const char *cache, const char *entry)
{
    takt_arena scratch = {0};
    char *hidden = NULL;
    int lock = takt_entry_lock(entry, true, &scratch);
    bool ok = lock != TAKT_ENTRY_LOCKED_ELSEWHERE;
    // A process that is killed now leaves a folder that the next one removes.
    bool is_hidden = strncmp(takt_path_name(entry), TAKT_CACHE_NEW, strlen(TAKT_CACHE_NEW)) == 0;
    if (ok && !is_hidden)
        ok = takt_folder_create_temporary(&scratch, cache, TAKT_CACHE_NEW, &hidden, NULL) ==
                 TAKT_OK &&
             takt_file_rename(entry, hidden, NULL) == TAKT_OK;
    if (!ok && hidden) takt_tree_remove(hidden);
    if (ok) ok = takt_tree_remove(hidden ? hidden : entry);
    if (lock >= 0) close(lock);
    takt_arena_clear(&scratch);
    return ok;
}

void takt_cache_remove_stale(const char *cache)
{
    DIR *folder = opendir(cache);
    takt_arena scratch = {0};
    for (struct dirent *item; folder && (item = readdir(folder));) {
        if (strncmp(item->d_name, TAKT_CACHE_NEW, strlen(TAKT_CACHE_NEW)) != 0) continue;
        char *path = takt_path_join(&scratch, cache, item->d_name);
        char *lock = path ? takt_path_join(&scratch, path, "lock") : NULL;
        struct stat status;
        bool is_old =
            lock && lstat(path, &status) == 0 && time(NULL) - status.st_mtim.tv_sec > NEW_AGE;
        if (lock && (is_old || takt_path_is_file(lock))) takt_cache_remove(cache, path);
    }
    if (folder) closedir(folder);
    takt_arena_clear(&scratch);
}

takt_status takt_cache_trim(const char *cache, int64_t limit, const char *kept, int *n_removed,
                            int64_t *removed, takt_error *err)
{
    takt_arena scratch = {0};
    takt_stored *entries;
    int n;
    *n_removed = 0;
    *removed = 0;
    takt_cache_remove_stale(cache);
    takt_status st = takt_cache_list(cache, &scratch, &entries, &n, err);
    int64_t total = 0;
    for (int i = 0; !st && i < n; i++) total += entries[i].size;
    for (int i = n - 1; !st && i >= 0 && (total > limit || limit == 0); i--) {
        const takt_stored *entry = &entries[i];
        bool is_kept = kept && strcmp(kept, entry->path) == 0;
        bool is_fresh = kept && time(NULL) - entry->used < NEW_AGE;
        if (is_kept || is_fresh || entry->is_in_use || !takt_cache_remove(cache, entry->path))
            continue;
        total -= entry->size;
        *removed += entry->size;
        ++*n_removed;
    }
    takt_arena_clear(&scratch);
    return st;
}
