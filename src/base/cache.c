// SPDX-License-Identifier: MIT
// The cache of unpacked archives; see cache.h.
#include "base/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cache_entry.h"
#include "base/cache_store.h"
#include "base/file.h"
#include "base/hash.h"

enum { LOCK_TRIES = 150, ENTRY_TRIES = 10, LOCK_PAUSE = 20 }; // ms

// The work on one archive.
typedef struct opening {
    FILE *file;
    const char *name; // of the archive
    char *cache, *entry; // NULL: there is no cache
    char *folder; // in which the archive is being unpacked
    int lock; // of the folder, and later of the entry; negative: none
    takt_zip_limits limits;
    takt_arena *arena, scratch;
    takt_unpacked result;
    takt_error *err;
} opening;

// ---- using an entry ------------------------------------------------------------------------------

// A lock needs an open file. Where these become scarce, runs need them more; see NEW_AGE.
static int keep_lock(int lock)
{
    struct rlimit limit;
    bool is_scarce = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
                     (rlim_t)lock >= limit.rlim_cur / 2;
    if (lock >= 0 && is_scarce) {
        close(lock);
        return -1;
    }
    return lock;
}

static takt_status use_entry(opening *o)
{
    utimensat(AT_FDCWD, o->entry, NULL, AT_SYMLINK_NOFOLLOW); // the least recently used goes first
    o->result.lock = keep_lock(o->lock) + 1;
    if (o->result.lock < 0) o->result.lock = 0;
    o->lock = -1;
    o->result.folder = takt_path_join(o->arena, o->entry, "content");
    return o->result.folder ? TAKT_OK : takt_fail_memory(o->err);
}

// Locks the entry and looks whether it can be used.
static bool find_entry(opening *o)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE * 1000000L};
    int lock = takt_entry_lock(o->entry, false, &o->scratch);
    // Who lists the cache holds the lock for a moment.
    for (int i = 0; i < ENTRY_TRIES && lock == TAKT_ENTRY_LOCKED_ELSEWHERE; i++) {
        nanosleep(&pause, NULL);
        lock = takt_entry_lock(o->entry, false, &o->scratch);
    }
    bool is_scarce = lock == TAKT_ENTRY_UNLOCKED && (errno == EMFILE || errno == ENFILE);
    if ((lock >= 0 || is_scarce) && takt_entry_is_usable(o->entry, &o->scratch)) {
        o->lock = lock;
        return true;
    }
    if (lock >= 0) close(lock);
    return false;
}

// ---- making an entry -----------------------------------------------------------------------------

static void remove_folder(opening *o)
{
    if (o->folder) takt_tree_remove(o->folder);
    if (o->lock >= 0) close(o->lock);
    o->folder = NULL;
    o->lock = -1;
}

// Makes a new folder in the cache, or among the temporary files where there is no cache.
static takt_status create_folder(opening *o)
{
    if (o->cache && takt_folder_create(o->cache, NULL) == TAKT_OK &&
        takt_folder_create_temporary(o->arena, o->cache, TAKT_CACHE_NEW, &o->folder, NULL) ==
            TAKT_OK) {
        o->lock = takt_entry_lock(o->folder, true, &o->scratch);
        if (o->lock >= 0) return TAKT_OK;
        remove_folder(o);
    }
    o->entry = NULL;
    char *relative = NULL;
    takt_status st = takt_folder_create_temporary(o->arena, NULL, "takt-", &relative, o->err);
    if (st) return st;
    o->folder = takt_path_absolute(o->arena, relative);
    if (o->folder) return TAKT_OK;
    takt_tree_remove(relative);
    return takt_fail_memory(o->err);
}

// Unpacks into `folder`/content and writes `folder`/manifest.
static takt_status fill(opening *o)
{
    char *content = takt_path_join(&o->scratch, o->folder, "content");
    char *resources = content ? takt_path_join(&o->scratch, content, "resources") : NULL;
    if (!resources) return takt_fail_memory(o->err);
    takt_zip_content unpacked;
    takt_status st = takt_folder_create(content, o->err);
    if (!st) st = takt_zip_unpack(o->file, content, &o->limits, &o->scratch, &unpacked, o->err);
    // FMUs get the path of their resources, also when they have none; to others the folder does no harm.
    if (!st) st = takt_folder_create(resources, o->err);
    if (!st && o->entry)
        st = takt_entry_describe(o->folder, o->name, &unpacked, &o->scratch, o->err);
    return st;
}

// The lock of the whole cache, which is held only for a moment: who waits longer than some seconds meets a process
// that was stopped, or a file system without locks that work.
static int lock_cache(opening *o)
{
    char *path = takt_path_join(&o->scratch, o->cache, "lock");
    int lock = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE * 1000000L};
    for (int i = 0; lock >= 0; i++) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
        if (errno == EWOULDBLOCK && i < LOCK_TRIES) {
            nanosleep(&pause, NULL);
            continue;
        }
        if (errno == EWOULDBLOCK)
            o->result.warning = takt_arena_print(
                o->arena,
                "%s has been locked by another process for more than %d s; this run unpacks to a "
                "folder of its own. Is a run stopped (Ctrl-Z)? TAKT_CACHE_DIR chooses another "
                "cache",
                path, LOCK_TRIES * LOCK_PAUSE / 1000);
        close(lock);
        lock = -1;
    }
    return -1;
}

// Gives the folder its place in the cache. A damaged entry changes places with it, so that other processes which
// have just checked the entry find the same files under the same names, and is removed when nobody uses it. Old
// systems cannot do that: there the damaged entry is removed first.
static bool replace_entry(opening *o)
{
    bool has_old = takt_path_is_folder(o->entry);
    if (takt_file_swap(o->folder, o->entry, NULL) == TAKT_OK) {
        if (has_old) takt_cache_remove(o->cache, o->folder);
        return true;
    }
    return takt_tree_remove(o->entry) && takt_file_rename(o->folder, o->entry, NULL) == TAKT_OK;
}

// Makes the complete folder an entry of the cache, unless another process was faster. False: it stays private.
static bool publish(opening *o)
{
    int lock = lock_cache(o);
    if (lock < 0) return false;
    int own = o->lock;
    bool ok = find_entry(o);
    if (ok) {
        takt_tree_remove(o->folder);
        close(own);
    } else {
        ok = replace_entry(o);
        if (ok) flock(own, LOCK_SH);
    }
    close(lock);
    if (ok) o->folder = NULL;
    return ok;
}

// The cache may have outgrown its limit. What goes wrong here does not matter to the run.
static void trim(opening *o)
{
    int64_t limit, removed;
    int n;
    if (!takt_cache_limit(o->cache, &limit, NULL))
        takt_cache_trim(o->cache, limit > 0 ? limit : 1, o->entry, &n, &removed, NULL);
}

static takt_status use_folder(opening *o)
{
    o->result.folder = takt_path_join(o->arena, o->folder, "content");
    if (!o->result.folder) return takt_fail_memory(o->err);
    o->result.private_folder = o->folder;
    o->result.lock = keep_lock(o->lock) + 1;
    if (o->result.lock < 0) o->result.lock = 0;
    o->lock = -1;
    return TAKT_OK;
}

static takt_status make_entry(opening *o)
{
    if (o->cache) takt_cache_remove_stale(o->cache);
    takt_status st = create_folder(o);
    if (!st) st = fill(o);
    if (st == TAKT_ERR_OUTPUT && o->folder &&
        o->entry) { // its disk may be full: do without the cache
        remove_folder(o);
        o->cache = o->entry = NULL;
        st = create_folder(o);
        if (!st) st = fill(o);
    }
    if (st == TAKT_ERR_OUTPUT && o->folder)
        takt_within(o->err, st,
                    "it cannot be unpacked to %s (TAKT_CACHE_DIR or TMPDIR choose other places)",
                    o->folder);
    if (!st && o->entry && publish(o)) {
        st = use_entry(o);
        trim(o);
        return st;
    }
    if (!st) st = use_folder(o);
    if (st) remove_folder(o);
    return st;
}

// ---- public --------------------------------------------------------------------------------------

takt_status takt_cache_open(FILE *file, const char *name, takt_arena *arena, takt_unpacked *out,
                            takt_error *err)
{
    char hash[TAKT_HASH_SIZE];
    opening o = {.file = file, .name = name, .lock = -1, .arena = arena, .err = err};
    takt_status st = takt_zip_limits_choose(&o.limits, err);
    if (!st)
        st = takt_zip_check(file, &o.limits, err); // at once: fingerprints of huge files take long
    if (!st) st = takt_hash_file(file, hash, err);
    if (!st) o.cache = takt_cache_folder(&o.scratch);
    if (o.cache) o.entry = takt_path_join(&o.scratch, o.cache, hash);
    if (!st) st = o.entry && find_entry(&o) ? use_entry(&o) : make_entry(&o);
    if (o.lock >= 0) close(o.lock);
    takt_arena_clear(&o.scratch);
    if (!st)
        *out = o.result;
    else
        takt_cache_close(&o.result);
    return st;
}

// Another process found the entry damaged and put a new one in its place: perhaps this was its last user.
static void close_lock(int lock, const char *folder)
{
    takt_arena scratch = {0};
    const char *entry = folder ? takt_path_folder(&scratch, folder) : NULL;
    const char *path = entry ? takt_path_join(&scratch, entry, "lock") : NULL;
    const char *cache = path ? takt_path_folder(&scratch, entry) : NULL;
    struct stat held, present;
    bool is_replaced = cache && fstat(lock, &held) == 0 && stat(path, &present) == 0 &&
                       held.st_ino != present.st_ino;
    close(lock);
    if (is_replaced) takt_cache_remove_stale(cache);
    takt_arena_clear(&scratch);
}

void takt_cache_close(takt_unpacked *unpacked)
{
    if (unpacked->private_folder) takt_tree_remove(unpacked->private_folder);
    if (unpacked->lock > 0) close_lock(unpacked->lock - 1, unpacked->folder);
    *unpacked = (takt_unpacked){0};
}
