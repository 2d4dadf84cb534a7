// SPDX-License-Identifier: MIT
// Files and folders over POSIX; see file.h.
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/replace.h"
#include "base/text.h"

static const char *name_at(void *names, int i)
{
    return ((const char **)names)[i];
}

// Finds the file in the same folder, with the same ending, whose name is most like that of one which does
// not exist. Cannot fail: for many callers a missing file is no problem.
static bool find_similar(const char *path, char best[NAME_MAX + 1])
{
    char folder[PATH_MAX];
    const char *missing = takt_path_name(path), *ending = strrchr(missing, '.');
    int length = (int)(missing - path);
    best[0] = 0;
    if (!ending || length >= (int)sizeof folder) return false;
    snprintf(folder, sizeof folder, "%.*s", length, path);
    DIR *entries = opendir(length ? folder : ".");
    const struct dirent *entry;
    for (int n = 0; entries && n < 1000 && (entry = readdir(entries)); n++) {
        const char *other = strrchr(entry->d_name, '.');
        if (!other || strcasecmp(other, ending) != 0) continue;
        const char *names[] = {best, entry->d_name};
        const char *nearest = takt_text_nearest(missing, 2, name_at, names);
        if (nearest == names[1]) snprintf(best, NAME_MAX + 1, "%s", nearest);
    }
    if (entries) closedir(entries);
    return best[0];
}

static takt_status fail_to_open(const char *path, const char *shown, int number, takt_error *err)
{
    char similar[NAME_MAX + 1];
    bool is_found = number == ENOENT && find_similar(path, similar);
    return takt_fail(err, takt_status_of_errno(number, TAKT_ERR_INPUT),
                     "%s: cannot be opened: %s%s%s%s", shown, strerror(number),
                     is_found ? "; did you mean '" : "", is_found ? similar : "",
                     is_found ? "'?" : "");
}

takt_status takt_file_open_as(const char *path, const char *shown, FILE **out, takt_error *err)
{
    // O_NONBLOCK: opening a pipe would wait until another process writes to it.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return fail_to_open(path, shown, errno, err);
    struct stat status;
    FILE *file = NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        file = fdopen(fd, "rb");
        if (!file) takt_fail_memory(err);
    } else {
        takt_fail(err, TAKT_ERR_INPUT, "%s: is not a file%s", shown,
                  takt_path_is_folder(path) ? " but a folder" : "");
    }
    if (!file) {
        close(fd);
        return err ? err->status : TAKT_ERR_INPUT;
    }
    *out = file;
    return TAKT_OK;
}

takt_status takt_file_open(const char *path, FILE **out, takt_error *err)
{
    return takt_file_open_as(path, path, out, err);
}

static takt_status fail_large(const char *path, size_t limit, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_INPUT, "%s: the file is larger than %zu bytes", path, limit);
}

// Reads until the end, into memory that grows as the file turns out to be: its size may change while
// we read, and files in /proc claim to be empty.
static takt_status read_stream(FILE *file, const char *path, size_t limit, size_t expected,
                               char **out, size_t *size, takt_error *err)
{
    size_t capacity = expected < limit ? expected + 2 : limit + 2;
    char *data = malloc(capacity);
    size_t used = 0;
    while (data) {
        used += fread(data + used, 1, capacity - 1 - used, file);
        if (used < capacity - 1 || used > limit) break;
        capacity = capacity < limit / 2 ? 2 * capacity : limit + 2;
        char *grown = realloc(data, capacity);
        if (!grown) free(data);
        data = grown;
    }
    if (!data) return takt_fail_memory(err);
    if (ferror(file) || used > limit) {
        free(data);
        if (used > limit) return fail_large(path, limit, err);
        return takt_fail(err, TAKT_ERR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    }
    data[used] = 0;
    *out = data;
    *size = used;
    return TAKT_OK;
}

takt_status takt_file_read_as(const char *path, const char *shown, size_t limit, char **out,
                              size_t *size, takt_error *err)
{
    FILE *file = NULL;
    takt_status st = takt_file_open_as(path, shown, &file, err);
    if (st) return st;
    if (limit > SIZE_MAX / 4) limit = SIZE_MAX / 4;
    struct stat status;
    size_t expected = fstat(fileno(file), &status) == 0 ? (size_t)status.st_size : 0;
    st = expected > limit ? fail_large(shown, limit, err)
                          : read_stream(file, shown, limit, expected, out, size, err);
    fclose(file);
    return st;
}

takt_status takt_file_read(const char *path, size_t limit, char **out, size_t *size,
                           takt_error *err)
{
    return takt_file_read_as(path, path, limit, out, size, err);
}

takt_status takt_file_write(const char *path, const void *data, size_t size, takt_error *err)
{
    takt_replacement r;
    takt_status st = takt_replace_begin(path, &r, err);
    if (st) return st;
    if (fwrite(data, 1, size, r.file) != size)
        st = takt_fail(err, TAKT_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
    return takt_replace_end(&r, st, err);
}

// Is the rest of both files the same?
static bool is_same_content(FILE *a, FILE *b)
{
    char x[4096], y[4096];
    for (;;) {
        size_t n = fread(x, 1, sizeof x, a);
        if (fread(y, 1, sizeof y, b) != n || memcmp(x, y, n) != 0) return false;
        if (n < sizeof x) return !ferror(a) && !ferror(b);
    }
}

static takt_status copy_content(FILE *from, const char *to, takt_error *err)
{
    char piece[1 << 16];
    takt_replacement r;
    takt_status st = takt_replace_begin(to, &r, err);
    if (st) return st;
    for (size_t n = sizeof piece; !st && n == sizeof piece;) {
        n = fread(piece, 1, sizeof piece, from);
        if (fwrite(piece, 1, n, r.file) != n || ferror(from))
            st = takt_fail(err, TAKT_ERR_OUTPUT, "%s: cannot be written: %s", to, strerror(errno));
    }
    return takt_replace_end(&r, st, err);
}

static takt_status fail_other_content(const char *path, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_OUTPUT,
                     "%s: is there already, with other content; remove it or choose another folder",
                     path);
}

takt_status takt_file_write_new(const char *path, const void *data, size_t size, takt_error *err)
{
    if (!takt_path_is_file(path)) return takt_file_write(path, data, size, err);
    char *old = NULL;
    size_t old_size = 0;
    bool is_same = takt_file_read(path, size + 1, &old, &old_size, NULL) == TAKT_OK &&
                   old_size == size && memcmp(old, data, size) == 0;
    free(old);
    return is_same ? TAKT_OK : fail_other_content(path, err);
}

takt_status takt_file_copy(const char *from, const char *to, takt_error *err)
{
    FILE *source = NULL, *old = NULL;
    takt_status st = takt_file_open(from, &source, err);
    if (st) return st;
    if (takt_path_is_file(to)) {
        st = takt_file_open(to, &old, err);
        if (!st && !is_same_content(source, old)) st = fail_other_content(to, err);
    } else {
        st = copy_content(source, to, err);
    }
    if (old) fclose(old);
    fclose(source);
    return st;
}

takt_status takt_file_rename(const char *from, const char *to, takt_error *err)
{
    if (rename(from, to) == 0) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_OUTPUT, "%s: cannot be renamed to %s: %s", from, to,
                     strerror(errno));
}

takt_status takt_file_swap(const char *from, const char *to, takt_error *err)
{
    // The C library declares renameat2() and RENAME_EXCHANGE (2) only among GNU extensions.
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 2u) == 0) return TAKT_OK;
    if (errno == ENOENT) return takt_file_rename(from, to, err);
    return takt_fail(err, TAKT_ERR_OUTPUT, "%s and %s cannot change places: %s", from, to,
                     strerror(errno));
}

takt_status takt_folder_create(const char *path, takt_error *err)
{
    char partial[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof partial)
        return takt_fail(err, TAKT_ERR_OUTPUT, "the path of a folder has %zu characters", length);
    memcpy(partial, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (partial[i] != '/' && partial[i] != 0) continue;
        partial[i] = 0;
        if (mkdir(partial, 0777) != 0 && !takt_path_is_folder(partial))
            return takt_fail(err, TAKT_ERR_OUTPUT, "%s: the folder cannot be made: %s", partial,
                             strerror(errno));
        partial[i] = path[i];
    }
    return TAKT_OK;
}

void takt_folder_remove_empty(const char *path)
{
    rmdir(path);
}

takt_status takt_folder_create_temporary(takt_arena *arena, const char *parent, const char *prefix,
                                         char **out, takt_error *err)
{
    if (!parent) parent = getenv("TMPDIR");
    if (!parent || !parent[0]) parent = "/tmp";
    char *path = takt_arena_print(arena, "%s/%sXXXXXX", parent, prefix);
    if (!path) return takt_fail_memory(err);
    if (!mkdtemp(path))
        return takt_fail(err, TAKT_ERR_OUTPUT, "%s: a temporary folder cannot be made: %s", parent,
                         strerror(errno));
    *out = path;
    return TAKT_OK;
}
