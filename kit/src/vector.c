// SPDX-License-Identifier: MIT
// Vectors of SUNDIALS with other operations than its own, for two reasons:
// - The norm of errors is the largest, not the root of the mean square. A single unknown that is wrong by thirty
//   tolerances among a thousand that are right has a mean of less than one; and it may be the one that is an output.
// - Where the linear equations take linear time, as those of chains do, loops over vectors are half of the work. Sums of
//   several vectors are made in one pass, and in blocks that compilers turn into vector instructions.
//
// The result may be one of the operands: a block is read as a whole before it is written.
#include "vector.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>

enum { BLOCK = 8 };

static size_t length_of(N_Vector v)
{
    return (size_t)NV_LENGTH_S(v);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

double fmukit_vector_norm(N_Vector x, N_Vector w)
{
    const double *a = NV_DATA_S(x), *b = NV_DATA_S(w);
    size_t n = length_of(x), i = 0;
    double sums[BLOCK] = {0}, largest[BLOCK] = {0};
    for (; i + BLOCK <= n; i += BLOCK) {
        for (size_t k = 0; k < BLOCK; k++) {
            double product = fabs(a[i + k] * b[i + k]);
            largest[k] = larger(product, largest[k]);
            sums[k] += product;
        }
    }
    for (; i < n; i++) {
        double product = fabs(a[i] * b[i]);
        largest[0] = larger(product, largest[0]);
        sums[0] += product;
    }
    for (size_t k = 1; k < BLOCK; k++) {
        largest[0] = larger(largest[0], largest[k]);
        sums[0] += sums[k];
    }
    return isnan(sums[0]) ? sums[0] : largest[0]; // comparisons do not see what is not a number
}

// z = a x + b y
static void add(double a, N_Vector x, double b, N_Vector y, N_Vector z)
{
    const double *u = NV_DATA_S(x), *v = NV_DATA_S(y);
    double *out = NV_DATA_S(z);
    size_t n = length_of(z), i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        double sum[BLOCK];
        for (size_t k = 0; k < BLOCK; k++) sum[k] = a * u[i + k] + b * v[i + k];
        memcpy(out + i, sum, sizeof sum);
    }
    for (; i < n; i++) out[i] = a * u[i] + b * v[i];
}

// z = c x
static void scale(double c, N_Vector x, N_Vector z)
{
    const double *u = NV_DATA_S(x);
    double *out = NV_DATA_S(z);
    size_t n = length_of(z), i = 0;
    if (c == 1) {
        if (out != u) memcpy(out, u, n * sizeof *out);
        return;
    }
    for (; i + BLOCK <= n; i += BLOCK) {
        double product[BLOCK];
        for (size_t k = 0; k < BLOCK; k++) product[k] = c * u[i + k];
        memcpy(out + i, product, sizeof product);
    }
    for (; i < n; i++) out[i] = c * u[i];
}

static void fill(double c, N_Vector z)
{
    double *out = NV_DATA_S(z);
    size_t n = length_of(z);
    for (size_t i = 0; i < n; i++) out[i] = c;
}

// z = c_1 x_1 + ... + c_m x_m, in this order
static int combine(int m, double *c, N_Vector *x, N_Vector z)
{
    double *out = NV_DATA_S(z);
    size_t n = length_of(z), i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        double sum[BLOCK] = {0};
        for (int j = 0; j < m; j++) {
            const double *u = NV_DATA_S(x[j]) + i;
            for (size_t k = 0; k < BLOCK; k++) sum[k] += c[j] * u[k];
        }
        memcpy(out + i, sum, sizeof sum);
    }
    for (; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < m; j++) sum += c[j] * NV_DATA_S(x[j])[i];
        out[i] = sum;
    }
    return 0;
}

void fmukit_vector_equip(N_Vector v)
{
    v->ops->nvwrmsnorm = fmukit_vector_norm;
    v->ops->nvlinearsum = add;
    v->ops->nvscale = scale;
    v->ops->nvconst = fill;
    v->ops->nvlinearcombination = combine;
}
