// SPDX-License-Identifier: MIT
// Independent solutions; see reference.h.
#include "campaign/reference.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 30 };

// ---- one instant -----------------------------------------------------------------------------------

typedef struct matrix {
    int n;
    double a[MAX_NODES][MAX_NODES]; // decomposed
    int pivots[MAX_NODES];
} matrix;

// The output of real node i, after its step.
static long double find_output(const random_system *system, const moment *at, int i, long double s,
                               bool is_on)
{
    const node *own = &system->nodes[i];
    long double x[N_STATES] = {at->x[i][0], at->x[i][1]};
    if (is_dynamic(own)) advance_state(own, s, at->h[i], x);
    return real_output(system, own, s, is_on, x, at->t);
}

static bool decompose(matrix *m)
{
    for (int k = 0; k < m->n; k++) {
        int p = k;
        for (int i = k + 1; i < m->n; i++)
            if (fabs(m->a[i][k]) > fabs(m->a[p][k])) p = i;
        if (!(fabs(m->a[p][k]) > 1e-13)) return false;
        m->pivots[k] = p;
        for (int j = 0; j < m->n && p != k; j++) {
            double swap = m->a[k][j];
            m->a[k][j] = m->a[p][j];
            m->a[p][j] = swap;
        }
        for (int i = k + 1; i < m->n; i++) {
            double factor = m->a[i][k] /= m->a[k][k];
            for (int j = k + 1; j < m->n && factor != 0; j++) m->a[i][j] -= factor * m->a[k][j];
        }
    }
    return true;
}

static void substitute(const matrix *m, double *b)
{
    for (int k = 0; k < m->n; k++) {
        double swap = b[k];
        b[k] = b[m->pivots[k]];
        b[m->pivots[k]] = swap;
    }
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < i; j++) b[i] -= m->a[i][j] * b[j];
    for (int i = m->n - 1; i >= 0; i--) {
        for (int j = i + 1; j < m->n; j++) b[i] -= m->a[i][j] * b[j];
        b[i] /= m->a[i][i];
    }
}

// I - dF/dv; Boolean nodes have rows of the unit matrix.
static bool make_matrix(const random_system *system, const moment *at, const long double *v,
                        matrix *m)
{
    static const long double SMALL = 1e-5L;
    m->n = system->n_nodes;
    for (int i = 0; i < m->n; i++) {
        const node *own = &system->nodes[i];
        memset(m->a[i], 0, sizeof m->a[i]);
        m->a[i][i] = 1;
        if (is_boolean(own) || own->n_inputs == 0) continue;
        long double s = sum_inputs(own, v);
        bool is_on = is_switched(own, v);
        long double slope = (find_output(system, at, i, s + SMALL, is_on) -
                             find_output(system, at, i, s - SMALL, is_on)) /
                            (2 * SMALL);
        for (int k = 0; k < own->n_inputs; k++)
            m->a[i][own->source[k]] -= (double)(slope * own->gain[k]);
    }
    return decompose(m);
}

// v := v + step; the largest step in units of v.
static long double improve(const random_system *system, const moment *at, const matrix *m,
                           long double *v)
{
    double step[MAX_NODES];
    long double largest = 0;
    for (int i = 0; i < m->n; i++) {
        const node *own = &system->nodes[i];
        bool is_on = is_switched(own, v);
        step[i] = is_boolean(own)
                      ? 0
                      : (double)(find_output(system, at, i, sum_inputs(own, v), is_on) - v[i]);
    }
    substitute(m, step);
    for (int i = 0; i < m->n; i++) {
        v[i] += step[i];
        long double size = fabsl(step[i]) / (1e-3L + fabsl(v[i]));
        largest = size <= largest ? largest : size; // NaN is large
    }
    return largest;
}

static void find_uncertainty(const random_system *system, const matrix *m, long double *out)
{
    for (int i = 0; i < m->n; i++) out[i] = 0;
    for (int k = 0; k < m->n; k++) {
        double column[MAX_NODES] = {0};
        column[k] = system->nodes[k].noise;
        if (column[k] == 0) continue;
        substitute(m, column);
        for (int i = 0; i < m->n; i++) out[i] += fabs(column[i]);
    }
}

bool solve_moment(const random_system *system, const moment *at, long double *v,
                  long double *uncertainty)
{
    matrix m;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        if (!make_matrix(system, at, v, &m)) return false;
        long double change = improve(system, at, &m, v);
        if (!isfinite(change)) return false;
        if (change > 1e-13L) continue;
        if (uncertainty) find_uncertainty(system, &m, uncertainty);
        return true;
    }
    return false;
}

// ---- jumps -----------------------------------------------------------------------------------------

static void insert(double *breaks, int *n, double t)
{
    int i = *n;
    while (i > 0 && breaks[i - 1] > t) i--;
    if (i > 0 && breaks[i - 1] == t) return;
    memmove(breaks + i + 1, breaks + i, (size_t)(*n - i) * sizeof *breaks);
    breaks[i] = t;
    (*n)++;
}

int find_breaks(const random_system *system, double *breaks, int room)
{
    int n = 0;
    for (int i = 0; i < system->n_nodes && n < room; i++) {
        const node *at = &system->nodes[i];
        if (at->law == LAW_JUMP || at->law == LAW_EDGE) insert(breaks, &n, at->t_jump);
    }
    for (int i = 0; i < system->n_rows && n < room; i++) insert(breaks, &n, system->row_times[i]);
    return n;
}

// ---- time ------------------------------------------------------------------------------------------

typedef struct flow {
    const random_system *system;
    long double x[MAX_NODES][N_STATES], v[MAX_NODES];
} flow;

static bool evaluate(flow *f, double t)
{
    const random_system *system = f->system;
    moment at = {.t = t};
    memcpy(at.x, f->x, sizeof at.x);
    for (int i = 0; i < system->n_nodes; i++)
        if (is_boolean(&system->nodes[i]))
            f->v[i] = boolean_output(system, &system->nodes[i], f->v, t);
    return solve_moment(system, &at, f->v, NULL);
}

typedef long double rates[MAX_NODES][N_STATES];

static bool find_all_rates(flow *f, double t, rates out)
{
    if (!evaluate(f, t)) return false;
    for (int i = 0; i < f->system->n_nodes; i++)
        find_rates(&f->system->nodes[i], sum_inputs(&f->system->nodes[i], f->v), f->x[i], out[i]);
    return true;
}

static void go(flow *to, const flow *from, rates r, long double h)
{
    for (int i = 0; i < from->system->n_nodes; i++)
        for (int k = 0; k < N_STATES; k++) to->x[i][k] = from->x[i][k] + h * r[i][k];
}

// From t to t + h, where all is smooth. `last` is a time that evaluations stay before.
static bool step(flow *f, double t, double h, double last)
{
    rates k1, k2, k3, k4;
    flow at = *f;
    if (!find_all_rates(&at, t, k1)) return false;
    go(&at, f, k1, h / 2);
    if (!find_all_rates(&at, fmin(t + h / 2, last), k2)) return false;
    go(&at, f, k2, h / 2);
    if (!find_all_rates(&at, fmin(t + h / 2, last), k3)) return false;
    go(&at, f, k3, h);
    if (!find_all_rates(&at, fmin(t + h, last), k4)) return false;
    for (int i = 0; i < f->system->n_nodes; i++)
        for (int k = 0; k < N_STATES; k++)
            f->x[i][k] += h * (k1[i][k] + 2 * k2[i][k] + 2 * k3[i][k] + k4[i][k]) / 6;
    memcpy(f->v, at.v, sizeof f->v);
    return true;
}

static bool start(flow *f, const random_system *system)
{
    *f = (flow){.system = system};
    for (int i = 0; i < system->n_nodes; i++) f->x[i][0] = system->nodes[i].start;
    return evaluate(f, 0);
}

static void note_largest(const flow *f, course *out)
{
    for (int i = 0; i < f->system->n_nodes; i++)
        out->largest[i] = fmaxl(out->largest[i], fabsl(f->v[i]));
}

// From t0 to t1 without a jump between.
static bool go_smoothly(flow *f, double t0, double t1, course *out)
{
    static const double H = 4e-3; // s; all times of nodes are above 0.1 s
    int n = (int)ceil((t1 - t0) / H);
    for (int i = 0; i < n; i++) {
        double t = t0 + (t1 - t0) * i / n, last = t1 - 1e-13 * (1 + t1);
        if (!step(f, t, (t1 - t0) / n, last)) return false;
        note_largest(f, out);
    }
    return true;
}

static bool has_states(const random_system *system)
{
    for (int i = 0; i < system->n_nodes; i++)
        if (is_dynamic(&system->nodes[i])) return true;
    return false;
}

static bool integrate(const random_system *system, course *out)
{
    double breaks[MAX_BREAKS + 1], t = 0;
    int n = find_breaks(system, breaks, MAX_BREAKS);
    insert(breaks, &n, system->stop_time);
    flow f;
    if (!start(&f, system)) return false;
    note_largest(&f, out);
    for (int i = 0; has_states(system) && i < n && breaks[i] <= system->stop_time; i++) {
        if (breaks[i] <= t) continue;
        if (!go_smoothly(&f, t, breaks[i], out)) return false;
        t = breaks[i];
    }
    if (!evaluate(&f, system->stop_time)) return false;
    note_largest(&f, out);
    memcpy(out->end, f.v, sizeof out->end);
    return true;
}

// All states but one begin as usual. The equations are linear, or contract: a change at the beginning does what
// any later one does.
static bool disturb(const random_system *system, int i, int k, long double change[][MAX_NODES],
                    int n_steps)
{
    flow plain, other;
    if (!start(&plain, system)) return false;
    other = plain;
    other.x[i][k] += 1;
    for (int step_number = 0; step_number <= n_steps; step_number++) {
        double h = system->stop_time / n_steps, t = step_number * h;
        if (!evaluate(&plain, t) || !evaluate(&other, t)) return false;
        for (int o = 0; o < system->n_nodes; o++)
            change[step_number][o] += fabsl(other.v[o] - plain.v[o]);
        if (!step(&plain, t, h, INFINITY) || !step(&other, t, h, INFINITY)) return false;
    }
    return true;
}

static bool find_growth(const random_system *system, course *out)
{
    enum { N_STEPS = 25 };
    long double change[N_STEPS + 1][MAX_NODES] = {0};
    for (int i = 0; i < system->n_nodes; i++)
        for (int k = 0; k < (system->nodes[i].law == LAW_OSCILLATOR ? 2 : 1); k++)
            if (is_dynamic(&system->nodes[i]) && !disturb(system, i, k, change, N_STEPS))
                return false;
    for (int i = 0; i < system->n_nodes; i++)
        for (int k = 0; k <= N_STEPS; k++) out->growth[i] = fmaxl(out->growth[i], change[k][i]);
    return true;
}

void find_course(const random_system *system, course *out)
{
    memset(out, 0, sizeof *out);
    if (system->kind == KIND_NONLINEAR) return; // there may be several solutions
    for (int i = 0; i < system->n_nodes; i++) {
        node_law law = system->nodes[i].law;
        if (law == LAW_COMPARE || law == LAW_GATE || law == LAW_SQUARE) return;
    }
    out->is_known = find_growth(system, out) && integrate(system, out);
}
