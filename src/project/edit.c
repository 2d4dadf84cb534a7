// SPDX-License-Identifier: MIT
// Looking at and changing what a project holds: components, connections, values. What stands in a SystemStructureDescription
// is changed there when the project is written (ssd_edits.c); for that each change is noted. What is new is written from
// the project itself.
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sized.h"
#include "base/text.h"
#include "project/walls.h"

// ---- questions -------------------------------------------------------------------------------------

int takt_project_count_components(const takt_project *project)
{
    return project ? project->n_components : 0;
}

int takt_project_count_connections(const takt_project *project)
{
    return project ? project->n_connections : 0;
}

int takt_project_count_values(const takt_project *project)
{
    return project ? project->n_assignments : 0;
}

static takt_status check_index(const takt_project *project, int index, int n, const char *what,
                               takt_error *err)
{
    if (!project) return takt_fail(err, TAKT_ERR_USAGE, "the project must not be NULL");
    if (index >= 0 && index < n) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE, "there is no %s number %d; the project has %d", what,
                     index, n);
}

takt_status takt_project_get_component(const takt_project *project, int index,
                                       takt_component_info *out, takt_error *err)
{
    takt_status st =
        check_index(project, index, takt_project_count_components(project), "component", err);
    if (st) return st;
    const takt_project_component *at = &project->components[index];
    const takt_component_info info = {
        .name = at->name, .source = at->source, .file = at->place.file, .line = at->place.line};
    return takt_sized_fill(out, &info, sizeof info, err);
}

takt_status takt_project_get_geometry(const takt_project *project, int index, takt_geometry *out,
                                      takt_error *err)
{
    takt_status st =
        check_index(project, index, takt_project_count_components(project), "component", err);
    if (st) return st;
    const takt_project_component *at = &project->components[index];
    if (!at->has_box)
        return takt_fail(err, TAKT_ERR_USAGE, "the project does not say where '%s' stands",
                         at->name);
    const takt_geometry geometry = {
        .x1 = at->box[0], .y1 = at->box[1], .x2 = at->box[2], .y2 = at->box[3]};
    return takt_sized_fill(out, &geometry, sizeof geometry, err);
}

takt_status takt_project_get_connection(const takt_project *project, int index,
                                        takt_connection_info *out, takt_error *err)
{
    takt_status st =
        check_index(project, index, takt_project_count_connections(project), "connection", err);
    if (st) return st;
    const takt_project_connection *at = &project->connections[index];
    const takt_connection_info info = {.from_component = at->start_component,
                                       .from_variable = at->start_variable,
                                       .to_component = at->end_component,
                                       .to_variable = at->end_variable,
                                       .file = at->place.file,
                                       .line = at->place.line};
    return takt_sized_fill(out, &info, sizeof info, err);
}

takt_status takt_project_get_value(const takt_project *project, int index, takt_value_info *out,
                                   takt_error *err)
{
    takt_status st = check_index(project, index, takt_project_count_values(project), "value", err);
    if (st) return st;
    const takt_project_assignment *at = &project->assignments[index];
    const takt_value_info info = {.component = at->component,
                                  .variable = at->variable,
                                  .value = at->value,
                                  .unit = at->unit,
                                  .file = at->place.file,
                                  .line = at->place.line};
    return takt_sized_fill(out, &info, sizeof info, err);
}

int takt_project_count_connectors(const takt_project *project)
{
    return project ? project->n_aliases : 0;
}

takt_status takt_project_get_connector(const takt_project *project, int index,
                                       takt_connector_info *out, takt_error *err)
{
    takt_status st =
        check_index(project, index, takt_project_count_connectors(project), "connector", err);
    if (st) return st;
    const takt_project_alias *at = &project->aliases[index];
    bool is_there = takt_project_find_component(project, at->component) >= 0;
    const takt_connector_info info = {.name = at->name,
                                      .n_system = takt_walls_system_of(project, at),
                                      .index = at->index,
                                      .component = is_there ? at->component : NULL,
                                      .variable = at->variable,
                                      .unit = at->unit ? at->unit->name : NULL};
    return takt_sized_fill(out, &info, sizeof info, err);
}

int takt_project_find_component(const takt_project *project, const char *name)
{
    for (int i = 0; project && name && i < project->n_components; i++)
        if (strcmp(project->components[i].name, name) == 0) return i;
    return -1;
}

takt_status takt_project_get(const takt_project *project, const char *name, char **out,
                             takt_error *err)
{
    if (!project || !name || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_get: no argument may be NULL");
    return takt_settings_print(&project->settings, name, out, err);
}

// ---- names -----------------------------------------------------------------------------------------

static const char *name_at(void *context, int i)
{
    return ((const takt_project *)context)->components[i].name;
}

static takt_status fail_no_component(const takt_project *project, const char *name, takt_error *err)
{
    const char *nearest =
        takt_text_nearest(name, project->n_components, name_at, (void *)(uintptr_t)project);
    return takt_fail(err, TAKT_ERR_USAGE, "there is no component '%s'%s%s%s", name,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
}

static takt_status find(const takt_project *project, const char *name, int *out, takt_error *err)
{
    *out = takt_project_find_component(project, name);
    return *out < 0 ? fail_no_component(project, name, err) : TAKT_OK;
}

/// A variable of a component.
typedef struct end {
    const char *component, *variable; // borrowed
} end;

// Behind the name of a component and its dot; NULL: it does not begin so.
static const char *behind(const char *text, const char *component)
{
    size_t length = strlen(component);
    return strncmp(text, component, length) == 0 && text[length] == '.' ? text + length + 1 : NULL;
}

// "Tank.level": both parts may have dots, so that it is looked for among the components.
static takt_status split(takt_project *project, const char *text, end *out, takt_error *err)
{
    const char *other = NULL;
    *out = (end){0};
    for (int i = 0; i < project->n_components; i++) {
        const char *component = project->components[i].name, *variable = behind(text, component);
        if (!variable || !*variable) continue;
        if (out->component && strcmp(component, out->component) != 0) other = component;
        *out = (end){component, variable};
    }
    if (other)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "'%s' is ambiguous: it may be a variable of component '%s' or of '%s'; "
                         "rename one of them",
                         text, other, out->component);
    if (out->component) return TAKT_OK;
    const char *dot = strrchr(text, '.');
    if (!dot || dot == text || !dot[1])
        return takt_fail(err, TAKT_ERR_USAGE, "'%s' is no variable; write COMPONENT.VARIABLE",
                         text);
    char *name = takt_arena_copy_n(&project->arena, text, strcspn(text, "."));
    return name ? fail_no_component(project, name, err) : takt_fail_memory(err);
}

// How many characters of a name are that of a subsystem, which can be edited; 0: none. There is no other list of
// subsystems than the names of components.
static int system_of(const takt_project *project, const char *name)
{
    size_t length = strlen(name);
    int found = 0;
    for (int i = 0; i < project->n_components; i++) {
        const takt_project_component *c = &project->components[i];
        if (c->n_system > found && (size_t)c->n_system < length && !c->is_elsewhere &&
            name[c->n_system] == '.' && strncmp(c->name, name, (size_t)c->n_system) == 0)
            found = c->n_system;
    }
    return found;
}

// Names are parts of names of variables, options and columns; dots are behind those of subsystems.
static takt_status check_name(const takt_project *project, const char *name, takt_error *err)
{
    int n_system = system_of(project, name);
    const char *own = n_system ? name + n_system + 1 : name;
    if (!*own || own[strcspn(own, ".=\"'<>&\t\r\n")])
        return takt_fail(err, TAKT_ERR_USAGE,
                         "'%s' cannot be the name of a component: it must not be empty or contain "
                         ". = < > & quotes or line breaks",
                         own);
    if (takt_project_find_component(project, name) >= 0)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "there is already a component '%s'; choose another name", name);
    return TAKT_OK;
}

// ---- notes -----------------------------------------------------------------------------------------

// Only what stands in a description must be changed there.
static bool note(takt_project *project, takt_project_edit edit)
{
    if (!project->ssd_path) return true;
    const char **texts[] = {&edit.a, &edit.b, &edit.c, &edit.d};
    for (int i = 0; i < 4; i++)
        if (*texts[i] && !(*texts[i] = takt_arena_copy(&project->arena, *texts[i]))) return false;
    if (!takt_grow(&project->edits, project->n_edits, &project->edit_capacity, sizeof edit))
        return false;
    project->edits[project->n_edits++] = edit;
    return true;
}

// Parts of a description that lie in other files, or stand for several, are not changed.
static takt_status check_place(const takt_project *project, const takt_project_component *at,
                               takt_error *err)
{
    if (at->is_new || !project->ssd_path || !at->is_elsewhere) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE,
                     "component '%s' belongs to a system in another file, or one that is used "
                     "several times, and cannot be removed, renamed or connected here; edit that "
                     "system itself",
                     at->name);
}

// ---- components ------------------------------------------------------------------------------------

// What systems borrow must not change.
static takt_status check_free(takt_project *project, takt_error *err)
{
    if (atomic_load(&project->n_users) == 1) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE,
                     "%s cannot be changed while there are systems or runs made of it; end them "
                     "first",
                     project->path);
}

takt_status takt_project_add(takt_project *project, const char *name, const char *source,
                             takt_error *err)
{
    if (!project || !name || !source)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_add: no argument may be NULL");
    takt_status st = check_free(project, err);
    if (!st) st = check_name(project, name, err);
    if (st) return st;
    if (!*source)
        return takt_fail(err, TAKT_ERR_USAGE, "component '%s' needs an FMU, a table or a function",
                         name);
    const takt_project_component component = {
        .name = name, .source = source, .is_new = true, .n_system = system_of(project, name)};
    return takt_project_add_component(project, &component) ? TAKT_OK : takt_fail_memory(err);
}

// Does an assignment belong to the component?
static bool is_value_of(const takt_project_assignment *given, const char *component)
{
    return given->component ? strcmp(given->component, component) == 0
                            : behind(given->variable, component) != NULL;
}

static bool touches(const takt_project_connection *connection, const char *component)
{
    return strcmp(connection->start_component, component) == 0 ||
           strcmp(connection->end_component, component) == 0;
}

// Removes assignment i; those that stand in files come before all others.
static void drop_value(takt_project *project, int i)
{
    size_t n = (size_t)(project->n_assignments - i - 1);
    memmove(&project->assignments[i], &project->assignments[i + 1],
            n * sizeof *project->assignments);
    project->n_assignments--;
    if (i < project->n_read_assignments) project->n_read_assignments--;
}

static void drop_connection(takt_project *project, int i)
{
    size_t n = (size_t)(project->n_connections - i - 1);
    memmove(&project->connections[i], &project->connections[i + 1],
            n * sizeof *project->connections);
    project->n_connections--;
}

static void drop_component(takt_project *project, int index)
{
    const char *name = project->components[index].name;
    int n = 0;
    for (int i = project->n_connections - 1; i >= 0; i--)
        if (touches(&project->connections[i], name)) drop_connection(project, i);
    for (int i = project->n_assignments - 1; i >= 0; i--)
        if (is_value_of(&project->assignments[i], name)) drop_value(project, i);
    takt_walls_rename(project, name, NULL);
    for (int i = 0; i < project->n_connectors; i++) {
        takt_project_connector connector = project->connectors[i];
        if (connector.component == index) continue;
        if (connector.component > index) connector.component--;
        project->connectors[n++] = connector;
    }
    project->n_connectors = n;
    memmove(&project->components[index], &project->components[index + 1],
            (size_t)(project->n_components - index - 1) * sizeof *project->components);
    project->n_components--;
}

// Values that stand in another file would name a component that there is no more.
static takt_status check_values(const takt_project *project, const char *name, takt_error *err)
{
    for (int i = 0; project->ssd_path && i < project->n_read_assignments; i++) {
        const takt_project_assignment *given = &project->assignments[i];
        if (!given->place.file || !is_value_of(given, name)) continue;
        const takt_project_component *at =
            &project->components[takt_project_find_component(project, name)];
        if (at->place.file && strcmp(given->place.file, at->place.file) == 0) continue;
        return takt_fail(err, TAKT_ERR_USAGE,
                         "component '%s' has values in another file, %s:%d, which is not changed; "
                         "change it there first",
                         name, given->place.file, given->place.line);
    }
    return TAKT_OK;
}

takt_status takt_project_remove(takt_project *project, const char *name, takt_error *err)
{
    int i = -1;
    if (!project || !name)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_remove: no argument may be NULL");
    takt_status st = check_free(project, err);
    if (!st) st = find(project, name, &i, err);
    if (!st) st = check_place(project, &project->components[i], err);
    if (!st) st = check_values(project, name, err);
    if (st) return st;
    bool is_new = project->components[i].is_new;
    if (!is_new && !note(project, (takt_project_edit){TAKT_EDIT_REMOVE, .a = name}))
        return takt_fail_memory(err);
    drop_component(project, i);
    return TAKT_OK;
}

takt_status takt_project_set_geometry(takt_project *project, const char *name,
                                      const takt_geometry *geometry, takt_error *err)
{
    int i = -1;
    takt_geometry g = {.size = sizeof g};
    if (!project || !name || !geometry)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_set_geometry: no argument may be NULL");
    takt_status st = takt_sized_take(&g, geometry, sizeof g, err);
    if (!st) st = find(project, name, &i, err);
    if (!st) st = check_place(project, &project->components[i], err);
    if (st) return st;
    const double box[] = {g.x1, g.y1, g.x2, g.y2};
    for (int k = 0; k < 4; k++)
        if (!isfinite(box[k]))
            return takt_fail(err, TAKT_ERR_USAGE, "the place of '%s' must be finite", name);
    takt_project_component *at = &project->components[i];
    memcpy(at->box, box, sizeof box);
    at->has_box = at->is_moved = true;
    return TAKT_OK;
}

// ---- another name ----------------------------------------------------------------------------------

// All texts that change, made before anything is changed.
typedef struct renaming {
    takt_project *project;
    const char *old, *name; // in the project's arena
    bool ok;
} renaming;

static void rename_text(const renaming *r, const char **text)
{
    if (*text && strcmp(*text, r->old) == 0) *text = r->name;
}

static void rename_value(renaming *r, takt_project_assignment *given)
{
    rename_text(r, &given->component);
    const char *variable = given->component ? NULL : behind(given->variable, r->old);
    if (!variable) return;
    const char *text = takt_arena_print(&r->project->arena, "%s.%s", r->name, variable);
    if (!text) r->ok = false;
    if (text) given->variable = text;
}

static bool rename_all(takt_project *project, int index, const char *name)
{
    renaming r = {project, project->components[index].name, takt_arena_copy(&project->arena, name),
                  true};
    if (!r.name || !takt_settings_rename(&project->settings, &project->arena, r.old, r.name))
        return false;
    for (int i = 0; i < project->n_assignments && r.ok; i++)
        rename_value(&r, &project->assignments[i]);
    for (int i = 0; i < project->n_connections; i++) {
        rename_text(&r, &project->connections[i].start_component);
        rename_text(&r, &project->connections[i].end_component);
    }
    for (int i = 0; i < project->n_aliases; i++) rename_text(&r, &project->aliases[i].component);
    if (r.ok) takt_walls_rename(project, r.old, r.name);
    project->components[index].name = r.name;
    return r.ok;
}

static takt_status check_system(const takt_project *project, int i, const char *new_name,
                                takt_error *err)
{
    int n = system_of(project, new_name);
    const takt_project_component *at = &project->components[i];
    if (n == at->n_system && strncmp(at->name, new_name, (size_t)n) == 0) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE,
                     "'%s' cannot become '%s': a component stays in its system", at->name,
                     new_name);
}

takt_status takt_project_rename(takt_project *project, const char *name, const char *new_name,
                                takt_error *err)
{
    int i = -1;
    if (!project || !name || !new_name)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_rename: no argument may be NULL");
    takt_status st = check_free(project, err);
    if (!st) st = find(project, name, &i, err);
    if (!st) st = check_place(project, &project->components[i], err);
    if (!st) st = check_name(project, new_name, err);
    if (!st) st = check_system(project, i, new_name, err);
    if (!st) st = check_values(project, name, err);
    if (st) return st;
    bool is_new = project->components[i].is_new;
    const takt_project_edit edit = {TAKT_EDIT_RENAME, .a = name, .b = new_name};
    if ((!is_new && !note(project, edit)) || !rename_all(project, i, new_name))
        return takt_fail_memory(err);
    return TAKT_OK;
}

// ---- connections -----------------------------------------------------------------------------------

static bool is_end(const char *component, const char *variable, const end *e)
{
    return strcmp(component, e->component) == 0 && strcmp(variable, e->variable) == 0;
}

static bool is_start_of(const takt_project_connection *c, const end *e)
{
    return is_end(c->start_component, c->start_variable, e);
}

static bool is_end_of(const takt_project_connection *c, const end *e)
{
    return is_end(c->end_component, c->end_variable, e);
}

// `to` NULL: any.
static bool joins(const takt_project_connection *c, const end *from, const end *to)
{
    if (!to) return is_start_of(c, from) || is_end_of(c, from);
    return (is_start_of(c, from) && is_end_of(c, to)) || (is_start_of(c, to) && is_end_of(c, from));
}

// A variable, or a connector of a subsystem, "Heating.T_in".
static takt_status find_end(takt_project *project, const char *text, takt_wall_end *out,
                            takt_error *err)
{
    int i = takt_project_find_alias(project, text);
    end e;
    if (i >= 0 && takt_project_find_component(project, project->aliases[i].component) >= 0 &&
        takt_walls_system_of(project, &project->aliases[i])) {
        *out = (takt_wall_end){project->aliases[i].component, project->aliases[i].variable, i};
        return TAKT_OK;
    }
    takt_status st = split(project, text, &e, err);
    if (!st) *out = (takt_wall_end){e.component, e.variable, -1};
    return st;
}

static takt_status check_new(const takt_project *project, const takt_wall_end *from,
                             const takt_wall_end *to, takt_error *err)
{
    const end start = {from->component, from->variable}, finish = {to->component, to->variable};
    for (int i = 0; i < project->n_connections; i++)
        if (joins(&project->connections[i], &start, &finish))
            return takt_fail(err, TAKT_ERR_USAGE, "'%s.%s' and '%s.%s' are connected already",
                             start.component, start.variable, finish.component, finish.variable);
    return TAKT_OK;
}

// In one system.
static takt_status connect(takt_project *project, const takt_wall_end *from,
                           const takt_wall_end *to, takt_error *err)
{
    const takt_wall_end *const ends[] = {from, to};
    takt_status st = TAKT_OK;
    for (int i = 0; i < 2 && !st; i++) {
        int k = takt_project_find_component(project, ends[i]->component);
        st = check_place(project, &project->components[k], err);
    }
    const takt_project_connection connection = {.start_component = from->component,
                                                .start_variable = from->variable,
                                                .end_component = to->component,
                                                .end_variable = to->variable,
                                                .is_new = true};
    if (st) return st;
    return takt_project_add_connection(project, &connection) ? TAKT_OK : takt_fail_memory(err);
}

takt_status takt_project_connect(takt_project *project, const char *from, const char *to,
                                 takt_error *err)
{
    takt_wall_end start, finish;
    if (!project || !from || !to)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_connect: no argument may be NULL");
    takt_status st = check_free(project, err);
    if (!st) st = find_end(project, from, &start, err);
    if (!st) st = find_end(project, to, &finish, err);
    if (!st) st = check_new(project, &start, &finish, err);
    if (st) return st;
    return project->ssd_path && takt_walls_are_between(project, &start, &finish)
               ? takt_walls_connect(project, start, finish, err)
               : connect(project, &start, &finish, err);
}

// Removes those that join the two; counts them. A connection through the wall of a subsystem is in several pieces.
static takt_status disconnect(takt_project *project, const end *from, const end *to, int *n,
                              takt_error *err)
{
    for (int i = project->n_connections - 1; i >= 0; i--) {
        const takt_project_connection *c = &project->connections[i];
        if (!joins(c, from, to)) continue;
        ++*n;
        if (c->wire) { // takes others with it
            takt_walls_drop_wire(project, c->wire - 1);
            i = project->n_connections;
            continue;
        }
        const takt_project_edit edit = {TAKT_EDIT_DISCONNECT, c->start_component, c->start_variable,
                                        c->end_component, c->end_variable};
        if (!c->is_new && !note(project, edit)) return takt_fail_memory(err);
        takt_walls_forget(project, c);
        drop_connection(project, i);
    }
    return TAKT_OK;
}

takt_status takt_project_disconnect(takt_project *project, const char *from, const char *to,
                                    takt_error *err)
{
    end start, finish;
    int n = 0;
    if (!project || !from)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_project_disconnect: project and from must not be NULL");
    takt_status st = check_free(project, err);
    if (!st) st = split(project, from, &start, err);
    if (!st && to) st = split(project, to, &finish, err);
    if (!st) st = disconnect(project, &start, to ? &finish : NULL, &n, err);
    if (st || n) return st;
    if (to) return takt_fail(err, TAKT_ERR_USAGE, "'%s' and '%s' are not connected", from, to);
    return takt_fail(err, TAKT_ERR_USAGE, "'%s' has no connection", from);
}

// ---- values ----------------------------------------------------------------------------------------

takt_status takt_project_unset_value(takt_project *project, const char *variable, takt_error *err)
{
    end e;
    int n = 0;
    if (!project || !variable)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_unset_value: no argument may be NULL");
    takt_status st = check_free(project, err);
    if (!st) st = split(project, variable, &e, err);
    for (int i = st ? -1 : project->n_assignments - 1; i >= 0; i--) {
        const takt_project_assignment *given = &project->assignments[i];
        bool is_it = given->component ? is_end(given->component, given->variable, &e)
                                      : strcmp(given->variable, variable) == 0;
        if (!is_it) continue;
        const takt_project_edit edit = {TAKT_EDIT_UNSET, .a = e.component, .b = e.variable};
        if (i < project->n_read_assignments && !note(project, edit)) return takt_fail_memory(err);
        drop_value(project, i);
        n++;
    }
    if (st || n) return st;
    return takt_fail(err, TAKT_ERR_USAGE, "the project gives '%s' no value", variable);
}
