// SPDX-License-Identifier: MIT
// Places the nodes of a graph for drawing: in layers from left to right by the longest path, within a layer so that edges
// cross little (medians of the neighbours, Sugiyama et al. 1981) and are short (least squares that keep order and
// distances). Edges over several layers get a place in each of them. The result depends on nothing but its input.
#ifndef TAKT_GRAPH_LAYERED_H
#define TAKT_GRAPH_LAYERED_H

#include "base/arena.h"

/// An edge leaves its node and enters the other one at heights below their tops.
typedef struct takt_layered_edge {
    int from, to;
    double from_y, to_y;
} takt_layered_edge;

typedef struct takt_layered {
    int n_nodes, n_edges;
    const double *heights; ///< of nodes
    const int *order; ///< of nodes, each number once: edges against it lead back
    const takt_layered_edge *edges;
    double gap, edge_gap; ///< least distances of nodes and of edges within a layer

    int n_layers;
    int *layer; ///< per node
    double *y; ///< per node: its top; the least is 0
    bool *is_back; ///< per edge: it leads against the order, and has no places
    const double **ways; ///< per edge: its height in each layer between those of its nodes
} takt_layered;

/// Fills in the second half of `graph`, in `arena`. Returns false when memory is exhausted.
bool takt_layered_place(takt_layered *graph, takt_arena *arena);

#endif
