// SPDX-License-Identifier: MIT
// Files that the page may name; see ui_paths.h.
#include "ui_paths.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support.h"
#include "ui_text.h"

enum { MAX_DEPTH = 3, MAX_FILES = 2000 };

static bool is_within(const char *root, const char *path)
{
    size_t length = strlen(root);
    if (strcmp(root, "/") == 0) return true;
    return strncmp(path, root, length) == 0 && (path[length] == '/' || !path[length]);
}

// Of a file that does not exist yet, the folder is resolved.
static takt_status resolve_new(char *path, char **out, takt_error *err)
{
    char *slash = strrchr(path, '/');
    *slash = 0;
    char *folder = realpath(*path ? path : "/", NULL);
    if (!folder || !slash[1] || strcmp(slash + 1, ".") == 0 || strcmp(slash + 1, "..") == 0) {
        free(folder);
        return cli_fail(err, TAKT_ERR_USAGE, "there is no folder %s", path);
    }
    ui_text joined = {0};
    ui_text_print(&joined, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, slash + 1);
    *out = ui_text_take(&joined);
    free(folder);
    return *out ? TAKT_OK : cli_fail_memory(err);
}

takt_status ui_path_resolve(const char *root, const char *name, char **out, takt_error *err)
{
    struct stat status;
    char *found = NULL;
    ui_text joined = {0};
    if (!*name || strlen(root) + strlen(name) + 2 > PATH_MAX)
        return cli_fail(err, TAKT_ERR_USAGE, "the name of a file is empty or too long");
    ui_text_print(&joined, "%s%s%s", *name == '/' ? "" : root, *name == '/' ? "" : "/", name);
    char *path = ui_text_take(&joined);
    if (!path) return cli_fail_memory(err);
    takt_status st = TAKT_OK;
    if (lstat(path, &status) == 0) {
        found = realpath(path, NULL);
        if (!found) st = cli_fail(err, TAKT_ERR_USAGE, "%s cannot be opened", name);
    } else
        st = resolve_new(path, &found, err);
    free(path);
    if (!st && !is_within(root, found))
        st = cli_fail(err, TAKT_ERR_USAGE,
                      "%s is not in the folder of the project; only files in it can be used here",
                      name);
    if (st)
        free(found);
    else
        *out = found;
    return st;
}

const char *ui_path_shown(const char *root, const char *path)
{
    size_t length = strlen(root);
    return is_within(root, path) && path[length] ? path + length + 1 : path;
}

// ---- what lies in the folder -----------------------------------------------------------------------

typedef struct listing {
    json_t *fmus, *tables, *projects;
    size_t root_length;
    int n_files;
} listing;

static json_t *list_of(const listing *l, const char *path)
{
    static const char *const projects[] = {".ssp", ".ssd", ".msim", ".eas"};
    if (cli_ends_in(path, ".fmu")) return l->fmus;
    if (cli_ends_in(path, ".csv") || cli_ends_in(path, ".tsv") || cli_ends_in(path, ".mat"))
        return l->tables;
    for (size_t i = 0; i < sizeof projects / sizeof *projects; i++)
        if (cli_ends_in(path, projects[i])) return l->projects;
    return cli_ends_in(path, "OspSystemStructure.xml") ? l->projects : NULL;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void list_folder(listing *l, const char *folder, int depth)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, is_visible, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        struct stat status;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
        if (length >= (int)sizeof path || lstat(path, &status) != 0) continue;
        json_t *list = list_of(l, path);
        if (S_ISDIR(status.st_mode) && depth < MAX_DEPTH) list_folder(l, path, depth + 1);
        if (S_ISREG(status.st_mode) && list && l->n_files++ < MAX_FILES)
            json_array_append_new(list, json_string(path + l->root_length + 1));
    }
    free(entries);
}

json_t *ui_folder_list(const char *root)
{
    listing l = {json_array(), json_array(), json_array(), strlen(root), 0};
    list_folder(&l, root, 1);
    return json_pack("{s:o,s:o,s:o,s:s}", "fmus", l.fmus, "tables", l.tables, "projects",
                     l.projects, "root", strrchr(root, '/') + 1);
}
