// SPDX-License-Identifier: MIT
// Folders with locks; see nest_folder.h.
#define _GNU_SOURCE // flock()
#include "remote/nest_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/tree.h"

#define PREFIX "takt-worker-"
#define NEW_PREFIX "takt-new-worker-"

static const char *parent(void)
{
    const char *place = getenv("TMPDIR");
    return place && place[0] ? place : "/tmp";
}

// Opens and locks a folder of this user. Returns -1 where that is not possible.
static int lock_folder(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return -1;
    bool is_ours = fstat(file, &status) == 0 && status.st_uid == geteuid();
    if (is_ours && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    close(file);
    return -1;
}

// A folder gets its name when it is locked. Who is killed just before leaves one that is old some day.
static void sweep_one(const char *place, const char *name)
{
    const time_t old = 600; // s
    char path[4096];
    struct stat status;
    bool is_new = strncmp(name, NEW_PREFIX, sizeof NEW_PREFIX - 1) == 0;
    if (!is_new && strncmp(name, PREFIX, sizeof PREFIX - 1) != 0) return;
    int n = snprintf(path, sizeof path, "%s/%s", place, name);
    if (n < 0 || (size_t)n >= sizeof path) return;
    if (is_new && (lstat(path, &status) || status.st_mtime + old > time(NULL))) return;
    int lock = lock_folder(path);
    if (lock < 0) return;
    takt_tree_remove(path);
    close(lock);
}

void takt_nest_folder_sweep(void)
{
    const char *place = parent();
    DIR *folder = opendir(place);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) sweep_one(place, entry->d_name);
    if (folder) closedir(folder);
}

takt_status takt_nest_folder_make(takt_arena *arena, char **out, int *lock, takt_error *err)
{
    takt_nest_folder_sweep();
    char *fresh = takt_arena_print(arena, "%s/" NEW_PREFIX "XXXXXX", parent());
    if (!fresh) return takt_fail_memory(err);
    bool is_made = mkdtemp(fresh) != NULL;
    const char *letters = fresh + strlen(fresh) - 6; // that mkdtemp() has chosen
    char *folder = takt_arena_print(arena, "%s/" PREFIX "%d-%s", parent(), (int)getpid(), letters);
    if (is_made) *lock = lock_folder(fresh);
    if (is_made && folder && rename(fresh, folder) == 0) {
        *out = folder;
        return TAKT_OK;
    }
    int number = errno;
    if (is_made) rmdir(fresh);
    if (!folder) return takt_fail_memory(err);
    return takt_fail(err, takt_status_of_errno(number, TAKT_ERR_OUTPUT),
                     "the sandbox has no folder to work in: %s: %s", fresh, strerror(number));
}
