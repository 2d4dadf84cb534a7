// SPDX-License-Identifier: MIT
// Greedy colouring: each column takes the lowest colour that no earlier column in one of its rows has. Columns
// are taken in the order given; for band matrices that is already optimal.
#include "num/colouring.h"

#include <stdlib.h>

typedef struct rows_of {
    int *first, *rows; // the pattern column by column
    int *seen; // per colour: the last column that met it
} rows_of;

static void turn(const takt_pattern *p, rows_of *of)
{
    int n_entries = p->first[p->n_rows];
    for (int k = 0; k < n_entries; k++) of->first[p->columns[k] + 1]++;
    for (int j = 0; j < p->n_columns; j++) of->first[j + 1] += of->first[j];
    for (int i = 0; i < p->n_rows; i++)
        for (int k = p->first[i]; k < p->first[i + 1]; k++) {
            int *place = &of->first[p->columns[k]];
            of->rows[(*place)++] = i;
        }
    for (int j = p->n_columns; j > 0; j--) of->first[j] = of->first[j - 1]; // as they were
    of->first[0] = 0;
}

static int colour_of(const takt_pattern *p, const rows_of *of, const int *colours, int column)
{
    for (int k = of->first[column]; k < of->first[column + 1]; k++) {
        int row = of->rows[k];
        for (int m = p->first[row]; m < p->first[row + 1]; m++)
            if (p->columns[m] < column) of->seen[colours[p->columns[m]]] = column;
    }
    int colour = 0;
    while (of->seen[colour] == column) colour++;
    return colour;
}

int takt_colour_columns(const takt_pattern *p, int *colours)
{
    size_t n = (size_t)p->n_columns + 2;
    rows_of of = {.first = calloc(n, sizeof *of.first),
                  .rows = calloc((size_t)p->first[p->n_rows] + 1, sizeof *of.rows),
                  .seen = calloc(n, sizeof *of.seen)};
    int n_colours = of.first && of.rows && of.seen ? 0 : -1;
    if (n_colours == 0) {
        turn(p, &of);
        for (int j = 0; j < p->n_columns; j++) of.seen[j] = -1;
        for (int j = 0; j < p->n_columns; j++) {
            colours[j] = colour_of(p, &of, colours, j);
            if (colours[j] >= n_colours) n_colours = colours[j] + 1;
        }
    }
    free(of.first);
    free(of.rows);
    free(of.seen);
    return n_colours;
}
