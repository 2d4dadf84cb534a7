// SPDX-License-Identifier: MIT
// Projects: made empty, filled by the reader for the kind of file, changed by settings and values.
#include "project/project.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

// ---- kinds of files ----------------------------------------------------------------------------

static const struct {
    const char *ending;
    takt_status (*read)(takt_project *project, takt_error *err);
    bool knows_variants; // and says what is wrong with a choice
} kinds[] = {
    {".ssd", takt_project_read_ssd, true},  {".fmu", takt_project_read_fmu, false},
    {".ssp", takt_project_read_ssp, true},  {".msim", takt_project_read_msim, false},
    {".xml", takt_project_read_osp, false}, {"", takt_project_read_eas, false},
};

// An SSP that is not packed, or the folder of an OspSystemStructure.
static takt_status read_folder(takt_project *project, takt_error *err)
{
    const char *ssd = takt_path_join(&project->arena, project->path, "SystemStructure.ssd");
    const char *osp = takt_path_join(&project->arena, project->path, "OspSystemStructure.xml");
    if (!ssd || !osp) return takt_fail_memory(err);
    if (takt_path_is_file(ssd) || !takt_path_is_file(osp))
        return takt_project_read_ssp(project, err);
    project->path = osp;
    return takt_project_read_osp(project, err);
}

static takt_status read_by_kind(takt_project *project, takt_error *err)
{
    bool is_folder = false;
    takt_status st = takt_path_find_folder(project->path, &is_folder, err);
    if (st) return st;
    if (is_folder) return read_folder(project, err);
    size_t i = 0; // the last ending fits every name
    while (!takt_path_ends_in(project->path, kinds[i].ending)) i++;
    if (project->variant && !kinds[i].knows_variants)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "%s: has no variants; a package (.ssp) or folder may have some",
                         project->path);
    return kinds[i].read(project, err);
}

// ---- creation --------------------------------------------------------------------------------------

// The name of the file without folder and ending. It appears in results, which are UTF-8: every
// other byte becomes '_'.
static const char *stem(takt_arena *arena, const char *path)
{
    const char *name = takt_path_name(path);
    const char *dot = strrchr(name, '.');
    char *copy =
        takt_arena_copy_n(arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    if (copy) takt_utf8_clean(copy);
    return copy;
}

takt_status takt_project_create(const char *path, takt_log *log, takt_project **out,
                                takt_error *err)
{
    if (!path || !*path || !out)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_project_create: path must name a file, out must not be NULL");
    takt_project *project = calloc(1, sizeof *project);
    if (!project) return takt_fail_memory(err);
    takt_project_hold(project);
    if (!log) log = project->own_log = takt_log_create(TAKT_LEVEL_ERROR, NULL, NULL);
    project->log = project->problems.log = log;
    project->n_doubts_before = takt_log_count_doubts(log);
    project->settings = takt_settings_default();
    project->path = takt_arena_copy(&project->arena, path);
    project->name = stem(&project->arena, path);
    if (!project->log || !project->path || !project->name) {
        takt_project_close(project);
        return takt_fail_memory(err);
    }
    *out = project;
    return TAKT_OK;
}

const char *takt_project_file(const takt_project *project, const char *path)
{
    return project->content && strcmp(path, project->path) == 0 ? project->content : path;
}

// `content` and `variant` may be NULL.
static takt_status open_project(const char *path, const char *content, const char *variant,
                                takt_log *log, takt_project **out, takt_error *err)
{
    if (!path || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_open: path and out must not be NULL");
    takt_project *project = NULL;
    takt_status st = takt_project_create(path, log, &project, err);
    if (st) return st;
    if (content) project->content = takt_arena_copy(&project->arena, content);
    if (variant) project->variant = takt_arena_copy(&project->arena, variant);
    if ((content && !project->content) || (variant && !project->variant))
        st = takt_fail_memory(err);

    FILE *file = NULL; // only to see that it can be opened, with the same message for every kind
    if (!st && !takt_path_is_folder(path))
        st = takt_file_open(takt_project_file(project, path), &file, err);
    if (file) fclose(file);
    if (!st) st = read_by_kind(project, err);
    project->n_read_assignments = project->n_assignments;
    project->n_doubts_read = takt_log_count_doubts(project->log) - project->n_doubts_before;
    if (st)
        takt_project_close(project);
    else
        *out = project;
    return st;
}

takt_status takt_project_open(const char *path, takt_log *log, takt_project **out, takt_error *err)
{
    return open_project(path, NULL, NULL, log, out, err);
}

takt_status takt_project_open_variant(const char *path, const char *variant, takt_log *log,
                                      takt_project **out, takt_error *err)
{
    return open_project(path, NULL, variant, log, out, err);
}

takt_status takt_project_open_copy(const char *copy, const char *path, takt_log *log,
                                   takt_project **out, takt_error *err)
{
    if (!copy || !path || !(takt_path_ends_in(path, ".ssd") || takt_path_ends_in(path, ".ssp")))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_project_open_copy: copy and path must not be NULL, and path end in "
                         ".ssd or .ssp");
    return open_project(path, copy, NULL, log, out, err);
}

static void end(takt_project *project)
{
    free(project->components);
    free(project->connectors);
    free(project->connections);
    free(project->assignments);
    free(project->aliases);
    free(project->walls);
    free(project->wires);
    takt_map_clear(&project->alias_names);
    for (int i = 0; i < project->n_archives; i++) takt_cache_close(&project->archives[i].unpacked);
    free(project->archives);
    free(project->edits);
    takt_arena_clear(&project->arena);
    takt_log_destroy(project->own_log);
    free(project);
}

void takt_project_hold(const takt_project *project)
{
    atomic_fetch_add(&((takt_project *)project)->n_users, 1);
}

void takt_project_release(const takt_project *project)
{
    takt_project *own = (takt_project *)project;
    if (own && atomic_fetch_sub(&own->n_users, 1) == 1) end(own);
}

void takt_project_close(takt_project *project)
{
    takt_project_release(project);
}

takt_status takt_project_check_doubts(const takt_project *project, takt_error *err)
{
    if (!project->settings.strict) return TAKT_OK;
    return takt_log_check_doubts(project->log, project->n_doubts_before, project->path, err);
}

const char *takt_project_name(const takt_project *project)
{
    return project ? project->name : NULL;
}

// ---- content -----------------------------------------------------------------------------------

// Replaces a borrowed text by a copy; NULL stays NULL.
static bool keep(takt_project *project, const char **text)
{
    if (!*text) return true;
    *text = takt_arena_copy(&project->arena, *text);
    return *text != NULL;
}

static bool keep_unit(takt_project *project, const takt_unit **unit)
{
    if (!*unit) return true;
    takt_unit *copy = takt_arena_alloc(&project->arena, sizeof *copy);
    if (!copy) return false;
    *copy = **unit;
    *unit = copy;
    return keep(project, &copy->name);
}

static bool keep_entries(takt_project *project, takt_transformation *transformation)
{
    size_t n = (size_t)transformation->n_entries;
    takt_transformation_entry *copies = takt_arena_array(&project->arena, n, sizeof *copies);
    if (!copies) return false;
    for (size_t i = 0; i < n; i++) {
        copies[i] = transformation->entries[i];
        if (!keep(project, &copies[i].source) || !keep(project, &copies[i].target)) return false;
    }
    transformation->entries = copies;
    return true;
}

static bool keep_hops(takt_project *project, const takt_project_hop **hops, int n)
{
    takt_project_hop *copies = takt_arena_array(&project->arena, (size_t)n, sizeof *copies);
    if (!copies) return false;
    for (int i = 0; i < n; i++) {
        copies[i] = (*hops)[i];
        if (!keep_unit(project, &copies[i].unit) ||
            !keep_entries(project, &copies[i].transformation))
            return false;
    }
    *hops = copies;
    return true;
}

bool takt_project_add_component(takt_project *project, const takt_project_component *component)
{
    takt_project_component copy = *component;
    if (!keep(project, &copy.name) || !keep(project, &copy.source) || !keep(project, &copy.shown) ||
        !keep(project, &copy.implementation) ||
        !takt_grow(&project->components, project->n_components, &project->component_capacity,
                   sizeof copy))
        return false;
    project->components[project->n_components++] = copy;
    return true;
}

bool takt_project_add_connector(takt_project *project, const takt_project_connector *connector)
{
    takt_project_connector copy = *connector;
    if (!keep(project, &copy.name) || !keep(project, &copy.kind) || !keep(project, &copy.type) ||
        !keep(project, &copy.shape) || !keep_unit(project, &copy.unit) ||
        !takt_grow(&project->connectors, project->n_connectors, &project->connector_capacity,
                   sizeof copy))
        return false;
    project->connectors[project->n_connectors++] = copy;
    return true;
}

bool takt_project_add_connection(takt_project *project, const takt_project_connection *connection)
{
    takt_project_connection copy = *connection;
    if (!keep(project, &copy.start_component) || !keep(project, &copy.start_variable) ||
        !keep(project, &copy.end_component) || !keep(project, &copy.end_variable) ||
        !keep_unit(project, &copy.unit) || !keep_hops(project, &copy.hops, copy.n_hops) ||
        !takt_grow(&project->connections, project->n_connections, &project->connection_capacity,
                   sizeof copy))
        return false;
    project->connections[project->n_connections++] = copy;
    return true;
}

bool takt_project_add_assignment(takt_project *project, const takt_project_assignment *assignment)
{
    takt_project_assignment copy = *assignment;
    if (!keep(project, &copy.component) || !keep(project, &copy.variable) ||
        !keep(project, &copy.value) || !keep(project, &copy.type) || !keep(project, &copy.shape) ||
        !keep(project, &copy.unit) || !keep_unit(project, &copy.unit_definition) ||
        !keep_hops(project, &copy.hops, copy.n_hops) ||
        !takt_grow(&project->assignments, project->n_assignments, &project->assignment_capacity,
                   sizeof copy))
        return false;
    project->assignments[project->n_assignments++] = copy;
    return true;
}

bool takt_project_add_alias(takt_project *project, const takt_project_alias *alias)
{
    takt_project_alias copy = *alias;
    if (!copy.index) copy.index = "";
    int first = takt_map_find(&project->alias_names, alias->name);
    if (!keep(project, &copy.name) || !keep(project, &copy.index) ||
        !keep_unit(project, &copy.unit) || !keep(project, &copy.component) ||
        !keep(project, &copy.variable) || !keep_hops(project, &copy.hops, copy.n_hops) ||
        !takt_grow(&project->aliases, project->n_aliases, &project->alias_capacity, sizeof copy) ||
        (first < 0 && !takt_map_add(&project->alias_names, copy.name, project->n_aliases)))
        return false;
    copy.next = first < 0 ? -1 : project->aliases[first].next;
    if (first >= 0) project->aliases[first].next = project->n_aliases;
    project->aliases[project->n_aliases++] = copy;
    return true;
}

int takt_project_find_alias(const takt_project *project, const char *name)
{
    return takt_map_find(&project->alias_names, name);
}

takt_status takt_project_unpack(takt_project *project, const char *path, const char **folder,
                                takt_error *err)
{
    for (int i = 0; i < project->n_archives; i++) {
        if (strcmp(project->archives[i].path, path) != 0) continue;
        *folder = project->archives[i].unpacked.folder;
        return TAKT_OK;
    }
    takt_project_archive archive = {.path = takt_arena_copy(&project->arena, path)};
    FILE *file = NULL;
    if (!archive.path || !takt_grow(&project->archives, project->n_archives,
                                    &project->archive_capacity, sizeof archive))
        return takt_fail_memory(err);
    takt_status st = takt_file_open(path, &file, err);
    if (st) return st;
    st = takt_cache_open(file, path, &project->arena, &archive.unpacked, err);
    fclose(file);
    if (st) return takt_within(err, st, "%s", path);
    if (archive.unpacked.warning)
        takt_log_write(project->log, TAKT_LEVEL_WARN, "%s: %s", path, archive.unpacked.warning);
    project->archives[project->n_archives++] = archive;
    *folder = archive.unpacked.folder;
    return TAKT_OK;
}

// ---- settings and values -----------------------------------------------------------------------

takt_status takt_project_set(takt_project *project, const char *name, const char *value,
                             takt_error *err)
{
    if (!project || !name || !value)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_set: no argument may be NULL");
    return takt_settings_override(&project->settings, &project->arena, name, value, err);
}

takt_status takt_project_set_value(takt_project *project, const char *assignment, takt_error *err)
{
    if (!project || !assignment)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_set_value: no argument may be NULL");
    takt_arena *arena = &project->arena;
    const char *equals = strchr(assignment, '=');
    const char *name =
        takt_arena_copy_n(arena, assignment, equals ? (size_t)(equals - assignment) : 0);
    if (name) name = takt_arena_trim(arena, name);
    if (name && !*name)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "'%s' sets no value; write COMPONENT.VARIABLE=VALUE, such as Tank.level=1",
                         assignment);
    if (!name || !takt_project_add_assignment(
                     project, &(takt_project_assignment){.variable = name, .value = equals + 1}))
        return takt_fail_memory(err);
    return TAKT_OK;
}

takt_status takt_project_set_at(takt_project *project, const char *name, const char *value,
                                takt_place place, takt_error *err)
{
    takt_status st = takt_settings_set(&project->settings, &project->arena, name, value, err);
    if (st) return st;
    int i = 0;
    while (strcmp(takt_setting(i)->name, name) != 0) i++;
    project->setting_places[i] = place;
    return TAKT_OK;
}

takt_place takt_project_place_of(const takt_project *project, const void *field)
{
    if (takt_settings_is_overridden(&project->settings, field)) return (takt_place){0};
    int i = takt_settings_index(&project->settings, field);
    if (i >= 0 && project->setting_places[i].file) return project->setting_places[i];
    return (takt_place){.file = project->path};
}
