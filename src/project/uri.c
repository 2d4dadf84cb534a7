// SPDX-License-Identifier: MIT
// URIs turned into paths; see uri.h.
#include "project/uri.h"

#include <string.h>

#include "base/file.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Decodes %20 and the like in place. Returns false for a wrong code and for an encoded 0.
static bool decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        *to = *from++;
        if (*to != '%') continue;
        int high = hex_digit(from[0]);
        int low = high < 0 ? -1 : hex_digit(from[1]);
        if (low < 0 || high + low == 0) return false;
        *to = (char)(high * 16 + low);
        from += 2;
    }
    *to = 0;
    return true;
}

// Leaves out "." between slashes, and double slashes, in place.
static void simplify(char *path)
{
    char *to = path;
    for (const char *from = path; *from;) {
        size_t length = strcspn(from, "/");
        const char *next = from + length + (from[length] == '/');
        if (length > 1 || (length == 1 && *from != '.')) {
            memmove(to, from, (size_t)(next - from));
            to += next - from;
        }
        from = next;
    }
    *to = 0;
}

static const char *what_is_wrong(const char *uri)
{
    if (!*uri || *uri == '#') return "names no file";
    if (uri[strcspn(uri, ":/")] == ':') return "is not a file; only paths are possible";
    if (strpbrk(uri, "?#")) return "contains '?' or '#'; only files can be referred to";
    return NULL;
}

takt_status takt_uri_resolve(takt_arena *arena, const char *project_path, const char *uri,
                             const char **out, takt_error *err)
{
    if (strncmp(uri, "file:///", 8) == 0) uri += 7;
    const char *wrong = what_is_wrong(uri);
    if (wrong) return takt_fail(err, TAKT_ERR_INPUT, "'%s' %s", uri, wrong);
    char *path = takt_arena_copy(arena, uri);
    if (!path) return takt_fail_memory(err);
    if (!decode(path))
        return takt_fail(err, TAKT_ERR_INPUT,
                         "'%s' has a '%%' that is not followed by a code such "
                         "as %%20",
                         uri);
    bool is_absolute = *path == '/';
    simplify(path + is_absolute);
    if (!path[is_absolute]) return takt_fail(err, TAKT_ERR_INPUT, "'%s' names no file", uri);
    if (is_absolute || !strchr(project_path, '/')) {
        *out = path;
        return TAKT_OK;
    }
    const char *folder = takt_path_folder(arena, project_path);
    path = folder ? takt_path_join(arena, folder, path) : NULL;
    if (!path) return takt_fail_memory(err);
    *out = path;
    return TAKT_OK;
}

// Does the path, seen from a folder `depth` levels below the top, stay below it?
static bool stays_inside(const char *path, int depth)
{
    for (const char *at = path; *at;) {
        size_t length = strcspn(at, "/");
        depth += length == 2 && strncmp(at, "..", 2) == 0 ? -1 : 1;
        if (depth < 0) return false;
        at += length + (at[length] == '/');
    }
    return true;
}

takt_status takt_uri_resolve_inside(takt_arena *arena, const char *package, const char *path,
                                    const char *uri, const char **out, takt_error *err)
{
    const char *relative = NULL;
    takt_status st = takt_uri_resolve(arena, "", uri, &relative, err);
    if (st) return st;
    if (*relative == '/')
        return takt_fail(err, TAKT_ERR_INPUT,
                         "'%s' is an absolute path, which is not allowed inside a package", uri);
    size_t length = strlen(package);
    const char *below = strncmp(path, package, length) == 0 ? path + length : path;
    int depth = 0;
    for (below += strspn(below, "/"); (below = strchr(below, '/')); below++) depth++;
    if (!stays_inside(relative, depth))
        return takt_fail(err, TAKT_ERR_INPUT, "'%s' leaves the package, which is not allowed", uri);
    const char *folder = takt_path_folder(arena, path);
    const char *joined = folder ? takt_path_join(arena, folder, relative) : NULL;
    if (!joined) return takt_fail_memory(err);
    *out = joined;
    return TAKT_OK;
}

char *takt_uri_of_path(takt_arena *arena, const char *path)
{
    char *uri = takt_path_uri(arena, path);
    return uri ? uri + strlen("file://") : NULL;
}

bool takt_uri_is_builtin(const char *uri)
{
    return strncmp(uri, "builtin:", 8) == 0;
}
