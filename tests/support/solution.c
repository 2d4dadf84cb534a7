// SPDX-License-Identifier: MIT
// Solutions of coupled problems; see solution.h. Linear ones by the matrix exponential, switching ones in closed
// form, others by Runge-Kutta steps that are so short that their error does not matter.
#include "support/solution.h"

#include <math.h>
#include <string.h>

// ---- matrices --------------------------------------------------------------------------------------

void test_multiply(int n, const double *a, const double *b, double *out)
{
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double factor = a[i * n + k];
            for (int j = 0; j < n && factor != 0; j++) out[i * n + j] += factor * b[k * n + j];
        }
}

// e^A by scaling, Taylor's series and squaring.
void test_exponential(int n, const double *a, double *out)
{
    double scaled[TEST_MOST * TEST_MOST], term[TEST_MOST * TEST_MOST], next[TEST_MOST * TEST_MOST];
    double norm = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += fabs(a[i * n + j]);
        norm = fmax(norm, sum);
    }
    int s = norm > 0.5 ? (int)ceil(log2(norm / 0.5)) : 0;
    for (int i = 0; i < n * n; i++) scaled[i] = ldexp(a[i], -s);
    for (int i = 0; i < n * n; i++) out[i] = term[i] = i % (n + 1) == 0;
    for (int k = 1; k <= 14; k++) {
        test_multiply(n, term, scaled, next);
        for (int i = 0; i < n * n; i++) out[i] += term[i] = next[i] / k;
    }
    for (; s > 0; s--) {
        test_multiply(n, out, out, next);
        memcpy(out, next, (size_t)(n * n) * sizeof *out);
    }
}

// ---- the solution ----------------------------------------------------------------------------------

void test_solve(int n, double a[][TEST_MOST], int m, double b[][TEST_MOST])
{
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(a[r][c]) > fabs(a[p][c])) p = r;
        for (int j = 0; j < TEST_MOST; j++) {
            double s = a[c][j];
            a[c][j] = a[p][j], a[p][j] = s;
            s = b[c][j], b[c][j] = b[p][j], b[p][j] = s;
        }
        for (int r = 0; r < n; r++) {
            if (r == c) continue;
            double f = a[r][c] / a[c][c];
            for (int j = 0; j < n; j++) a[r][j] -= f * a[c][j];
            for (int j = 0; j < m; j++) b[r][j] -= f * b[c][j];
        }
    }
    for (int r = 0; r < n; r++)
        for (int j = 0; j < m; j++) b[r][j] /= a[r][r];
}

// y = K x with (I - D P) K = C; then x' = (A + B P K) x.
static void join(test_solution *s)
{
    const test_problem *problem = s->problem;
    static double left[TEST_MOST][TEST_MOST];
    memset(left, 0, sizeof left);
    memset(s->k, 0, sizeof s->k);
    memset(s->matrix, 0, sizeof s->matrix);
    int row = 0, column = 0;
    for (int p = 0; p < problem->n_parts; p++) {
        const test_part *part = &problem->parts[p];
        for (int i = 0; i < part->n_outputs; i++, row++) {
            left[row][row] += 1;
            for (int j = 0; j < part->n_inputs; j++) left[row][part->sources[j]] -= part->d[i][j];
            for (int j = 0; j < part->n; j++) s->k[row][column + j] = part->c[i][j];
        }
        for (int j = 0; j < part->n; j++) s->x[column + j] = part->x0[j];
        column += part->n;
    }
    s->n = column;
    s->n_outputs = row;
    test_solve(row, left, column, s->k);
    column = 0;
    for (int p = 0; p < problem->n_parts; p++) {
        const test_part *part = &problem->parts[p];
        for (int i = 0; i < part->n; i++) {
            double *out = s->matrix + (column + i) * s->n;
            for (int j = 0; j < part->n; j++) out[column + j] += part->a[i][j];
            for (int j = 0; j < part->n_inputs; j++)
                for (int q = 0; q < s->n; q++) out[q] += part->b[i][j] * s->k[part->sources[j]][q];
        }
        column += part->n;
    }
}

static void read_outputs(const test_solution *s, const double *x, double *y)
{
    for (int i = 0; i < s->n_outputs; i++) {
        y[i] = 0;
        for (int j = 0; j < s->n; j++) y[i] += s->k[i][j] * x[j];
    }
}

// Without feedthrough in nonlinear problems.
static void slopes(const test_solution *s, const double *x, double *dx)
{
    double y[TEST_MOST], u[TEST_MOST_PORTS];
    read_outputs(s, x, y);
    int column = 0;
    for (int p = 0; p < s->problem->n_parts; p++) {
        const test_part *part = &s->problem->parts[p];
        for (int j = 0; j < part->n_inputs; j++) u[j] = y[part->sources[j]];
        part->derivatives(part, x + column, u, dx + column);
        column += part->n;
    }
}

static void go_nonlinear(test_solution *s, double t)
{
    int n = s->n, n_steps = 1 + (int)ceil((t - s->t) / 2e-4);
    double h = (t - s->t) / n_steps, k1[TEST_MOST], k2[TEST_MOST], k3[TEST_MOST], k4[TEST_MOST],
           y[TEST_MOST];
    for (int m = 0; m < n_steps && h > 0; m++) {
        slopes(s, s->x, k1);
        for (int i = 0; i < n; i++) y[i] = s->x[i] + h / 2 * k1[i];
        slopes(s, y, k2);
        for (int i = 0; i < n; i++) y[i] = s->x[i] + h / 2 * k2[i];
        slopes(s, y, k3);
        for (int i = 0; i < n; i++) y[i] = s->x[i] + h * k3[i];
        slopes(s, y, k4);
        for (int i = 0; i < n; i++) s->x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    s->t = t;
}

static void go_linear(test_solution *s, double t)
{
    static double m[TEST_MOST * TEST_MOST], e[TEST_MOST * TEST_MOST];
    double x[TEST_MOST];
    for (int i = 0; i < s->n * s->n; i++) m[i] = s->matrix[i] * (t - s->t);
    test_exponential(s->n, m, e);
    for (int i = 0; i < s->n; i++) {
        x[i] = 0;
        for (int j = 0; j < s->n; j++) x[i] += e[i * s->n + j] * s->x[j];
    }
    memcpy(s->x, x, (size_t)s->n * sizeof *x);
    s->t = t;
}

// A lag and a switch: x' = a (on - x), in closed form.
static void go_switching(test_solution *s, double t)
{
    const test_part *lag = &s->problem->parts[0], *relay = &s->problem->parts[1];
    double a = -lag->a[0][0];
    for (;;) {
        double goal = s->memory[1], limit = goal > 0 ? relay->high : relay->low;
        double until = s->t - log((limit - goal) / (s->x[0] - goal)) / a;
        if (until > t) {
            s->x[0] = goal + (s->x[0] - goal) * exp(-a * (t - s->t));
            s->t = t;
            return;
        }
        s->x[0] = limit;
        s->t = until;
        s->memory[1] = 1 - goal;
        s->n_switchings++;
    }
}

void test_solution_begin(test_solution *s, const test_problem *problem)
{
    memset(s, 0, sizeof *s);
    s->problem = problem;
    s->is_linear = true;
    for (int p = 0; p < problem->n_parts; p++) {
        if (problem->parts[p].derivatives) s->is_linear = false;
        s->memory[p] = problem->parts[p].x0[0];
    }
    join(s);
}

void test_solution_go(test_solution *s, double t)
{
    if (s->problem->is_switching)
        go_switching(s, t);
    else if (s->is_linear)
        go_linear(s, t);
    else
        go_nonlinear(s, t);
}

void test_solution_read(const test_solution *s, double *y)
{
    read_outputs(s, s->x, y);
}
