// SPDX-License-Identifier: MIT
// Connectors and connections of nested systems made flat; see ssd_wires.h. From every connection that
// ends at a variable of a component the route is followed back to where its value comes from. Whole
// arrays and elements may be mixed: an index travels along until a connection names another one.
#include "project/ssd_wires.h"

#include <stdlib.h>
#include <string.h>

// Connections in a row, and all together that are looked at; more are a mistake or malicious.
enum { MAX_ROUTE = 1000, MAX_VISITS = 100 * 1000 * 1000 };

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

// ---- following a route -----------------------------------------------------------------------------

// The route between a connector and a variable while it is followed, edge by edge away from `end`.
typedef struct route {
    takt_wires *wires;
    takt_project *project;
    bool is_out_of_memory;
    const takt_wire_edge *edges[MAX_ROUTE]; // nearest to `end` first
    int n_edges;
    int end; // node where the route begins
    const char *end_index;
    takt_place place; // of the first edge
    int n_found;
    int n_visits; // edges visited on all routes
    bool is_full; // they are too many, or take too much memory
} route;

static void route_error(route *r, takt_place place, const char *what, int node)
{
    takt_problem(&r->project->problems, TAKT_LEVEL_ERROR, place, "%s '%s'", what,
                 name_of(r->wires, node));
}

// Counts the edges that are looked at; false, with a report, when they are too many.
static bool may_look(route *r, const takt_wire_edge *edge)
{
    if (r->is_out_of_memory || r->is_full) return false;
    if (r->n_visits++ < MAX_VISITS &&
        takt_wires_memory(r->wires, r->project) < TAKT_WIRES_MAX_MEMORY)
        return true;
    r->is_full = true;
    route_error(r, edge->hop.place, "there are too many routes through", edge->to);
    return false;
}

// Goes along an edge; false, perhaps with a report, when the route cannot continue there.
static bool enter(route *r, const takt_wire_edge *edge, int next)
{
    takt_wire_node *node = &r->wires->nodes[next];
    if (node->is_on_route) {
        route_error(r, edge->hop.place, "connections lead in a circle through", next);
        return false;
    }
    if (r->n_edges == MAX_ROUTE) {
        route_error(r, edge->hop.place, "too many connections in a row lead to", r->end);
        return false;
    }
    node->is_on_route = true;
    r->edges[r->n_edges++] = edge;
    return true;
}

static void leave(route *r, int next)
{
    r->wires->nodes[next].is_on_route = false;
    r->n_edges--;
}

// The hops of the route in the direction of the values; the edges are known from the target back if
// `is_backward`.
static takt_project_hop *hops_of(route *r, bool is_backward)
{
    takt_project_hop *hops = takt_arena_array(r->wires->arena, (size_t)r->n_edges, sizeof *hops);
    for (int i = 0; hops && i < r->n_edges; i++) {
        const takt_wire_edge *edge = r->edges[is_backward ? r->n_edges - 1 - i : i];
        hops[i] = edge->hop;
        hops[i].unit = r->wires->nodes[edge->to].unit;
    }
    if (!hops) r->is_out_of_memory = true;
    return hops;
}

static const char *variable_name(route *r, int node, const char *index)
{
    const char *name = r->wires->nodes[node].name;
    if (*index) name = takt_arena_print(r->wires->arena, "%s%s", name, index);
    if (!name) r->is_out_of_memory = true;
    return name;
}

static void add_connection(route *r, int source, const char *index)
{
    const takt_wires *wires = r->wires;
    takt_project_connection connection = {
        .start_component = wires->owners[wires->nodes[source].owner].path,
        .start_variable = variable_name(r, source, index),
        .end_component = wires->owners[wires->nodes[r->end].owner].path,
        .end_variable = variable_name(r, r->end, r->end_index),
        .unit = wires->nodes[source].unit,
        .hops = hops_of(r, true),
        .n_hops = r->n_edges,
        .place = r->place,
    };
    if (!r->is_out_of_memory && !takt_project_add_connection(r->project, &connection))
        r->is_out_of_memory = true;
    r->n_found++;
}

static void follow_back(route *r, int node, const char *index);

// Goes over an edge into a connector of which the element `index` (or the whole, "") is wanted.
static void follow_edge_back(route *r, const takt_wire_edge *edge, const char *index)
{
    const char *next_index = edge->from_index, *end_index = r->end_index;
    if (!may_look(r, edge)) return;
    bool is_whole = !*edge->to_index;
    if (*index && is_whole && *next_index) {
        route_error(r, edge->hop.place, "an element of an array is connected with the whole of",
                    edge->to);
        return;
    }
    if (*index && is_whole) next_index = index;
    if (*index && !is_whole && strcmp(index, edge->to_index) != 0) return; // another element
    if (!*index && !is_whole) {
        if (*end_index) {
            route_error(r, edge->hop.place, "an element of an element is connected:", edge->to);
            return;
        }
        r->end_index = edge->to_index;
    }
    if (enter(r, edge, edge->from)) {
        follow_back(r, edge->from, next_index);
        leave(r, edge->from);
    }
    r->end_index = end_index;
}

static void follow_back(route *r, int node, const char *index)
{
    const takt_wires *wires = r->wires;
    takt_wire_owner_kind kind = wires->owners[wires->nodes[node].owner].kind;
    if (r->is_out_of_memory) return;
    if (kind == TAKT_OWNER_COMPONENT) {
        add_connection(r, node, index);
        return;
    }
    if (kind == TAKT_OWNER_NOTHING) {
        route_error(r, r->place, "a component without a source cannot deliver", node);
        r->n_found++;
        return;
    }
    if (wires->nodes[node].is_wrong) { // was reported: not again for every route through it
        r->n_found++;
        return;
    }
    for (int i = wires->nodes[node].first_in; i >= 0; i = wires->edges[i].next_in)
        follow_edge_back(r, &wires->edges[i], index);
}

// ---- aliases -------------------------------------------------------------------------------------

// A connector, or an element of it, that is followed to its variables.
typedef struct shown {
    int node;
    const char *name, *index;
    int n_outputs; // on the route so far
} shown;

static void add_alias(route *r, const shown *of, int variable, const char *index, bool is_backward)
{
    const takt_wires *wires = r->wires;
    takt_project_alias alias = {
        .name = of->name,
        .index = of->index,
        .unit = wires->nodes[of->node].unit,
        .enumeration = wires->nodes[of->node].enumeration,
        .n_outputs = of->n_outputs,
        .component = wires->owners[wires->nodes[variable].owner].path,
        .variable = variable_name(r, variable, index),
        .hops = hops_of(r, is_backward),
        .n_hops = r->n_edges,
    };
    if (!r->is_out_of_memory && !takt_project_add_alias(r->project, &alias))
        r->is_out_of_memory = true;
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
static void follow_forward(route *r, const shown *of, int node, const char *index)
{
    const takt_wires *wires = r->wires;
    for (int i = wires->nodes[node].first_out; i >= 0; i = wires->edges[i].next_out) {
        const takt_wire_edge *edge = &wires->edges[i];
        takt_wire_owner_kind kind = wires->owners[wires->nodes[edge->to].owner].kind;
        if (!may_look(r, edge)) return;
        const char *next_index = index;
        shown next_of = *of;
        if (!pass_index(edge, &next_of, &next_index)) continue;
        next_of.n_outputs += is_output(wires, edge->to);
        if (wires->nodes[edge->to].is_on_route || !enter(r, edge, edge->to)) continue;
        if (kind == TAKT_OWNER_COMPONENT)
            add_alias(r, &next_of, edge->to, next_index, false);
        else
            follow_forward(r, &next_of, edge->to, next_index);
        leave(r, edge->to);
    }
}

// The variable that a connector of a system shows, as long as nothing is changed between.
static void follow_shown(route *r, const shown *of, int node)
{
    const takt_wires *wires = r->wires;
    int i = wires->nodes[node].first_in;
    if (i < 0 || wires->edges[i].next_in >= 0) return;
    const takt_wire_edge *edge = &wires->edges[i];
    takt_wire_owner_kind kind = wires->owners[wires->nodes[edge->from].owner].kind;
    if (edge->hop.transformation.kind || *edge->to_index || wires->nodes[edge->from].is_on_route)
        return;
    if (r->n_edges == MAX_ROUTE) return;
    if (kind == TAKT_OWNER_COMPONENT) {
        add_alias(r, of, edge->from, edge->from_index, true);
    } else if (!*edge->from_index && enter(r, edge, edge->from)) {
        follow_shown(r, of, edge->from);
        leave(r, edge->from);
    }
}

static void add_aliases(route *r, int node)
{
    takt_wire_node *n = &r->wires->nodes[node];
    if (r->wires->owners[n->owner].kind != TAKT_OWNER_SYSTEM) return;
    shown whole = {.node = node, .name = name_of(r->wires, node), .index = ""};
    shown constant = whole;
    constant.n_outputs = is_output(r->wires, node);
    n->is_on_route = true;
    // An output that nothing inside drives is a constant if it is given a value.
    if (is_any_of(n->kind, taking) || n->first_in < 0) follow_forward(r, &constant, node, "");
    if (is_any_of(n->kind, giving)) follow_shown(r, &whole, node);
    r->wires->nodes[node].is_on_route = false;
}

// ---- everything ----------------------------------------------------------------------------------

// A connector that passes values on gets them from one place only, element by element perhaps.
static void check_sources(route *r, int node)
{
    takt_wires *wires = r->wires;
    int first = wires->nodes[node].first_in;
    if (first < 0 || wires->edges[first].next_in < 0) return;
    takt_map seen = {0};
    bool is_any_whole = false;
    for (int i = first; i >= 0; i = wires->edges[i].next_in) {
        const takt_wire_edge *edge = &wires->edges[i];
        bool is_whole = !*edge->to_index;
        if (i != first && (is_whole || is_any_whole || takt_map_find(&seen, edge->to_index) >= 0)) {
            takt_problem(&r->project->problems, TAKT_LEVEL_ERROR, edge->hop.place,
                         "connector '%s' is driven more than once: here and in line %d",
                         name_of(wires, node), wires->edges[first].hop.place.line);
            wires->nodes[node].is_wrong = true;
            break;
        }
        is_any_whole = is_any_whole || is_whole;
        if (!takt_map_add(&seen, edge->to_index, i)) r->is_out_of_memory = true;
    }
    takt_map_clear(&seen);
}

// Of the system that is simulated itself: there is nothing outside.
static bool is_outermost(const takt_wires *wires, int node)
{
    const takt_wire_owner *owner = &wires->owners[wires->nodes[node].owner];
    return owner->kind == TAKT_OWNER_SYSTEM && !*owner->path;
}

static void tell_no_effect(route *r, const takt_wire_edge *edge)
{
    static const char *const varying[] = {"input", "output", NULL};
    int node = is_outermost(r->wires, edge->from) ? edge->from : edge->to;
    if (is_outermost(r->wires, node) && is_any_of(r->wires->nodes[node].kind, varying))
        takt_problem(&r->project->problems, TAKT_LEVEL_INFO, edge->hop.place,
                     "the connection with '%s' of the system itself has no effect",
                     r->wires->nodes[node].name);
}

static void flatten_edge(route *r, const takt_wire_edge *edge)
{
    const takt_wires *wires = r->wires;
    takt_wire_owner_kind kind = wires->owners[wires->nodes[edge->to].owner].kind;
    r->n_found = 0;
    if (kind == TAKT_OWNER_COMPONENT) {
        r->end = edge->to;
        r->end_index = edge->to_index;
        r->place = edge->hop.place;
        wires->nodes[edge->to].is_on_route = true;
        if (enter(r, edge, edge->from)) {
            follow_back(r, edge->from, edge->from_index);
            leave(r, edge->from);
        }
        wires->nodes[edge->to].is_on_route = false;
    }
    if (r->n_found == 0) tell_no_effect(r, edge);
}

bool takt_wires_flatten(takt_wires *wires, takt_project *project)
{
    route *r = calloc(1, sizeof *r);
    if (!r) return false;
    *r = (route){.wires = wires, .project = project, .end_index = ""};
    for (int i = 0; i < wires->n_nodes && !r->is_out_of_memory; i++)
        if (wires->owners[wires->nodes[i].owner].kind != TAKT_OWNER_COMPONENT) check_sources(r, i);
    for (int i = 0; i < wires->n_edges && !r->is_out_of_memory; i++)
        flatten_edge(r, &wires->edges[i]);
    for (int i = 0; i < wires->n_nodes && !r->is_out_of_memory; i++) add_aliases(r, i);
    bool ok = !r->is_out_of_memory && !wires->failed;
    free(r);
    return ok;
}
