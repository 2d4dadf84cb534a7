// SPDX-License-Identifier: MIT
// Files that replace others in one step; see replace.h.
#define _GNU_SOURCE // O_TMPFILE
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUFFIX = 48, TRIES = 100 }; // longest end of the name of a part; names that are tried

static takt_status fail_to_write(const char *path, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
}

static void name_part(takt_replacement *r, int i)
{
    snprintf(r->part, strlen(r->path) + SUFFIX, "%s.%ld-%d.part", r->path, (long)getpid(), i);
}

// Makes a new file without a name in the folder of the old one; false: that is not possible here.
static bool open_nameless(takt_replacement *r)
{
#ifdef O_TMPFILE
    if (access("/proc/self/fd", X_OK) != 0) return false; // needed to give it a name
    const char *slash = strrchr(r->path, '/');
    char *folder = slash ? strndup(r->path, (size_t)(slash - r->path) + 1) : strdup(".");
    int fd = folder ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    free(folder);
    r->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !r->file) close(fd);
    r->is_nameless = r->file != NULL;
#endif
    return r->file != NULL;
}

// Makes a new file beside the old one; false: that is not possible.
static bool open_part(takt_replacement *r)
{
    if (open_nameless(r)) return true;
    for (int i = 0; i < TRIES; i++) {
        name_part(r, i);
        r->file = fopen(r->part, "wbxe");
        if (r->file) return true;
        if (errno != EEXIST) break;
    }
    return false;
}

// Gives a complete file without a name the one of a part.
static bool give_name(takt_replacement *r)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fileno(r->file));
    for (int i = 0; i < TRIES && r->is_nameless; i++) {
        name_part(r, i);
        if (linkat(AT_FDCWD, link, AT_FDCWD, r->part, AT_SYMLINK_FOLLOW) == 0)
            r->is_nameless = false;
        else if (errno != EEXIST)
            break;
    }
    return !r->is_nameless;
}

static takt_status begin(const char *path, bool is_safe, takt_replacement *out, takt_error *err)
{
    struct stat old;
    takt_replacement r = {.is_safe = is_safe};
    // The file that a link leads to is replaced, not the link.
    bool is_there = stat(path, &old) == 0, is_missing = !is_there && errno == ENOENT;
    r.path = is_there && S_ISREG(old.st_mode) ? realpath(path, NULL) : strdup(path);
    r.part = r.path ? malloc(strlen(r.path) + SUFFIX) : NULL;
    if (!r.part) {
        free(r.path);
        return takt_fail_memory(err);
    }
    r.has_old = is_there && S_ISREG(old.st_mode);
    if (r.has_old) r.mode = old.st_mode & 07777;
    bool may_replace = is_there ? r.has_old && access(r.path, W_OK) == 0 : is_missing;
    if (!may_replace || !open_part(&r)) {
        free(r.part);
        r.part = NULL;
        if (!is_safe)
            r.file = fopen(r.path, "wbe");
        else if (is_there && !r.has_old)
            errno = EINVAL;
    }
    if (!r.file) {
        takt_status st = fail_to_write(path, err);
        free(r.path);
        return st;
    }
    *out = r;
    return TAKT_OK;
}

takt_status takt_replace_begin(const char *path, takt_replacement *out, takt_error *err)
{
    return begin(path, false, out, err);
}

takt_status takt_replace_begin_safely(const char *path, takt_replacement *out, takt_error *err)
{
    return begin(path, true, out, err);
}

// What is replaced must not be lost: the new file is on the disk before the old one goes.
static bool close_file(takt_replacement *r, bool is_complete)
{
    bool ok = fflush(r->file) == 0 && !ferror(r->file);
    if (ok && (r->has_old || r->is_safe) && r->part)
        ok = fsync(fileno(r->file)) == 0 || errno == EINVAL;
    if (ok && is_complete && r->is_nameless) ok = give_name(r);
    int problem = ok ? 0 : errno;
    if (fclose(r->file) != 0 && ok) ok = false, problem = errno;
    if (!ok) errno = problem;
    return ok;
}

// The new name must survive, too. Where folders cannot be synchronised, nothing more is possible.
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

takt_status takt_replace_end(takt_replacement *r, takt_status st, takt_error *err)
{
    if (!r->path) return st;
    bool ok = close_file(r, !st);
    if (!st && r->part && ok)
        ok = (!r->has_old || chmod(r->part, r->mode) == 0) && rename(r->part, r->path) == 0;
    if (!st && !ok) st = fail_to_write(r->path, err);
    if (!st && r->is_safe) sync_folder(r->path);
    if (st && r->part && !r->is_nameless) remove(r->part);
    struct stat status;
    if (st && !r->part && !r->has_old && lstat(r->path, &status) == 0 && S_ISREG(status.st_mode))
        remove(r->path); // half a file is of no use
    free(r->part);
    free(r->path);
    *r = (takt_replacement){0};
    return st;
}
