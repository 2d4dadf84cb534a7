// SPDX-License-Identifier: MIT
// Writes a project as SSP: a SystemStructureDescription (.ssd), or a package (.ssp or folder) with all
// the files that it needs in resources/. The description that was read is changed only where it must
// be, so that what Takt does not use (geometry, annotations of other programs, meta data) survives.
#include "project/write_ssp.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xml_keep.h"
#include "base/zip_write.h"
#include "project/ssd_reader.h"
#include "project/uri.h"

typedef struct writer {
    takt_project *project;
    takt_arena arena;
    const char *path; // of the new file or folder
    const char *folder; // real path of the folder of a new .ssd, or of a package that is a folder
    bool is_package;
    bool is_in_place; // the folder or description that was read is written again
    const char *main; // of a package, the name of the description that is written
    takt_zip_writer *zip; // NULL: files are written into the folder
    const char *kept; // folder that is read as a package: its files keep their places; NULL: none
    takt_map packed; // real path of a file -> index in names
    takt_map taken; // names in the package
    takt_map repeated; // names that several files would have -> index in `numbers`
    int *numbers; // malloc'ed; the number behind the name that was given last
    int n_numbers, number_capacity;
    const char **names; // malloc'ed; places in the package, "resources/a.fmu"
    int n_names, name_capacity;
} writer;

static const char default_file[] = "SystemStructure.ssd";

// ---- files of a package ----------------------------------------------------------------------------

// The path of a file in the new folder, whose folder is made.
static takt_status place_in_folder(writer *w, const char *name, const char **out, takt_error *err)
{
    const char *path = takt_path_join(&w->arena, w->folder, name);
    const char *folder = path ? takt_path_folder(&w->arena, path) : NULL;
    if (!folder) return takt_fail_memory(err);
    *out = path;
    return takt_folder_create(folder, err);
}

static takt_status add_file(writer *w, const char *name, const char *from, takt_error *err)
{
    const char *to = NULL;
    if (w->zip) return takt_zip_add_file(w->zip, name, from, err);
    takt_status st = place_in_folder(w, name, &to, err);
    return st ? st : takt_file_copy(from, to, err);
}

// What was not changed stays as `origin` has it.
static takt_status keep_origin(const char *origin, char **text, size_t *size, takt_error *err)
{
    char *before = NULL;
    size_t n_before = 0;
    takt_text kept = {0};
    takt_status st = takt_file_read(origin, TAKT_XML_MAX_TREE_SIZE, &before, &n_before, err);
    if (st && st != TAKT_ERR_MEMORY && !takt_path_is_file(origin)) return TAKT_OK; // it has gone
    if (st) return st;
    bool ok = takt_xml_keep(before, n_before, *text, *size, &kept);
    free(before);
    if (!ok) {
        takt_text_clear(&kept);
        return takt_fail_memory(err);
    }
    free(*text);
    *size = kept.length;
    *text = takt_text_take(&kept);
    return TAKT_OK;
}

// The text of a description, with a warning where Takt could not read it again.
static takt_status make_text(writer *w, const char *origin, const takt_xml_tree *tree, char **text,
                             size_t *size, takt_error *err)
{
    takt_status st = takt_xml_tree_write(tree, text, size, err);
    if (!st && origin) st = keep_origin(origin, text, size, err);
    if (!st && *size > TAKT_XML_MAX_TREE_SIZE)
        takt_problem(&w->project->problems, TAKT_LEVEL_WARN, (takt_place){w->path, 0},
                     "the description has %zu MB; Takt itself reads %d MB at most", *size >> 20,
                     TAKT_XML_MAX_TREE_SIZE >> 20);
    return st;
}

// Adds a description that was made of `origin`; NULL: of a project that is not SSP.
static takt_status add_description(writer *w, const char *name, const char *origin,
                                   const takt_xml_tree *tree, takt_error *err)
{
    char *text = NULL;
    size_t size = 0;
    const char *to = NULL;
    takt_status st = make_text(w, origin, tree, &text, &size, err);
    if (!st && w->zip) {
        st = takt_zip_add_data(w->zip, name, text, size, err);
    } else if (!st) {
        st = place_in_folder(w, name, &to, err);
        bool is_edited = !st && origin && takt_path_is_same_file(to, origin);
        if (!st)
            st = is_edited ? takt_file_write(to, text, size, err)
                           : takt_file_write_new(to, text, size, err);
    }
    free(text);
    return st;
}

static bool is_description(const char *name)
{
    return takt_path_ends_in(name, ".ssd");
}

static bool is_description_at_top(const char *name)
{
    return !strchr(name, '/') && is_description(name);
}

// Does a file of a folder belong to the package that the folder is? The main description is made again.
static bool is_part(const char *name)
{
    static const char *const starts[] = {"resources/", "extra/", "documentation/"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0) return !strstr(name, "/../");
    return is_description_at_top(name) && strcmp(name, default_file) != 0;
}

// The place that a file of the folder keeps; NULL: it has none.
static const char *kept_name(const writer *w, const char *path)
{
    size_t length = w->kept ? strlen(w->kept) : 0;
    if (!w->kept || strncmp(path, w->kept, length) != 0 || path[length] != '/') return NULL;
    return is_part(path + length + 1) ? path + length + 1 : NULL;
}

// The number behind a name of which there are several; NULL: out of memory.
static int *number_of(writer *w, const char *name)
{
    int known = takt_map_find(&w->repeated, name);
    if (known >= 0) return &w->numbers[known];
    if (!takt_grow(&w->numbers, w->n_numbers, &w->number_capacity, sizeof *w->numbers) ||
        !takt_map_add(&w->repeated, name, w->n_numbers))
        return NULL;
    w->numbers[w->n_numbers] = 1;
    return &w->numbers[w->n_numbers++];
}

// A name in resources/ that no other file has.
static const char *free_name(writer *w, const char *path)
{
    const char *name = takt_path_name(path);
    const char *dot = strrchr(name, '.');
    if (!dot) dot = name + strlen(name);
    const char *wanted = takt_arena_print(&w->arena, "resources/%s", name), *chosen = wanted;
    while (chosen && takt_map_find(&w->taken, chosen) >= 0) {
        int *number = number_of(w, wanted);
        if (!number) return NULL;
        chosen = takt_arena_print(&w->arena, "resources/%.*s_%d%s", (int)(dot - name), name,
                                  ++*number, dot);
    }
    return chosen;
}

static bool take_name(writer *w, const char *name)
{
    return takt_map_find(&w->taken, name) >= 0 || takt_map_add(&w->taken, name, 0);
}

// ---- files that are packed -------------------------------------------------------------------------

static takt_status rewrite_references(writer *w, takt_xml_element *element, const char *document,
                                      const char *place, takt_error *err);

// Packs a description that refers to files itself.
static takt_status pack_description(writer *w, const char *name, const char *path, takt_error *err)
{
    takt_xml_tree *tree = NULL;
    const char *place = takt_arena_print(&w->arena, "/%s", name);
    place = place ? takt_path_folder(&w->arena, place) : NULL;
    if (!place) return takt_fail_memory(err);
    takt_status st = takt_xml_tree_open(path, path, &tree, err);
    if (!st) st = rewrite_references(w, takt_xml_edit_root(tree), path, place, err);
    if (!st) st = add_description(w, name, path, tree, err);
    takt_xml_tree_close(tree);
    return st;
}

// Packs a file, once, and returns its place in the package.
static takt_status pack(writer *w, const char *path, const char **out, takt_error *err)
{
    const char *real;
    takt_status st = takt_path_real(&w->arena, path, &real, err);
    if (st) return st;
    if (!real) return takt_fail(err, TAKT_ERR_INPUT, "%s: cannot be found", path);
    int known = takt_map_find(&w->packed, real);
    if (known >= 0) {
        *out = w->names[known];
        return TAKT_OK;
    }
    const char *name = kept_name(w, path);
    if (!name) name = free_name(w, path);
    if (!name || !takt_grow(&w->names, w->n_names, &w->name_capacity, sizeof *w->names) ||
        !takt_map_add(&w->packed, real, w->n_names) || !take_name(w, name))
        return takt_fail_memory(err);
    w->names[w->n_names++] = *out = name;
    return is_description(name) ? pack_description(w, name, path, err)
                                : add_file(w, name, real, err);
}

// ---- references to files ---------------------------------------------------------------------------

// The path of a file below the new folder, as the user wrote it, perhaps through links; NULL: it is not below.
static takt_status path_below(writer *w, const char *path, const char **out, takt_error *err)
{
    char *folder = takt_path_absolute(&w->arena, path);
    const char *whole = folder ? takt_arena_copy(&w->arena, folder) : NULL;
    takt_status st = whole ? TAKT_OK : takt_fail_memory(err);
    size_t length = whole ? strlen(whole) : 0;
    *out = NULL;
    if (st || strstr(whole, "/../") || strstr(whole, "/./")) return st;
    while (!st && length > 0) {
        while (length > 0 && folder[length - 1] != '/') length--;
        if (length <= 1) break;
        folder[--length] = 0;
        const char *real = NULL;
        st = takt_path_real(&w->arena, folder, &real, err);
        if (st || !real) break;
        if (strcmp(real, w->folder) != 0) continue;
        *out = whole + length + 1;
        break;
    }
    return st;
}

// The new URI for a file, for a description in the folder `place` of the package ("/" is its top) or in
// the new folder.
static takt_status new_uri(writer *w, const char *path, const char *place, const char **out,
                           takt_error *err)
{
    const char *name = NULL;
    if (w->is_package) {
        takt_status st = pack(w, path, &name, err);
        if (st) return st;
        name = takt_arena_print(&w->arena, "/%s", name);
        if (name) name = takt_path_relative(&w->arena, place, name);
    } else {
        const char *real; // NULL: is not there (yet)
        takt_status st = takt_path_real(&w->arena, path, &real, err);
        if (!st && real) st = path_below(w, path, &name, err);
        if (st) return st;
        if (!name)
            name = real ? takt_path_relative(&w->arena, w->folder, real)
                        : takt_path_absolute(&w->arena, path);
    }
    *out = name ? takt_uri_of_path(&w->arena, name) : NULL;
    return *out ? TAKT_OK : takt_fail_memory(err);
}

// Does the attribute refer to something without which the project runs as well: icon, meta data?
static bool is_decoration(const takt_xml_element *element, const char *attribute)
{
    return strcmp(attribute, "source") != 0 ||
           strcmp(takt_xml_element_namespace(element), TAKT_SSD_NAMESPACE) != 0;
}

// Is a reference right as it is written? All are where they are written again, absolute ones in every description, relative
// ones in one that stays in its folder. New elements, which have no line, have absolute ones that nobody wrote.
static takt_status is_kept(writer *w, const takt_xml_element *element, const char *document,
                           const char *uri, bool *out, takt_error *err)
{
    const char *real = NULL;
    bool is_new = takt_xml_element_line(element) == 0;
    bool is_absolute = *uri == '/' || strchr(uri, ':');
    *out = !is_new && (w->is_in_place || (is_absolute && !w->is_package));
    if (*out || w->is_package || is_absolute) return TAKT_OK;
    const char *folder = takt_path_folder(&w->arena, document);
    if (!folder) return takt_fail_memory(err);
    takt_status st = takt_path_real(&w->arena, folder, &real, err);
    *out = !st && real && strcmp(real, w->folder) == 0;
    return st;
}

static takt_status rewrite_reference(writer *w, takt_xml_element *element, const char *attribute,
                                     const char *document, const char *place, takt_error *err)
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
    if (is_decoration(element, attribute) && !takt_path_is_file(path)) {
        takt_problem(&w->project->problems, TAKT_LEVEL_WARN,
                     (takt_place){document, takt_xml_element_line(element)},
                     "%s: cannot be found; the reference stays as it is", path);
        return TAKT_OK;
    }
    if (takt_path_is_same_file(path, w->path))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "%s: would replace a file that the project refers to; choose another name",
                         w->path);
    const char *changed = NULL;
    bool kept;
    st = is_kept(w, element, document, bare, &kept, err);
    if (!st && !kept) st = new_uri(w, path, place, &changed, err);
    if (st || kept) return st;
    if (fragment) changed = takt_arena_print(&w->arena, "%s%s", changed, fragment);
    return changed && takt_xml_set_attribute(element, attribute, changed) ? TAKT_OK
                                                                          : takt_fail_memory(err);
}

// Changes all references below an element. Annotations of other programs are left alone.
static takt_status rewrite_references(writer *w, takt_xml_element *element, const char *document,
                                      const char *place, takt_error *err)
{
    takt_status st = rewrite_reference(w, element, "source", document, place, err);
    if (!st) st = rewrite_reference(w, element, "iconSource", document, place, err);
    takt_xml_element *child = takt_xml_edit_child(element, NULL, NULL);
    for (; child && !st; child = takt_xml_edit_next(child, NULL, NULL)) {
        const char *space = takt_xml_element_namespace(child);
        bool is_mapping = strcmp(takt_xml_element_name(child), "MapEntry") == 0;
        bool is_ours = strcmp(space, TAKT_SSD_NAMESPACE) == 0 ||
                       (strcmp(space, TAKT_SSC_NAMESPACE) == 0 && !is_mapping);
        if (is_ours && strcmp(takt_xml_element_name(child), "Annotations") != 0)
            st = rewrite_references(w, child, document, place, err);
    }
    return st;
}

// ---- packages that are copied ------------------------------------------------------------------------

// Is it the description that was read, or the one whose place that gets?
static bool is_main(const writer *w, const char *path, const char *name)
{
    return strcmp(path, w->project->ssd_path) == 0 || strcmp(name, w->main) == 0;
}

// Packs the sources of components that are new, in a system and those inside of it: only theirs are absolute paths.
static takt_status pack_new(writer *w, takt_xml_element *system, takt_error *err)
{
    takt_xml_element *at =
        system ? takt_xml_edit_child(system, TAKT_SSD_NAMESPACE, "Elements") : NULL;
    at = at ? takt_xml_edit_child(at, TAKT_SSD_NAMESPACE, NULL) : NULL;
    takt_status st = TAKT_OK;
    for (; at && !st; at = takt_xml_edit_next(at, TAKT_SSD_NAMESPACE, NULL)) {
        const char *source = takt_xml_element_attribute(at, "source");
        if (strcmp(takt_xml_element_name(at), "System") == 0)
            st = pack_new(w, at, err);
        else if (source && *source == '/')
            st = rewrite_reference(w, at, "source", w->project->ssd_path, "/", err);
    }
    return st;
}

// Takes over the files of an archive. The description itself, and when no package is written also its
// variants, are not among them.
static takt_status copy_archive(writer *w, takt_xml_tree *tree, takt_error *err)
{
    const char *package = w->project->package;
    char **files = NULL;
    int n = 0;
    takt_status st = takt_tree_list(&w->arena, package, NULL, &files, &n, err);
    for (int i = 0; i < n && !st; i++) {
        const char *path = takt_path_join(&w->arena, package, files[i]);
        if (!path) return takt_fail_memory(err);
        bool is_left = !w->is_package && is_description_at_top(files[i]);
        if (is_left || is_main(w, path, files[i])) continue;
        if (!take_name(w, files[i])) return takt_fail_memory(err);
        st = add_file(w, files[i], path, err);
    }
    takt_xml_element *root = takt_xml_edit_root(tree);
    return st ? st : pack_new(w, takt_xml_edit_child(root, TAKT_SSD_NAMESPACE, "System"), err);
}

// Can a file or folder within a folder that is a package belong to it?
static bool may_be_part(const char *name, bool is_folder)
{
    static const char *const folders[] = {"resources", "extra", "documentation"};
    if (!is_folder || strchr(name, '/')) return is_folder || is_part(name);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strcmp(name, folders[i]) == 0) return true;
    return false;
}

// Packs the files of a folder that is a package, and before them what its description refers to.
static takt_status copy_folder(writer *w, takt_xml_tree *tree, takt_error *err)
{
    char **files = NULL;
    int n = 0;
    takt_status st = takt_tree_list(&w->arena, w->kept, may_be_part, &files, &n, err);
    for (int i = 0; i < n && !st; i++)
        if (is_part(files[i]) && !take_name(w, files[i])) st = takt_fail_memory(err);
    if (!st) st = rewrite_references(w, takt_xml_edit_root(tree), w->project->ssd_path, "/", err);
    for (int i = 0; i < n && !st; i++) {
        const char *path = takt_path_join(&w->arena, w->kept, files[i]), *name;
        if (!path) return takt_fail_memory(err);
        if (is_part(files[i]) && !is_main(w, path, files[i])) st = pack(w, path, &name, err);
    }
    return st;
}

static takt_status copy_files(writer *w, takt_xml_tree *tree, takt_error *err)
{
    takt_project *project = w->project;
    if (project->package) return copy_archive(w, tree, err);
    if (w->is_package && project->ssd_path && takt_path_is_folder(project->path)) {
        w->kept = takt_path_folder(&w->arena, project->ssd_path);
        return w->kept ? copy_folder(w, tree, err) : takt_fail_memory(err);
    }
    const char *document = project->ssd_path ? project->ssd_path : project->path;
    return rewrite_references(w, takt_xml_edit_root(tree), document, "/", err);
}

// ---- everything ------------------------------------------------------------------------------------

static takt_status write_main(writer *w, const takt_xml_tree *tree, takt_error *err)
{
    if (w->is_package) return add_description(w, w->main, w->project->ssd_path, tree, err);
    char *text = NULL;
    size_t size = 0;
    takt_status st = make_text(w, w->project->ssd_path, tree, &text, &size, err);
    if (!st) st = takt_file_write(w->path, text, size, err);
    free(text);
    return st;
}

// Finds the folder into which files are written.
static takt_status find_folder(writer *w, takt_error *err)
{
    takt_status st = w->is_package ? takt_folder_create(w->path, err) : TAKT_OK;
    if (st) return st;
    const char *folder = w->is_package ? w->path : takt_path_folder(&w->arena, w->path);
    if (!folder) return takt_fail_memory(err);
    st = takt_path_real(&w->arena, folder, &w->folder, err);
    if (st || w->folder) return st;
    return takt_fail(err, TAKT_ERR_OUTPUT, "%s: its folder does not exist", w->path);
}

// What was read may be written again. In a package a variant stays what it is; in another one it becomes the default.
static takt_status choose_main(writer *w, takt_error *err)
{
    const takt_project *project = w->project;
    const char *new = NULL, *old = NULL; // real paths; NULL: is not there
    w->main = default_file;
    takt_status st = takt_path_real(&w->arena, w->path, &new, err);
    if (!st) st = takt_path_real(&w->arena, project->path, &old, err);
    w->is_in_place = !st && project->ssd_path && new &&old &&strcmp(new, old) == 0;
    if (w->is_in_place) w->main = takt_path_name(project->ssd_path);
    return st;
}

static takt_status write_tree(writer *w, bool is_archive, takt_xml_tree *tree, takt_error *err)
{
    takt_status st = is_archive ? takt_zip_create(w->path, &w->zip, err) : find_folder(w, err);
    if (!st) st = copy_files(w, tree, err);
    if (!st) st = write_main(w, tree, err);
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
    takt_status st = takt_xml_tree_open(takt_project_file(project, project->ssd_path),
                                        project->ssd_path, &tree, err);
    if (!st) st = takt_ssd_apply_edits(project, tree, err);
    if (!st && !takt_ssd_update(project, tree)) st = takt_fail_memory(err);
    if (st)
        takt_xml_tree_close(tree);
    else
        *out = tree;
    return st;
}

// The file that was read has now what was changed: it is not changed a second time. An archive was unpacked, and what was read is
// still as it was.
static bool note_saved(writer *w)
{
    takt_project *project = w->project;
    const char *written = w->is_package ? takt_path_join(&w->arena, w->path, w->main) : w->path;
    if (!written) return false;
    if (!project->ssd_path || project->package ||
        !takt_path_is_same_file(written, project->ssd_path))
        return true;
    project->content = NULL; // it stands there now
    project->n_edits = 0;
    project->n_read_assignments = project->n_assignments;
    project->settings.overridden = 0;
    for (int i = 0; i < project->n_components; i++) project->components[i].is_new = false;
    for (int i = 0; i < project->n_connectors; i++) project->connectors[i].is_new = false;
    for (int i = 0; i < project->n_connections; i++) project->connections[i].is_new = false;
    return true;
}

takt_status takt_project_save(takt_project *project, const char *path, takt_error *err)
{
    size_t length = strlen(path);
    bool is_archive = takt_path_ends_in(path, ".ssp");
    bool is_folder = takt_path_is_folder(path) || (length > 0 && path[length - 1] == '/');
    if (!is_archive && !is_folder && !is_description(path))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "%s: only .ssp (SystemStructurePackage), .ssd "
                         "(SystemStructureDescription) and folders (with '/' at the end) can be "
                         "written",
                         path);
    if (project->problems.n_errors)
        return takt_problems_end(&project->problems, project->path, err);
    writer w = {.project = project, .path = path, .is_package = is_archive || is_folder};
    takt_xml_tree *tree = NULL;
    takt_status st = choose_main(&w, err);
    if (!st) st = make_tree(project, &tree, err);
    if (!st) st = write_tree(&w, is_archive && !is_folder, tree, err);
    takt_xml_tree_close(tree);
    if (!st && !note_saved(&w)) st = takt_fail_memory(err);
    takt_map_clear(&w.packed);
    takt_map_clear(&w.taken);
    takt_map_clear(&w.repeated);
    free(w.names);
    free(w.numbers);
    takt_arena_clear(&w.arena);
    return st;
}
