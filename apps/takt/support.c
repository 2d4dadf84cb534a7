// SPDX-License-Identifier: MIT
// Small helpers; see support.h.
#include "support.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

takt_status cli_fail(takt_error *err, takt_status status, const char *format, ...)
{
    if (!err) return status; // an earlier error is the one that is told
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    if (wanted >= TAKT_MESSAGE_SIZE) memcpy(err->message + TAKT_MESSAGE_SIZE - 4, "...", 4);
    err->status = status;
    return status;
}

takt_status cli_fail_memory(takt_error *err)
{
    return cli_fail(err, TAKT_ERR_MEMORY, "out of memory");
}

bool cli_grow(void *items, int n_items, int *capacity, size_t item_size)
{
    if (n_items < *capacity) return true;
    int wanted = *capacity ? 2 * *capacity : 8;
    void *old;
    memcpy(&old, items, sizeof old);
    void *grown = reallocarray(old, (size_t)wanted, item_size);
    if (!grown) return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

double cli_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Of a file that does not exist yet: the folder that it would be in, and its name there. Returns NULL where there is no such
// folder.
static const char *find_place(const char *path, struct stat *folder)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    bool is_found = parent && stat(parent, folder) == 0;
    free(parent);
    if (!is_found) return NULL;
    return slash ? slash + 1 : path;
}

bool cli_is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    bool has_a = stat(a, &of_a) == 0, has_b = stat(b, &of_b) == 0;
    if (!has_a && !has_b) {
        const char *name_a = find_place(a, &of_a), *name_b = find_place(b, &of_b);
        if (!name_a || !name_b) return strcmp(a, b) == 0;
        return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino &&
               strcmp(name_a, name_b) == 0;
    }
    if (!has_a || !has_b) return false;
    return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

bool cli_ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), n_ending = strlen(ending);
    return n >= n_ending && strcasecmp(path + n - n_ending, ending) == 0;
}

takt_status cli_file_read(const char *path, char **out, size_t *size, takt_error *err)
{
    enum { MAX_FILE = 1 << 30 }; // bytes
    FILE *file = fopen(path, "rb");
    if (!file) return cli_fail(err, TAKT_ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
    char *text = NULL;
    size_t n = 0, capacity = 0, got = 1;
    takt_status st = TAKT_OK;
    while (!st && got) {
        if (n + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 65536;
            char *grown = realloc(text, capacity);
            if (grown)
                text = grown;
            else
                st = cli_fail_memory(err);
        }
        got = st ? 0 : fread(text + n, 1, capacity - n - 1, file);
        n += got;
        if (!st && n > MAX_FILE)
            st = cli_fail(err, TAKT_ERR_INPUT, "%s: is larger than 1 GiB", path);
    }
    if (!st && ferror(file))
        st = cli_fail(err, TAKT_ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
    fclose(file);
    if (st) {
        free(text);
        return st;
    }
    text[n] = 0;
    *out = text;
    *size = n;
    return TAKT_OK;
}
