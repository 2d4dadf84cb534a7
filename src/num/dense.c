// SPDX-License-Identifier: MIT
// LU decomposition with partial pivoting; see dense.h. Golub, Van Loan: Matrix Computations, 3.4.
#include "num/dense.h"

#include <math.h>

#include "base/sound.h"

static void swap_rows(int n, double *a, int i, int j)
{
    for (int k = 0; k < n && i != j; k++) {
        double x = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = x;
    }
}

// The largest element of each row, and the largest one of each column after rows have been divided
// by theirs. Returns false if one is 0 or not finite.
static bool find_scales(int n, const double *a, double *rows, double *columns)
{
    for (int j = 0; j < n; j++) columns[j] = 0;
    for (int i = 0; i < n; i++) {
        rows[i] = 0;
        for (int j = 0; j < n; j++) {
            if (!isfinite(a[i * n + j])) return false;
            rows[i] = fmax(rows[i], fabs(a[i * n + j]));
        }
        if (rows[i] == 0) return false;
        for (int j = 0; j < n; j++) columns[j] = fmax(columns[j], fabs(a[i * n + j]) / rows[i]);
    }
    for (int j = 0; j < n; j++)
        if (columns[j] == 0) return false;
    return true;
}

bool takt_lu_decompose(int n, double *a, int *pivots, double *scales, double precision)
{
    double *rows = scales, *columns = scales + n;
    if (!find_scales(n, a, rows, columns)) return false;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) / rows[i] > fabs(a[pivot * n + k]) / rows[pivot]) pivot = i;
        if (!(fabs(a[pivot * n + k]) / rows[pivot] > precision * columns[k])) return false;
        pivots[k] = pivot;
        swap_rows(n, a, k, pivot);
        rows[pivot] = rows[k]; // that of row k is no longer needed
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return true;
}

void takt_clear_cancelled(int n, double *a, double precision)
{
    for (int i = 0; i < n; i++) {
        double *element = &a[i * n + i];
        if (fabs(*element) <= precision * fmax(1, fabs(1 - *element))) *element = 0;
    }
}

bool takt_lu_is_sound(int n, const int *pivots)
{
    for (int k = 0; k < n; k++)
        if (!takt_sound_within(pivots[k], k, n - 1)) return false;
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
