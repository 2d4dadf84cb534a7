// SPDX-License-Identifier: MIT
// Divides work that is connected among ranks: nodes with costs, and edges between them.
#ifndef TAKT_APP_PARTITION_H
#define TAKT_APP_PARTITION_H

#include <stdbool.h>

typedef struct cli_edge {
    int a, b; ///< nodes
} cli_edge;

/// Finds the rank of each node. Those with a rank already (not -1) keep it. The busiest rank shall have little to do; among divisions that are about equal
/// in that, few edges shall be cut. The same input gives the same ranks. Returns false when memory is exhausted.
bool cli_partition(int n_nodes, const double *costs, int n_edges, const cli_edge *edges,
                   int n_ranks, int *ranks);

#endif
