// SPDX-License-Identifier: MIT
// Connections through the walls of subsystems; see walls.h. Both ends are led outwards, wall by wall, to the system that holds both,
// where one wire joins them.
#include "project/walls.h"

#include <string.h>

#include "base/text.h"

/// An end on its way outwards.
typedef struct way {
    takt_project *project;
    const char *component, *variable; // where it begins
    const char *owner,
        *name; // where it is now: a component, or a system, and what is connected of it
    const char *system; // in which `owner` stands
    int alias; // that was used last, or made; -1: none yet
} way;

static const takt_project_component *component_of(const takt_project *project, const char *name)
{
    int i = takt_project_find_component(project, name);
    return i < 0 ? NULL : &project->components[i];
}

// Is `text` of `length` characters that system, or one inside of it?
static bool is_within(const char *text, size_t length, const char *system)
{
    size_t n = strlen(system);
    return !n || (length >= n && strncmp(text, system, n) == 0 && (length == n || text[n] == '.'));
}

// The name of the system around one; "" around those at the top.
static const char *around(takt_project *project, const char *system)
{
    const char *dot = strrchr(system, '.');
    return dot ? takt_arena_copy_n(&project->arena, system, (size_t)(dot - system)) : "";
}

// What a name is behind its system.
static const char *own_part(const char *name, const char *system)
{
    return *system ? name + strlen(system) + 1 : name;
}

int takt_walls_system_of(const takt_project *project, const takt_project_alias *alias)
{
    const takt_project_component *at = component_of(project, alias->component);
    // The innermost system on the way to the variable whose name the connector's begins with.
    for (int n = at ? at->n_system : 0; n > 0;) {
        if (strncmp(alias->name, at->name, (size_t)n) == 0 && alias->name[n] == '.') return n;
        for (n--; n > 0 && at->name[n] != '.';) n--;
    }
    return 0;
}

bool takt_walls_are_between(const takt_project *project, const takt_wall_end *from,
                            const takt_wall_end *to)
{
    const takt_project_component *a = component_of(project, from->component);
    const takt_project_component *b = component_of(project, to->component);
    if (from->alias >= 0 || to->alias >= 0) return true;
    return !a || !b || a->n_system != b->n_system ||
           strncmp(a->name, b->name, (size_t)a->n_system) != 0;
}

// ---- the way out -----------------------------------------------------------------------------------

static bool begin_way(takt_project *project, const takt_wall_end *end, way *out)
{
    takt_arena *arena = &project->arena;
    *out = (way){.project = project,
                 .component = takt_arena_copy(arena, end->component),
                 .variable = takt_arena_copy(arena, end->variable),
                 .alias = end->alias};
    if (!out->component || !out->variable) return false;
    if (end->alias < 0) {
        const takt_project_component *at = component_of(project, end->component);
        out->owner = out->component;
        out->name = out->variable;
        out->system = takt_arena_copy_n(arena, at->name, (size_t)at->n_system);
        return out->system != NULL;
    }
    const takt_project_alias *alias = &project->aliases[end->alias];
    int n = takt_walls_system_of(project, alias);
    out->owner = takt_arena_copy_n(arena, alias->name, (size_t)n);
    out->name = alias->name + n + 1;
    out->system = out->owner ? around(project, out->owner) : NULL;
    return out->system != NULL;
}

// The connector of a system that stands for the variable; -1: there is none.
static int find_connector(const way *w, const char *system)
{
    const takt_project *project = w->project;
    for (int i = 0; i < project->n_aliases; i++) {
        const takt_project_alias *a = &project->aliases[i];
        if (*a->index || strcmp(a->component, w->component) != 0 ||
            strcmp(a->variable, w->variable) != 0)
            continue;
        size_t n = (size_t)takt_walls_system_of(project, a);
        if (n == strlen(system) && strncmp(a->name, system, n) == 0)
            return takt_project_find_alias(project, a->name);
    }
    return -1;
}

static bool add_wire(takt_project *project, const takt_project_wire *wire)
{
    if (!takt_grow(&project->wires, project->n_wires, &project->wire_capacity, sizeof *wire))
        return false;
    project->wires[project->n_wires++] = *wire;
    return true;
}

// A name for a connector that its system has not yet, as far as that is known: "Tank_level".
static const char *free_name(way *w)
{
    takt_arena *arena = &w->project->arena;
    char *base =
        (char *)(uintptr_t)takt_arena_print(arena, "%s_%s", own_part(w->owner, w->system), w->name);
    for (char *c = base; c && *c; c++)
        if (strchr(".[], ", *c)) *c = '_';
    const char *name = base;
    for (int i = 2; name; i++) {
        const char *whole = takt_arena_print(arena, "%s.%s", w->system, name);
        if (!whole) return NULL;
        if (takt_project_find_alias(w->project, whole) < 0) return name;
        name = takt_arena_print(arena, "%s_%d", base, i);
    }
    return NULL;
}

// Makes a connector in the wall of the system that `w` is in, and goes there.
static bool make_connector(way *w)
{
    takt_project *project = w->project;
    const char *name = free_name(w);
    const char *whole = name ? takt_arena_print(&project->arena, "%s.%s", w->system, name) : NULL;
    if (!whole || !takt_grow(&project->walls, project->n_walls, &project->wall_capacity,
                             sizeof *project->walls))
        return false;
    project->walls[project->n_walls++] =
        (takt_project_wall){w->system, name, w->component, w->variable};
    const takt_project_wire wire = {w->system, w->owner, w->name, NULL, name};
    const takt_project_hop plain = {.transformation.kind = TAKT_TRANSFORM_NONE};
    takt_project_alias alias = {.hops = &plain, .n_hops = 1};
    if (w->alias >= 0) alias = project->aliases[w->alias];
    alias.name = whole;
    alias.component = w->component;
    alias.variable = w->variable;
    alias.unit = NULL;
    alias.enumeration = NULL;
    if (!add_wire(project, &wire) || !takt_project_add_alias(project, &alias)) return false;
    w->alias = takt_project_find_alias(project, whole);
    w->owner = w->system;
    w->name = name;
    w->system = around(project, w->owner);
    return w->system != NULL;
}

static takt_status fail_elsewhere(const way *w, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_USAGE,
                     "'%s.%s' is in a system in another file, or one that is used several times, "
                     "which has no connector for it; edit that system itself",
                     w->component, w->variable);
}

// Leads an end to where it stands in `system`.
static takt_status go_out(way *w, const char *system, takt_error *err)
{
    while (strlen(w->system) > strlen(system)) {
        // A connector of the outermost wall that is there already is as good as many.
        size_t n = strlen(system);
        const char *next = w->component + (n ? n + 1 : 0);
        size_t length = n + (n ? 1 : 0) + strcspn(next, ".");
        const char *outer = takt_arena_copy_n(&w->project->arena, w->component, length);
        int found = outer ? find_connector(w, outer) : -1;
        if (outer && found < 0) {
            outer = w->system;
            found = find_connector(w, outer);
        }
        if (!outer) return takt_fail_memory(err);
        if (found >= 0) {
            w->alias = found;
            w->owner = outer;
            w->name = w->project->aliases[found].name + strlen(outer) + 1;
            w->system = around(w->project, outer);
            if (!w->system) return takt_fail_memory(err);
            continue;
        }
        if (component_of(w->project, w->component)->is_elsewhere) return fail_elsewhere(w, err);
        if (!make_connector(w)) return takt_fail_memory(err);
    }
    return TAKT_OK;
}

// ---- the wire in the middle ------------------------------------------------------------------------

// The innermost system that holds both.
static const char *common(takt_project *project, const char *a, const char *b)
{
    while (a && !is_within(b, strlen(b), a)) a = around(project, a);
    return a;
}

// Is it in the project's own file, and there only once?
static bool is_own(const takt_project *project, const char *system)
{
    for (int i = 0; i < project->n_components; i++) {
        const takt_project_component *c = &project->components[i];
        if (!c->is_elsewhere && is_within(c->name, (size_t)c->n_system, system)) return true;
    }
    return !*system;
}

// The hops from the source's connector over the wire and through a connector of the target.
static takt_project_hop *join_hops(takt_project *project, const takt_project_alias *from,
                                   const takt_project_alias *to, int *n_out)
{
    int n_from = from ? from->n_hops : 0, n_to = to ? to->n_hops : 0, n = n_from + 1 + n_to;
    takt_project_hop *hops = takt_arena_array(&project->arena, (size_t)n, sizeof *hops);
    if (!hops) return NULL;
    if (n_from) memcpy(hops, from->hops, (size_t)n_from * sizeof *hops);
    hops[n_from] = (takt_project_hop){.unit = to ? to->unit : NULL};
    if (n_to) memcpy(hops + n_from + 1, to->hops, (size_t)n_to * sizeof *hops);
    *n_out = n;
    return hops;
}

static bool add_connection(const way *from, const way *to, int i_to, int wire)
{
    takt_project *project = from->project;
    takt_project_connection connection = {.start_component = from->component,
                                          .start_variable = from->variable,
                                          .end_component = to->component,
                                          .end_variable = to->variable,
                                          .is_new = true,
                                          .wire = wire + 1};
    const takt_project_alias *a = from->alias < 0 ? NULL : &project->aliases[from->alias];
    const takt_project_alias *b = i_to < 0 ? NULL : &project->aliases[i_to];
    if (b) {
        connection.end_component = b->component;
        connection.end_variable = b->variable;
    }
    if (a || b) connection.hops = join_hops(project, a, b, &connection.n_hops);
    return (connection.hops || (!a && !b)) && takt_project_add_connection(project, &connection);
}

// A connector gives its value to all variables that it stands for.
static bool add_connections(const way *from, const way *to, int wire)
{
    takt_project *project = from->project;
    if (to->alias < 0) return add_connection(from, to, -1, wire);
    bool ok = true;
    for (int i = to->alias; i >= 0 && ok; i = project->aliases[i].next)
        ok = *project->aliases[i].index || add_connection(from, to, i, wire);
    return ok;
}

const takt_project_connector *takt_walls_declared(const takt_project *project,
                                                  const char *component, const char *variable)
{
    for (int i = 0; i < project->n_connectors; i++) {
        const takt_project_connector *c = &project->connectors[i];
        if (strcmp(project->components[c->component].name, component) == 0 &&
            strcmp(c->name, variable) == 0)
            return c;
    }
    return NULL;
}

// Kinds are declared where the file was written by a program that knew them; else they are as the caller said.
static bool is_declared(const takt_project *project, const takt_wall_end *end, const char *kind)
{
    const takt_project_connector *c = takt_walls_declared(project, end->component, end->variable);
    return c && strcmp(c->kind, kind) == 0;
}

takt_project_wire takt_walls_directed(const takt_project *project, const takt_project_wire *wire)
{
    for (int i = 0; i < project->n_walls && wire->system && !wire->end_owner; i++) {
        const takt_project_wall *wall = &project->walls[i];
        if (!wall->component || strcmp(wall->system, wire->system) != 0 ||
            strcmp(wall->name, wire->end_name) != 0)
            continue;
        const takt_project_connector *like =
            takt_walls_declared(project, wall->component, wall->variable);
        // What is no output gets its value from outside, through the wall.
        if (like && strcmp(like->kind, "output") != 0)
            return (takt_project_wire){wire->system, wire->end_owner, wire->end_name,
                                       wire->start_owner, wire->start_name};
    }
    return *wire;
}

static bool is_inside_of(const way *w, const way *connector)
{
    return connector->alias >= 0 && is_within(w->system, strlen(w->system), connector->owner);
}

takt_status takt_walls_connect(takt_project *project, takt_wall_end from, takt_wall_end to,
                               takt_error *err)
{
    way a, b;
    bool is_turned = is_declared(project, &from, "input") || is_declared(project, &to, "output");
    if (!begin_way(project, is_turned ? &to : &from, &a) ||
        !begin_way(project, is_turned ? &from : &to, &b))
        return takt_fail_memory(err);
    const char *system = common(project, a.system, b.system);
    if (!system) return takt_fail_memory(err);
    if (is_inside_of(&a, &b) || is_inside_of(&b, &a))
        return takt_fail(err, TAKT_ERR_USAGE,
                         "'%s.%s' and '%s.%s' are on two sides of a wall; connect with the "
                         "variables on the other side of it",
                         a.owner, a.name, b.owner, b.name);
    if (!is_own(project, system)) return fail_elsewhere(&b, err);
    takt_status st = go_out(&a, system, err);
    if (!st) st = go_out(&b, system, err);
    if (st) return st;
    const takt_project_wire wire = {system, a.owner, a.name, b.owner, b.name};
    if (!add_wire(project, &wire) || !add_connections(&a, &b, project->n_wires - 1))
        return takt_fail_memory(err);
    return TAKT_OK;
}

// ---- changes ---------------------------------------------------------------------------------------

void takt_walls_drop_wire(takt_project *project, int wire)
{
    project->wires[wire].system = NULL;
    int n = 0;
    for (int i = 0; i < project->n_connections; i++)
        if (project->connections[i].wire != wire + 1)
            project->connections[n++] = project->connections[i];
    project->n_connections = n;
}

void takt_walls_forget(takt_project *project, const takt_project_connection *connection)
{
    const takt_wall_end from = {connection->start_component, connection->start_variable, -1};
    const takt_wall_end to = {connection->end_component, connection->end_variable, -1};
    if (connection->is_new || !takt_walls_are_between(project, &from, &to)) return;
    for (int i = 0; i < project->n_aliases; i++) {
        takt_project_alias *a = &project->aliases[i];
        if (strcmp(a->component, to.component) == 0 && strcmp(a->variable, to.variable) == 0)
            a->component = "";
    }
}

static bool change(const char **text, const char *old, const char *name)
{
    if (!*text || strcmp(*text, old) != 0) return false;
    *text = name;
    return true;
}

void takt_walls_rename(takt_project *project, const char *old, const char *name)
{
    for (int i = 0; i < project->n_walls; i++) change(&project->walls[i].component, old, name);
    for (int i = 0; i < project->n_wires; i++) {
        takt_project_wire *w = &project->wires[i];
        bool is_it = change(&w->start_owner, old, name);
        is_it = change(&w->end_owner, old, name) || is_it;
        if (is_it && !name) w->system = NULL;
    }
    // What a removed component stood behind leads nowhere.
    for (int i = 0; i < project->n_aliases && !name; i++)
        if (strcmp(project->aliases[i].component, old) == 0) project->aliases[i].component = "";
}
