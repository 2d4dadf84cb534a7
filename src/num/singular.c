// SPDX-License-Identifier: MIT
// Gauss-Jordan elimination with complete pivoting; see singular.h. Rows and columns are scaled to largest elements of 1, so
// that units do not matter. What is left when no pivot is large enough: columns of unknowns that may be chosen, and
// rows that say 0 = b.
#include "num/singular.h"

#include <math.h>

static void scale_rows(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++) largest = fmax(largest, fabs(a[i * n + j]));
        for (int j = 0; j < n && largest > 0; j++) a[i * n + j] /= largest;
        if (largest > 0) b[i] /= largest;
    }
}

static void scale_columns(int n, double *a)
{
    for (int j = 0; j < n; j++) {
        double largest = 0;
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i * n + j]));
        for (int i = 0; i < n && largest > 0; i++) a[i * n + j] /= largest;
    }
}

// The largest element in rows and columns that are not used; false: it is too small.
static bool find_pivot(int n, const double *a, const double *column_of, const double *row_of,
                       double least, int *row, int *column)
{
    double largest = least;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (column_of[i] >= 0 || row_of[j] >= 0 || !(fabs(a[i * n + j]) > largest)) continue;
            largest = fabs(a[i * n + j]);
            *row = i;
            *column = j;
        }
    return largest > least;
}

static void eliminate(int n, double *a, double *b, int row, int column)
{
    double pivot = a[row * n + column];
    for (int j = 0; j < n; j++) a[row * n + j] /= pivot;
    b[row] /= pivot;
    for (int i = 0; i < n; i++) {
        double factor = a[i * n + column];
        if (i == row || factor == 0) continue;
        for (int j = 0; j < n; j++) a[i * n + j] -= factor * a[row * n + j];
        b[i] -= factor * b[row];
    }
}

bool takt_singular_explain(int n, double *a, double *b, double precision, int *is_free,
                           double *room)
{
    double *column_of = room, *row_of = room + n, largest = 0; // indices; -1: none
    int row = 0, column = 0;
    bool has_solution = true;
    scale_rows(n, a, b);
    scale_columns(n, a);
    for (int i = 0; i < n; i++) {
        column_of[i] = row_of[i] = -1;
        largest = fmax(largest, fabs(b[i]));
    }
    while (find_pivot(n, a, column_of, row_of, precision * n, &row, &column)) {
        eliminate(n, a, b, row, column);
        column_of[row] = column;
        row_of[column] = row;
    }
    double most = 100 * precision * n;
    for (int i = 0; i < n; i++)
        if (column_of[i] < 0 && fabs(b[i]) > most * largest) has_solution = false;
    for (int j = 0; j < n; j++) {
        is_free[j] = row_of[j] < 0;
        for (int k = 0; k < n && !is_free[j]; k++)
            is_free[j] = row_of[k] < 0 && fabs(a[(int)row_of[j] * n + k]) > most;
    }
    return has_solution;
}
