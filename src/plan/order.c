// SPDX-License-Identifier: MIT
// In which order components are called. Components that depend on each other through connections form a
// loop; loops are placed so that values flow forward between them. Inside a loop some values must be read
// before they are delivered: they are *torn*. With call-order auto this is chosen, not left to the
// project's list:
//   - A member whose outputs react at once to an input (feedthrough) is called after the member that feeds this
//     input, unless both are in one circle of such dependencies.
//   - Where that leaves a choice, always that member is next that tears fewest connections: first those
//     with feedthrough, then all; then the one whose values most others wait for; then by name.
// A greedy choice, n log n: the smallest set of torn values is hard to find (feedback vertex set, Karp 1972).
#include "plan/wiring.h"

#include <string.h>

// How many connections of a loop a member still waits for.
// Of an output: do its readers still wait?
typedef enum settled { WAITED_FOR, TORN, SETTLED } settled;

typedef struct waiting {
    int before; // with feedthrough, from outside of its circle: it must not be called yet
    int circle; // with feedthrough, from its circle
    int other;
    int shared; // how many inputs read the values that it reads
} waiting;

typedef struct sorter {
    takt_arena *arena; // of the wiring
    takt_wiring *w;
    int *rank; // per component: its place in w->order
    takt_graph readers; // of each output: the inputs that steps set from it
    const bool *is_direct; // per input: an output depends on it
    const int *circle; // per component: its circle of feedthrough
    waiting *waiting; // per component
    settled *settled; // per output
    int *heap, n_heap; // members that have not been called; the next one on top
    int *heap_at; // per component: where in the heap it is; -1: it is not
} sorter;

// ---- loops ---------------------------------------------------------------------------------------

// In the order of the list a target may be called before its source. Input files are in no list: they
// come first.
static bool is_backward(const takt_system *system, takt_edge edge)
{
    return system->settings.call_order == TAKT_ORDER_LISTED && edge.from > edge.to &&
           !system->components[edge.from].is_input_file;
}

// The strongly connected components of edges between components, the members of each in w->order.
static bool find_circles(sorter *s, takt_edge *edges, int n, takt_components *out)
{
    int n_components = s->w->system->n_components;
    int *circle = takt_arena_array(s->arena, (size_t)n_components, sizeof *circle);
    int *nodes = takt_arena_array(s->arena, (size_t)n_components, sizeof *nodes);
    for (int i = 0; i < n; i++)
        edges[i] = (takt_edge){s->rank[edges[i].from], s->rank[edges[i].to]};
    takt_graph graph;
    if (!circle || !nodes || !takt_graph_create(s->arena, n_components, edges, n, &graph) ||
        !takt_graph_components(s->arena, &graph, out))
        return false;
    for (int i = 0; i < n_components; i++) {
        circle[s->w->order[i]] = out->component_of[i];
        nodes[i] = s->w->order[out->nodes[i]];
    }
    out->component_of = circle;
    out->nodes = nodes;
    return true;
}

// An edge back makes a loop of target and source, whose members are called as they are listed.
static bool find_loops(sorter *s)
{
    const takt_system *system = s->w->system;
    size_t room = 2 * (size_t)system->n_connections;
    takt_edge *edges = takt_arena_array(s->arena, room, sizeof *edges);
    int n = 0;
    if (!edges) return false;
    for (int i = 0; i < system->n_connections; i++) {
        takt_edge edge = {system->connections[i].from, system->connections[i].to};
        edges[n++] = edge;
        if (is_backward(system, edge)) edges[n++] = (takt_edge){edge.to, edge.from};
    }
    return find_circles(s, edges, n, &s->w->loops);
}

// ---- what members wait for -----------------------------------------------------------------------

static int source_of(const sorter *s, int input)
{
    return s->w->outputs[s->w->source[input]].component;
}

// Does an input get its value, in a step, from another member of the same loop?
static bool is_inside(const sorter *s, int input)
{
    int from = source_of(s, input), to = s->w->inputs[input].component;
    return !s->w->system->connections[s->w->connection[input]].is_initial && from != to &&
           s->w->loops.component_of[from] == s->w->loops.component_of[to];
}

static bool find_readers(sorter *s)
{
    const takt_wiring *w = s->w;
    takt_edge *edges = takt_arena_array(s->arena, (size_t)w->n_inputs, sizeof *edges);
    int n = 0;
    if (!edges) return false;
    for (int i = 0; i < w->n_inputs; i++)
        if (is_inside(s, i)) edges[n++] = (takt_edge){w->source[i], i};
    return takt_graph_create(s->arena, w->n_outputs, edges, n, &s->readers);
}

static bool find_feedthrough(sorter *s)
{
    const takt_wiring *w = s->w;
    takt_graph graph;
    takt_components circles;
    int n = 0;
    bool *is_direct = takt_arena_array(s->arena, (size_t)w->n_inputs, sizeof *is_direct);
    takt_edge *edges = takt_arena_array(s->arena, (size_t)w->n_inputs, sizeof *edges);
    if (!is_direct || !edges || !takt_wiring_graph(s->arena, w, false, &graph)) return false;
    for (int i = 0; i < w->n_inputs; i++) {
        int node = w->n_outputs + i;
        is_direct[i] = graph.first[node + 1] > graph.first[node];
        if (is_direct[i] && is_inside(s, i))
            edges[n++] = (takt_edge){source_of(s, i), w->inputs[i].component};
    }
    if (!find_circles(s, edges, n, &circles)) return false;
    s->is_direct = is_direct;
    s->circle = circles.component_of;
    return true;
}

// The count that an input belongs to.
static int *count_of(const sorter *s, int input)
{
    waiting *of = &s->waiting[s->w->inputs[input].component];
    if (!s->is_direct[input]) return &of->other;
    bool is_same = s->circle[source_of(s, input)] == s->circle[s->w->inputs[input].component];
    return is_same ? &of->circle : &of->before;
}

static bool count_waiting(sorter *s)
{
    const takt_wiring *w = s->w;
    size_t n = (size_t)w->system->n_components;
    s->waiting = takt_arena_array(s->arena, n, sizeof *s->waiting);
    s->heap = takt_arena_array(s->arena, n, sizeof *s->heap);
    s->heap_at = takt_arena_array(s->arena, n, sizeof *s->heap_at);
    s->settled = takt_arena_array(s->arena, (size_t)w->n_outputs, sizeof *s->settled);
    if (!s->waiting || !s->heap || !s->heap_at || !s->settled) return false;
    for (size_t i = 0; i < n; i++) s->heap_at[i] = -1;
    for (int i = 0; i < w->n_inputs; i++) {
        if (!is_inside(s, i)) continue;
        int output = w->source[i];
        ++*count_of(s, i);
        s->waiting[w->inputs[i].component].shared +=
            s->readers.first[output + 1] - s->readers.first[output];
    }
    return true;
}

// ---- the next member -----------------------------------------------------------------------------

static bool is_sooner(const sorter *s, int a, int b)
{
    const waiting *x = &s->waiting[a], *y = &s->waiting[b];
    if (x->before != y->before) return x->before < y->before;
    if (x->circle != y->circle) return x->circle < y->circle;
    if (x->other != y->other) return x->other < y->other;
    if (x->shared != y->shared) return x->shared > y->shared;
    return s->rank[a] < s->rank[b];
}

static void put(sorter *s, int at, int component)
{
    s->heap[at] = component;
    s->heap_at[component] = at;
}

// A component at place `at` of the heap may be sooner than before.
static void rise(sorter *s, int at)
{
    int component = s->heap[at];
    for (; at > 0 && is_sooner(s, component, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        put(s, at, s->heap[(at - 1) / 2]);
    put(s, at, component);
}

static int take_next(sorter *s)
{
    int top = s->heap[0], last = s->heap[--s->n_heap], at = 0, child;
    s->heap_at[top] = -1;
    if (s->n_heap == 0) return top;
    while ((child = 2 * at + 1) < s->n_heap) {
        if (child + 1 < s->n_heap && is_sooner(s, s->heap[child + 1], s->heap[child])) child++;
        if (!is_sooner(s, s->heap[child], last)) break;
        put(s, at, s->heap[child]);
        at = child;
    }
    put(s, at, last);
    return top;
}

// Nobody waits for this output any more: it has been delivered, or it is torn, because a reader was called before that. A
// member that reacts to it at once goes on waiting, and so gets what is delivered, unless the reader reacts at once, too
// (`is_final`): then the value has to be iterated anyway.
static void settle(sorter *s, int output, bool is_final)
{
    settled before = s->settled[output];
    if (before == SETTLED || (before == TORN && !is_final)) return;
    s->settled[output] = is_final ? SETTLED : TORN;
    for (int k = s->readers.first[output]; k < s->readers.first[output + 1]; k++) {
        int input = s->readers.targets[k], reader = s->w->inputs[input].component;
        int *count = count_of(s, input);
        bool waits_on = count == &s->waiting[reader].before;
        if (waits_on ? !is_final : before == TORN) continue;
        --*count;
        if (s->heap_at[reader] >= 0) rise(s, s->heap_at[reader]);
    }
}

// What this member reads, and others have not delivered yet, is torn.
static void tear_inputs(sorter *s, int component)
{
    const takt_wiring *w = s->w;
    for (int k = w->first_input[component]; k < w->first_input[component + 1]; k++)
        if (is_inside(s, k)) settle(s, w->source[k], s->is_direct[k]);
}

static void sort_members(sorter *s, int *members, int n)
{
    const takt_wiring *w = s->w;
    for (int i = 0; i < n; i++) {
        put(s, s->n_heap++, members[i]);
        rise(s, s->n_heap - 1);
    }
    for (int i = 0; i < n; i++) {
        int next = take_next(s);
        members[i] = next;
        tear_inputs(s, next);
        for (int k = w->first_output[next]; k < w->first_output[next + 1]; k++) settle(s, k, true);
    }
}

static bool sort_loops(sorter *s)
{
    takt_components *loops = &s->w->loops;
    int *nodes = takt_arena_array(s->arena, (size_t)s->w->system->n_components, sizeof *nodes);
    if (!nodes || !find_readers(s) || !find_feedthrough(s) || !count_waiting(s)) return false;
    memcpy(nodes, loops->nodes, (size_t)s->w->system->n_components * sizeof *nodes);
    for (int i = 0; i < loops->n_components; i++)
        sort_members(s, nodes + loops->first[i], loops->first[i + 1] - loops->first[i]);
    loops->nodes = nodes;
    return true;
}

// ---- all -----------------------------------------------------------------------------------------

// The inverse of an order. NULL: out of memory.
static int *invert(takt_arena *arena, const int *order, int n)
{
    int *place = takt_arena_array(arena, (size_t)n, sizeof *place);
    for (int i = 0; i < n && place; i++) place[order[i]] = i;
    return place;
}

static bool start(takt_arena *arena, takt_wiring *wiring, sorter *out)
{
    *out = (sorter){.arena = arena, .w = wiring};
    out->rank = invert(arena, wiring->order, wiring->system->n_components);
    return out->rank != NULL;
}

bool takt_wiring_find_loops(takt_arena *arena, takt_wiring *wiring)
{
    sorter s;
    return start(arena, wiring, &s) && find_loops(&s);
}

bool takt_wiring_sort(takt_arena *arena, takt_wiring *wiring)
{
    bool is_auto = wiring->system->settings.call_order == TAKT_ORDER_AUTO;
    sorter s;
    if (!start(arena, wiring, &s) || (is_auto && !sort_loops(&s))) return false;
    wiring->place =
        is_auto ? invert(arena, wiring->loops.nodes, wiring->system->n_components) : s.rank;
    return wiring->place != NULL;
}
