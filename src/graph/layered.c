// SPDX-License-Identifier: MIT
// Layered placement of graphs; see layered.h. An *item* is a node, or the place of an edge in a layer that it passes.
#include "graph/layered.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SWEEPS = 24, // over all layers, for fewer crossings
    PASSES = 12, // for short edges
    MAX_PLACES = 100 * 1000, // of edges; beyond it edges pass layers anywhere
};

// Of an edge between neighbouring layers.
typedef struct link {
    int left, right; // items
    double left_y, right_y; // below the top of the item
} link;

typedef struct placer {
    takt_layered *graph;
    takt_arena *arena;
    int n_items, n_links;
    int *layer; // per item
    double *height, *y; // per item
    link *links;
    int *first_left, *of_left; // links by their left item; likewise by the right one
    int *first_right, *of_right;
    int *first, *items; // those of layer l are items[first[l]] .. in their order
    int *place; // per item: its number in its layer
    int *best; // the best order of items so far
    double *key; // per item, for sorting
    int first_place; // the item of the first place of an edge
} placer;

// ---- layers ------------------------------------------------------------------------------------

static bool find_layers(takt_layered *g, takt_arena *arena)
{
    size_t n = (size_t)g->n_nodes;
    int *node_at = takt_arena_array(arena, n, sizeof *node_at);
    int *first = takt_arena_array(arena, n + 1, sizeof *first);
    int *edges = takt_arena_array(arena, (size_t)g->n_edges, sizeof *edges);
    g->layer = takt_arena_array(arena, n, sizeof *g->layer);
    g->is_back = takt_arena_array(arena, (size_t)g->n_edges, sizeof *g->is_back);
    if (!node_at || !first || !edges || !g->layer || !g->is_back) return false;
    for (int i = 0; i < g->n_nodes; i++) node_at[g->order[i]] = i;
    for (int e = 0; e < g->n_edges; e++) {
        g->is_back[e] = g->order[g->edges[e].from] >= g->order[g->edges[e].to];
        first[g->edges[e].from]++;
    }
    for (int i = 0, sum = 0; i <= g->n_nodes; i++) {
        int count = i < g->n_nodes ? first[i] : 0;
        first[i] = sum;
        sum += count;
    }
    for (int e = g->n_edges; e-- > 0;) edges[first[g->edges[e].from]++] = e;
    g->n_layers = g->n_nodes > 0;
    for (int k = 0; k < g->n_nodes; k++) {
        int node = node_at[k], begin = node ? first[node - 1] : 0;
        for (int i = begin; i < first[node]; i++) { // `first` has moved on to the ends
            int e = edges[i], next = g->layer[node] + 1;
            if (g->is_back[e]) continue;
            if (g->layer[g->edges[e].to] < next) g->layer[g->edges[e].to] = next;
            if (next >= g->n_layers) g->n_layers = next + 1;
        }
    }
    return true;
}

// ---- items and links ---------------------------------------------------------------------------

static int count_places(const takt_layered *g)
{
    int64_t n = 0;
    for (int e = 0; e < g->n_edges; e++)
        if (!g->is_back[e]) n += g->layer[g->edges[e].to] - g->layer[g->edges[e].from] - 1;
    return n <= MAX_PLACES ? (int)n : -1;
}

static bool make_items(placer *p, int n_places)
{
    takt_layered *g = p->graph;
    size_t n = (size_t)(p->n_items = g->n_nodes + n_places);
    p->layer = takt_arena_array(p->arena, n, sizeof *p->layer);
    p->height = takt_arena_array(p->arena, n, sizeof *p->height);
    p->y = takt_arena_array(p->arena, n, sizeof *p->y);
    p->place = takt_arena_array(p->arena, n, sizeof *p->place);
    p->best = takt_arena_array(p->arena, n, sizeof *p->best);
    p->items = takt_arena_array(p->arena, n, sizeof *p->items);
    p->key = takt_arena_array(p->arena, n, sizeof *p->key);
    p->first = takt_arena_array(p->arena, (size_t)g->n_layers + 1, sizeof *p->first);
    p->links = takt_arena_array(p->arena, (size_t)(g->n_edges + n_places), sizeof *p->links);
    if (!p->layer || !p->height || !p->y || !p->place || !p->best || !p->items || !p->key ||
        !p->first || !p->links)
        return false;
    if (n == 0) return true;
    memcpy(p->layer, g->layer, (size_t)g->n_nodes * sizeof *p->layer);
    memcpy(p->height, g->heights, (size_t)g->n_nodes * sizeof *p->height);
    p->first_place = g->n_nodes;
    int item = g->n_nodes;
    for (int e = 0; e < g->n_edges; e++) {
        const takt_layered_edge *edge = &g->edges[e];
        if (g->is_back[e]) continue;
        int left = edge->from;
        double left_y = edge->from_y;
        for (int l = g->layer[edge->from] + 1; l < g->layer[edge->to] && n_places; l++) {
            p->layer[item] = l;
            p->links[p->n_links++] = (link){left, item, left_y, 0};
            left = item++;
            left_y = 0;
        }
        p->links[p->n_links++] = (link){left, edge->to, left_y, edge->to_y};
    }
    return true;
}

// Lists the links of each item, by one of their ends.
static bool list_links(placer *p, bool by_left, int **first_out, int **of_out)
{
    int *first = takt_arena_array(p->arena, (size_t)p->n_items + 2, sizeof *first);
    int *of = takt_arena_array(p->arena, (size_t)p->n_links, sizeof *of);
    if (!first || !of) return false;
    for (int i = 0; i < p->n_links; i++)
        first[(by_left ? p->links[i].left : p->links[i].right) + 2]++;
    for (int i = 2; i < p->n_items + 2; i++) first[i] += first[i - 1];
    for (int i = 0; i < p->n_links; i++)
        of[first[(by_left ? p->links[i].left : p->links[i].right) + 1]++] = i;
    *first_out = first;
    *of_out = of;
    return true;
}

// Nodes stand in each layer by their order, places of edges behind them.
static bool fill_layers(placer *p)
{
    const takt_layered *g = p->graph;
    int *node_at = takt_arena_array(p->arena, (size_t)g->n_nodes, sizeof *node_at);
    int *next = takt_arena_array(p->arena, (size_t)g->n_layers + 1, sizeof *next);
    if (!node_at || !next) return false;
    for (int i = 0; i < g->n_nodes; i++) node_at[g->order[i]] = i;
    for (int i = 0; i < p->n_items; i++) p->first[p->layer[i] + 1]++;
    for (int l = 0; l < g->n_layers; l++) p->first[l + 1] += p->first[l];
    memcpy(next, p->first, ((size_t)g->n_layers + 1) * sizeof *next);
    for (int k = 0; k < p->n_items; k++) {
        int item = k < g->n_nodes ? node_at[k] : k;
        p->place[item] = next[p->layer[item]] - p->first[p->layer[item]];
        p->items[next[p->layer[item]]++] = item;
    }
    return true;
}

// ---- crossings ---------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Where a link ends, in units of items.
static double end_of(const placer *p, int item, double y)
{
    double height = p->height[item];
    return p->place[item] + (height > 0 ? 0.9 * y / height : 0);
}

static int links_of(const placer *p, int item, bool left, const int **out)
{
    const int *first = left ? p->first_right : p->first_left;
    *out = (left ? p->of_right : p->of_left) + first[item];
    return first[item + 1] - first[item];
}

// The median of an item's neighbours at its left or right; without any, its own place.
static double median_of(const placer *p, int item, bool left, double *room)
{
    const int *of;
    int n = links_of(p, item, left, &of);
    if (n == 0) return p->place[item];
    for (int i = 0; i < n; i++) {
        const link *at = &p->links[of[i]];
        room[i] = left ? end_of(p, at->left, at->left_y) : end_of(p, at->right, at->right_y);
    }
    qsort(room, (size_t)n, sizeof *room, compare_numbers);
    return n % 2 ? room[n / 2] : (room[n / 2 - 1] + room[n / 2]) / 2;
}

// Stable, by key: few items of a layer are out of order.
static void sort_layer(placer *p, int layer)
{
    int *items = p->items + p->first[layer], n = p->first[layer + 1] - p->first[layer];
    for (int i = 1; i < n; i++) {
        int item = items[i], k = i;
        for (; k > 0 && p->key[items[k - 1]] > p->key[item]; k--) items[k] = items[k - 1];
        items[k] = item;
    }
    for (int i = 0; i < n; i++) p->place[items[i]] = i;
}

static void sweep(placer *p, bool left, double *room)
{
    int n = p->graph->n_layers;
    for (int k = 1; k < n; k++) {
        int layer = left ? k : n - 1 - k;
        for (int i = p->first[layer]; i < p->first[layer + 1]; i++)
            p->key[p->items[i]] = median_of(p, p->items[i], left, room);
        sort_layer(p, layer);
    }
}

// How often the links between a layer and the next one cross: inversions, by merging.
static int64_t merge_count(double *values, double *room, int n)
{
    if (n < 2) return 0;
    int half = n / 2, i = 0, k = half, m = 0;
    int64_t count =
        merge_count(values, room, half) + merge_count(values + half, room + half, n - half);
    while (i < half || k < n) {
        bool takes_right = i >= half || (k < n && values[k] < values[i]);
        if (takes_right) count += half - i;
        room[m++] = takes_right ? values[k++] : values[i++];
    }
    memcpy(values, room, (size_t)n * sizeof *values);
    return count;
}

typedef struct ends {
    double left, right;
} ends;

static int compare_ends(const void *a, const void *b)
{
    const ends *x = a, *y = b;
    if (x->left != y->left) return x->left < y->left ? -1 : 1;
    return (x->right > y->right) - (x->right < y->right);
}

static int64_t count_crossings(const placer *p, ends *pairs, double *room)
{
    int64_t count = 0;
    for (int l = 0; l + 1 < p->graph->n_layers; l++) {
        int n = 0;
        for (int i = p->first[l]; i < p->first[l + 1]; i++) {
            const int *of;
            int n_links = links_of(p, p->items[i], false, &of);
            for (int k = 0; k < n_links; k++) {
                const link *at = &p->links[of[k]];
                pairs[n++] =
                    (ends){end_of(p, at->left, at->left_y), end_of(p, at->right, at->right_y)};
            }
        }
        qsort(pairs, (size_t)n, sizeof *pairs, compare_ends);
        for (int i = 0; i < n; i++) room[i] = pairs[i].right;
        count += merge_count(room, room + n, n);
    }
    return count;
}

static bool reduce_crossings(placer *p)
{
    size_t n_links = (size_t)p->n_links, n_items = (size_t)p->n_items * sizeof *p->items;
    ends *pairs = takt_arena_array(p->arena, n_links, sizeof *pairs);
    double *room = takt_arena_array(p->arena, 2 * n_links, sizeof *room);
    if (!pairs || !room) return false;
    int64_t least = count_crossings(p, pairs, room);
    if (n_items) memcpy(p->best, p->items, n_items);
    for (int i = 0; i < SWEEPS && least > 0; i++) {
        sweep(p, i % 2 == 0, room);
        int64_t count = count_crossings(p, pairs, room);
        if (count >= least) continue;
        least = count;
        memcpy(p->best, p->items, n_items);
    }
    if (n_items) memcpy(p->items, p->best, n_items);
    for (int l = 0; l < p->graph->n_layers; l++)
        for (int i = p->first[l]; i < p->first[l + 1]; i++) p->place[p->items[i]] = i - p->first[l];
    return true;
}

// ---- heights -----------------------------------------------------------------------------------

// The distance of the tops of two items, one below the other.
static double distance(const placer *p, int above)
{
    const takt_layered *g = p->graph;
    return p->height[above] + (above < p->first_place ? g->gap : g->edge_gap);
}

// Where an item should be, so that its links are level; NaN: it has none.
static double wanted(const placer *p, int item)
{
    double sum = 0;
    int n_all = 0;
    for (int left = 0; left < 2; left++) {
        const int *of;
        int n = links_of(p, item, left, &of);
        n_all += n;
        for (int i = 0; i < n; i++) {
            const link *at = &p->links[of[i]];
            sum += left ? p->y[at->left] + at->left_y - at->right_y
                        : p->y[at->right] + at->right_y - at->left_y;
        }
    }
    return n_all ? sum / n_all : NAN;
}

// Items that touch each other and move together.
typedef struct pile {
    double sum; // of what its items want, as if none had a height
    int n;
} pile;

// Moves the items of a layer as near as possible to where they should be: isotonic regression, by joining neighbours that
// would come too near.
static void settle(placer *p, int layer, pile *piles)
{
    const int *items = p->items + p->first[layer];
    int n = p->first[layer + 1] - p->first[layer], n_piles = 0;
    double offset = 0;
    for (int i = 0; i < n; i++) {
        double want = wanted(p, items[i]);
        if (isnan(want)) want = p->y[items[i]];
        piles[n_piles++] = (pile){want - offset, 1};
        offset += distance(p, items[i]);
        while (n_piles > 1 && piles[n_piles - 2].sum * piles[n_piles - 1].n >=
                                  piles[n_piles - 1].sum * piles[n_piles - 2].n) {
            piles[n_piles - 2].sum += piles[n_piles - 1].sum;
            piles[n_piles - 2].n += piles[n_piles - 1].n;
            n_piles--;
        }
    }
    offset = 0;
    for (int i = 0, k = 0, left = n_piles ? piles[0].n : 0; i < n; i++) {
        if (left-- == 0) left = piles[++k].n - 1;
        p->y[items[i]] = piles[k].sum / piles[k].n + offset;
        offset += distance(p, items[i]);
    }
}

static bool choose_heights(placer *p)
{
    takt_layered *g = p->graph;
    pile *piles = takt_arena_array(p->arena, (size_t)p->n_items, sizeof *piles);
    if (!piles) return false;
    for (int l = 0; l < g->n_layers; l++) {
        double y = 0;
        for (int i = p->first[l]; i < p->first[l + 1]; i++) {
            p->y[p->items[i]] = y;
            y += distance(p, p->items[i]);
        }
    }
    for (int k = 0; k < PASSES; k++)
        for (int l = 0; l < g->n_layers; l++) settle(p, k % 2 ? g->n_layers - 1 - l : l, piles);
    double top = INFINITY;
    for (int i = 0; i < p->n_items; i++) top = fmin(top, p->y[i]);
    for (int i = 0; i < p->n_items; i++) p->y[i] -= top;
    return true;
}

bool takt_layered_place(takt_layered *graph, takt_arena *arena)
{
    placer p = {.graph = graph, .arena = arena};
    if (!find_layers(graph, arena)) return false;
    int n_places = count_places(graph);
    bool ok = make_items(&p, n_places > 0 ? n_places : 0) &&
              list_links(&p, true, &p.first_left, &p.of_left) &&
              list_links(&p, false, &p.first_right, &p.of_right) && fill_layers(&p) &&
              reduce_crossings(&p) && choose_heights(&p);
    graph->ways = takt_arena_array(arena, (size_t)graph->n_edges, sizeof *graph->ways);
    if (!ok || !graph->ways) return false;
    graph->y = p.y;
    const double *way = p.y + graph->n_nodes;
    for (int e = 0; e < graph->n_edges && n_places >= 0; e++) {
        const takt_layered_edge *edge = &graph->edges[e];
        if (graph->is_back[e]) continue;
        graph->ways[e] = way;
        way += graph->layer[edge->to] - graph->layer[edge->from] - 1;
    }
    return true;
}
