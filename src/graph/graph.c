// SPDX-License-Identifier: MIT
// Graphs as adjacency lists: made by a counting sort of the edges by their start.
#include "graph/graph.h"

bool takt_graph_create(takt_arena *arena, int n_nodes, const takt_edge *edges, int n_edges,
                       takt_graph *out)
{
    int *first = takt_arena_array(arena, (size_t)n_nodes + 2, sizeof *first);
    int *targets = takt_arena_array(arena, (size_t)n_edges, sizeof *targets);
    if (!first || !targets) return false;

    // Counted two places further on: while the targets are filled in, first[i + 1] is the place for
    // the next successor of node i, and in the end that of the first successor of node i + 1.
    for (int i = 0; i < n_edges; i++) first[edges[i].from + 2]++;
    for (int i = 0; i < n_nodes; i++) first[i + 2] += first[i + 1];
    for (int i = 0; i < n_edges; i++) targets[first[edges[i].from + 1]++] = edges[i].to;

    *out = (takt_graph){.n_nodes = n_nodes, .first = first, .targets = targets};
    return true;
}
