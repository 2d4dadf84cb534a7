// SPDX-License-Identifier: MIT
// The cache of unpacked archives; see cache.h.
#include "base/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"
#include "base/zip.h"

static const char new_prefix[] = ".new-"; // of folders in which entries are made
static const char manifest_head[] = "takt cache 1\n"; // raise the number when the layout changes
enum { MAX_MANIFEST_SIZE = 64 << 20, STALE_AGE = 7 * 24 * 3600 };

// Where the cache is, in `arena`; NULL: nowhere.
static char *cache_folder(takt_arena *arena)
{
    const char *folder = getenv("TAKT_CACHE_DIR");
    if (folder && folder[0]) return takt_path_absolute(arena, folder);
    folder = getenv("XDG_CACHE_HOME");
    if (folder && folder[0] == '/') return takt_path_join(arena, folder, "takt");
    folder = getenv("HOME");
    if (folder && folder[0] == '/') return takt_path_join(arena, folder, ".cache/takt");
    return NULL;
}

// ---- manifest ------------------------------------------------------------------------------------

static takt_status write_manifest(const char *path, const takt_zip_content *content,
                                  takt_error *err)
{
    takt_text text = {0};
    takt_text_add(&text, manifest_head);
    for (int i = 0; i < content->n_entries; i++)
        takt_text_print(&text, "%lld %s\n", (long long)content->entries[i].size,
                        content->entries[i].name);
    takt_text_add(&text, "end\n"); // shows that the file is complete
    takt_status st =
        text.failed ? takt_fail_memory(err) : takt_file_write(path, text.data, text.length, err);
    takt_text_clear(&text);
    return st;
}

// Is there a file of the size that a line "size name" says?
static bool line_holds(int folder, char *line)
{
    char *name = strchr(line, ' ');
    int64_t size;
    struct stat status;
    if (!name || !takt_number_read_integer(line, name, &size)) return false;
    return fstatat(folder, name + 1, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode) && status.st_size == size;
}

// Walks through a manifest, whose lines it cuts apart.
static bool manifest_holds(int folder, char *text)
{
    size_t head = sizeof manifest_head - 1;
    if (strncmp(text, manifest_head, head) != 0) return false;
    for (char *line = text + head, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        if (strcmp(line, "end") == 0) return true;
        if (!line_holds(folder, line)) return false;
    }
    return false;
}

// Is the entry there, complete, and made by this user? The library in it will be run.
static bool is_usable(const char *entry, takt_arena *scratch)
{
    struct stat status;
    if (lstat(entry, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
        return false;
    char *manifest = takt_path_join(scratch, entry, "manifest");
    char *content = takt_path_join(scratch, entry, "content");
    char *text = NULL;
    size_t size;
    if (!manifest || !content || takt_file_read(manifest, MAX_MANIFEST_SIZE, &text, &size, NULL))
        return false;
    int folder = open(content, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool ok = folder >= 0 && manifest_holds(folder, text);
    if (folder >= 0) close(folder);
    free(text);
    return ok;
}

// ---- making an entry -----------------------------------------------------------------------------

// Removes folders that processes left behind when they were killed.
static void remove_stale(const char *cache, takt_arena *scratch)
{
    DIR *folder = opendir(cache);
    if (!folder) return;
    for (struct dirent *item; (item = readdir(folder));) {
        if (strncmp(item->d_name, new_prefix, sizeof new_prefix - 1) != 0) continue;
        char *path = takt_path_join(scratch, cache, item->d_name);
        struct stat status;
        if (path && lstat(path, &status) == 0 && time(NULL) - status.st_mtime > STALE_AGE)
            takt_tree_remove(path);
    }
    closedir(folder);
}

// Makes a new folder in the cache, or among the temporary files where there is no cache.
static takt_status create_private(const char *cache, takt_arena *arena, char **out, takt_error *err)
{
    if (cache && takt_folder_create(cache, NULL) == TAKT_OK &&
        takt_folder_create_temporary(arena, cache, new_prefix, out, NULL) == TAKT_OK)
        return TAKT_OK;
    char *relative = NULL;
    takt_status st = takt_folder_create_temporary(arena, NULL, "takt-", &relative, err);
    if (st) return st;
    *out = takt_path_absolute(arena, relative);
    if (*out) return TAKT_OK;
    takt_tree_remove(relative);
    return takt_fail_memory(err);
}

// Unpacks into `folder`/content and writes `folder`/manifest.
static takt_status fill(FILE *file, const char *folder, takt_arena *scratch, takt_error *err)
{
    char *content = takt_path_join(scratch, folder, "content");
    char *resources = content ? takt_path_join(scratch, content, "resources") : NULL;
    char *manifest = takt_path_join(scratch, folder, "manifest");
    if (!resources || !manifest) return takt_fail_memory(err);
    takt_zip_content unpacked;
    takt_status st = takt_folder_create(content, err);
    if (!st) st = takt_zip_unpack(file, content, &TAKT_ZIP_LIMITS_DEFAULT, scratch, &unpacked, err);
    // FMUs get the path of their resources, also when they have none; to others the folder does no harm.
    if (!st) st = takt_folder_create(resources, err);
    if (!st) st = write_manifest(manifest, &unpacked, err);
    return st;
}

// Gives a complete private folder its place in the cache. A damaged entry changes places with it, so
// that other processes which have just checked the entry find the same files under the same names.
// Old systems cannot do that: there the damaged entry is removed first.
static bool replace_entry(const char *entry, const char *folder)
{
    if (takt_file_swap(folder, entry, NULL) == TAKT_OK) return true;
    return takt_tree_remove(entry) && takt_file_rename(folder, entry, NULL) == TAKT_OK;
}

// Makes a complete private folder an entry of the cache, unless another process was faster; the lock
// shows who was. Returns whether there is an entry to be used, and `folder` is gone.
static bool publish(const char *cache, const char *entry, const char *folder, takt_arena *scratch)
{
    char *lock_path = takt_path_join(scratch, cache, "lock");
    int lock = lock_path ? open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    if (lock < 0 || flock(lock, LOCK_EX) != 0) {
        if (lock >= 0) close(lock);
        return false;
    }
    bool ok = is_usable(entry, scratch) || replace_entry(entry, folder);
    close(lock);
    if (ok) takt_tree_remove(folder); // ours, or the damaged one that has its place now
    return ok;
}

static takt_status make_entry(FILE *file, const char *cache, const char *entry, takt_arena *arena,
                              takt_arena *scratch, takt_unpacked *out, takt_error *err)
{
    char *folder = NULL;
    if (cache) remove_stale(cache, scratch);
    takt_status st = create_private(cache, arena, &folder, err);
    if (!st) st = fill(file, folder, scratch, err);
    if (st == TAKT_ERR_OUTPUT && folder && cache) { // its disk may be full: do without the cache
        takt_tree_remove(folder);
        folder = NULL;
        entry = NULL;
        st = create_private(NULL, arena, &folder, err);
        if (!st) st = fill(file, folder, scratch, err);
    }
    if (st == TAKT_ERR_OUTPUT && folder)
        takt_within(err, st,
                    "it cannot be unpacked to %s (TAKT_CACHE_DIR or TMPDIR choose other places)",
                    folder);
    if (!st && entry && strncmp(folder, cache, strlen(cache)) == 0 &&
        publish(cache, entry, folder, scratch))
        folder = NULL;
    if (!st) out->folder = takt_path_join(arena, folder ? folder : entry, "content");
    if (!st && !out->folder) st = takt_fail_memory(err);
    if (st && folder) takt_tree_remove(folder);
    if (!st) out->private_folder = folder;
    return st;
}

takt_status takt_cache_open(FILE *file, takt_arena *arena, takt_unpacked *out, takt_error *err)
{
    char hash[TAKT_HASH_SIZE];
    takt_arena scratch = {0};
    takt_unpacked unpacked = {0};
    takt_status st = takt_zip_check(file, err); // at once: fingerprints of huge files take long
    if (!st) st = takt_hash_file(file, hash, err);
    char *cache = st ? NULL : cache_folder(&scratch);
    char *entry = cache ? takt_path_join(&scratch, cache, hash) : NULL;
    if (!st && entry && is_usable(entry, &scratch)) {
        unpacked.folder = takt_path_join(arena, entry, "content");
        if (!unpacked.folder) st = takt_fail_memory(err);
    } else if (!st) {
        st = make_entry(file, cache, entry, arena, &scratch, &unpacked, err);
    }
    takt_arena_clear(&scratch);
    if (!st) *out = unpacked;
    return st;
}

void takt_cache_close(takt_unpacked *unpacked)
{
    if (unpacked->private_folder) takt_tree_remove(unpacked->private_folder);
    *unpacked = (takt_unpacked){0};
}
