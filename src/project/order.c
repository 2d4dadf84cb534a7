// SPDX-License-Identifier: MIT
// Declared orders of calls; see order.h.
#include "project/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "graph/graph.h"

// ---- sorting -----------------------------------------------------------------------------------

typedef struct sorted {
    takt_project_component component;
    takt_declared declared;
    int position;
} sorted;

static int compare(const void *a, const void *b)
{
    const sorted *x = a, *y = b;
    if (x->declared.tier != y->declared.tier) return x->declared.tier < y->declared.tier ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

bool takt_order_sort(takt_project *project, takt_declared *components)
{
    int n = project->n_components;
    if (n == 0) return true;
    sorted *all = malloc((size_t)n * sizeof *all);
    if (!all) return false;
    for (int i = 0; i < n; i++) all[i] = (sorted){project->components[i], components[i], i};
    qsort(all, (size_t)n, sizeof *all, compare);
    for (int i = 0; i < n; i++) {
        project->components[i] = all[i].component;
        components[i] = all[i].declared;
    }
    free(all);
    return true;
}

// ---- checking ----------------------------------------------------------------------------------

typedef struct checker {
    takt_project *project;
    const takt_declared_order *order;
    takt_arena scratch;
    takt_map names; // component -> index
    takt_edge *edges; // per connection; from -1: an end is not known
    takt_components loops;
    bool *has_own; // per component: it is connected with itself
    bool has_late; // a value arrives one step late
} checker;

// Makes the graph of components. Names that are not known are reported when the system is made.
static bool find_loops(checker *c)
{
    const takt_project *project = c->project;
    size_t n = (size_t)project->n_connections;
    c->edges = takt_arena_array(&c->scratch, n, sizeof *c->edges);
    takt_edge *known = takt_arena_array(&c->scratch, n, sizeof *known);
    c->has_own = takt_arena_array(&c->scratch, (size_t)project->n_components, sizeof *c->has_own);
    if (!c->edges || !known || !c->has_own) return false;
    for (int i = 0; i < project->n_components; i++)
        if (takt_map_find(&c->names, project->components[i].name) < 0 &&
            !takt_map_add(&c->names, project->components[i].name, i))
            return false;
    int n_known = 0;
    for (size_t i = 0; i < n; i++) {
        const takt_project_connection *connection = &project->connections[i];
        takt_edge *edge = &c->edges[i];
        edge->from = takt_map_find(&c->names, connection->start_component);
        edge->to = takt_map_find(&c->names, connection->end_component);
        if (edge->to < 0) edge->from = -1;
        if (edge->from < 0) continue;
        known[n_known++] = *edge;
        if (edge->from == edge->to) c->has_own[edge->from] = true;
    }
    takt_graph graph;
    return takt_graph_create(&c->scratch, project->n_components, known, n_known, &graph) &&
           takt_graph_components(&c->scratch, &graph, &c->loops);
}

// A value that the file's program passes on one step late, as its target is called before its source.
// In a tier that is iterated the next sweep corrects that.
static void check_connection(checker *c, int i)
{
    takt_edge edge = c->edges[i];
    const takt_declared_order *order = c->order;
    if (edge.from < 0 || c->loops.component_of[edge.from] == c->loops.component_of[edge.to]) return;
    const takt_declared *from = &order->components[edge.from], *to = &order->components[edge.to];
    bool is_backward = edge.from > edge.to;
    bool is_iterated = order->iterates && from->tier == to->tier && from->is_iterated;
    if (!order->matters || !is_backward || is_iterated) return;
    if (!order->iterates) c->has_late = true;
    const takt_project_connection *connection = &c->project->connections[i];
    takt_problem(&c->project->problems, TAKT_LEVEL_WARN, connection->place,
                 "'%s' (%s %d) is called before '%s' (%s %d), so %s passes %s.%s on one step late; "
                 "here %s",
                 connection->end_component, order->tier_name, to->tier, connection->start_component,
                 order->tier_name, from->tier, order->program, connection->start_component,
                 connection->start_variable,
                 order->iterates ? "the source is called first"
                                 : "as well, unless the option --call-order flow is given");
}

// How many members of a loop are in a tier that is iterated with another member of the loop.
static int count_iterated(const checker *c, int loop, bool *is_split)
{
    const int *members = c->loops.nodes + c->loops.first[loop];
    int n = c->loops.first[loop + 1] - c->loops.first[loop], n_iterated = 0;
    const takt_declared *declared = c->order->components;
    *is_split = false;
    for (int i = 0; i < n; i++) { // ascending, so that tiers lie together
        const takt_declared *this = &declared[members[i]];
        bool is_like_before = i > 0 && declared[members[i - 1]].tier == this->tier;
        bool is_like_next = i + 1 < n && declared[members[i + 1]].tier == this->tier;
        if (i > 0 && !is_like_before) *is_split = true;
        n_iterated += this->is_iterated && (is_like_before || is_like_next);
    }
    return n_iterated;
}

// Is a component that is connected only with itself in a tier that is iterated?
static bool is_iterated_alone(const checker *c, int i)
{
    const takt_declared *all = c->order->components;
    bool is_like_before = i > 0 && all[i - 1].tier == all[i].tier;
    bool is_like_next = i + 1 < c->project->n_components && all[i + 1].tier == all[i].tier;
    return all[i].is_iterated && (c->order->iterates_one || is_like_before || is_like_next);
}

static bool use_seidel(checker *c, const takt_project_component *member)
{
    takt_project *project = c->project;
    const char *value = takt_arena_print(&c->scratch, "%s=seidel", member->name);
    return value &&
           takt_settings_set(&project->settings, &project->arena, "algorithm", value, NULL) == 0;
}

static bool check_loop(checker *c, int loop)
{
    int first = c->loops.first[loop], n = c->loops.first[loop + 1] - first;
    int only = n == 1 ? c->loops.nodes[first] : -1;
    if (!c->order->iterates || (only >= 0 && !c->has_own[only])) return true;
    if (only >= 0)
        return is_iterated_alone(c, only) || use_seidel(c, &c->project->components[only]);
    bool is_split;
    int n_iterated = count_iterated(c, loop, &is_split);
    if (n_iterated == n && !is_split) return true;
    const takt_project_component *a = &c->project->components[c->loops.nodes[first]];
    const takt_project_component *b = &c->project->components[c->loops.nodes[first + n - 1]];
    if (n_iterated > 0) {
        takt_problem(
            &c->project->problems, TAKT_LEVEL_WARN, a->place,
            "the loop from '%s' to '%s' is not one %s, so %s does not iterate it as a whole; "
            "here it is",
            a->name, b->name, c->order->tier_name, c->order->program);
        return true;
    }
    takt_problem(&c->project->problems, TAKT_LEVEL_WARN, a->place,
                 "the loop from '%s' to '%s' is not a %s that is iterated, so it is computed with "
                 "seidel, in one pass, as %s does",
                 a->name, b->name, c->order->tier_name, c->order->program);
    return use_seidel(c, a);
}

bool takt_order_check(takt_project *project, const takt_declared_order *order)
{
    checker c = {.project = project, .order = order};
    bool ok = find_loops(&c);
    for (int i = 0; i < project->n_connections && ok; i++) check_connection(&c, i);
    for (int i = 0; i < c.loops.n_components && ok; i++) ok = check_loop(&c, i);
    if (ok)
        ok = takt_settings_set(&project->settings, &project->arena, "call-order",
                               c.has_late ? "listed" : "flow", NULL) == 0;
    takt_map_clear(&c.names);
    takt_arena_clear(&c.scratch);
    return ok;
}
