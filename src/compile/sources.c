// SPDX-License-Identifier: MIT
// Finding the sources of an FMU; see sources.h. FMI 1.0 for co-simulation, section 4.3; FMI 2.0.5, section
// 2.3; FMI 3.0.2, section 2.5.1.4 (build description).
#include "compile/sources.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xml_tree.h"

// Lists while they grow; the arrays move to the arena at the end.
typedef struct finder {
    const char *fmu, *folder; // of the whole FMU, and of its sources
    const char *platform;
    takt_arena *arena;
    takt_sources *out;
    int file_capacity, library_capacity;
    const char **arguments; // of the set that is being read
    int n_arguments, argument_capacity;
} finder;

// ---- paths and lists -----------------------------------------------------------------------------

static bool has_step_up(const char *name)
{
    for (const char *at = name; at; at = strchr(at, '/'), at = at ? at + 1 : NULL)
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == 0)) return true;
    return false;
}

// The path of something that the FMU names, which must not lead out of `folder`.
static takt_status resolve(const finder *f, const char *folder, const char *name, const char *what,
                           char **out, takt_error *err)
{
    char *copy = takt_arena_copy(f->arena, name);
    if (!copy) return takt_fail_memory(err);
    for (char *c = copy; *c; c++)
        if (*c == '\\') *c = '/';
    bool has_drive = isalpha((unsigned char)copy[0]) && copy[1] == ':';
    if (copy[0] == '/' || copy[0] == 0 || has_drive || has_step_up(copy))
        return takt_fail(err, TAKT_ERR_INPUT, "the %s '%.200s' leads out of its folder", what,
                         name);
    *out = takt_path_join(f->arena, folder, copy);
    return *out ? TAKT_OK : takt_fail_memory(err);
}

static bool is_cpp_name(const char *name)
{
    static const char *const endings[] = {".cpp", ".cc", ".cxx", ".C", ".c++"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0) return true;
    return false;
}

static takt_status add_file(finder *f, const char *name, bool is_cpp, takt_error *err)
{
    char *path = NULL;
    takt_status st = resolve(f, f->folder, name, "source file", &path, err);
    if (st) return st;
    if (!takt_path_is_file(path))
        return takt_fail(err, TAKT_ERR_INPUT, "the source file sources/%.200s is missing", name);
    if (!takt_grow(&f->out->files, f->out->n_files, &f->file_capacity, sizeof *f->out->files))
        return takt_fail_memory(err);
    f->out->files[f->out->n_files++] =
        (takt_source){.path = path, .is_cpp = is_cpp || is_cpp_name(name)};
    return TAKT_OK;
}

static takt_status add_argument(finder *f, const char *argument, takt_error *err)
{
    if (!argument ||
        !takt_grow(&f->arguments, f->n_arguments, &f->argument_capacity, sizeof *f->arguments))
        return takt_fail_memory(err);
    f->arguments[f->n_arguments++] = argument;
    return TAKT_OK;
}

// Gives all files from number `first` on the arguments that were collected.
static takt_status end_set(finder *f, int first, takt_error *err)
{
    size_t n = (size_t)f->n_arguments;
    const char **list = takt_arena_array(f->arena, n, sizeof *list);
    if (!list) return takt_fail_memory(err);
    if (n) memcpy(list, f->arguments, n * sizeof *list);
    for (int i = first; i < f->out->n_files; i++) {
        f->out->files[i].arguments = list;
        f->out->files[i].n_arguments = f->n_arguments;
    }
    f->n_arguments = 0;
    return TAKT_OK;
}

// ---- FMI 1.0 -------------------------------------------------------------------------------------

static bool is_source(const char *name)
{
    const char *dot = strrchr(name, '.');
    return !strchr(name, '/') && dot && strcmp(dot, ".c") == 0;
}

// Does a text include a file? Only lines like #include "name.c" count.
static bool has_include(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, "include")); at++) {
        const char *before = at, *after = at + strlen("include");
        while (before > text && (before[-1] == ' ' || before[-1] == '\t')) before--;
        after += strspn(after, " \t");
        const char *end = *after == '"' ? strchr(after + 1, '"') : NULL;
        if (before == text || before[-1] != '#' || !end) continue;
        const char *base = end;
        while (base > after + 1 && base[-1] != '/') base--;
        if ((size_t)(end - base) == strlen(name) && strncmp(base, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

// Many FMUs have a source that includes others: these must not be compiled once more.
static takt_status is_included(const finder *f, char *const *names, int n, const char *name,
                               bool *out, takt_error *err)
{
    enum { MAX_SIZE = 64 << 20 };
    *out = false;
    for (int i = 0; i < n && !*out; i++) {
        if (!is_source(names[i]) || strcmp(names[i], name) == 0) continue;
        char *path = takt_path_join(f->arena, f->folder, names[i]), *text = NULL;
        size_t size;
        if (!path) return takt_fail_memory(err);
        takt_status st = takt_file_read(path, MAX_SIZE, &text, &size, err);
        if (st) return st;
        *out = has_include(text, name);
        free(text);
    }
    return TAKT_OK;
}

// Many tools bring a file that includes all others; its author says so by its name. Compiling the others beside it
// does not work where they count on being part of it.
static const char *find_all(char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], "all.c") == 0) return names[i];
    return NULL;
}

// Sources for both interfaces ask which one is wanted by the name that many tools use for it.
static takt_status find_in_folder(finder *f, bool is_me, takt_error *err)
{
    char **names = NULL;
    int n = 0;
    takt_status st = takt_tree_list(f->arena, f->folder, NULL, &names, &n, err);
    const char *all = st ? NULL : find_all(names, n);
    if (all) st = add_file(f, all, false, err);
    for (int i = 0; i < n && !st && !all; i++) {
        bool included = false;
        if (!is_source(names[i])) continue;
        st = is_included(f, names, n, names[i], &included, err);
        if (!st && !included) st = add_file(f, names[i], false, err);
    }
    if (!st && !is_me) st = add_argument(f, "-DFMI_COSIMULATION", err);
    return st ? st : end_set(f, 0, err);
}

// ---- FMI 3.0 -------------------------------------------------------------------------------------

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_') return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_') return false;
    return true;
}

static takt_status fail_element(const takt_xml_element *element, const char *what, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_INPUT, "sources/buildDescription.xml:%d: %s %s",
                     takt_xml_element_line(element), takt_xml_element_name(element), what);
}

// Puts the place of an element in front of a message.
static takt_status within(const takt_xml_element *element, takt_status st, takt_error *err)
{
    return st ? takt_within(err, st, "sources/buildDescription.xml:%d",
                            takt_xml_element_line(element))
              : TAKT_OK;
}

static takt_status read_file(finder *f, const takt_xml_element *element, const char *name,
                             bool is_cpp, takt_error *err)
{
    return within(element, add_file(f, name, is_cpp, err), err);
}

// Definitions that are optional are for those who know what they want.
static takt_status read_definition(finder *f, const takt_xml_element *element, const char *name,
                                   bool is_cpp, takt_error *err)
{
    (void)is_cpp;
    const char *optional = takt_xml_element_attribute(element, "optional");
    const char *value = takt_xml_element_attribute(element, "value");
    if (!is_identifier(name)) return fail_element(element, "has a name that is no name in C", err);
    if (optional && (strcmp(optional, "true") == 0 || strcmp(optional, "1") == 0)) return TAKT_OK;
    return add_argument(f, takt_arena_print(f->arena, "-D%s=%s", name, value ? value : ""), err);
}

static takt_status read_include(finder *f, const takt_xml_element *element, const char *name,
                                bool is_cpp, takt_error *err)
{
    (void)is_cpp;
    char *path = NULL;
    takt_status st = resolve(f, f->folder, name, "include directory", &path, err);
    if (st) return within(element, st, err);
    return add_argument(f, takt_arena_print(f->arena, "-I%s", path), err);
}

static takt_status read_set(finder *f, const takt_xml_element *set, takt_error *err)
{
    static const struct {
        const char *element;
        takt_status (*read)(finder *, const takt_xml_element *, const char *, bool, takt_error *);
    } rules[] = {{"SourceFile", read_file},
                 {"PreprocessorDefinition", read_definition},
                 {"IncludeDirectory", read_include}};
    const char *language = takt_xml_element_attribute(set, "language");
    bool is_cpp = language && strncmp(language, "C++", 3) == 0;
    int first = f->out->n_files;
    if (language && language[0] != 'C')
        return fail_element(set, "is written in a language other than C and C++", err);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (const takt_xml_element *e = takt_xml_first_child(set, NULL, rules[i].element); e;
             e = takt_xml_next_sibling(e, NULL, rules[i].element)) {
            const char *name = takt_xml_element_attribute(e, "name");
            if (!name) return fail_element(e, "has no attribute name", err);
            takt_status st = rules[i].read(f, e, name, is_cpp, err);
            if (st) return st;
        }
    return end_set(f, first, err);
}

// A library of the system, or one that lies beside where the FMU's own would be.
static takt_status read_library(finder *f, const takt_xml_element *element, takt_error *err)
{
    const char *name = takt_xml_element_attribute(element, "name");
    const char *external = takt_xml_element_attribute(element, "external");
    if (!name || !name[0]) return fail_element(element, "has no attribute name", err);
    char *path = NULL, *argument = NULL;
    if (external && (strcmp(external, "true") == 0 || strcmp(external, "1") == 0)) {
        argument = takt_arena_print(f->arena, "-l%s", name);
    } else {
        char *folder = takt_arena_print(f->arena, "%s/binaries/%s", f->fmu, f->platform);
        if (!folder) return takt_fail_memory(err);
        takt_status st = resolve(f, folder, name, "library", &path, err);
        if (st) return within(element, st, err);
        if (!takt_path_is_file(path))
            return fail_element(element, "names a library that is not in the FMU", err);
        argument = path;
    }
    if (!argument || !takt_grow(&f->out->libraries, f->out->n_libraries, &f->library_capacity,
                                sizeof *f->out->libraries))
        return takt_fail_memory(err);
    f->out->libraries[f->out->n_libraries++] = argument;
    return TAKT_OK;
}

// The configuration for this model and platform; one that names the platform is preferred. A single one
// counts also if it was copied from another model.
static const takt_xml_element *find_configuration(const finder *f, const takt_xml_element *root,
                                                  const char *identifier)
{
    static const char kind[] = "BuildConfiguration";
    const takt_xml_element *first = takt_xml_first_child(root, NULL, kind);
    bool is_single = first && !takt_xml_next_sibling(first, NULL, kind);
    const takt_xml_element *best = NULL;
    bool best_has_platform = false;
    for (const takt_xml_element *e = first; e; e = takt_xml_next_sibling(e, NULL, kind)) {
        const char *own = takt_xml_element_attribute(e, "modelIdentifier");
        const char *platform = takt_xml_element_attribute(e, "platform");
        if (!is_single && (!own || strcmp(own, identifier) != 0)) continue;
        if (platform && strcmp(platform, f->platform) != 0) continue;
        if (best && (best_has_platform || !platform)) continue;
        best = e;
        best_has_platform = platform != NULL;
    }
    return best;
}

static takt_status read_configuration(finder *f, const takt_xml_element *configuration,
                                      takt_error *err)
{
    for (const takt_xml_element *e = takt_xml_first_child(configuration, NULL, "SourceFileSet"); e;
         e = takt_xml_next_sibling(e, NULL, "SourceFileSet")) {
        takt_status st = read_set(f, e, err);
        if (st) return st;
    }
    for (const takt_xml_element *e = takt_xml_first_child(configuration, NULL, "Library"); e;
         e = takt_xml_next_sibling(e, NULL, "Library")) {
        takt_status st = read_library(f, e, err);
        if (st) return st;
    }
    return TAKT_OK;
}

static takt_status find_by_description(finder *f, const char *identifier, takt_error *err)
{
    takt_xml_tree *tree = NULL;
    char *path = takt_path_join(f->arena, f->folder, "buildDescription.xml");
    if (!path) return takt_fail_memory(err);
    takt_status st = takt_xml_tree_open(path, "sources/buildDescription.xml", &tree, err);
    if (st) return st;
    const takt_xml_element *configuration =
        find_configuration(f, takt_xml_tree_root(tree), identifier);
    if (configuration)
        st = read_configuration(f, configuration, err);
    else
        st = takt_fail(err, TAKT_ERR_INPUT,
                       "sources/buildDescription.xml has no BuildConfiguration for '%s' on %s",
                       identifier, f->platform);
    takt_xml_tree_close(tree);
    return st;
}

// ---- all versions --------------------------------------------------------------------------------

takt_status takt_sources_exist(const char *folder, int fmi_major, bool *out, takt_error *err)
{
    takt_arena arena = {0};
    char *sources = takt_path_join(&arena, folder, "sources"), **names = NULL;
    bool exist = false;
    int n = 0;
    bool is_there = false;
    takt_status st =
        sources ? takt_path_find_folder(sources, &is_there, err) : takt_fail_memory(err);
    if (!st && is_there) st = takt_tree_list(&arena, sources, NULL, &names, &n, err);
    for (int i = 0; i < n && !exist; i++)
        exist = fmi_major == 1 ? is_source(names[i])
                               : fmi_major == 3 && strcmp(names[i], "buildDescription.xml") == 0;
    takt_arena_clear(&arena);
    if (!st) *out = exist;
    return st;
}

static takt_status find_sources(finder *f, const takt_sources_wish *wish, takt_error *err)
{
    if (wish->fmi_major == 1) return find_in_folder(f, wish->is_me, err);
    if (wish->fmi_major == 3) return find_by_description(f, wish->identifier, err);
    takt_status st = TAKT_OK;
    for (int i = 0; i < wish->n_listed && !st; i++) st = add_file(f, wish->listed[i], false, err);
    return st;
}

// Moves the lists to the arena.
static takt_status keep(const takt_sources *found, takt_arena *arena, takt_sources *out,
                        takt_error *err)
{
    size_t n_files = (size_t)found->n_files, n_libraries = (size_t)found->n_libraries;
    takt_source *files = takt_arena_array(arena, n_files, sizeof *files);
    const char **libraries = takt_arena_array(arena, n_libraries, sizeof *libraries);
    if (!files || !libraries) return takt_fail_memory(err);
    memcpy(files, found->files, n_files * sizeof *files);
    if (n_libraries) memcpy(libraries, found->libraries, n_libraries * sizeof *libraries);
    *out = (takt_sources){files, found->n_files, libraries, found->n_libraries};
    return TAKT_OK;
}

takt_status takt_sources_find(const takt_sources_wish *wish, takt_arena *arena, takt_sources *out,
                              takt_error *err)
{
    takt_sources found = {0};
    finder f = {.fmu = wish->folder,
                .folder = takt_path_join(arena, wish->folder, "sources"),
                .platform = wish->platform,
                .arena = arena,
                .out = &found};
    takt_status st = f.folder ? find_sources(&f, wish, err) : takt_fail_memory(err);
    if (!st && found.n_files == 0) st = takt_fail(err, TAKT_ERR_INPUT, "there are no source files");
    if (!st) st = keep(&found, arena, out, err);
    free(found.files);
    free(found.libraries);
    free(f.arguments);
    return st;
}
