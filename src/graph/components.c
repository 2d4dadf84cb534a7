// SPDX-License-Identifier: MIT
// Strongly connected components by Tarjan's algorithm (Depth-first search and linear graph
// algorithms, 1972) with an explicit stack in place of the recursion; then the order: a component
// is ready when all its predecessors are placed, and of the ready ones that with the smallest node
// comes first (a heap holds them).
#include "graph/graph.h"

typedef struct search {
    const takt_graph *graph;
    int *component; // per node; -1: not known yet
    int *number; // per node: in which order it was seen, from 1; 0: not seen
    int *low; // per node: the smallest number reachable that is still on the path
    int *next; // per node: its edge to be followed next
    int *path; // nodes from the root of the search to the present one
    int n_path;
    int *open; // nodes seen whose component is not known
    int n_open;
    int n_seen, n_components;
} search;

static void enter(search *s, int node)
{
    s->number[node] = s->low[node] = ++s->n_seen;
    s->next[node] = s->graph->first[node];
    s->path[s->n_path++] = node;
    s->open[s->n_open++] = node;
}

static void leave(search *s, int node)
{
    s->n_path--;
    if (s->low[node] == s->number[node]) { // the node is the first seen of its component
        int popped;
        do {
            popped = s->open[--s->n_open];
            s->component[popped] = s->n_components;
        } while (popped != node);
        s->n_components++;
    }
    if (s->n_path == 0) return;
    int parent = s->path[s->n_path - 1];
    if (s->low[node] < s->low[parent]) s->low[parent] = s->low[node];
}

static void visit_from(search *s, int root)
{
    enter(s, root);
    while (s->n_path > 0) {
        int node = s->path[s->n_path - 1];
        if (s->next[node] == s->graph->first[node + 1]) {
            leave(s, node);
            continue;
        }
        int target = s->graph->targets[s->next[node]++];
        if (!s->number[target])
            enter(s, target);
        else if (s->component[target] < 0 && s->number[target] < s->low[node])
            s->low[node] = s->number[target];
    }
}

// Numbers the components as they are found: component[node] for every node.
static bool find(takt_arena *scratch, const takt_graph *graph, int *component, int *n_components)
{
    size_t n = (size_t)graph->n_nodes;
    search s = {.graph = graph, .component = component};
    s.number = takt_arena_array(scratch, n, sizeof *s.number);
    s.low = takt_arena_array(scratch, n, sizeof *s.low);
    s.next = takt_arena_array(scratch, n, sizeof *s.next);
    s.path = takt_arena_array(scratch, n, sizeof *s.path);
    s.open = takt_arena_array(scratch, n, sizeof *s.open);
    if (!s.number || !s.low || !s.next || !s.path || !s.open) return false;
    for (int i = 0; i < graph->n_nodes; i++) component[i] = -1;
    for (int i = 0; i < graph->n_nodes; i++)
        if (!s.number[i]) visit_from(&s, i);
    *n_components = s.n_components;
    return true;
}

// ---- order -------------------------------------------------------------------------------------

// A heap of components; the one with the smallest key is on top.
typedef struct heap {
    int *items, n_items;
    const int *key;
} heap;

static void heap_add(heap *h, int item)
{
    int i = h->n_items++;
    for (; i > 0 && h->key[item] < h->key[h->items[(i - 1) / 2]]; i = (i - 1) / 2)
        h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = item;
}

static int heap_take(heap *h)
{
    int top = h->items[0], item = h->items[--h->n_items];
    int i = 0, child;
    while ((child = 2 * i + 1) < h->n_items) {
        if (child + 1 < h->n_items && h->key[h->items[child + 1]] < h->key[h->items[child]])
            child++;
        if (h->key[item] <= h->key[h->items[child]]) break;
        h->items[i] = h->items[child];
        i = child;
    }
    h->items[i] = item;
    return top;
}

// Nodes sorted by component, ascending within each.
static bool sort_by_component(takt_arena *arena, int n_nodes, const int *component,
                              int n_components, takt_graph *out)
{
    takt_arena scratch = {0};
    takt_edge *edges = takt_arena_array(&scratch, (size_t)n_nodes, sizeof *edges);
    bool ok = edges != NULL;
    for (int i = 0; ok && i < n_nodes; i++) edges[i] = (takt_edge){component[i], i};
    ok = ok && takt_graph_create(arena, n_components, edges, n_nodes, out);
    takt_arena_clear(&scratch);
    return ok;
}

typedef struct order {
    int *rank; // of a component as found: its final place
    int *level; // by component as found
    int *n_waiting; // edges from components not placed yet
    heap ready;
} order;

static bool order_init(takt_arena *scratch, int n, order *o)
{
    o->rank = takt_arena_array(scratch, (size_t)n, sizeof *o->rank);
    o->level = takt_arena_array(scratch, (size_t)n, sizeof *o->level);
    o->n_waiting = takt_arena_array(scratch, (size_t)n, sizeof *o->n_waiting);
    o->ready.items = takt_arena_array(scratch, (size_t)n, sizeof *o->ready.items);
    return o->rank && o->level && o->n_waiting && o->ready.items;
}

// Component c has been placed: its successors wait for one less.
static void release(order *o, const takt_graph *graph, const int *component,
                    const takt_graph *nodes, int c)
{
    for (int m = nodes->first[c]; m < nodes->first[c + 1]; m++) {
        int node = nodes->targets[m];
        for (int e = graph->first[node]; e < graph->first[node + 1]; e++) {
            int next = component[graph->targets[e]];
            if (next == c) continue;
            if (o->level[next] <= o->level[c]) o->level[next] = o->level[c] + 1;
            if (--o->n_waiting[next] == 0) heap_add(&o->ready, next);
        }
    }
}

static bool sort(takt_arena *scratch, const takt_graph *graph, const int *component,
                 int n_components, order *o)
{
    takt_graph nodes;
    int *smallest = takt_arena_array(scratch, (size_t)n_components, sizeof *smallest);
    if (!smallest || !order_init(scratch, n_components, o) ||
        !sort_by_component(scratch, graph->n_nodes, component, n_components, &nodes))
        return false;
    for (int c = 0; c < n_components; c++) smallest[c] = nodes.targets[nodes.first[c]];
    o->ready.key = smallest;

    for (int i = 0; i < graph->n_nodes; i++)
        for (int e = graph->first[i]; e < graph->first[i + 1]; e++)
            o->n_waiting[component[graph->targets[e]]] +=
                component[graph->targets[e]] != component[i];
    for (int c = 0; c < n_components; c++)
        if (o->n_waiting[c] == 0) heap_add(&o->ready, c);
    for (int n_placed = 0; o->ready.n_items > 0; n_placed++) {
        int c = heap_take(&o->ready);
        o->rank[c] = n_placed;
        release(o, graph, component, &nodes, c);
    }
    return true;
}

static bool create(takt_arena *arena, takt_arena *scratch, const takt_graph *graph,
                   takt_components *out)
{
    int *component = takt_arena_array(arena, (size_t)graph->n_nodes, sizeof *component);
    int n = 0;
    order o = {0};
    if (!component || !find(scratch, graph, component, &n) ||
        !sort(scratch, graph, component, n, &o))
        return false;

    // From the numbers as found to those in order.
    int *level = takt_arena_array(arena, (size_t)n, sizeof *level);
    if (!level) return false;
    for (int c = 0; c < n; c++) level[o.rank[c]] = o.level[c];
    for (int i = 0; i < graph->n_nodes; i++) component[i] = o.rank[component[i]];
    takt_graph nodes;
    if (!sort_by_component(arena, graph->n_nodes, component, n, &nodes)) return false;
    *out = (takt_components){n, nodes.first, nodes.targets, component, level};
    return true;
}

bool takt_graph_components(takt_arena *arena, const takt_graph *graph, takt_components *out)
{
    takt_arena scratch = {0};
    bool ok = create(arena, &scratch, graph, out);
    takt_arena_clear(&scratch);
    return ok;
}
