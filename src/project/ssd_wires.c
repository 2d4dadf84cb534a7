// SPDX-License-Identifier: MIT
// Connectors and connections of nested systems made flat; see ssd_wires.h. From every connection that
// ends at a variable of a component the way is followed back to where its value comes from. Whole
// arrays and elements may be mixed: an index travels along until a connection names another one.
#include "project/ssd_wires.h"

#include <stdlib.h>
#include <string.h>

// Connections in a row, and all together that are looked at; more are a mistake or an attack.
enum { MAX_WAY = 1000, MAX_STEPS = 100 * 1000 * 1000 };

void takt_wires_clear(takt_wires *wires)
{
    free(wires->owners);
    free(wires->nodes);
    free(wires->edges);
    takt_map_clear(&wires->names);
    *wires = (takt_wires){0};
}

size_t takt_wires_memory(const takt_wires *wires, const takt_project *project)
{
    size_t name_size = 32; // of an entry of the map, at most half of which is used
    return project->arena.size + (size_t)wires->n_owners * sizeof *wires->owners +
           (size_t)wires->n_nodes * (sizeof *wires->nodes + name_size) +
           (size_t)wires->n_edges * sizeof *wires->edges +
           (size_t)project->n_components * sizeof *project->components +
           (size_t)project->n_connectors * sizeof *project->connectors +
           (size_t)project->n_connections * sizeof *project->connections +
           (size_t)project->n_assignments * sizeof *project->assignments +
           (size_t)project->n_aliases * (sizeof *project->aliases + name_size);
}

int takt_wires_add_owner(takt_wires *wires, takt_wire_owner_kind kind, const char *path)
{
    if (!takt_grow(&wires->owners, wires->n_owners, &wires->owner_capacity,
                   sizeof *wires->owners)) {
        wires->failed = true;
        return -1;
    }
    wires->owners[wires->n_owners] = (takt_wire_owner){kind, path};
    return wires->n_owners++;
}

int takt_wires_node(takt_wires *wires, int owner, const char *name, bool is_new)
{
    const char *key = takt_arena_print(wires->arena, "%d %s", owner, name);
    int found = key ? takt_map_find(&wires->names, key) : -1;
    if (!key) wires->failed = true;
    if (found >= 0 || !is_new || !key) return found;
    if (!takt_grow(&wires->nodes, wires->n_nodes, &wires->node_capacity, sizeof *wires->nodes) ||
        !takt_map_add(&wires->names, key, wires->n_nodes)) {
        wires->failed = true;
        return -1;
    }
    wires->nodes[wires->n_nodes] = (takt_wire_node){.owner = owner,
                                                    .name = name,
                                                    .first_in = -1,
                                                    .last_in = -1,
                                                    .first_out = -1,
                                                    .last_out = -1};
    return wires->n_nodes++;
}

bool takt_wires_connect(takt_wires *wires, const takt_wire_edge *edge)
{
    if (!takt_grow(&wires->edges, wires->n_edges, &wires->edge_capacity, sizeof *wires->edges))
        return false;
    int i = wires->n_edges++;
    wires->edges[i] = *edge;
    wires->edges[i].next_in = wires->edges[i].next_out = -1;
    takt_wire_node *from = &wires->nodes[edge->from], *to = &wires->nodes[edge->to];
    if (from->last_out >= 0) wires->edges[from->last_out].next_out = i;
    if (from->first_out < 0) from->first_out = i;
    from->last_out = i;
    if (to->last_in >= 0) wires->edges[to->last_in].next_in = i;
    if (to->first_in < 0) to->first_in = i;
    to->last_in = i;
    return true;
}

// "Sub.Inner.x", or "x" of the root system; only "x" when memory is exhausted.
static const char *name_of(takt_wires *wires, int node)
{
    const takt_wire_node *n = &wires->nodes[node];
    const char *path = wires->owners[n->owner].path;
    const char *name = *path ? takt_arena_print(wires->arena, "%s.%s", path, n->name) : n->name;
    if (!name) wires->failed = true;
    return name ? name : n->name;
}

// ---- following a way -----------------------------------------------------------------------------

// The way between a connector and a variable while it is followed, step by step away from `end`.
typedef struct way {
    takt_wires *wires;
    takt_project *project;
    bool is_out_of_memory;
    const takt_wire_edge *edges[MAX_WAY]; // nearest to `end` first
    int n_edges;
    int end; // node where the way began to be followed
    const char *end_index;
    takt_place place; // of the first edge
    int n_found;
    int n_steps; // of all ways
    bool is_full; // they are too many, or take too much memory
} way;

static void way_error(way *w, takt_place place, const char *what, int node)
{
    takt_problem(&w->project->problems, TAKT_LEVEL_ERROR, place, "%s '%s'", what,
                 name_of(w->wires, node));
}

// Counts the edges that are looked at; false, with a report, when they are too many.
static bool may_look(way *w, const takt_wire_edge *edge)
{
    if (w->is_out_of_memory || w->is_full) return false;
    if (w->n_steps++ < MAX_STEPS && takt_wires_memory(w->wires, w->project) < TAKT_WIRES_MAX_MEMORY)
        return true;
    w->is_full = true;
    way_error(w, edge->hop.place, "there are too many ways through", edge->to);
    return false;
}

// Steps along an edge; false, perhaps with a report, when the way cannot go on there.
static bool enter(way *w, const takt_wire_edge *edge, int next)
{
    takt_wire_node *node = &w->wires->nodes[next];
    if (node->is_on_way) {
        way_error(w, edge->hop.place, "connections lead in a circle through", next);
        return false;
    }
    if (w->n_edges == MAX_WAY) {
        way_error(w, edge->hop.place, "too many connections in a row lead to", w->end);
        return false;
    }
    node->is_on_way = true;
    w->edges[w->n_edges++] = edge;
    return true;
}

static void leave(way *w, int next)
{
    w->wires->nodes[next].is_on_way = false;
    w->n_edges--;
}

// The hops of the way in the direction of the values; the edges are known from the target back if
// `is_backward`.
static takt_project_hop *hops_of(way *w, bool is_backward)
{
    takt_project_hop *hops = takt_arena_array(w->wires->arena, (size_t)w->n_edges, sizeof *hops);
    for (int i = 0; hops && i < w->n_edges; i++) {
        const takt_wire_edge *edge = w->edges[is_backward ? w->n_edges - 1 - i : i];
        hops[i] = edge->hop;
        hops[i].unit = w->wires->nodes[edge->to].unit;
    }
    if (!hops) w->is_out_of_memory = true;
    return hops;
}

static const char *variable_name(way *w, int node, const char *index)
{
    const char *name = w->wires->nodes[node].name;
    if (*index) name = takt_arena_print(w->wires->arena, "%s%s", name, index);
    if (!name) w->is_out_of_memory = true;
    return name;
}

static void add_connection(way *w, int source, const char *index)
{
    const takt_wires *wires = w->wires;
    takt_project_connection connection = {
        .start_component = wires->owners[wires->nodes[source].owner].path,
        .start_variable = variable_name(w, source, index),
        .end_component = wires->owners[wires->nodes[w->end].owner].path,
        .end_variable = variable_name(w, w->end, w->end_index),
        .unit = wires->nodes[source].unit,
        .hops = hops_of(w, true),
        .n_hops = w->n_edges,
        .place = w->place,
    };
    if (!w->is_out_of_memory && !takt_project_add_connection(w->project, &connection))
        w->is_out_of_memory = true;
    w->n_found++;
}

static void follow_back(way *w, int node, const char *index);

// Goes over an edge into a connector of which the element `index` (or the whole, "") is wanted.
static void follow_edge_back(way *w, const takt_wire_edge *edge, const char *index)
{
    const char *next_index = edge->from_index, *end_index = w->end_index;
    if (!may_look(w, edge)) return;
    bool is_whole = !*edge->to_index;
    if (*index && is_whole && *next_index) {
        way_error(w, edge->hop.place, "an element of an array is connected with the whole of",
                  edge->to);
        return;
    }
    if (*index && is_whole) next_index = index;
    if (*index && !is_whole && strcmp(index, edge->to_index) != 0) return; // another element
    if (!*index && !is_whole) {
        if (*end_index) {
            way_error(w, edge->hop.place, "an element of an element is connected:", edge->to);
            return;
        }
        w->end_index = edge->to_index;
    }
    if (enter(w, edge, edge->from)) {
        follow_back(w, edge->from, next_index);
        leave(w, edge->from);
    }
    w->end_index = end_index;
}

static void follow_back(way *w, int node, const char *index)
{
    const takt_wires *wires = w->wires;
    takt_wire_owner_kind kind = wires->owners[wires->nodes[node].owner].kind;
    if (w->is_out_of_memory) return;
    if (kind == TAKT_OWNER_COMPONENT) {
        add_connection(w, node, index);
        return;
    }
    if (kind == TAKT_OWNER_NOTHING) {
        way_error(w, w->place, "a component without a source cannot deliver", node);
        w->n_found++;
        return;
    }
    if (wires->nodes[node].is_wrong) { // has been told: not again for all ways through it
        w->n_found++;
        return;
    }
    for (int i = wires->nodes[node].first_in; i >= 0; i = wires->edges[i].next_in)
        follow_edge_back(w, &wires->edges[i], index);
}

// ---- aliases -------------------------------------------------------------------------------------

// A connector, or an element of it, that is followed to its variables.
typedef struct shown {
    int node;
    const char *name, *index;
    int n_outputs; // on the way so far
} shown;

static void add_alias(way *w, const shown *of, int variable, const char *index, bool is_backward)
{
    const takt_wires *wires = w->wires;
    takt_project_alias alias = {
        .name = of->name,
        .index = of->index,
        .unit = wires->nodes[of->node].unit,
        .enumeration = wires->nodes[of->node].enumeration,
        .n_outputs = of->n_outputs,
        .component = wires->owners[wires->nodes[variable].owner].path,
        .variable = variable_name(w, variable, index),
        .hops = hops_of(w, is_backward),
        .n_hops = w->n_edges,
    };
    if (!w->is_out_of_memory && !takt_project_add_alias(w->project, &alias))
        w->is_out_of_memory = true;
}

// Where the value goes that is at the element `index` of a connector (or the whole, ""), along an edge.
// It may be that of an element of the connector at the beginning from here on. False: not there.
static bool pass_index(const takt_wire_edge *edge, shown *of, const char **index)
{
    const char *here = *index;
    if (!*edge->from_index) {
        if (*here && *edge->to_index) return false;
        if (*edge->to_index) *index = edge->to_index;
        return true;
    }
    *index = edge->to_index;
    if (*here) return strcmp(here, edge->from_index) == 0;
    bool is_first = !*of->index;
    of->index = edge->from_index;
    return is_first;
}

static bool is_any_of(const char *kind, const char *const *kinds)
{
    for (; *kinds; kinds++)
        if (kind && strcmp(kind, *kinds) == 0) return true;
    return false;
}

static const char *const taking[] = {"input", "parameter", "structuralParameter", NULL};
static const char *const giving[] = {"output", "local", "calculatedParameter", NULL};

// Does a connector give its value to elements outside of its owner?
static bool is_output(const takt_wires *wires, int node)
{
    const takt_wire_node *n = &wires->nodes[node];
    takt_wire_owner_kind kind = wires->owners[n->owner].kind;
    return kind == TAKT_OWNER_DICTIONARY ||
           (kind == TAKT_OWNER_SYSTEM && is_any_of(n->kind, giving));
}

// All variables to which the value goes that is at an element of a connector, or its whole.
static void follow_forward(way *w, const shown *of, int node, const char *index)
{
    const takt_wires *wires = w->wires;
    for (int i = wires->nodes[node].first_out; i >= 0; i = wires->edges[i].next_out) {
        const takt_wire_edge *edge = &wires->edges[i];
        takt_wire_owner_kind kind = wires->owners[wires->nodes[edge->to].owner].kind;
        if (!may_look(w, edge)) return;
        const char *next_index = index;
        shown part = *of;
        if (!pass_index(edge, &part, &next_index)) continue;
        part.n_outputs += is_output(wires, edge->to);
        if (wires->nodes[edge->to].is_on_way || !enter(w, edge, edge->to)) continue;
        if (kind == TAKT_OWNER_COMPONENT)
            add_alias(w, &part, edge->to, next_index, false);
        else
            follow_forward(w, &part, edge->to, next_index);
        leave(w, edge->to);
    }
}

// The variable that a connector of a system shows, as long as nothing is changed on the way.
static void follow_shown(way *w, const shown *of, int node)
{
    const takt_wires *wires = w->wires;
    int i = wires->nodes[node].first_in;
    if (i < 0 || wires->edges[i].next_in >= 0) return;
    const takt_wire_edge *edge = &wires->edges[i];
    takt_wire_owner_kind kind = wires->owners[wires->nodes[edge->from].owner].kind;
    if (edge->hop.transformation.kind || *edge->to_index || wires->nodes[edge->from].is_on_way)
        return;
    if (w->n_edges == MAX_WAY) return;
    if (kind == TAKT_OWNER_COMPONENT) {
        add_alias(w, of, edge->from, edge->from_index, true);
    } else if (!*edge->from_index && enter(w, edge, edge->from)) {
        follow_shown(w, of, edge->from);
        leave(w, edge->from);
    }
}

static void add_aliases(way *w, int node)
{
    takt_wire_node *n = &w->wires->nodes[node];
    if (w->wires->owners[n->owner].kind != TAKT_OWNER_SYSTEM) return;
    shown whole = {.node = node, .name = name_of(w->wires, node), .index = ""};
    shown constant = whole;
    constant.n_outputs = is_output(w->wires, node);
    n->is_on_way = true;
    // An output that nothing inside drives is a constant if it is given a value.
    if (is_any_of(n->kind, taking) || n->first_in < 0) follow_forward(w, &constant, node, "");
    if (is_any_of(n->kind, giving)) follow_shown(w, &whole, node);
    w->wires->nodes[node].is_on_way = false;
}

// ---- everything ----------------------------------------------------------------------------------

// A connector that passes values on gets them from one place only, element by element perhaps.
static void check_sources(way *w, int node)
{
    takt_wires *wires = w->wires;
    int first = wires->nodes[node].first_in;
    if (first < 0 || wires->edges[first].next_in < 0) return;
    takt_map seen = {0};
    bool is_any_whole = false;
    for (int i = first; i >= 0; i = wires->edges[i].next_in) {
        const takt_wire_edge *edge = &wires->edges[i];
        bool is_whole = !*edge->to_index;
        if (i != first && (is_whole || is_any_whole || takt_map_find(&seen, edge->to_index) >= 0)) {
            takt_problem(&w->project->problems, TAKT_LEVEL_ERROR, edge->hop.place,
                         "connector '%s' is driven more than once: here and in line %d",
                         name_of(wires, node), wires->edges[first].hop.place.line);
            wires->nodes[node].is_wrong = true;
            break;
        }
        is_any_whole = is_any_whole || is_whole;
        if (!takt_map_add(&seen, edge->to_index, i)) w->is_out_of_memory = true;
    }
    takt_map_clear(&seen);
}

// Of the system that is simulated itself: nobody is outside.
static bool is_outermost(const takt_wires *wires, int node)
{
    const takt_wire_owner *owner = &wires->owners[wires->nodes[node].owner];
    return owner->kind == TAKT_OWNER_SYSTEM && !*owner->path;
}

static void tell_no_effect(way *w, const takt_wire_edge *edge)
{
    static const char *const varying[] = {"input", "output", NULL};
    int node = is_outermost(w->wires, edge->from) ? edge->from : edge->to;
    if (is_outermost(w->wires, node) && is_any_of(w->wires->nodes[node].kind, varying))
        takt_problem(&w->project->problems, TAKT_LEVEL_INFO, edge->hop.place,
                     "the connection with '%s' of the system itself has no effect",
                     w->wires->nodes[node].name);
}

static void flatten_edge(way *w, const takt_wire_edge *edge)
{
    const takt_wires *wires = w->wires;
    takt_wire_owner_kind kind = wires->owners[wires->nodes[edge->to].owner].kind;
    w->n_found = 0;
    if (kind == TAKT_OWNER_COMPONENT) {
        w->end = edge->to;
        w->end_index = edge->to_index;
        w->place = edge->hop.place;
        wires->nodes[edge->to].is_on_way = true;
        if (enter(w, edge, edge->from)) {
            follow_back(w, edge->from, edge->from_index);
            leave(w, edge->from);
        }
        wires->nodes[edge->to].is_on_way = false;
    }
    if (w->n_found == 0) tell_no_effect(w, edge);
}

bool takt_wires_flatten(takt_wires *wires, takt_project *project)
{
    way *w = calloc(1, sizeof *w);
    if (!w) return false;
    *w = (way){.wires = wires, .project = project, .end_index = ""};
    for (int i = 0; i < wires->n_nodes && !w->is_out_of_memory; i++)
        if (wires->owners[wires->nodes[i].owner].kind != TAKT_OWNER_COMPONENT) check_sources(w, i);
    for (int i = 0; i < wires->n_edges && !w->is_out_of_memory; i++)
        flatten_edge(w, &wires->edges[i]);
    for (int i = 0; i < wires->n_nodes && !w->is_out_of_memory; i++) add_aliases(w, i);
    bool ok = !w->is_out_of_memory && !wires->failed;
    free(w);
    return ok;
}
