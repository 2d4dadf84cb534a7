// SPDX-License-Identifier: MIT
// Loops of nodes; see nodes.h.
#include "support/nodes.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

enum { N_INPUTS = TEST_NODE_INPUTS, MAX_NODES = TEST_MOST_NODES };

double test_nodes_draw(test_nodes *nodes)
{
    nodes->seed = nodes->seed * 1664525u + 1013904223u;
    return (double)(nodes->seed >> 8) / (double)(1u << 24);
}

double test_nodes_between(test_nodes *nodes, double a, double b)
{
    return a + (b - a) * test_nodes_draw(nodes);
}

int test_nodes_choose(test_nodes *nodes, int n)
{
    return (int)(test_nodes_draw(nodes) * n);
}

// ---- nodes -----------------------------------------------------------------------------------------

static const test_variable node_variables[] = {
    {"u1", TAKT_INPUT, .start = "0"},         {"u2", TAKT_INPUT, .start = "0"},
    {"u3", TAKT_INPUT, .start = "0"},         {"y", TAKT_OUTPUT, .depends = "u1 u2 u3"},
    {"number", TAKT_PARAMETER, .start = "0"}, {0},
};

static double gain(const test_node *at, int k, double t)
{
    return at->gain[k] + at->swing[k] * sin(t + k);
}

static double source(const test_node *at, double t)
{
    return at->source + at->source_swing * sin(at->frequency * t);
}

static double look_up(double s, double *slope)
{
    static const double x[] = {-2, -1, -0.3, 0, 0.2, 0.9, 2};
    static const double y[] = {-1.2, -1.1, -0.2, 0, 0.35, 0.6, 1.5};
    int k = 0;
    while (k < 5 && s > x[k + 1]) k++;
    *slope = s < x[0] || s > x[6] ? 0 : (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
    return y[k] + *slope * (fmax(x[0], fmin(s, x[6])) - x[k]) + (s > x[6] ? y[6] - y[5] : 0);
}

// f(s), and its derivative.
static double function_of(test_node_kind kind, double s, double *slope)
{
    double f = s;
    *slope = 1;
    if (kind == TEST_NODE_TANH) {
        f = tanh(s);
        *slope = 1 - f * f;
    } else if (kind == TEST_NODE_SQUARE) {
        f = 0.25 * s * s;
        *slope = 0.5 * s;
    } else if (kind == TEST_NODE_BEND) {
        f = s > 0.3 ? 0.5 * s + 0.15 : s;
        *slope = s > 0.3 ? 0.5 : 1;
    } else if (kind == TEST_NODE_CUT) {
        f = fmax(-1, fmin(s, 1));
        *slope = fabs(s) < 1;
    } else if (kind == TEST_NODE_TABLE) {
        f = look_up(s, slope);
    } else if (kind == TEST_NODE_CUBE) {
        f = s - 0.4 * (s * s * s - s);
        *slope = 1.4 - 1.2 * s * s;
    }
    return f;
}

// The output, and its derivative by the sum of the inputs.
static double output(const test_node *at, double t, double sum, double *slope)
{
    double f = function_of(at->kind, sum, slope);
    *slope *= at->unit;
    return at->unit * (f + source(at, t));
}

static double sum_of(const test_nodes *nodes, const test_node *at, double t, const double *u)
{
    double sum = 0;
    for (int k = 0; k < N_INPUTS; k++)
        if (at->from[k] >= 0) sum += gain(at, k, t) * u[k] / nodes->all[at->from[k]].unit;
    return sum;
}

static void node_output(test_instance *at)
{
    static uint32_t ripple = 1;
    const test_nodes *nodes = at->model->context;
    const test_node *own = &nodes->all[(int)at->real[4]];
    double slope;
    at->real[3] = output(own, at->time, sum_of(nodes, own, at->time, at->real), &slope);
    ripple = ripple * 1664525u + 1013904223u;
    at->real[3] *= 1 + nodes->noise * ((double)(ripple >> 8) / (double)(1u << 23) - 1);
}

// ---- reference -------------------------------------------------------------------------------------

// Solves m x = b in place; false: singular.
static bool eliminate(int n, double *m, double *b)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(m[i * n + k]) > fabs(m[p * n + k])) p = i;
        if (fabs(m[p * n + k]) < 1e-10) return false;
        for (int j = 0; j <= n && p != k; j++) {
            double *x = j < n ? &m[k * n + j] : &b[k], *y = j < n ? &m[p * n + j] : &b[p];
            double swap = *x;
            *x = *y;
            *y = swap;
        }
        for (int i = k + 1; i < n; i++) {
            double factor = m[i * n + k] / m[k * n + k];
            for (int j = k; j < n; j++) m[i * n + j] -= factor * m[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= m[i * n + j] * b[j];
        b[i] /= m[i * n + i];
    }
    return true;
}

// I - dS/dy and S(y) - y at y, in the nodes' units.
static void linearize(const test_nodes *nodes, double t, const double *y, double *m, double *r)
{
    int n = nodes->n;
    for (int i = 0; i < n; i++) {
        const test_node *at = &nodes->all[i];
        double u[N_INPUTS] = {0}, slope;
        for (int k = 0; k < N_INPUTS; k++)
            if (at->from[k] >= 0) u[k] = y[at->from[k]];
        r[i] = (output(at, t, sum_of(nodes, at, t, u), &slope) - y[i]) / at->unit;
        for (int k = 0; k < n; k++) m[i * n + k] = i == k;
        for (int k = 0; k < N_INPUTS; k++)
            if (at->from[k] >= 0) m[i * n + at->from[k]] -= slope / at->unit * gain(at, k, t);
    }
}

static double in_tolerances(const test_nodes *nodes, int i, double error, double y)
{
    double tolerances = fabs(error * nodes->all[i].unit) / (1e-5 * fabs(y) + 1e-6);
    return isnan(tolerances) ? INFINITY : tolerances;
}

// The error of the values y in tolerances. Where the equations have no unique solution, it is what they are off.
static double find_error(const test_nodes *nodes, double t, const double *y)
{
    static double m[MAX_NODES * MAX_NODES], e[MAX_NODES];
    double worst = 0;
    linearize(nodes, t, y, m, e);
    if (!eliminate(nodes->n, m, e)) linearize(nodes, t, y, m, e);
    for (int i = 0; i < nodes->n; i++) worst = fmax(worst, in_tolerances(nodes, i, e[i], y[i]));
    return worst;
}

// The part of it that noise makes inevitable.
static double find_uncertainty(const test_nodes *nodes, double t, const double *y)
{
    static double m[MAX_NODES * MAX_NODES], r[MAX_NODES], sum[MAX_NODES];
    double worst = 0;
    memset(sum, 0, sizeof sum);
    for (int k = 0; k < nodes->n; k++) {
        linearize(nodes, t, y, m, r);
        for (int i = 0; i < nodes->n; i++)
            r[i] = i == k ? nodes->noise * y[i] / nodes->all[i].unit : 0;
        if (!eliminate(nodes->n, m, r)) return INFINITY;
        for (int i = 0; i < nodes->n; i++) sum[i] += fabs(r[i]);
    }
    for (int i = 0; i < nodes->n; i++) worst = fmax(worst, in_tolerances(nodes, i, sum[i], y[i]));
    return worst;
}

// ---- drawing ---------------------------------------------------------------------------------------

void test_nodes_make(test_nodes *nodes, int number, int n_kinds)
{
    static const double scales[] = {0.3, 0.9, 0.999, 0.999999, 1.3, 3};
    static const double noises[] = {0, 0, 0, 1e-12, 1e-8};
    static const double swings[] = {0, 0, 0.01, 0.3};
    nodes->seed = (uint32_t)number * 2654435761u + 7;
    nodes->n = test_nodes_choose(nodes, 6) == 0 ? MAX_NODES : 1 + test_nodes_choose(nodes, 8);
    nodes->noise = noises[test_nodes_choose(nodes, 5)];
    double scale = scales[test_nodes_choose(nodes, 6)];
    double swing = swings[test_nodes_choose(nodes, 4)];
    double minor = test_nodes_choose(nodes, 2) ? 1 : 1e-3;
    bool has_units = test_nodes_choose(nodes, 4) == 0, is_linear = test_nodes_choose(nodes, 2);
    for (int i = 0; i < nodes->n; i++) {
        test_node *at = &nodes->all[i];
        *at = (test_node){.unit = 1};
        if (!is_linear) at->kind = (test_node_kind)test_nodes_choose(nodes, n_kinds);
        if (has_units) at->unit = pow(10, test_nodes_choose(nodes, 19) - 9);
        at->source = test_nodes_between(nodes, -1, 1);
        at->source_swing = test_nodes_choose(nodes, 2) ? test_nodes_draw(nodes) : 0;
        at->frequency = test_nodes_between(nodes, 0.5, 3);
        for (int k = 0; k < N_INPUTS; k++) {
            bool is_there = k == 0 || test_nodes_choose(nodes, 3);
            at->from[k] = !is_there ? -1
                          : k == 0  ? (i + 1) % nodes->n
                                    : test_nodes_choose(nodes, nodes->n);
            double weight = k == 0 ? 1 : minor * test_nodes_between(nodes, 0, 0.5);
            at->gain[k] = scale * weight * (test_nodes_choose(nodes, 4) ? 1 : -1);
            at->swing[k] = swing * scale * (k == 0 ? 1 : minor) * test_nodes_between(nodes, -1, 1);
        }
    }
}

// ---- runs ------------------------------------------------------------------------------------------

// Values lie in the order of names, so that numbers have two digits.
static void couple(test_nodes *nodes, test_model *models, const char *settings)
{
    takt_text components = {0}, connections = {0}, all = {0};
    takt_text_print(&all, "%s", settings);
    for (int i = 0; i < nodes->n; i++) {
        takt_text_print(&components, "m%02d:Node ", i);
        takt_text_print(&all, " set=m%02d.number=%d", i, i);
        for (int k = 0; k < N_INPUTS; k++)
            if (nodes->all[i].from[k] >= 0)
                takt_text_print(&connections, "m%02d.y>m%02d.u%d ", nodes->all[i].from[k], i,
                                k + 1);
    }
    connections.data[connections.length - 1] = 0;
    test_try_couple(&nodes->coupling, models, components.data, connections.data, all.data);
    takt_text_clear(&components);
    takt_text_clear(&connections);
    takt_text_clear(&all);
}

static int64_t count_doubts(const test_nodes *nodes)
{
    takt_statistics s = {.size = sizeof s};
    takt_run_statistics(nodes->coupling.run, &s, NULL);
    const takt_doubtful_steps *n = s.doubtful_steps;
    return n->unconverged + n->below_fallback + n->at_step_min + n->not_iterated + n->noisy;
}

static double judge_values(const test_nodes *nodes)
{
    const takt_run_state *state = &nodes->coupling.run->state;
    double t = state->grid.time, error = find_error(nodes, t, state->y.real);
    bool is_noise = nodes->noise > 0 && error > 1 && find_uncertainty(nodes, t, state->y.real) > 1;
    return is_noise ? 0 : error;
}

test_nodes_outcome test_nodes_run(test_nodes *nodes, const char *settings, bool at_start)
{
    test_model models[] = {{"Node", node_variables, .output = node_output,
                            .can = {.rewind = true, .variable_step = true}, .context = nodes},
                           {0}};
    test_nodes_outcome out = {0};
    test_coupling *c = &nodes->coupling;
    couple(nodes, models, settings);
    takt_progress progress = TAKT_RUNNING;
    takt_status st = c->status ? c->status : takt_run_initialize(c->run, &c->err);
    if (!st && at_start) out.worst = judge_values(nodes);
    int before = models[0].counts.step;
    int64_t n_doubts = 0;
    double latest = 0, t_latest = 0; // what leads to a failure is not silent
    while (!st && progress == TAKT_RUNNING) {
        st = takt_run_step(c->run, &progress, &c->err);
        if (st) break;
        out.n_steps++;
        bool is_doubtful = count_doubts(nodes) > n_doubts;
        n_doubts = count_doubts(nodes);
        double error = is_doubtful ? 0 : judge_values(nodes), t = c->run->state.grid.time;
        if (error <= latest && t < t_latest + 0.02) continue;
        if (t >= t_latest + 0.02) out.worst = fmax(out.worst, latest);
        latest = error;
        t_latest = t;
    }
    if (!st) out.worst = fmax(out.worst, latest);
    out.is_silent = !st && n_doubts == 0;
    out.n_calls =
        out.n_steps ? (double)(models[0].counts.step - before) / out.n_steps / nodes->n : 0;
    if (st) out.failure = c->err;
    test_uncouple(c);
    return out;
}
