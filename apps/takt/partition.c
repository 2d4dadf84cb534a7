// SPDX-License-Identifier: MIT
// Two divisions are tried; see partition.h. One gives each node, the dearest first, to the rank with least to do, among equals to that with
// most edges to it: the best balance, but neighbours are scattered. The other walks along the edges and fills one rank
// after the other. Both are improved by moving single nodes as long as fewer edges are cut and no rank
// gets more than the busiest has.
#include "partition.h"

#include <stdlib.h>
#include <string.h>

typedef struct division {
    int n, n_ranks;
    const double *costs;
    const bool *is_fixed;
    const int *first,
        *neighbours; // those of node i: neighbours[first[i]] .. neighbours[first[i + 1] - 1]
    int *ranks; // -1: none yet
    double *load; // per rank
    int *ties; // per rank: room
} division;

static void put(division *d, int node, int rank)
{
    if (d->ranks[node] >= 0) d->load[d->ranks[node]] -= d->costs[node];
    d->ranks[node] = rank;
    d->load[rank] += d->costs[node];
}

// Edges of a node to each rank.
static void count_ties(division *d, int node)
{
    memset(d->ties, 0, (size_t)d->n_ranks * sizeof *d->ties);
    for (int k = d->first[node]; k < d->first[node + 1]; k++)
        if (d->ranks[d->neighbours[k]] >= 0) d->ties[d->ranks[d->neighbours[k]]]++;
}

static double find_most(const division *d)
{
    double most = 0;
    for (int r = 0; r < d->n_ranks; r++)
        if (d->load[r] > most) most = d->load[r];
    return most;
}

static void deal_out(division *d, const int *by_cost)
{
    for (int i = 0; i < d->n; i++) {
        int node = by_cost[i], best = 0;
        if (d->is_fixed[node]) continue;
        count_ties(d, node);
        for (int r = 1; r < d->n_ranks && d->costs[node] > 0; r++)
            if (d->load[r] < d->load[best] ||
                (d->load[r] == d->load[best] && d->ties[r] > d->ties[best]))
                best = r;
        put(d, node, best);
    }
}

// Nodes that are met on a walk, breadth first.
typedef struct walk {
    int *queue, *met; // per node; met: the round in which it was met last
    int head, tail, round;
} walk;

static void meet(walk *w, int node)
{
    if (w->met[node] == w->round) return;
    w->met[node] = w->round;
    w->queue[w->tail++] = node;
}

static void begin_round(walk *w, int node)
{
    w->head = w->tail = 0;
    w->round++;
    meet(w, node);
}

// Every rank begins its walk where the one before has ended.
static void fill_up(division *d, walk *w)
{
    int rank = 0, n_left = 0, unmet = 0;
    double left = 0; // what is to be done by this rank and all behind it
    for (int i = 0; i < d->n; i++) {
        left += d->costs[i];
        n_left += !d->is_fixed[i];
    }
    while (n_left > 0) {
        if (w->head == w->tail) {
            while (d->ranks[unmet] >= 0) unmet++;
            begin_round(w, unmet);
        }
        int node = w->queue[w->head++];
        bool is_full = d->load[rank] + 0.5 * d->costs[node] > left / (d->n_ranks - rank);
        if (d->ranks[node] < 0 && is_full && rank + 1 < d->n_ranks) {
            left -= d->load[rank++];
            begin_round(w, node);
            continue;
        }
        if (d->ranks[node] < 0) {
            put(d, node, rank);
            n_left--;
        } else if (!d->is_fixed[node]) {
            continue;
        }
        for (int k = d->first[node]; k < d->first[node + 1]; k++) meet(w, d->neighbours[k]);
    }
}

static void improve(division *d, const int *by_cost)
{
    enum { MOST_PASSES = 8 };
    double most = find_most(d);
    bool has_moved = true;
    for (int pass = 0; pass < MOST_PASSES && has_moved; pass++) {
        has_moved = false;
        for (int i = 0; i < d->n; i++) {
            int node = by_cost[i], best = d->ranks[node];
            if (d->is_fixed[node] || d->costs[node] == 0) continue;
            count_ties(d, node);
            for (int r = 0; r < d->n_ranks; r++)
                if (d->ties[r] > d->ties[best] && d->load[r] + d->costs[node] <= most) best = r;
            if (best == d->ranks[node]) continue;
            put(d, node, best);
            has_moved = true;
        }
    }
}

static int count_cut(const division *d)
{
    int n_cut = 0;
    for (int i = 0; i < d->n; i++)
        for (int k = d->first[i]; k < d->first[i + 1]; k++)
            n_cut += d->ranks[i] != d->ranks[d->neighbours[k]];
    return n_cut / 2;
}

// ---- orders of nodes -----------------------------------------------------------------------------

typedef struct priced {
    double cost;
    int node;
} priced;

static int compare(const void *a, const void *b)
{
    const priced *x = a, *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static bool sort_by_cost(int n, const double *costs, int *out)
{
    priced *sorted = calloc((size_t)n + 1, sizeof *sorted);
    if (!sorted) return false;
    for (int i = 0; i < n; i++) sorted[i] = (priced){costs[i], i};
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    for (int i = 0; i < n; i++) out[i] = sorted[i].node;
    free(sorted);
    return true;
}

static void list_neighbours(int n, int n_edges, const cli_edge *edges, int *first, int *neighbours)
{
    memset(first, 0, ((size_t)n + 2) * sizeof *first);
    for (int i = 0; i < n_edges; i++) first[edges[i].a + 2]++, first[edges[i].b + 2]++;
    for (int i = 2; i < n + 2; i++) first[i] += first[i - 1];
    for (int i = 0; i < n_edges; i++) {
        neighbours[first[edges[i].a + 1]++] = edges[i].b;
        neighbours[first[edges[i].b + 1]++] = edges[i].a;
    }
}

// ---- the better one ------------------------------------------------------------------------------

static void begin(division *d, const int *given)
{
    memset(d->load, 0, (size_t)d->n_ranks * sizeof *d->load);
    for (int i = 0; i < d->n; i++) {
        d->ranks[i] = given[i];
        if (given[i] >= 0) d->load[given[i]] += d->costs[i];
    }
}

static void choose(division *d, const int *by_cost, walk *w, int *ranks)
{
    const double about = 1.02; // times what the busiest rank has to do
    int *given = ranks, *dealt = d->ranks + d->n;
    begin(d, given);
    deal_out(d, by_cost);
    improve(d, by_cost);
    double most = find_most(d);
    int n_cut = count_cut(d);
    memcpy(dealt, d->ranks, (size_t)d->n * sizeof *dealt);
    begin(d, given);
    fill_up(d, w);
    improve(d, by_cost);
    bool is_better = find_most(d) <= about * most && count_cut(d) < n_cut;
    memcpy(ranks, is_better ? d->ranks : dealt, (size_t)d->n * sizeof *ranks);
}

bool cli_partition(int n_nodes, const double *costs, int n_edges, const cli_edge *edges,
                   int n_ranks, int *ranks)
{
    size_t n = (size_t)n_nodes;
    int *first = calloc(n + 2, sizeof *first), *orders = calloc(3 * n + 1, sizeof *orders);
    int *neighbours = calloc(2 * (size_t)n_edges + 1, sizeof *neighbours);
    bool *is_fixed = calloc(n + 1, sizeof *is_fixed);
    division d = {.n = n_nodes,
                  .n_ranks = n_ranks,
                  .costs = costs,
                  .is_fixed = is_fixed,
                  .first = first,
                  .neighbours = neighbours,
                  .ranks = calloc(2 * n + 1, sizeof *d.ranks),
                  .load = calloc((size_t)n_ranks, sizeof *d.load),
                  .ties = calloc((size_t)n_ranks, sizeof *d.ties)};
    bool ok = first && orders && neighbours && is_fixed && d.ranks && d.load && d.ties;
    if (ok) list_neighbours(n_nodes, n_edges, edges, first, neighbours);
    ok = ok && sort_by_cost(n_nodes, costs, orders);
    for (int i = 0; i < n_nodes && ok; i++) is_fixed[i] = ranks[i] >= 0;
    if (ok) choose(&d, orders, &(walk){.queue = orders + n, .met = orders + 2 * n}, ranks);
    free(first);
    free(orders);
    free(neighbours);
    free(is_fixed);
    free(d.ranks);
    free(d.load);
    free(d.ties);
    return ok;
}
