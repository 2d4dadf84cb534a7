// SPDX-License-Identifier: MIT
// Writes a project as SSP: a SystemStructureDescription (.ssd), or a package (.ssp) with all the files
// that it needs in resources/. The description that was read is changed only where it must be, so that
// what Takt does not know (geometry, annotations of others, meta data) survives.
#include "project/write_ssp.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/zip_write.h"
#include "project/ssd_reader.h"
#include "project/uri.h"

typedef struct writer {
    takt_project *project;
    takt_arena arena;
    const char *path; // of the new file
    const char *folder; // real path of the folder of a new .ssd
    takt_zip_writer *zip; // NULL: a .ssd is written
    takt_map packed; // real path of a file -> index in names
    takt_map taken; // names in resources/
    const char **names; // malloc'ed; without "resources/"
    int n_names, name_capacity;
} writer;

// ---- files that are packed -------------------------------------------------------------------------

static takt_status rewrite_references(writer *w, takt_xml_element *element, const char *document,
                                      const char *prefix, takt_error *err);

// A name in resources/ that no other file has.
static const char *free_name(writer *w, const char *path)
{
    const char *name = takt_path_name(path);
    const char *dot = strrchr(name, '.');
    if (!dot) dot = name + strlen(name);
    const char *chosen = takt_arena_copy(&w->arena, name);
    for (int i = 2; chosen && takt_map_find(&w->taken, chosen) >= 0; i++)
        chosen = takt_arena_print(&w->arena, "%.*s_%d%s", (int)(dot - name), name, i, dot);
    return chosen;
}

// Packs a description that refers to files itself.
static takt_status pack_description(writer *w, const char *name, const char *path, takt_error *err)
{
    takt_xml_tree *tree = NULL;
    char *text = NULL;
    size_t size = 0;
    takt_status st = takt_xml_tree_open(path, path, &tree, err);
    if (!st) st = rewrite_references(w, takt_xml_edit_root(tree), path, "", err);
    if (!st) st = takt_xml_tree_write(tree, &text, &size, err);
    if (!st) st = takt_zip_add_data(w->zip, name, text, size, err);
    free(text);
    takt_xml_tree_close(tree);
    return st;
}

// Packs a file, once, and tells its name in resources/.
static takt_status pack(writer *w, const char *path, const char **out, takt_error *err)
{
    const char *real = takt_path_real(&w->arena, path);
    if (!real) return takt_fail(err, TAKT_ERR_INPUT, "%s: cannot be found", path);
    int known = takt_map_find(&w->packed, real);
    if (known >= 0) {
        *out = w->names[known];
        return TAKT_OK;
    }
    const char *name = free_name(w, path);
    const char *entry = name ? takt_arena_print(&w->arena, "resources/%s", name) : NULL;
    if (!entry || !takt_grow(&w->names, w->n_names, &w->name_capacity, sizeof *w->names) ||
        !takt_map_add(&w->packed, real, w->n_names) || !takt_map_add(&w->taken, name, w->n_names))
        return takt_fail_memory(err);
    w->names[w->n_names++] = *out = name;
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".ssd") == 0)
        return pack_description(w, entry, real, err);
    return takt_zip_add_file(w->zip, entry, real, err);
}

// ---- references to files ---------------------------------------------------------------------------

// The new URI for a file: in the package, or seen from the new folder.
static takt_status new_uri(writer *w, const char *path, const char *prefix, const char **out,
                           takt_error *err)
{
    const char *name = NULL;
    if (w->zip) {
        takt_status st = pack(w, path, &name, err);
        if (st) return st;
        name = takt_arena_print(&w->arena, "%s%s", prefix, name);
    } else {
        const char *real = takt_path_real(&w->arena, path); // NULL: is not there (yet)
        name = real ? takt_path_relative(&w->arena, w->folder, real)
                    : takt_path_absolute(&w->arena, path);
    }
    *out = name ? takt_uri_of_path(&w->arena, name) : NULL;
    return *out ? TAKT_OK : takt_fail_memory(err);
}

static takt_status rewrite_reference(writer *w, takt_xml_element *element, const char *attribute,
                                     const char *document, const char *prefix, takt_error *err)
{
    const char *base = takt_xml_element_attribute(element, "sourceBase");
    const char *uri = takt_xml_element_attribute(element, attribute);
    bool is_inside = base && strcmp(base, "SSD") != 0 && strcmp(base, "file") != 0;
    if (!uri || !*uri || *uri == '#' || is_inside) return TAKT_OK;
    const char *fragment = strchr(uri, '#');
    size_t length = fragment ? (size_t)(fragment - uri) : strlen(uri);
    const char *bare = takt_arena_copy_n(&w->arena, uri, length), *path = NULL;
    if (!bare) return takt_fail_memory(err);
    takt_error why = {0};
    takt_status st = takt_uri_resolve(&w->arena, document, bare, &path, &why);
    if (st == TAKT_ERR_MEMORY) return takt_fail_memory(err);
    if (st) return TAKT_OK; // an address of the net stays
    const char *changed = NULL;
    st = new_uri(w, path, prefix, &changed, err);
    if (st) return st;
    if (fragment) changed = takt_arena_print(&w->arena, "%s%s", changed, fragment);
    return changed && takt_xml_set_attribute(element, attribute, changed) ? TAKT_OK
                                                                          : takt_fail_memory(err);
}

// Changes all references below an element. Annotations of others are their own business.
static takt_status rewrite_references(writer *w, takt_xml_element *element, const char *document,
                                      const char *prefix, takt_error *err)
{
    takt_status st = rewrite_reference(w, element, "source", document, prefix, err);
    if (!st) st = rewrite_reference(w, element, "iconSource", document, prefix, err);
    takt_xml_element *child = takt_xml_edit_child(element, NULL, NULL);
    for (; child && !st; child = takt_xml_edit_next(child, NULL, NULL)) {
        const char *space = takt_xml_element_namespace(child);
        bool is_mapping = strcmp(takt_xml_element_name(child), "MapEntry") == 0;
        bool is_ours = strcmp(space, TAKT_SSD_NAMESPACE) == 0 ||
                       (strcmp(space, TAKT_SSC_NAMESPACE) == 0 && !is_mapping);
        if (is_ours && strcmp(takt_xml_element_name(child), "Annotations") != 0)
            st = rewrite_references(w, child, document, prefix, err);
    }
    return st;
}

// ---- packages that are copied ------------------------------------------------------------------------

static bool is_description_at_top(const char *name)
{
    size_t length = strlen(name);
    return !strchr(name, '/') && length > 4 && strcmp(name + length - 4, ".ssd") == 0;
}

static takt_status copy_beside(writer *w, const char *from, const char *name, takt_error *err)
{
    const char *to = takt_path_join(&w->arena, w->folder, name);
    const char *folder = to ? takt_path_folder(&w->arena, to) : NULL;
    if (!folder) return takt_fail_memory(err);
    takt_status st = takt_folder_create(folder, err);
    return st ? st : takt_file_copy(from, to, err);
}

// Takes over the files of a package whose names begin with one of `starts` (ended by NULL). The
// description itself, and when no package is written also its variants, are not among them.
static takt_status copy_package(writer *w, const char *package, const char *const *starts,
                                takt_error *err)
{
    char **files = NULL;
    int n = 0;
    takt_status st = takt_tree_list(&w->arena, package, &files, &n, err);
    for (int i = 0; i < n && !st; i++) {
        bool is_wanted = false;
        for (int k = 0; starts[k]; k++)
            is_wanted = is_wanted || strncmp(files[i], starts[k], strlen(starts[k])) == 0;
        const char *path = takt_path_join(&w->arena, package, files[i]);
        if (!path) return takt_fail_memory(err);
        bool is_main =
            strcmp(path, w->project->ssd_path) == 0 || strcmp(files[i], "SystemStructure.ssd") == 0;
        if (!is_wanted || is_main || (!w->zip && is_description_at_top(files[i]))) continue;
        st = w->zip ? takt_zip_add_file(w->zip, files[i], path, err)
                    : copy_beside(w, path, files[i], err);
    }
    return st;
}

static takt_status copy_files(writer *w, takt_xml_tree *tree, takt_error *err)
{
    static const char *const all[] = {"", NULL}, *const extra[] = {"extra/", "documentation/",
                                                                   NULL};
    takt_project *project = w->project;
    if (project->package) return copy_package(w, project->package, all, err);
    const char *document = project->ssd_path ? project->ssd_path : project->path;
    takt_status st = rewrite_references(w, takt_xml_edit_root(tree), document, "resources/", err);
    if (!st && w->zip && takt_path_is_folder(project->path))
        st = copy_package(w, project->path, extra, err);
    return st;
}

// ---- everything ------------------------------------------------------------------------------------

static takt_status write_text(writer *w, const takt_xml_tree *tree, takt_error *err)
{
    char *text = NULL;
    size_t size = 0;
    takt_status st = takt_xml_tree_write(tree, &text, &size, err);
    if (!st)
        st = w->zip ? takt_zip_add_data(w->zip, "SystemStructure.ssd", text, size, err)
                    : takt_file_write(w->path, text, size, err);
    free(text);
    return st;
}

static takt_status write_tree(writer *w, bool is_package, takt_xml_tree *tree, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (is_package) {
        st = takt_zip_create(w->path, &w->zip, err);
    } else {
        const char *folder = takt_path_folder(&w->arena, w->path);
        w->folder = folder ? takt_path_real(&w->arena, folder) : NULL;
        if (!w->folder)
            st = takt_fail(err, TAKT_ERR_OUTPUT, "%s: its folder does not exist", w->path);
    }
    if (!st) st = copy_files(w, tree, err);
    if (!st) st = write_text(w, tree, err);
    if (!st && w->zip) {
        st = takt_zip_finish(w->zip, err);
        w->zip = NULL;
    }
    takt_zip_discard(w->zip);
    return st;
}

static takt_status make_tree(takt_project *project, takt_xml_tree **out, takt_error *err)
{
    if (!project->ssd_path) return takt_ssd_generate(project, out, err);
    takt_xml_tree *tree = NULL;
    takt_status st = takt_xml_tree_open(project->ssd_path, project->ssd_path, &tree, err);
    if (!st && !takt_ssd_update(project, tree)) {
        takt_xml_tree_close(tree);
        st = takt_fail_memory(err);
    }
    if (!st) *out = tree;
    return st;
}

takt_status takt_project_save(takt_project *project, const char *path, takt_error *err)
{
    size_t length = strlen(path);
    bool is_package = length > 4 && strcmp(path + length - 4, ".ssp") == 0;
    if (!is_package && (length <= 4 || strcmp(path + length - 4, ".ssd") != 0))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "%s: only .ssp (SystemStructurePackage) and .ssd "
                         "(SystemStructureDescription) can be written",
                         path);
    if (project->problems.n_errors)
        return takt_problems_end(&project->problems, project->path, err);
    writer w = {.project = project, .path = path};
    takt_xml_tree *tree = NULL;
    takt_status st = make_tree(project, &tree, err);
    if (!st) st = write_tree(&w, is_package, tree, err);
    takt_xml_tree_close(tree);
    takt_map_clear(&w.packed);
    takt_map_clear(&w.taken);
    free(w.names);
    takt_arena_clear(&w.arena);
    return st;
}
