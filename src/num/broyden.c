// SPDX-License-Identifier: MIT
// Broyden's method; see broyden.h.
#include "num/broyden.h"

#include <math.h>
#include <string.h>

void takt_broyden_reset(int n, double *inverse)
{
    memset(inverse, 0, (size_t)n * (size_t)n * sizeof *inverse);
    for (int i = 0; i < n; i++) inverse[i * n + i] = 1;
}

void takt_broyden_step(int n, const double *inverse, const double *r, double *d)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += inverse[i * n + j] * r[j];
        d[i] = sum;
    }
}

// With z = B (dw - dg) and q = dw / scale^2:   B := B + (dw - z) (q' B) / (q' z).
bool takt_broyden_learn(int n, double *inverse, const double *dw, const double *dg,
                        const double *scale, double *room)
{
    double *z = room, *row = room + n, product = 0, size = 0;
    for (int i = 0; i < n; i++) row[i] = dw[i] - dg[i];
    takt_broyden_step(n, inverse, row, z);
    for (int i = 0; i < n; i++) {
        double q = dw[i] / (scale[i] * scale[i]);
        product += q * z[i];
        size += q * dw[i];
    }
    if (!(fabs(product) > 1e-12 * size) || !isfinite(product)) return false;
    memset(row, 0, (size_t)n * sizeof *row);
    for (int i = 0; i < n; i++) {
        double q = dw[i] / (scale[i] * scale[i]);
        for (int j = 0; j < n && q != 0; j++) row[j] += q * inverse[i * n + j];
    }
    for (int i = 0; i < n; i++) {
        double factor = (dw[i] - z[i]) / product;
        for (int j = 0; j < n && factor != 0; j++) inverse[i * n + j] += factor * row[j];
    }
    return true;
}

double takt_broyden_gain(int n, const double *inverse, const double *scale)
{
    double largest = 1;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += fabs(inverse[i * n + j]) * scale[j];
        largest = fmax(largest, sum / scale[i]);
    }
    return largest;
}
