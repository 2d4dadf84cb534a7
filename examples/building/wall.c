// SPDX-License-Identifier: MIT
// Chains of finite volumes; see wall.h. The factors are those of the tridiagonal matrix without exchange of rows, which
// is safe because the diagonal dominates.
#include "wall.h"

#include <math.h>

static int cells_of(const layer *l, double cell)
{
    int n = (int)ceil(l->thickness / cell - 1e-9);
    return n < 2 ? 2 : n;
}

int wall_end_of(const construction *c, double cell, int i)
{
    int n = 0;
    for (int k = 0; k <= i; k++) n += cells_of(&c->layers[k], cell);
    return n;
}

int wall_count(const construction *c, double cell)
{
    return wall_end_of(c, cell, c->n_layers - 1);
}

void wall_fill(wall *w, const construction *c, double cell, double area)
{
    double before = c->resistance[0]; // m2 K/W; from the last node, or the first side
    int i = 0;
    for (int k = 0; k < c->n_layers; k++) {
        const layer *l = &c->layers[k];
        int n = cells_of(l, cell);
        double d = l->thickness / n, half = d / 2 / l->conductivity;
        for (int j = 0; j < n; j++, i++) {
            w->capacity[i] = area * d * l->capacity;
            w->conductance[i] = area / (before + half);
            before = half;
        }
    }
    w->conductance[w->n] = area / (before + c->resistance[1]);
    for (int s = 0; s < 2; s++) w->film[s] = c->resistance[s] > 0 ? area / c->resistance[s] : 0;
}

void wall_flow(const wall *w, const double *T, const double side[2], double *heat)
{
    double flow = w->conductance[0] * (side[0] - T[0]);
    for (int i = 0; i < w->n; i++) {
        double next = i + 1 < w->n ? T[i + 1] : side[1];
        double out = w->conductance[i + 1] * (T[i] - next);
        heat[i] += flow - out;
        flow = out;
    }
}

double wall_loss(const wall *w, const double *T, const double side[2], int i_side)
{
    int cell = i_side == 0 ? 0 : w->n - 1;
    return w->conductance[i_side == 0 ? 0 : w->n] * (T[cell] - side[i_side]);
}

double wall_surface(const wall *w, const double *T, const double side[2], int i_side)
{
    if (w->film[i_side] == 0) return side[i_side];
    return side[i_side] + wall_loss(w, T, side, i_side) / w->film[i_side];
}

static double diagonal_of(const wall *w, int i, int i_more, double more)
{
    double both = w->conductance[i] + w->conductance[i + 1] + (i == i_more ? more : 0);
    return w->capacity[i] + w->gamma * both;
}

// What only walls between unknowns need: the other corners.
static void find_corners(wall *w, int i_more, double more)
{
    double across = w->inverse[0], pivot = 0;
    for (int i = 0; i < w->n; i++) { // the same from the other end
        double g = w->gamma * w->conductance[i], d = diagonal_of(w, i, i_more, more);
        pivot = i > 0 ? d - g * g / pivot : d;
        if (i > 0) across *= g * w->inverse[i];
    }
    w->corners[1][1] = 1 / pivot;
    w->corners[0][1] = w->corners[1][0] = across;
}

void wall_factorize(wall *w, double gamma, int i_more, double more)
{
    int last = gamma == w->gamma ? i_more : w->n - 1; // what lies behind stays
    w->gamma = gamma;
    for (int i = last; i >= 0; i--) {
        double g = gamma * w->conductance[i + 1], d = diagonal_of(w, i, i_more, more);
        w->inverse[i] = 1 / (i < w->n - 1 ? d - g * g * w->inverse[i + 1] : d);
    }
    w->corners[0][0] = w->inverse[0];
    if (w->is_double && last >= 0) find_corners(w, i_more, more);
}

// Products of constants stand in brackets: what waits for the cell before is one product and one sum.
void wall_reduce(const wall *w, double second, double *b)
{
    const double *g = w->conductance, *inverse = w->inverse;
    double next = b[w->n - 1] += w->gamma * g[w->n] * second;
    for (int i = w->n - 2; i >= 0; i--)
        next = b[i] += (w->gamma * g[i + 1] * inverse[i + 1]) * next;
}

double wall_first(const wall *w, const double *b)
{
    return b[0] * w->inverse[0];
}

void wall_complete(const wall *w, double first, double *b)
{
    const double *g = w->conductance, *inverse = w->inverse;
    for (int i = 0; i < w->n; i++)
        first = b[i] = b[i] * inverse[i] + (w->gamma * g[i] * inverse[i]) * first;
}
