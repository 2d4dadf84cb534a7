// SPDX-License-Identifier: MIT
// Paths over POSIX; see path.h.
#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const char *takt_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *takt_path_join(takt_arena *arena, const char *folder, const char *name)
{
    if (name[0] == '/' || folder[0] == 0) return takt_arena_copy(arena, name);
    size_t length = strlen(folder);
    const char *separator = folder[length - 1] == '/' ? "" : "/";
    return takt_arena_print(arena, "%s%s%s", folder, separator, name);
}

char *takt_path_folder(takt_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return takt_arena_copy(arena, ".");
    return takt_arena_copy_n(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

char *takt_path_absolute(takt_arena *arena, const char *path)
{
    if (path[0] == '/') return takt_arena_copy(arena, path);
    char *current = getcwd(NULL, 0);
    if (!current) return NULL;
    char *absolute = takt_path_join(arena, current, path);
    free(current);
    return absolute;
}

// RFC 3986, section 2.3, and the separator of paths.
static bool is_plain_in_uri(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~/", c));
}

char *takt_path_uri(takt_arena *arena, const char *absolute_path)
{
    static const char digits[] = "0123456789ABCDEF", scheme[] = "file://";
    char *uri = takt_arena_alloc(arena, sizeof scheme + 3 * strlen(absolute_path));
    if (!uri) return NULL;
    memcpy(uri, scheme, sizeof scheme - 1);
    char *end = uri + sizeof scheme - 1;
    for (const char *c = absolute_path; *c; c++) {
        if (is_plain_in_uri(*c)) {
            *end++ = *c;
            continue;
        }
        *end++ = '%';
        *end++ = digits[(unsigned char)*c >> 4];
        *end++ = digits[(unsigned char)*c & 15];
    }
    *end = 0;
    return uri;
}

// Does errno say that there is no such file? Everything else leaves it open.
static bool says_missing(void)
{
    return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG;
}

takt_status takt_path_real(takt_arena *arena, const char *path, const char **out, takt_error *err)
{
    char *real = realpath(path, NULL);
    if (!real && !says_missing())
        return takt_fail(err, takt_status_of_errno(errno, TAKT_ERR_INPUT),
                         "%s: cannot be found: %s", path, strerror(errno));
    const char *copy = real ? takt_arena_copy(arena, real) : NULL;
    bool is_copied = copy || !real;
    free(real);
    if (!is_copied) return takt_fail_memory(err);
    *out = copy;
    return TAKT_OK;
}

char *takt_path_relative(takt_arena *arena, const char *folder, const char *path)
{
    size_t common = 0; // characters, up to and with a slash
    for (size_t i = 0; folder[i] == path[i] || (!folder[i] && path[i] == '/'); i++) {
        if (path[i] == '/') common = i + 1;
        if (!folder[i]) break;
    }
    int n_up = 0;
    if (common <= strlen(folder) && folder[common])
        for (const char *c = folder + common - 1; c; c = strchr(c + 1, '/')) n_up++;
    const char *rest = path + common;
    char *out = takt_arena_alloc(arena, 3 * (size_t)n_up + strlen(rest) + 1);
    for (int i = 0; out && i < n_up; i++) memcpy(out + 3 * (size_t)i, "../", 3);
    if (out) memcpy(out + 3 * (size_t)n_up, rest, strlen(rest) + 1);
    return out;
}

bool takt_path_is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? S_ISREG(status.st_mode) : !says_missing();
}

bool takt_path_may_be_file(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

bool takt_path_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool takt_path_is_program(const char *path)
{
    return access(path, X_OK) == 0 || errno == EIO || errno == ENOMEM;
}

static takt_status find(const char *path, mode_t kind, bool *out, takt_error *err)
{
    struct stat status;
    bool is_there = stat(path, &status) == 0;
    if (!is_there && !says_missing())
        return takt_fail(err, takt_status_of_errno(errno, TAKT_ERR_INPUT), "%s: cannot be read: %s",
                         path, strerror(errno));
    *out = is_there && (status.st_mode & S_IFMT) == kind;
    return TAKT_OK;
}

takt_status takt_path_find_folder(const char *path, bool *out, takt_error *err)
{
    return find(path, S_IFDIR, out, err);
}

takt_status takt_path_find_file(const char *path, bool *out, takt_error *err)
{
    return find(path, S_IFREG, out, err);
}

bool takt_path_ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), n_ending = strlen(ending);
    return n >= n_ending && strcasecmp(path + n - n_ending, ending) == 0;
}

bool takt_path_is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (stat(a, &of_a) != 0 || stat(b, &of_b) != 0) return strcmp(a, b) == 0;
    return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}
