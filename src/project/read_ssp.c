// SPDX-License-Identifier: MIT
// Packages of SSP: archives (.ssp) and folders with a SystemStructure.ssd. Further *.ssd files at the top
// are variants of it (SSP standard, chapter 3), of which the user may choose one by the name of its file
// or by its own name.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "project/ssd_reader.h"

static const char default_file[] = "SystemStructure.ssd";

// ---- variants ------------------------------------------------------------------------------------

typedef struct file_list {
    takt_arena *arena; // of the names
    const char **names; // malloc'ed
    int n_names, capacity;
} file_list;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static takt_status add_variant(void *context, const char *file, takt_error *err)
{
    file_list *list = context;
    size_t length = strlen(file);
    if (length < 5 || strcmp(file + length - 4, ".ssd") != 0) return TAKT_OK;
    const char *name = takt_arena_copy(list->arena, file);
    if (!name || !takt_grow(&list->names, list->n_names, &list->capacity, sizeof *list->names))
        return takt_fail_memory(err);
    list->names[list->n_names++] = name;
    return TAKT_OK;
}

// The *.ssd files at the top of a package, sorted.
static takt_status list_variants(takt_arena *arena, const char *folder, file_list *out,
                                 takt_error *err)
{
    out->arena = arena;
    takt_status st = takt_folder_visit(folder, add_variant, out, err);
    if (out->n_names) qsort(out->names, (size_t)out->n_names, sizeof *out->names, compare_names);
    return st;
}

// Is this the name that a SystemStructureDescription has for users? A file that cannot be read has none.
static takt_status has_own_name(takt_arena *arena, const char *folder, const char *file,
                                const char *variant, bool *out, takt_error *err)
{
    const char *path = takt_path_join(arena, folder, file);
    if (!path) return takt_fail_memory(err);
    takt_xml_tree *tree = NULL;
    takt_status st = takt_xml_tree_open(path, file, &tree, NULL);
    if (st == TAKT_ERR_MEMORY) return takt_fail_memory(err);
    const char *name = st ? NULL : takt_xml_element_attribute(takt_xml_tree_root(tree), "name");
    *out = name && strcmp(name, variant) == 0;
    takt_xml_tree_close(tree);
    return TAKT_OK;
}

static bool is_named(const char *file, const char *variant)
{
    size_t n = strlen(variant);
    return strncmp(file, variant, n) == 0 && (!file[n] || strcmp(file + n, ".ssd") == 0);
}

static const char *join_names(takt_arena *arena, const file_list *files)
{
    takt_text list = {0};
    for (int i = 0; i < files->n_names; i++)
        takt_text_print(&list, "%s%s", i ? ", " : "", files->names[i]);
    const char *names = list.failed ? NULL : takt_arena_copy(arena, list.data ? list.data : "none");
    takt_text_clear(&list);
    return names ? names : "?";
}

const char *takt_ssd_variants(takt_arena *arena, const char *folder)
{
    file_list files = {0};
    takt_status st = list_variants(arena, folder, &files, NULL);
    const char *names = st ? "?" : join_names(arena, &files);
    free(files.names);
    return names;
}

// The file in `folder` that is to be read, in the project's arena.
static takt_status choose_file(takt_project *project, const char *folder, const char **out,
                               takt_error *err)
{
    if (!project->variant) {
        *out = default_file;
        return TAKT_OK;
    }
    takt_arena *arena = &project->arena;
    file_list files = {0};
    const char *found = NULL;
    takt_status st = list_variants(arena, folder, &files, err);
    for (int i = 0; !st && !found && i < files.n_names; i++)
        if (is_named(files.names[i], project->variant)) found = files.names[i];
    for (int i = 0; !st && !found && i < files.n_names; i++) {
        bool is_it = false;
        st = has_own_name(arena, folder, files.names[i], project->variant, &is_it, err);
        if (is_it) found = files.names[i];
    }
    if (!st && !found)
        st = takt_fail(err, TAKT_ERR_USAGE, "%s: there is no variant '%s'; possible are %s",
                       project->path, project->variant, join_names(arena, &files));
    if (!st) *out = found;
    free(files.names);
    return st;
}

// ---- packages ------------------------------------------------------------------------------------

static takt_status find_place(takt_project *project, const char *folder, bool is_archive,
                              takt_ssd_document *out, takt_error *err)
{
    takt_arena *arena = &project->arena;
    const char *file = NULL;
    takt_status st = choose_file(project, folder, &file, err);
    if (st) return st;
    *out = (takt_ssd_document){.path = takt_path_join(arena, folder, file),
                               .shown = takt_path_join(arena, project->path, file)};
    if (!out->path || !out->shown) return takt_fail_memory(err);
    if (is_archive) {
        out->package = folder;
        out->package_shown = project->path;
    }
    if (takt_path_is_file(out->path)) return TAKT_OK;
    const char *others = project->variant ? "none" : takt_ssd_variants(arena, folder);
    bool has_others = strcmp(others, "none") != 0 && strcmp(others, "?") != 0;
    return takt_fail(err, TAKT_ERR_INPUT, "%s: has no %s at its top%s%s%s", project->path, file,
                     has_others ? ", but " : "; is it an SSP?", has_others ? others : "",
                     has_others ? "; --variant NAME chooses one of these" : "");
}

takt_status takt_project_read_ssp(takt_project *project, takt_error *err)
{
    bool is_archive = !takt_path_is_folder(project->path);
    const char *folder = project->path;
    takt_ssd_document place;
    takt_status st =
        is_archive
            ? takt_project_unpack(project, takt_project_file(project, project->path), &folder, err)
            : TAKT_OK;
    if (!st) st = find_place(project, folder, is_archive, &place, err);
    if (st) return st;
    if (is_archive) project->package = folder;
    return takt_ssd_read_project(project, &place, err);
}
