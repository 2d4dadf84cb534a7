// SPDX-License-Identifier: MIT
// Small files that are complete or not there; see whole_file.h.
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Where a file is written: beside its place, to take it later, or in place.
typedef struct target {
    char *path, *part; // part is NULL: in place
    int file; // -1: it could not be opened
} target;

// Behind a symbolic link is the file that is meant.
static bool find_place(const char *path, target *out, struct stat *status)
{
    bool is_there = stat(path, status) == 0;
    char *place = is_there ? realpath(path, NULL) : strdup(path);
    size_t size = place ? strlen(place) + 32 : 0;
    out->path = place;
    if (!place || (is_there && !S_ISREG(status->st_mode))) return is_there;
    out->part = malloc(size);
    if (out->part) snprintf(out->part, size, "%s.part-%ld", place, (long)getpid());
    return is_there;
}

static void open_target(const char *path, target *out)
{
    struct stat status = {0};
    *out = (target){.file = -1};
    bool is_there = find_place(path, out, &status);
    if (!out->path) return;
    if (out->part) out->file = open(out->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out->file >= 0 && is_there) fchmod(out->file, status.st_mode & 07777);
    if (out->file >= 0 || !is_there) return;
    free(out->part);
    out->part = NULL;
    out->file = open(out->path, O_WRONLY | O_CLOEXEC);
}

// Returns false, with errno as it was, if all went not well.
static bool close_target(target *at, bool is_good)
{
    int reason = errno;
    if (at->file >= 0 && close(at->file) != 0 && is_good) reason = errno, is_good = false;
    if (is_good && at->part && rename(at->part, at->path) != 0) reason = errno, is_good = false;
    if (!is_good && at->part && at->file >= 0) unlink(at->part);
    free(at->path);
    free(at->part);
    errno = reason;
    return is_good;
}

bool cli_whole_file_is_possible(const char *path)
{
    target at;
    open_target(path, &at);
    bool is_possible = at.file >= 0;
    close_target(&at, false);
    return is_possible;
}

static bool write_all(int file, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t n = write(file, text, left);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text += n;
        left -= (size_t)n;
    }
    return true;
}

bool cli_whole_file_write(const char *path, const char *text, const char *end)
{
    target at;
    open_target(path, &at);
    bool is_good = at.file >= 0;
    if (is_good && !at.part && ftruncate(at.file, 0) != 0 && errno != EINVAL) is_good = false;
    return close_target(&at, is_good && write_all(at.file, text) && write_all(at.file, end));
}
