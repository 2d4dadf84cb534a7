// SPDX-License-Identifier: MIT
// Polynomials through common points, by Lagrange's formula; see interpolation.h.
#include "num/interpolation.h"

void takt_interpolation_weights(int n, const double *x, double at, double *weights)
{
    for (int j = 0; j < n; j++) {
        weights[j] = 1;
        for (int m = 0; m < n; m++)
            if (m != j) weights[j] *= (at - x[m]) / (x[j] - x[m]);
    }
}

// Multiplies a polynomial with n coefficients by (x - root) / scale; it gets one more.
static void multiply(int n, double *c, double root, double scale)
{
    c[n] = c[n - 1] / scale;
    for (int d = n - 1; d > 0; d--) c[d] = (c[d - 1] - root * c[d]) / scale;
    c[0] = -root * c[0] / scale;
}

void takt_interpolation_matrix(int n, const double *x, double *matrix)
{
    for (int j = 0; j < n; j++) {
        double c[TAKT_MAX_COEFFICIENTS + 1] = {1};
        int n_coefficients = 1;
        for (int m = 0; m < n; m++)
            if (m != j) multiply(n_coefficients++, c, x[m], x[j] - x[m]);
        for (int d = 0; d < n; d++) matrix[d * n + j] = c[d];
    }
}

double takt_polynomial_value(int n, const double *c, double x)
{
    double value = c[n - 1];
    for (int d = n - 2; d >= 0; d--) value = value * x + c[d];
    return value;
}

double takt_polynomial_mean(int n, const double *c, double a, double b)
{
    double sum = 0, power_a = 1, power_b = 1;
    for (int d = 0; d < n; d++) {
        power_a *= a;
        power_b *= b;
        sum += c[d] * (power_b - power_a) / (d + 1);
    }
    return sum / (b - a);
}

void takt_polynomial_shift(int n, double *c, double a)
{
    for (int k = 0; k < n - 1; k++)
        for (int d = n - 2; d >= k; d--) c[d] += a * c[d + 1];
}
