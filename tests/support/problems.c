// SPDX-License-Identifier: MIT
#include "support/problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- matrix exponential ----------------------------------------------------------------------------

enum { MOST = TEST_MOST_STATES + TEST_MOST_PORTS * (TAKT_MAX_MOTION_ORDER + 1) + 20 };

static void multiply(int n, const double *a, const double *b, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            out[i * n + j] = sum;
        }
}

// e^A by scaling, Taylor's series and squaring.
static void exponential(int n, const double *a, double *out)
{
    static double scaled[MOST * MOST], term[MOST * MOST], next[MOST * MOST];
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
        multiply(n, term, scaled, next);
        for (int i = 0; i < n * n; i++) out[i] += term[i] = next[i] / k;
    }
    for (; s > 0; s--) {
        multiply(n, out, out, next);
        memcpy(out, next, (size_t)(n * n) * sizeof *out);
    }
}

// ---- instances -------------------------------------------------------------------------------------

static const test_part *part_of(const test_instance *at)
{
    return at->model->context;
}

// Derivative number d of input i at the beginning of the step; held inputs have the value only.
static double derivative_of(const test_instance *at, int i, int d)
{
    const takt_motion *motion = &at->motion;
    int n = motion->inputs ? motion->inputs->n_values[TAKT_KIND_REAL] : 0;
    for (int k = 0; k < n; k++)
        if (takt_access_index(motion->inputs, TAKT_KIND_REAL, k) == i)
            return d <= motion->order ? motion->room[d * n + k] : 0;
    return d == 0 ? at->real[i] : 0;
}

static void step_linear(test_instance *at, const test_part *part, double h)
{
    static double m[MOST * MOST], e[MOST * MOST];
    int depth = at->motion.inputs ? at->motion.order + 1 : 1;
    int n_u = part->n_inputs, n = part->n + n_u * depth;
    double z[MOST], x[TEST_MOST_STATES];
    memset(m, 0, (size_t)(n * n) * sizeof *m);
    for (int i = 0; i < part->n; i++) {
        for (int j = 0; j < part->n; j++) m[i * n + j] = h * part->a[i][j];
        for (int j = 0; j < n_u; j++) m[i * n + part->n + j] = h * part->b[i][j];
        z[i] = at->state[i];
    }
    double power = 1;
    for (int d = 0; d < depth; d++, power *= h)
        for (int j = 0; j < n_u; j++) {
            int row = part->n + d * n_u + j;
            if (d + 1 < depth) m[row * n + row + n_u] = 1;
            z[row] = derivative_of(at, j, d) * power;
        }
    exponential(n, m, e);
    for (int i = 0; i < part->n; i++) {
        x[i] = 0;
        for (int j = 0; j < n; j++) x[i] += e[i * n + j] * z[j];
    }
    memcpy(at->state, x, (size_t)part->n * sizeof *x);
}

static void evaluate(test_instance *at, const test_part *part, double t, const double *x,
                     double *dx)
{
    double u[TEST_MOST_PORTS];
    for (int j = 0; j < part->n_inputs; j++) u[j] = test_input_at(at, j, t);
    part->derivatives(part, x, u, dx);
}

// Runge-Kutta steps that are so short that their error does not matter.
static void step_function(test_instance *at, const test_part *part, double t, double h)
{
    int n = part->n, n_steps = 4 + (int)ceil(h / 1e-3);
    double *x = at->state, k1[8], k2[8], k3[8], k4[8], y[8], s = h / n_steps;
    for (int m = 0; m < n_steps; m++) {
        double from = t + m * s;
        evaluate(at, part, from, x, k1);
        for (int i = 0; i < n; i++) y[i] = x[i] + s / 2 * k1[i];
        evaluate(at, part, from + s / 2, y, k2);
        for (int i = 0; i < n; i++) y[i] = x[i] + s / 2 * k2[i];
        evaluate(at, part, from + s / 2, y, k3);
        for (int i = 0; i < n; i++) y[i] = x[i] + s * k3[i];
        evaluate(at, part, from + s, y, k4);
        for (int i = 0; i < n; i++) x[i] += s / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
}

static void step_switch(test_instance *at, const test_part *part, double t, double h)
{
    int n = at->motion.inputs ? 32 : 1;
    for (int k = 1; k <= n; k++) {
        double u = test_input_at(at, 0, t + h * k / n);
        if (at->state[0] > 0 && u > part->high) at->state[0] = 0;
        if (at->state[0] == 0 && u < part->low) at->state[0] = 1;
    }
}

static void step_part(test_instance *at, double t, double h)
{
    const test_part *part = part_of(at);
    if (part->high != 0)
        step_switch(at, part, t, h);
    else if (part->derivatives)
        step_function(at, part, t, h);
    else
        step_linear(at, part, h);
}

// States have their start values also while initial values are sought; the last one says so.
static void init_part(test_instance *at)
{
    if (at->state[TEST_N_STATES - 1] != 0) return;
    memcpy(at->state, part_of(at)->x0, sizeof at->state);
    at->state[TEST_N_STATES - 1] = 1;
}

static double random_sign(void)
{
    static uint64_t seed = 88172645463325252ULL;
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static void output_part(test_instance *at)
{
    const test_part *part = part_of(at);
    init_part(at);
    for (int i = 0; i < part->n_outputs; i++) {
        double y = part->high != 0 ? at->state[0] : 0;
        for (int j = 0; j < part->n; j++) y += part->c[i][j] * at->state[j];
        for (int j = 0; j < part->n_inputs; j++) y += part->d[i][j] * at->real[j];
        at->real[part->n_inputs + i] = y * (1 + part->noise * random_sign());
    }
}

// ---- the solution ----------------------------------------------------------------------------------

typedef struct solution {
    const test_problem *problem;
    bool is_linear;
    int n, n_outputs;
    double matrix[MOST * MOST]; // of the linear system
    double k[MOST][MOST]; // outputs from states
    double t, x[MOST], x_before[MOST], t_before;
    double memory[TEST_MOST_PARTS]; // of switches
} solution;

static void solve(int n, double a[][MOST], int m, double b[][MOST])
{
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(a[r][c]) > fabs(a[p][c])) p = r;
        for (int j = 0; j < MOST; j++) {
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
static void join(solution *s)
{
    const test_problem *problem = s->problem;
    static double left[MOST][MOST];
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
    solve(row, left, column, s->k);
    column = 0;
    for (int p = 0; p < problem->n_parts; p++) {
        const test_part *part = &problem->parts[p];
        for (int i = 0; i < part->n; i++) {
            double *out = s->matrix + (column + i) * s->n;
            for (int j = 0; j < part->n; j++) out[column + j] += part->a[i][j];
            for (int j = 0; j < part->n_inputs; j++)
                for (int q = 0; q < s->n; q++)
                    out[q] += part->b[i][j] * s->k[part->sources[j]][q];
        }
        column += part->n;
    }
}

static void read_solution(const solution *s, const double *x, double *y)
{
    for (int i = 0; i < s->n_outputs; i++) {
        y[i] = 0;
        for (int j = 0; j < s->n; j++) y[i] += s->k[i][j] * x[j];
    }
}

// Without feedthrough in nonlinear problems.
static void slopes(const solution *s, const double *x, double *dx)
{
    double y[MOST], u[TEST_MOST_PORTS];
    read_solution(s, x, y);
    int column = 0;
    for (int p = 0; p < s->problem->n_parts; p++) {
        const test_part *part = &s->problem->parts[p];
        for (int j = 0; j < part->n_inputs; j++) u[j] = y[part->sources[j]];
        part->derivatives(part, x + column, u, dx + column);
        column += part->n;
    }
}

static void go_nonlinear(solution *s, double t)
{
    int n = s->n, n_steps = 1 + (int)ceil((t - s->t) / 2e-4);
    double h = (t - s->t) / n_steps, k1[MOST], k2[MOST], k3[MOST], k4[MOST], y[MOST];
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

static void go_linear(solution *s, double t)
{
    static double m[MOST * MOST], e[MOST * MOST];
    double x[MOST];
    for (int i = 0; i < s->n * s->n; i++) m[i] = s->matrix[i] * (t - s->t);
    exponential(s->n, m, e);
    for (int i = 0; i < s->n; i++) {
        x[i] = 0;
        for (int j = 0; j < s->n; j++) x[i] += e[i * s->n + j] * s->x[j];
    }
    memcpy(s->x, x, (size_t)s->n * sizeof *x);
    s->t = t;
}

// A lag and a switch: x' = a (on - x), in closed form.
static void go_switching(solution *s, double t)
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
    }
}

static void begin_solution(solution *s, const test_problem *problem)
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

static void go(solution *s, double t)
{
    if (s->problem->events > 0)
        go_switching(s, t);
    else if (s->is_linear)
        go_linear(s, t);
    else
        go_nonlinear(s, t);
}

// ---- running ---------------------------------------------------------------------------------------

static void lay_out_part(test_problem *problem, int p)
{
    static const char *const inputs[] = {"u0", "u1", "u2"}, *const outputs[] = {"y0", "y1", "y2"};
    static const char *const names[] = {"P0", "P1", "P2", "P3", "P4", "P5"};
    test_part *part = &problem->parts[p];
    memset(part->variables, 0, sizeof part->variables);
    for (int j = 0; j < part->n_inputs; j++)
        part->variables[j] = (test_variable){inputs[j], TAKT_INPUT, .start = "0"};
    for (int i = 0; i < part->n_outputs; i++) {
        part->texts[i][0] = 0;
        for (int j = 0; j < part->n_inputs; j++)
            if (part->d[i][j] != 0) {
                strcat(part->texts[i], j ? " " : "");
                strcat(part->texts[i], inputs[j]);
            }
        part->variables[part->n_inputs + i] =
            (test_variable){outputs[i], TAKT_OUTPUT, .depends = part->texts[i]};
    }
    problem->models[p] = (test_model){names[p],
                                      part->variables,
                                      .init = init_part,
                                      .output = output_part,
                                      .step = step_part,
                                      .can = {.rewind = true,
                                              .variable_step = true,
                                              .interpolate_inputs = !problem->is_held[p]},
                                      .context = part};
}

static void describe(test_problem *problem, char *components, char *connections)
{
    int owner[MOST], output[MOST], n = 0;
    for (int p = 0; p < problem->n_parts; p++)
        for (int i = 0; i < problem->parts[p].n_outputs; i++) owner[n] = p, output[n++] = i;
    components[0] = connections[0] = 0;
    for (int p = 0; p < problem->n_parts; p++) {
        sprintf(components + strlen(components), "p%d:P%d ", p, p);
        for (int j = 0; j < problem->parts[p].n_inputs; j++) {
            int source = problem->parts[p].sources[j];
            sprintf(connections + strlen(connections), "p%d.y%d>p%d.u%d ", owner[source],
                    output[source], p, j);
        }
    }
}

// Output i of all, as the run calls it.
static void name_output(const test_problem *problem, int i, char *out)
{
    int p = 0;
    while (i >= problem->parts[p].n_outputs) i -= problem->parts[p++].n_outputs;
    sprintf(out, "p%d.y%d", p, i);
}

static void dump(const test_problem *problem) // DEBUG
{
    static solution s;
    begin_solution(&s, problem);
    printf("%d", s.n);
    for (int i = 0; i < s.n * s.n; i++) printf(" %.17g", s.matrix[i]);
    printf("\n");
} // DEBUG

static void compare(const test_problem *problem, const test_coupling *c, test_measured *out)
{
    static solution s;
    double largest[MOST] = {0}, errors[MOST] = {0}, last[MOST] = {0}, y[MOST];
    begin_solution(&s, problem);
    int n = problem->events > 0 ? 1 : s.n_outputs, columns[MOST];
    for (int i = 0; i < n; i++) {
        char name[20];
        name_output(problem, i, name);
        columns[i] = 0;
        while (strcmp(takt_run_column(c->run, columns[i]), name) != 0) columns[i]++;
    }
    for (int r = 0; r < c->n_rows; r++) {
        go(&s, c->time[r]);
        read_solution(&s, s.x, y);
        for (int i = 0; i < n; i++) {
            last[i] = fabs(c->value[r][columns[i]] - y[i]);
            errors[i] = fmax(errors[i], last[i]);
            largest[i] = fmax(largest[i], fabs(y[i]));
        }
    }
    for (int i = 0; i < n; i++) {
        out->error = fmax(out->error, errors[i] / largest[i]);
        out->end_error = fmax(out->end_error, last[i] / largest[i]);
    }
}

test_measured test_problem_run(test_problem *problem, const char *settings)
{
    if (getenv("DUMP")) dump(problem); // DEBUG
    static test_coupling c;
    char components[200], connections[1000], all[500];
    test_measured out = {0};
    for (int p = 0; p < problem->n_parts; p++) lay_out_part(problem, p);
    problem->models[problem->n_parts] = (test_model){0};
    describe(problem, components, connections);
    snprintf(all, sizeof all, "stop-time=%.17g %s", problem->stop, settings);
    test_couple(&c, problem->models, components, connections, all);
    test_try_run_all(&c);
    out.status = c.status;
    snprintf(out.message, sizeof out.message, "%s", c.status ? c.err.message : "");
    takt_statistics statistics;
    takt_run_statistics(c.run, &statistics);
    out.steps = statistics.steps;
    out.rejected = statistics.rejected;
    out.all_calls = statistics.do_step_total;
    for (int p = 0; p < problem->n_parts; p++)
        if (problem->models[p].counts.step > out.calls) out.calls = problem->models[p].counts.step;
    if (!c.status) compare(problem, &c, &out);
    test_uncouple(&c);
    return out;
}

// ---- problems --------------------------------------------------------------------------------------

static uint64_t state;
static double uniform(double from, double to)
{
    state += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return from + (to - from) * (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}
static double normal(void)
{
    return sqrt(-2 * log(uniform(1e-12, 1))) * cos(6.283185307179586 * uniform(0, 1));
}
static int between(int from, int to)
{
    return from + (int)(uniform(0, 1) * (to - from + 1));
}

static void lv_slopes(const test_part *p, const double *x, const double *u, double *dx)
{
    dx[0] = (p->parameters[0] + p->parameters[1] * u[0]) * x[0];
}

static void make_lv(test_problem *p, double a, double b, double c, double d, double x, double y)
{
    p->n_parts = 2;
    p->stop = 100;
    p->parts[0] = (test_part){.n = 1, .n_inputs = 1, .n_outputs = 1, .c = {{1}}, .x0 = {x},
                              .sources = {1}, .derivatives = lv_slopes, .parameters = {a, -b}};
    p->parts[1] = (test_part){.n = 1, .n_inputs = 1, .n_outputs = 1, .c = {{1}}, .x0 = {y},
                              .sources = {0}, .derivatives = lv_slopes, .parameters = {-c, d}};
}

static void make_masses(test_problem *p, bool by_force)
{
    double k = 10, c = 1, d = 0.05;
    p->n_parts = 2;
    p->stop = 20;
    test_part right = {.n = 2, .n_inputs = 1, .n_outputs = 2, .a = {{0, 1}, {-c - k, -d}},
                       .b = {{0}, {k}}, .c = {{1, 0}, {0, 1}}};
    test_part left = right;
    left.x0[0] = 1;
    left.sources[0] = 2;
    if (!by_force) {
        p->parts[0] = left;
        p->parts[1] = right;
        return;
    }
    left.a[1][0] = -c;
    left.b[1][0] = 1;
    right.n_outputs = 1;
    right.c[0][0] = k;
    right.d[0][0] = -k;
    right.sources[0] = 1; // listed in the bad order
    left.sources[0] = 0;
    p->parts[0] = right;
    p->parts[1] = left;
}

// A slow mass with a source, and a fast one.
static void make_thermal(test_problem *p, double g, double capacity, double loss, double loss_fast,
                         double source, double omega, double ambient, double t1, double t2)
{
    p->n_parts = 2;
    p->stop = 10;
    p->parts[0] = (test_part){.n = 3, .n_inputs = 1, .n_outputs = 1,
                              .a = {{-g - loss, source, 0}, {0, 0, omega}, {0, -omega, 0}},
                              .b = {{g}}, .c = {{1}}, .x0 = {t1, 0, 1}, .sources = {1}};
    p->parts[1] = (test_part){.n = 2, .n_inputs = 1, .n_outputs = 1,
                              .a = {{(-g - loss_fast) / capacity, ambient / capacity}},
                              .b = {{g / capacity}}, .c = {{1}}, .x0 = {t2, 1}, .sources = {0}};
}

static void make_hysteresis(test_problem *p, double rate, double low, double high)
{
    p->n_parts = 2;
    p->stop = 10;
    p->events = 1;
    p->parts[0] = (test_part){.n = 1, .n_inputs = 1, .n_outputs = 1, .a = {{-rate}}, .b = {{rate}},
                              .c = {{1}}, .sources = {1}};
    p->parts[1] = (test_part){.n_inputs = 1, .n_outputs = 1, .x0 = {1}, .low = low, .high = high,
                              .sources = {0}};
}

static void roessler_xy(const test_part *p, const double *x, const double *u, double *dx)
{
    (void)p;
    dx[0] = -x[1] - u[0];
    dx[1] = x[0] + 0.2 * x[1];
}
static void roessler_z(const test_part *p, const double *x, const double *u, double *dx)
{
    (void)p;
    dx[0] = 0.2 + x[0] * (u[0] - 2.5);
}
static void vdp_x(const test_part *p, const double *x, const double *u, double *dx)
{
    (void)p, (void)x;
    dx[0] = u[0];
}
static void vdp_v(const test_part *p, const double *x, const double *u, double *dx)
{
    (void)p;
    dx[0] = 5 * (1 - u[0] * u[0]) * x[0] - u[0];
}

static void make_loop(test_problem *p)
{
    p->n_parts = 3;
    p->stop = 20;
    p->parts[0] = (test_part){.n = 3, .n_inputs = 1, .n_outputs = 1,
                              .a = {{-1, 1, 0}, {0, 0, 3}, {0, -3, 0}}, .b = {{1}}, .c = {{1}},
                              .d = {{1.5}}, .x0 = {1, 0, 1}, .sources = {2}};
    p->parts[1] = (test_part){.n = 1, .n_inputs = 1, .n_outputs = 1, .a = {{-2}}, .b = {{1}},
                              .c = {{1}}, .d = {{1.2}}, .sources = {0}};
    p->parts[2] = (test_part){.n = 1, .n_inputs = 1, .n_outputs = 1, .a = {{-0.5}}, .b = {{0.5}},
                              .c = {{-1}}, .d = {{-1.1}}, .x0 = {0.5}, .sources = {1}};
}

// A random part: A = Q L Q^-1 with eigenvalues spread over six decades.
static void make_random_part(test_part *part, int p, const int *offsets, int total)
{
    int nx = between(1, 3), ny = offsets[p + 1] - offsets[p];
    double q[MOST][MOST] = {{0}}, inverse[MOST][MOST] = {{0}}, l[4][4] = {{0}}, lambda[4], ql[4][4];
    for (int i = 0; i < nx; i++) {
        lambda[i] = pow(10, uniform(-2, 4));
        l[i][i] = -lambda[i];
        for (int j = 0; j < nx; j++) q[i][j] = (i == j) + 0.3 * normal();
        inverse[i][i] = 1;
    }
    if (nx >= 2 && uniform(0, 1) < 0.3) {
        double w = pow(10, uniform(-1, 1.5));
        l[0][0] = l[1][1] = -0.3 * w, l[0][1] = w, l[1][0] = -w;
        lambda[0] = lambda[1] = w;
    }
    *part = (test_part){.n = nx, .n_outputs = ny};
    double copy[MOST][MOST];
    memcpy(copy, q, sizeof copy);
    solve(nx, copy, nx, inverse);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++) {
            ql[i][j] = 0;
            for (int k = 0; k < nx; k++) ql[i][j] += q[i][k] * l[k][j];
        }
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++)
            for (int k = 0; k < nx; k++) part->a[i][j] += ql[i][k] * inverse[k][j];
    int others = total - ny;
    part->n_inputs = between(1, others < 3 ? others : 3);
    for (int j = 0; j < part->n_inputs; j++) {
        bool is_new = false;
        while (!is_new) {
            int s = between(0, total - 1);
            is_new = s < offsets[p] || s >= offsets[p + 1];
            for (int k = 0; k < j; k++) is_new &= part->sources[k] != s;
            part->sources[j] = s;
        }
        double v[4];
        for (int i = 0; i < nx; i++) v[i] = lambda[i] * normal() * 0.6;
        for (int i = 0; i < nx; i++)
            for (int k = 0; k < nx; k++) part->b[i][j] += q[i][k] * v[k];
    }
    bool has_d = uniform(0, 1) < 0.25;
    for (int i = 0; i < ny; i++) {
        for (int j = 0; j < nx; j++) part->c[i][j] = normal();
        for (int j = 0; j < part->n_inputs; j++) part->d[i][j] = has_d ? 0.5 * normal() : 0;
    }
    for (int i = 0; i < nx; i++) part->x0[i] = normal();
    if (p > 0) return;
    double w = uniform(0.5, 3), drive[4] = {0};
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < nx; k++) drive[i] += q[i][k] * lambda[k];
    for (int i = 0; i < nx; i++) part->a[i][nx] = 0.7 * drive[i];
    part->a[nx][nx + 1] = w, part->a[nx + 1][nx] = -w;
    part->x0[nx] = 0, part->x0[nx + 1] = 1;
    part->n = nx + 2;
}

// Does the linear system stay bounded?
static bool is_stable(const test_problem *problem)
{
    static solution s;
    static double m[MOST * MOST], e[MOST * MOST];
    begin_solution(&s, problem);
    for (int i = 0; i < s.n * s.n; i++) m[i] = s.matrix[i];
    exponential(s.n, m, e);
    for (int k = 0; k < 7; k++) { // e^(128 A) must not be large
        double largest = 0;
        multiply(s.n, e, e, m);
        memcpy(e, m, (size_t)(s.n * s.n) * sizeof *e);
        for (int i = 0; i < s.n * s.n; i++) largest = fabs(e[i]) <= largest ? largest : fabs(e[i]);
        if (!(largest < 1e3)) return false;
    }
    return true;
}

static void make_random(test_problem *p, int seed)
{
    state = 1000003 * (uint64_t)seed;
    do {
        int n = between(2, 5), offsets[TEST_MOST_PARTS + 1] = {0};
        for (int i = 0; i < n; i++) offsets[i + 1] = offsets[i] + between(1, 2);
        p->n_parts = n;
        p->stop = 10;
        for (int i = 0; i < n; i++) make_random_part(&p->parts[i], i, offsets, offsets[n]);
    } while (!is_stable(p));
}

static void make_random_lv(test_problem *p, int seed)
{
    state = 7000 + (uint64_t)seed;
    double a = uniform(.05, .2), b = uniform(.01, .04), c = uniform(.2, .6), d = uniform(.01, .04);
    double x = uniform(5, 30), y = uniform(3, 15);
    make_lv(p, a, b, c, d, x, y);
}

static void make_random_hysteresis(test_problem *p, int seed)
{
    state = 9000 + (uint64_t)seed;
    double rate = uniform(0.5, 3), low = uniform(0.1, 0.5), high = low + uniform(0.1, 0.4);
    make_hysteresis(p, rate, low, high);
}

void test_problem_make(test_problem *p, const char *name, char mode)
{
    memset(p, 0, sizeof *p);
    if (strcmp(name, "lv") == 0) make_lv(p, 0.1, 0.02, 0.4, 0.02, 10, 10);
    if (strncmp(name, "lvr", 3) == 0) make_random_lv(p, atoi(name + 3));
    if (strcmp(name, "mass_fx") == 0) make_masses(p, true);
    if (strcmp(name, "mass_xx") == 0) make_masses(p, false);
    if (strcmp(name, "thermal") == 0) make_thermal(p, 100, 0.01, 1, 0.1, 20, 2, 1, 20, 0);
    if (strcmp(name, "thermal2") == 0) make_thermal(p, 300, 0.003, 2, 0.5, 30, 3, 5, 5, 15);
    if (strcmp(name, "hysteresis") == 0) make_hysteresis(p, 1, 0.4, 0.6);
    if (strncmp(name, "hyst", 4) == 0 && name[4] != 'e') make_random_hysteresis(p, atoi(name + 4));
    if (strcmp(name, "loop") == 0) make_loop(p);
    if (strncmp(name, "rnd", 3) == 0) make_random(p, atoi(name + 3));
    test_part one = {.n = 1, .n_inputs = 1, .n_outputs = 1, .c = {{1}}};
    if (strcmp(name, "roessler") == 0) {
        p->n_parts = 2;
        p->stop = 40;
        p->parts[0] = (test_part){.n = 2, .n_inputs = 1, .n_outputs = 2, .c = {{1, 0}, {0, 1}},
                                  .x0 = {1, 1}, .sources = {2}, .derivatives = roessler_xy};
        p->parts[1] = one;
        p->parts[1].x0[0] = 0.1;
        p->parts[1].derivatives = roessler_z;
    }
    if (strcmp(name, "vdp") == 0) {
        p->n_parts = 2;
        p->stop = 20;
        p->parts[0] = p->parts[1] = one;
        p->parts[0].x0[0] = 2;
        p->parts[0].sources[0] = 1;
        p->parts[0].derivatives = vdp_x;
        p->parts[1].derivatives = vdp_v;
    }
    for (int i = 0; i < p->n_parts; i++)
        p->is_held[i] = mode == 'b' || (mode == 'm' && i == p->n_parts - 1);
}
