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

void wall_factorize(wall *w, double gamma, int i_more, double more)
{
    double across = 1, pivot = 0;
    w->gamma = gamma;
    for (int i = 0; i < w->n; i++) {
        double g = gamma * w->conductance[i], d = diagonal_of(w, i, i_more, more);
        w->inverse[i] = 1 / (i > 0 ? d - g * g * w->inverse[i - 1] : d);
        across *= (i > 0 ? g : 1) * w->inverse[i];
    }
    for (int i = w->n - 1; i >= 0; i--) { // the same from the other end
        double g = gamma * w->conductance[i + 1], d = diagonal_of(w, i, i_more, more);
        pivot = i < w->n - 1 ? d - g * g / pivot : d;
    }
    w->corners[0][0] = 1 / pivot;
    w->corners[1][1] = w->inverse[w->n - 1];
    w->corners[0][1] = w->corners[1][0] = across;
}

void wall_solve(const wall *w, const double side[2], double *b)
{
    const double *g = w->conductance;
    b[0] += w->gamma * g[0] * side[0];
    b[w->n - 1] += w->gamma * g[w->n] * side[1];
    b[0] *= w->inverse[0];
    for (int i = 1; i < w->n; i++) b[i] = (b[i] + w->gamma * g[i] * b[i - 1]) * w->inverse[i];
    for (int i = w->n - 2; i >= 0; i--) b[i] += w->gamma * g[i + 1] * b[i + 1] * w->inverse[i];
}
