// SPDX-License-Identifier: MIT
// Graphs of integers: directed, nodes 0..n-1, edges as adjacency lists in two arrays. All functions
// take time and memory linear in nodes and edges, and none is recursive, so that a ring of a million
// nodes does not exhaust the stack.
#ifndef TAKT_GRAPH_GRAPH_H
#define TAKT_GRAPH_GRAPH_H

#include "base/arena.h"

typedef struct takt_edge {
    int from, to;
} takt_edge;

typedef struct takt_graph {
    int n_nodes;
    const int *first; ///< the successors of node i are targets[first[i]] .. targets[first[i+1]-1]
    const int *targets; ///< ascending per node where the edges were given so
} takt_graph;

/// Makes a graph in `arena`. Double edges are kept. Returns false when memory is exhausted.
bool takt_graph_create(takt_arena *arena, int n_nodes, const takt_edge *edges, int n_edges,
                       takt_graph *out);

/// The strongly connected components of a graph, in an order in which every edge between different
/// components leads from an earlier to a later one. Where the edges leave a choice, the component
/// with the smallest node comes first, so that a user's order is kept.
typedef struct takt_components {
    int n_components;
    const int *first; ///< the nodes of component c are nodes[first[c]] .. nodes[first[c+1]-1]
    const int *nodes; ///< ascending within a component
    const int *component_of; ///< per node
    const int *level; ///< per component: 0, or one more than the highest predecessor
} takt_components;

bool takt_graph_components(takt_arena *arena, const takt_graph *graph, takt_components *out);

#endif
