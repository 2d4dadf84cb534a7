// SPDX-License-Identifier: MIT
// Estimates of (I - dG/dw)^-1; see inverse.h.
#include "num/inverse.h"

#include <math.h>
#include <string.h>

#include "num/broyden.h"

// ---- few secants -------------------------------------------------------------------------------------

// numbers[0] counts the changes that are kept; four vectors of each follow.
typedef struct change {
    double *dw, *dg, *u, *v;
} change;

static int n_kept(const takt_inverse *b)
{
    return (int)b->numbers[0];
}

bool takt_inverse_is_sound(const takt_inverse *b)
{
    return b->room == 0 || (b->numbers[0] >= 0 && b->numbers[0] <= b->room);
}

static change change_at(const takt_inverse *b, int k)
{
    size_t n = (size_t)b->n;
    double *first = b->numbers + 1 + 4 * (size_t)k * n;
    return (change){first, first + n, first + 2 * n, first + 3 * n};
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void add(int n, double factor, const double *a, double *to)
{
    for (int i = 0; i < n; i++) to[i] += factor * a[i];
}

// out = B r by the first `count` changes; out is not r.
static void apply(const takt_inverse *b, int count, const double *r, double *out)
{
    memcpy(out, r, (size_t)b->n * sizeof *out);
    for (int k = 0; k < count; k++) {
        change at = change_at(b, k);
        add(b->n, dot(b->n, at.v, r), at.u, out);
    }
}

// Adds a change behind the first `count` ones, which stay: with z = B (dw - dg) and q = dw / scale^2,
// u = (dw - z) / (q' z) and v = B' q. dw and dg may lie there already.
static bool add_change(const takt_inverse *b, int count, const double *dw, const double *dg,
                       const double *scale, double *room)
{
    int n = b->n;
    double *q = room, *z = room + n, product = 0, size = 0;
    change to = change_at(b, count);
    for (int i = 0; i < n; i++) q[i] = dw[i] - dg[i];
    apply(b, count, q, z);
    for (int i = 0; i < n; i++) {
        q[i] = dw[i] / (scale[i] * scale[i]);
        product += q[i] * z[i];
        size += q[i] * dw[i];
    }
    if (!(fabs(product) > 1e-12 * size) || !isfinite(product)) return false;
    memmove(to.dw, dw, (size_t)n * sizeof *dw);
    memmove(to.dg, dg, (size_t)n * sizeof *dg);
    for (int i = 0; i < n; i++) to.u[i] = (to.dw[i] - z[i]) / product;
    memcpy(to.v, q, (size_t)n * sizeof *q);
    for (int k = 0; k < count; k++) {
        change at = change_at(b, k);
        add(n, dot(n, at.u, q), at.v, to.v);
    }
    return true;
}

// Forgets the older half, and learns the newer one again.
static void make_anew(const takt_inverse *b, const double *scale, double *room)
{
    int count = n_kept(b), n_left = 0;
    for (int k = (count + 1) / 2; k < count; k++) {
        change from = change_at(b, k);
        n_left += add_change(b, n_left, from.dw, from.dg, scale, room);
    }
    b->numbers[0] = n_left;
}

static bool learn_change(const takt_inverse *b, const double *dw, const double *dg,
                         const double *scale, double *room)
{
    if (n_kept(b) == b->room) make_anew(b, scale, room);
    bool is_learnt = add_change(b, n_kept(b), dw, dg, scale, room);
    b->numbers[0] += is_learnt;
    return is_learnt;
}

// y = S^-1 B S x for x of 1 and -1; the largest component is number *i_largest.
static double stretch(const takt_inverse *b, const double *scale, double *x, double *y,
                      int *i_largest)
{
    double largest = 0;
    for (int i = 0; i < b->n; i++) x[i] *= scale[i];
    apply(b, n_kept(b), x, y);
    for (int i = 0; i < b->n; i++) {
        double size = fabs(y[i]) / scale[i];
        if (!(size > largest)) continue;
        largest = size;
        *i_largest = i;
    }
    return largest;
}

// Signs of row i of B: the vector that it stretches most.
static void find_signs(const takt_inverse *b, int i, double *x)
{
    memset(x, 0, (size_t)b->n * sizeof *x);
    x[i] = 1;
    for (int k = 0; k < n_kept(b); k++) {
        change at = change_at(b, k);
        add(b->n, at.u[i], at.v, x);
    }
    for (int j = 0; j < b->n; j++) x[j] = x[j] < 0 ? -1 : 1;
}

// The largest sum of a row is approached by looking for the row that the signs of another one stretch most (Hager
// 1984).
static double estimate_gain(const takt_inverse *b, const double *scale, double *room)
{
    double *x = room, *y = room + b->n, largest = 1;
    int i_largest = 0;
    for (int i = 0; i < b->n; i++) x[i] = 1;
    for (int turn = 0; turn < 4; turn++) {
        double found = stretch(b, scale, x, y, &i_largest);
        if (turn > 1 && found <= largest) break;
        largest = fmax(largest, found);
        find_signs(b, i_largest, x);
    }
    return largest;
}

// ---- either way --------------------------------------------------------------------------------------

size_t takt_inverse_size(int n, int room)
{
    return room ? 1 + 4 * (size_t)room * (size_t)n : (size_t)n * (size_t)n;
}

void takt_inverse_reset(const takt_inverse *b)
{
    if (b->room)
        b->numbers[0] = 0;
    else
        takt_broyden_reset(b->n, b->numbers);
}

void takt_inverse_step(const takt_inverse *b, const double *r, double *d)
{
    if (b->room)
        apply(b, n_kept(b), r, d);
    else
        takt_broyden_step(b->n, b->numbers, r, d);
}

bool takt_inverse_learn(const takt_inverse *b, const double *dw, const double *dg,
                        const double *scale, double *room)
{
    return b->room ? learn_change(b, dw, dg, scale, room)
                   : takt_broyden_learn(b->n, b->numbers, dw, dg, scale, room);
}

double takt_inverse_gain(const takt_inverse *b, const double *scale, double *room)
{
    return b->room ? estimate_gain(b, scale, room) : takt_broyden_gain(b->n, b->numbers, scale);
}
