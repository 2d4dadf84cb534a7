// SPDX-License-Identifier: MIT
// Connected variables in order and their dependencies; see wiring.h.
#include "plan/wiring.h"

#include <stdlib.h>

// ---- order -------------------------------------------------------------------------------------

// One end of connection number `connection`.
typedef struct port {
    takt_reference at;
    int connection;
} port;

static int compare(const void *a, const void *b)
{
    const port *x = a, *y = b;
    if (x->at.component != y->at.component) return x->at.component < y->at.component ? -1 : 1;
    if (x->at.variable != y->at.variable) return x->at.variable < y->at.variable ? -1 : 1;
    return (x->connection > y->connection) - (x->connection < y->connection);
}

// Sorts the ends and lists each variable once. Writes to index[connection] where its end is listed.
// Returns the number of variables.
static int list_ends(port *ends, int n, takt_reference *list, int *index)
{
    int n_listed = 0;
    if (n) qsort(ends, (size_t)n, sizeof *ends, compare);
    for (int i = 0; i < n; i++) {
        takt_reference at = ends[i].at;
        if (i == 0 || at.component != ends[i - 1].at.component ||
            at.variable != ends[i - 1].at.variable)
            list[n_listed++] = at;
        index[ends[i].connection] = n_listed - 1;
    }
    return n_listed;
}

// first[c]: the first entry of component c; first[n_components]: the end.
static int *index_by_component(takt_arena *arena, const takt_reference *list, int n,
                               int n_components)
{
    int *first = takt_arena_array(arena, (size_t)n_components + 1, sizeof *first);
    if (!first) return NULL;
    for (int c = 0, i = 0; c <= n_components; c++) {
        while (i < n && list[i].component < c) i++;
        first[c] = i;
    }
    return first;
}

// What the descriptions say about dependencies. NULL: out of memory.
static const takt_plan_dependencies *described(takt_arena *arena, const takt_system *system)
{
    int n = system->n_components;
    takt_plan_dependencies *all = takt_arena_array(arena, (size_t)n, sizeof *all);
    for (int c = 0; c < n && all; c++) {
        const takt_model *model = system->components[c].model;
        all[c] = (takt_plan_dependencies){model->outputs, model->n_outputs, model->initial_unknowns,
                                          model->n_initial_unknowns};
    }
    return all;
}

bool takt_wiring_create(takt_arena *arena, const takt_system *system, takt_wiring *out)
{
    int n = system->n_connections;
    size_t size = (size_t)n;
    takt_wiring w = {.system = system, .dependencies = described(arena, system)};
    port *ends = takt_arena_array(arena, size, sizeof *ends);
    int *output_of = takt_arena_array(arena, size, sizeof *output_of);
    int *input_of = takt_arena_array(arena, size, sizeof *input_of);
    w.outputs = takt_arena_array(arena, size, sizeof *w.outputs);
    w.inputs = takt_arena_array(arena, size, sizeof *w.inputs);
    w.source = takt_arena_array(arena, size, sizeof *w.source);
    w.connection = takt_arena_array(arena, size, sizeof *w.connection);
    w.order = takt_system_sort(system, arena);
    w.y = takt_arena_array(arena, size, sizeof *w.y);
    w.u = takt_arena_array(arena, size, sizeof *w.u);
    if (!ends || !output_of || !input_of || !w.outputs || !w.inputs || !w.source || !w.connection ||
        !w.y || !w.u || !w.dependencies || !w.order)
        return false;
    for (int i = 0; i < n; i++) {
        const takt_connection *c = &system->connections[i];
        ends[i] = (port){{c->from, c->from_variable}, i};
    }
    w.n_outputs = list_ends(ends, n, w.outputs, output_of);
    for (int i = 0; i < n; i++) {
        const takt_connection *c = &system->connections[i];
        ends[i] = (port){{c->to, c->to_variable}, i};
    }
    w.n_inputs = list_ends(ends, n, w.inputs, input_of);
    for (int i = 0; i < n; i++) {
        w.source[input_of[i]] = output_of[i];
        w.connection[input_of[i]] = i;
    }
    w.first_output = index_by_component(arena, w.outputs, w.n_outputs, system->n_components);
    w.first_input = index_by_component(arena, w.inputs, w.n_inputs, system->n_components);
    *out = w;
    return w.first_output && w.first_input;
}

int takt_wiring_find(const takt_reference *list, int first, int end, int variable)
{
    int limit = end;
    while (first < end) {
        int middle = first + (end - first) / 2;
        if (list[middle].variable < variable)
            first = middle + 1;
        else
            end = middle;
    }
    return first < limit && list[first].variable == variable ? first : -1;
}

// ---- dependencies ------------------------------------------------------------------------------

typedef struct edge_list {
    takt_edge *items;
    int n_items, capacity;
    bool failed;
} edge_list;

static void add_edge(edge_list *edges, int from, int to)
{
    if (!takt_grow(&edges->items, edges->n_items, &edges->capacity, sizeof *edges->items)) {
        edges->failed = true;
        return;
    }
    edges->items[edges->n_items++] = (takt_edge){from, to};
}

// Is it certain that a variable depends on no input, though ModelStructure does not list it?
static bool is_independent(const takt_variable *variable, bool is_initial)
{
    return variable->variability == TAKT_CONSTANT || variable->causality == TAKT_PARAMETER ||
           variable->causality == TAKT_STRUCTURAL_PARAMETER ||
           (is_initial && variable->initial == TAKT_EXACT); // it has its start value
}

// Lists of dependencies name inputs only. Everything may follow a parameter that is driven.
static void add_tuned(const takt_wiring *w, int component, int output, edge_list *edges)
{
    const takt_model *model = w->system->components[component].model;
    for (int i = w->first_input[component]; i < w->first_input[component + 1]; i++)
        if (takt_variable_is_tuned(&model->variables[w->inputs[i].variable]) &&
            !w->system->connections[w->connection[i]].is_initial)
            add_edge(edges, w->n_outputs + i, output);
}

// The dependencies that are listed. Marks these outputs in is_listed.
static void add_listed(const takt_wiring *w, int component, bool is_initial, bool *is_listed,
                       edge_list *edges)
{
    const takt_plan_dependencies *d = &w->dependencies[component];
    const takt_dependency *list = is_initial ? d->initial_unknowns : d->outputs;
    int n = is_initial ? d->n_initial_unknowns : d->n_outputs;
    int first_in = w->first_input[component], end_in = w->first_input[component + 1];
    for (int i = 0; i < n; i++) {
        if (!list[i].is_known) continue;
        int output = takt_wiring_find(w->outputs, w->first_output[component],
                                      w->first_output[component + 1], list[i].variable);
        if (output < 0) continue;
        is_listed[output] = true;
        add_tuned(w, component, output, edges);
        for (int k = 0; k < list[i].n_known; k++) {
            int input = takt_wiring_find(w->inputs, first_in, end_in, list[i].known[k]);
            if (input >= 0) add_edge(edges, w->n_outputs + input, output);
        }
    }
}

// Outputs about which nothing is known depend on all inputs of their instance.
static void add_untold(const takt_wiring *w, int component, bool is_initial, const bool *is_listed,
                       edge_list *edges)
{
    const takt_model *model = w->system->components[component].model;
    int all = w->n_outputs + w->n_inputs + component;
    bool is_needed = false;
    for (int i = w->first_output[component]; i < w->first_output[component + 1]; i++) {
        if (is_listed[i]) continue;
        if (is_independent(&model->variables[w->outputs[i].variable], is_initial)) continue;
        add_edge(edges, all, i);
        is_needed = true;
    }
    if (!is_needed) return;
    for (int i = w->first_input[component]; i < w->first_input[component + 1]; i++)
        add_edge(edges, w->n_outputs + i, all);
}

bool takt_wiring_graph(takt_arena *arena, const takt_wiring *wiring, bool is_initial,
                       takt_graph *out)
{
    const takt_wiring *w = wiring;
    edge_list edges = {0};
    bool *is_listed = calloc((size_t)w->n_outputs + 1, sizeof *is_listed);
    bool ok = is_listed != NULL;
    if (ok) {
        for (int c = 0; c < w->system->n_components; c++) {
            add_listed(w, c, is_initial, is_listed, &edges);
            add_untold(w, c, is_initial, is_listed, &edges);
        }
        for (int i = 0; i < w->n_inputs; i++)
            if (is_initial || !w->system->connections[w->connection[i]].is_initial)
                add_edge(&edges, w->source[i], w->n_outputs + i);
        ok = !edges.failed &&
             takt_graph_create(arena, w->n_outputs + w->n_inputs + w->system->n_components,
                               edges.items, edges.n_items, out);
    }
    free(is_listed);
    free(edges.items);
    return ok;
}

int takt_wiring_component(const takt_wiring *wiring, int node)
{
    int n_out = wiring->n_outputs, n_in = wiring->n_inputs;
    if (node < n_out) return wiring->outputs[node].component;
    if (node < n_out + n_in) return wiring->inputs[node - n_out].component;
    return node - n_out - n_in;
}
