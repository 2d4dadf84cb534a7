// SPDX-License-Identifier: MIT
// Reference solutions of the coupling examples; see reference.h.
#include "system/coupling/reference.h"

#include <math.h>
#include <stddef.h>

#define PI 3.14159265358979323846

// ---- integration ---------------------------------------------------------------------------------

// One step of the classical Runge-Kutta method.
static void step(const coupling_reference *r, double t, double h, double *x)
{
    static const double place[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double k[4][REFERENCE_STATES_MOST];
    for (int stage = 0; stage < 4; stage++) {
        double at[REFERENCE_STATES_MOST];
        for (int i = 0; i < r->n_states; i++)
            at[i] = x[i] + (stage ? h * place[stage] * k[stage - 1][i] : 0);
        r->slope(t + place[stage] * h, t + h / 2, at, k[stage]);
    }
    for (int stage = 0; stage < 4; stage++)
        for (int i = 0; i < r->n_states; i++) x[i] += h / 6 * weight[stage] * k[stage][i];
}

void reference_solve(const coupling_reference *r, const double *t, int n, double h_most,
                     double *out)
{
    double x[REFERENCE_STATES_MOST];
    for (int i = 0; i < REFERENCE_STATES_MOST; i++) x[i] = r->x0[i];
    for (int row = 0; row < n; row++) {
        double from = row ? t[row - 1] : 0;
        int n_steps = r->n_states ? (int)ceil((t[row] - from) / h_most) : 0;
        double h = n_steps ? (t[row] - from) / n_steps : 0;
        for (int i = 0; i < n_steps; i++) step(r, from + i * h, h, x);
        r->values(t[row], x, out + (ptrdiff_t)row * r->n_columns);
    }
}

// ---- 1: chain ------------------------------------------------------------------------------------

static void chain_slope(double t, double inside, const double *x, double *dx)
{
    (void)inside;
    dx[0] = 2 * sin(t) + sin(t) * sin(t) + 1 - x[0];
}

static void chain_values(double t, const double *x, double *out)
{
    out[0] = x[0];
    out[1] = x[0] + 2 * sin(t) * (sin(t) * sin(t) + 1);
}

const coupling_reference reference_chain = {2, chain_values, 1, {0}, chain_slope};

// ---- 2, 4, 5, 18: linear equations -----------------------------------------------------------------

static double determinant(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// Cramer's rule; the fourth value is the sum of the unknowns.
static void solve_linear(double m[3][3], const double r[3], double *out)
{
    out[3] = 0;
    for (int k = 0; k < 3; k++) {
        double replaced[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) replaced[i][j] = j == k ? r[i] : m[i][j];
        out[k] = determinant(replaced) / determinant(m);
        out[3] += out[k];
    }
}

static void linear_dominant(double t, const double *x, double *out)
{
    (void)x;
    double m[3][3] = {{3, 1.4, 1.4}, {1.4, 3, 1.4}, {1.4, 1.4, 4}};
    solve_linear(m, (double[]){1, 5 * sin(2 * t), 1}, out);
}

static void linear_not_dominant(double t, const double *x, double *out)
{
    (void)x;
    double m[3][3] = {{3, 4, 2}, {4, 3, 2}, {1.4, 4, 4}};
    solve_linear(m, (double[]){1, 5 * sin(2 * t), 1}, out);
}

static void time_dependent_matrix(double t, const double *x, double *out)
{
    (void)x;
    double m[3][3] = {{3, 0.1 + t, 0.2}, {0.1, 3, 0.1 + t}, {0.1 + t, 0.2, 4}};
    solve_linear(m, (double[]){1, t, 1}, out);
}

static void other_matrix(double t, const double *x, double *out)
{
    (void)x;
    double m[3][3] = {{4, 0.2 + 0.5 * t, 0.1}, {0.2 + 0.5 * t, 4, 0.2}, {0.1, 0.2 + 0.6 * t, 3}};
    solve_linear(m, (double[]){1 + t, 1, sin(t)}, out);
}

const coupling_reference reference_linear_dominant = {4, .values = linear_dominant};
const coupling_reference reference_linear_not_dominant = {4, .values = linear_not_dominant};
const coupling_reference reference_time_dependent_matrix = {4, .values = time_dependent_matrix};
const coupling_reference reference_other_matrix = {4, .values = other_matrix};

// ---- 3, 6 to 9, 17, 19, 22, 23: formulas ---------------------------------------------------------------

// x4 rises from t = 1 on, falls from 3 on, rises from 5 on, each time with slope 6 to its limit.
static void math003(double t, const double *x, double *out)
{
    (void)x;
    double x4 = fmax(0, fmin(2.5, 6 * (t - 1)));
    if (t > 3) x4 = fmax(-2.5, 2.5 - 6 * (t - 3));
    if (t > 5) x4 = fmin(2.5, -2.5 + 6 * (t - 5));
    out[0] = x4;
}

static void large_step(double t, const double *x, double *out)
{
    (void)x;
    out[0] = -cos(2 * PI * t) / (2 * PI);
}

static void precision(double t, const double *x, double *out)
{
    (void)x;
    out[0] = exp(-t);
}

static void algebraic_loop(double t, const double *x, double *out)
{
    (void)x;
    out[0] = exp(-t) / 0.7;
    out[1] = 0.6 * exp(-t) / 0.7;
}

// x + 0.9 sin x grows with x, so bisection finds its only root.
static void nonlinear_equation(double t, const double *x, double *out)
{
    (void)x;
    double low = -4, high = 4;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (middle + 0.9 * sin(middle) < 2 * cos(20 * t))
            low = middle;
        else
            high = middle;
    }
    out[0] = low;
    out[1] = low * low;
}

static double driven(double t)
{
    return t > 0 ? (sin(t) + cos(t) - exp(-t)) / 2 : 0;
}

static void delay(double t, const double *x, double *out)
{
    (void)x;
    out[0] = driven(t);
    out[1] = driven(t - 0.5);
}

static void linear_equation(double t, const double *x, double *out)
{
    (void)t, (void)x;
    out[0] = 1;
    out[1] = 0;
}

// x' = u - x with u = 0, from t = 2 on 4, from t = 4 on 2.
static void rc_circuit(double t, const double *x, double *out)
{
    (void)x;
    double value = 2 * exp(-fmin(t, 2));
    if (t > 2) value = 4 + (value - 4) * exp(-(fmin(t, 4) - 2));
    if (t > 4) value = 2 + (value - 2) * exp(-(t - 4));
    out[0] = value;
}

const coupling_reference reference_math003 = {1, .values = math003};
const coupling_reference reference_large_step = {1, .values = large_step};
const coupling_reference reference_precision = {1, .values = precision};
const coupling_reference reference_algebraic_loop = {2, .values = algebraic_loop};
const coupling_reference reference_nonlinear_equation = {2, .values = nonlinear_equation};
const coupling_reference reference_delay = {2, .values = delay};
const coupling_reference reference_linear_equation = {2, .values = linear_equation};
const coupling_reference reference_rc_circuit = {1, .values = rc_circuit};

// ---- 10 to 13, 15: circuit with varying resistors ------------------------------------------------------

static void resistances(double t, double r[2])
{
    r[0] = 1000 * sin(0.2 * PI * t) + 1001;
    r[1] = -1000 * sin(0.2 * PI * t) + 1001;
}

static double node_voltage(double t, const double *x)
{
    double r[2];
    resistances(t, r);
    return (x[0] / r[0] + x[1] / r[1] + 1e-4 * x[2]) / (1 / r[0] + 1 / r[1] + 1e-4);
}

static void circuit(double t, const double source[2], const double *x, double *dx)
{
    double r[2], v = node_voltage(t, x);
    resistances(t, r);
    for (int k = 0; k < 2; k++) dx[k] = 2 * (source[k] + (v - x[k]) / r[k] - x[k]);
    dx[2] = -0.01 * (x[2] - v);
}

static void varying_resistors_slope(double t, double inside, const double *x, double *dx)
{
    (void)inside;
    circuit(t, (double[]){sin(3 * PI * t), sin(2 * PI * t)}, x, dx);
}

static void jumping_sources_slope(double t, double inside, const double *x, double *dx)
{
    double s1 = sin(2 * PI * inside) < 0 ? -1 : 1, s2 = sin(PI * inside) < 0 ? -1 : 1;
    circuit(t, (double[]){s1, s2}, x, dx);
}

static void circuit_values(double t, const double *x, double *out)
{
    out[0] = node_voltage(t, x);
}

const coupling_reference reference_varying_resistors = {
    1, circuit_values, 3, {0}, varying_resistors_slope};
const coupling_reference reference_jumping_sources = {
    1, circuit_values, 3, {0}, jumping_sources_slope};

// ---- 14: extended circuit ------------------------------------------------------------------------------

static void extended_slope(double t, double inside, const double *x, double *dx)
{
    (void)inside;
    const double source[] = {sin(0.4 * PI * t), sin(0.6 * PI * t), cos(0.4 * PI * t)};
    const double r[] = {1.5 + sin(0.2 * PI * t), 1.5 - sin(0.2 * PI * t), 1.5 + cos(0.2 * PI * t)};
    double i[3]; // from each node to the next
    for (int k = 0; k < 3; k++) i[k] = (x[k] - x[(k + 1) % 3]) / r[k];
    for (int k = 0; k < 3; k++) dx[k] = 2 * (source[k] - x[k] - i[k] + i[(k + 2) % 3]);
}

static void all_states(double t, const double *x, double *out)
{
    (void)t;
    for (int i = 0; i < 3; i++) out[i] = x[i];
}

const coupling_reference reference_extended_circuit = {3, all_states, 3, {0}, extended_slope};

// ---- 16: Roessler --------------------------------------------------------------------------------------

static void roessler_slope(double t, double inside, const double *x, double *dx)
{
    (void)t, (void)inside;
    dx[0] = -x[1] - x[2];
    dx[1] = x[0] + 0.2 * x[1];
    dx[2] = 0.2 + x[2] * (x[0] - 5.7);
}

const coupling_reference reference_roessler = {3, all_states, 3, {1, 1, 0}, roessler_slope};
