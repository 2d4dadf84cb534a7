// SPDX-License-Identifier: MIT
// LU decomposition with partial pivoting; see dense.h. Golub, Van Loan: Matrix Computations, 3.4.
#include "num/dense.h"

#include <math.h>

static void swap_rows(int n, double *a, int i, int j)
{
    for (int k = 0; k < n && i != j; k++) {
        double x = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = x;
    }
}

bool takt_lu_decompose(int n, double *a, int *pivots, double precision)
{
    double largest = 0;
    for (int i = 0; i < n * n; i++) {
        if (!isfinite(a[i])) return false;
        largest = fmax(largest, fabs(a[i]));
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        if (fabs(a[pivot * n + k]) <= precision * largest) return false;
        pivots[k] = pivot;
        swap_rows(n, a, k, pivot);
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return true;
}

void takt_lu_solve(int n, const double *a, const int *pivots, double *b)
{
    for (int k = 0; k < n; k++) {
        double x = b[pivots[k]];
        b[pivots[k]] = b[k];
        b[k] = x;
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) b[i] -= a[i * n + j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}
