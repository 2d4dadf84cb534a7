// SPDX-License-Identifier: MIT
// Heat conduction through walls of several layers, by finite volumes: a chain of cells, each with a heat capacity, and
// conductances between neighbours and to both sides.
#ifndef BUILDING_WALL_H
#define BUILDING_WALL_H

#include <stdbool.h>

#include <stddef.h>

typedef struct layer {
    double thickness; // m
    double conductivity; // W/(m K)
    double capacity; // J/(m3 K)
} layer;

enum { MAX_LAYERS = 4 };

// A construction from the first side to the second one.
typedef struct construction {
    layer layers[MAX_LAYERS];
    int n_layers;
    double resistance[2]; // m2 K/W; at the surfaces: air films, ground
} construction;

// A chain. Arrays belong to the caller: n capacities, n + 1 conductances.
typedef struct wall {
    int n; // cells
    double *capacity; // J/K
    double *conductance; // W/K; [0]: from the first side, [n]: to the second side
    double film[2]; // W/K; of the surfaces alone
    bool is_double; // both sides are unknown
    // M = C + gamma * conductances, and its factors.
    double *inverse; // n; 1 / pivots, eliminated from the last cell to the first
    double gamma; // s
    double corners[2][2]; // of the inverse of M: its first and last rows and columns
} wall;

// The number of cells if none is longer than `cell`, m; at least two per layer.
int wall_count(const construction *c, double cell);
// Fills in everything but `n` and the arrays' addresses; the area in m2.
void wall_fill(wall *w, const construction *c, double cell, double area);
// The number of cells up to the end of layer i.
int wall_end_of(const construction *c, double cell, int i);

// Adds the heat that flows into each cell, W, from its neighbours and from the sides' temperatures.
void wall_flow(const wall *w, const double *T, const double side[2], double *heat);
// W, out of the wall to a side (0 or 1).
double wall_loss(const wall *w, const double *T, const double side[2], int i_side);
// Temperature of a surface.
double wall_surface(const wall *w, const double *T, const double side[2], int i_side);

// Factorises C + gamma G, with `more` W/K more at cell i_more (-1: nowhere; always the same one). What `more` does not
// change is kept while gamma stays. `corners` but for the first one are made only if the wall `is_double`.
void wall_factorize(wall *w, double gamma, int i_more, double more);
// Solves (C + gamma G) z = b in place, where the sides have the values `side`. In two halves: wall_reduce() knows the
// value at the second side, wall_complete() then that of the first one, too.
void wall_reduce(const wall *w, double second, double *b);
void wall_complete(const wall *w, double first, double *b);
// Of a reduced b: the first cell, if the first side is 0.
double wall_first(const wall *w, const double *b);

#endif
