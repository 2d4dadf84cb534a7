// SPDX-License-Identifier: MIT
// Folders over POSIX; see tree.h.
#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/path.h"

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static takt_status fail_to_read(const char *path, takt_error *err)
{
    return takt_fail(err, takt_status_of_errno(errno, TAKT_ERR_INPUT),
                     "%s: the folder cannot be read: %s", path, strerror(errno));
}

takt_status takt_folder_visit(const char *path, takt_folder_fn *visit, void *context,
                              takt_error *err)
{
    DIR *folder = opendir(path);
    if (!folder) return fail_to_read(path, err);
    takt_status st = TAKT_OK;
    while (!st) {
        errno = 0; // the only way to tell the end from a failure
        struct dirent *entry = readdir(folder);
        if (!entry && errno) st = fail_to_read(path, err);
        if (!entry) break;
        if (!is_dots(entry->d_name)) st = visit(context, entry->d_name, err);
    }
    closedir(folder);
    return st;
}

// ---- listing -------------------------------------------------------------------------------------

// Files found so far.
typedef struct file_list {
    takt_arena *arena;
    const char *root;
    takt_tree_choice *wants;
    char **names; // malloc'ed
    int n_names, capacity;
} file_list;

// A folder that is being visited, and the one in which it lies.
typedef struct level {
    file_list *list;
    const struct level *above;
    const char *name; // seen from the root; "" for the root
    int depth;
    dev_t device;
    ino_t number;
} level;

static takt_status list_entry(void *context, const char *entry, takt_error *err);

static takt_status list_folder(const level *here, const char *path, takt_error *err)
{
    enum { MAX_DEPTH = 64 };
    if (here->depth > MAX_DEPTH)
        return takt_fail(err, TAKT_ERR_INPUT, "%s: lies in more than %d folders", path, MAX_DEPTH);
    for (const level *l = here->above; l; l = l->above)
        if (l->device == here->device && l->number == here->number)
            return takt_fail(err, TAKT_ERR_INPUT,
                             "%s: is a symbolic link to a folder above it, which has no end", path);
    return takt_folder_visit(path, list_entry, (void *)here, err);
}

static takt_status list_path(const level *here, char *name, const char *path, takt_error *err)
{
    file_list *list = here->list;
    struct stat status;
    struct stat link;
    bool is_known = stat(path, &status) == 0;
    // What is not wanted may be what it is: a link that leads nowhere, a folder of somebody else.
    bool is_folder = is_known && S_ISDIR(status.st_mode);
    if (list->wants && !list->wants(name, is_folder)) return TAKT_OK;
    if (!is_known && errno == ENOENT && lstat(path, &link) == 0)
        return takt_fail(err, TAKT_ERR_INPUT, "%s: is a symbolic link that leads nowhere", path);
    if (!is_known)
        return takt_fail(err, takt_status_of_errno(errno, TAKT_ERR_INPUT), "%s: cannot be read: %s",
                         path, strerror(errno));
    if (is_folder)
        return list_folder(&(level){.list = list,
                                    .above = here,
                                    .name = name,
                                    .depth = here->depth + 1,
                                    .device = status.st_dev,
                                    .number = status.st_ino},
                           path, err);
    if (!S_ISREG(status.st_mode))
        return takt_fail(err, TAKT_ERR_INPUT, "%s: is neither a file nor a folder", path);
    if (!takt_grow(&list->names, list->n_names, &list->capacity, sizeof *list->names))
        return takt_fail_memory(err);
    list->names[list->n_names++] = name;
    return TAKT_OK;
}

static takt_status list_entry(void *context, const char *entry, takt_error *err)
{
    const level *here = context;
    takt_arena *arena = here->list->arena;
    char *name =
        *here->name ? takt_path_join(arena, here->name, entry) : takt_arena_copy(arena, entry);
    takt_arena scratch = {0};
    char *path = name ? takt_path_join(&scratch, here->list->root, name) : NULL;
    takt_status st = path ? list_path(here, name, path, err) : takt_fail_memory(err);
    takt_arena_clear(&scratch);
    return st;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

takt_status takt_tree_list(takt_arena *arena, const char *folder, takt_tree_choice *wants,
                           char ***out, int *n_files, takt_error *err)
{
    file_list list = {.arena = arena, .root = folder, .wants = wants};
    struct stat status;
    if (stat(folder, &status) != 0) return fail_to_read(folder, err);
    takt_status st = list_folder(
        &(level){.list = &list, .name = "", .device = status.st_dev, .number = status.st_ino},
        folder, err);
    size_t n = (size_t)list.n_names;
    char **names = st ? NULL : takt_arena_array(arena, n, sizeof *names);
    if (names && n) {
        qsort(list.names, n, sizeof *list.names, compare_names);
        memcpy(names, list.names, n * sizeof *names);
    }
    free(list.names);
    if (!st && !names) st = takt_fail_memory(err);
    if (st) return st;
    *out = names;
    *n_files = (int)n;
    return TAKT_OK;
}

// ---- removing ------------------------------------------------------------------------------------

// What the system writes for each thing in a folder (getdents64). opendir() would need memory, and removing must
// work where there is none.
typedef struct raw_entry {
    uint64_t number;
    int64_t offset;
    unsigned short size; // of the whole entry
    unsigned char type;
    char name[];
} raw_entry;

enum { MAX_REMOVED_DEPTH = 500 };

static bool remove_folder(int parent, const char *name, int depth);

// Removes all that is in an open folder. Returns false when something is left.
static bool empty_folder(int fd, int depth)
{
    alignas(raw_entry) char entries[4096];
    bool ok = true;
    long n;
    while ((n = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
        for (long at = 0; at < n;) {
            const raw_entry *entry = (const raw_entry *)(const void *)(entries + at);
            at += entry->size;
            if (is_dots(entry->name)) continue;
            if (unlinkat(fd, entry->name, 0) != 0 && !remove_folder(fd, entry->name, depth + 1))
                ok = false;
        }
    return ok && n == 0;
}

// Removes the folder `name` within the folder open as `parent`. It works with open folders, so that
// no other process can make it leave the tree by swapping a folder for a link. As deep as the tree is,
// up to a limit: a tree of an FMU must not use up the stack.
static bool remove_folder(int parent, const char *name, int depth)
{
    if (depth > MAX_REMOVED_DEPTH) return false;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return false;
    bool ok = empty_folder(fd, depth);
    close(fd);
    return ok && unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

bool takt_tree_remove(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT) return true;
    return remove_folder(AT_FDCWD, path, 0);
}

// ---- size ----------------------------------------------------------------------------------------

enum { MAX_SIZE_DEPTH = 64 };

static int64_t size_within(int parent, const char *name, int depth)
{
    struct stat status;
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    if (S_ISREG(status.st_mode)) return status.st_size;
    if (!S_ISDIR(status.st_mode) || depth == MAX_SIZE_DEPTH) return 0;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder && fd >= 0) close(fd);
    int64_t total = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (!is_dots(entry->d_name)) total += size_within(fd, entry->d_name, depth + 1);
    if (folder) closedir(folder);
    return total;
}

int64_t takt_tree_size(const char *path)
{
    return size_within(AT_FDCWD, path, 0);
}
