// SPDX-License-Identifier: MIT
// Sparse matrices by few difference quotients: columns that have no row in common are varied together
// (Curtis, Powell and Reid 1974). They get the same colour.
#ifndef TAKT_NUM_COLOURING_H
#define TAKT_NUM_COLOURING_H

/// Where a matrix may differ from 0, row by row: row i has columns[first[i]] up to columns[first[i + 1] - 1].
typedef struct takt_pattern {
    int n_rows, n_columns;
    const int *first; ///< n_rows + 1
    const int *columns;
} takt_pattern;

/// Gives each column a colour from 0 on, such that no row has two of the same. Returns the number of colours;
/// -1 when memory is exhausted.
int takt_colour_columns(const takt_pattern *pattern, int *colours);

#endif
