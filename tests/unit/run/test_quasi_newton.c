// SPDX-License-Identifier: MIT
// Loops solved by secants: how many sweeps they need, and that no answer is silently wrong. The members are
// nodes y = f(sum of gains(t) * inputs) + source(t) whose equations the tests know: a result is checked by
// one exact Newton step from it, which is its error.
#include <math.h>

#include "unit/run/models.h"

enum { MAX_NODES = 50, N_INPUTS = 3 };

static test_coupling c;
static uint32_t seed;

static double draw(void) // from 0 to 1
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (double)(1u << 24);
}

static double between(double a, double b)
{
    return a + (b - a) * draw();
}

static int choose(int n)
{
    return (int)(draw() * n);
}

// ---- nodes -----------------------------------------------------------------------------------------

typedef enum kind { LINEAR, TANH, SQUARE, SWITCH, N_KINDS } kind;

typedef struct node {
    kind kind;
    int from[N_INPUTS]; // -1: not connected
    double gain[N_INPUTS], swing[N_INPUTS]; // gain(t) = gain + swing sin(t + input)
    double source, source_swing, frequency;
    double unit; // of its output: the others see y / unit
} node;

static node nodes[MAX_NODES];
static int n_nodes;
static double noise; // relative, of outputs

static const test_variable node_variables[] = {
    {"u1", TAKT_INPUT, .start = "0"},         {"u2", TAKT_INPUT, .start = "0"},
    {"u3", TAKT_INPUT, .start = "0"},         {"y", TAKT_OUTPUT, .depends = "u1 u2 u3"},
    {"number", TAKT_PARAMETER, .start = "0"}, {0},
};

static double gain(const node *at, int k, double t)
{
    return at->gain[k] + at->swing[k] * sin(t + k);
}

static double source(const node *at, double t)
{
    return at->source + at->source_swing * sin(at->frequency * t);
}

// The output, and its derivative by the sum of the inputs.
static double output(const node *at, double t, double sum, double *slope)
{
    double s = source(at, t), f = sum;
    *slope = 1;
    if (at->kind == TANH) {
        f = tanh(sum);
        *slope = 1 - f * f;
    } else if (at->kind == SQUARE) {
        f = 0.25 * sum * sum;
        *slope = 0.5 * sum;
    } else if (at->kind == SWITCH) {
        f = sum > 0.3 ? 0.5 * sum + 0.15 : sum; // a bend
        *slope = sum > 0.3 ? 0.5 : 1;
    }
    *slope *= at->unit;
    return at->unit * (f + s);
}

static double sum_of(const node *at, double t, const double *u)
{
    double sum = 0;
    for (int k = 0; k < N_INPUTS; k++)
        if (at->from[k] >= 0) sum += gain(at, k, t) * u[k] / nodes[at->from[k]].unit;
    return sum;
}

static void node_output(test_instance *at)
{
    static uint32_t ripple = 1;
    const node *own = &nodes[(int)at->real[4]];
    double slope;
    at->real[3] = output(own, at->time, sum_of(own, at->time, at->real), &slope);
    ripple = ripple * 1664525u + 1013904223u;
    at->real[3] *= 1 + noise * ((double)(ripple >> 8) / (double)(1u << 23) - 1);
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
static void linearize(double t, const double *y, double *m, double *r)
{
    int n = n_nodes;
    for (int i = 0; i < n; i++) {
        const node *at = &nodes[i];
        double u[N_INPUTS] = {0}, slope;
        for (int k = 0; k < N_INPUTS; k++)
            if (at->from[k] >= 0) u[k] = y[at->from[k]];
        r[i] = (output(at, t, sum_of(at, t, u), &slope) - y[i]) / at->unit;
        for (int k = 0; k < n; k++) m[i * n + k] = i == k;
        for (int k = 0; k < N_INPUTS; k++)
            if (at->from[k] >= 0) m[i * n + at->from[k]] -= slope / at->unit * gain(at, k, t);
    }
}

static double in_tolerances(int i, double error, double y)
{
    double tolerances = fabs(error * nodes[i].unit) / (1e-5 * fabs(y) + 1e-6);
    return isnan(tolerances) ? INFINITY : tolerances;
}

// The error of the values y in tolerances; 0 where the equations have no unique solution.
static double find_error(double t, const double *y)
{
    static double m[MAX_NODES * MAX_NODES], e[MAX_NODES];
    double worst = 0;
    linearize(t, y, m, e);
    if (!eliminate(n_nodes, m, e)) return 0;
    for (int i = 0; i < n_nodes; i++) worst = fmax(worst, in_tolerances(i, e[i], y[i]));
    return worst;
}

// The part of it that noise makes inevitable.
static double find_uncertainty(double t, const double *y)
{
    static double m[MAX_NODES * MAX_NODES], r[MAX_NODES], sum[MAX_NODES];
    double worst = 0;
    memset(sum, 0, sizeof sum);
    for (int k = 0; k < n_nodes; k++) {
        linearize(t, y, m, r);
        for (int i = 0; i < n_nodes; i++) r[i] = i == k ? noise * y[i] / nodes[i].unit : 0;
        if (!eliminate(n_nodes, m, r)) return INFINITY;
        for (int i = 0; i < n_nodes; i++) sum[i] += fabs(r[i]);
    }
    for (int i = 0; i < n_nodes; i++) worst = fmax(worst, in_tolerances(i, sum[i], y[i]));
    return worst;
}

// ---- runs ------------------------------------------------------------------------------------------

// Values lie in the order of names, so that numbers have two digits.
static void couple(test_model *models, const char *settings)
{
    takt_text components = {0}, connections = {0}, all = {0};
    takt_text_print(&all, "%s", settings);
    for (int i = 0; i < n_nodes; i++) {
        takt_text_print(&components, "m%02d:Node ", i);
        takt_text_print(&all, " set=m%02d.number=%d", i, i);
        for (int k = 0; k < N_INPUTS; k++)
            if (nodes[i].from[k] >= 0)
                takt_text_print(&connections, "m%02d.y>m%02d.u%d ", nodes[i].from[k], i, k + 1);
    }
    connections.data[connections.length - 1] = 0;
    test_try_couple(&c, models, components.data, connections.data, all.data);
    takt_text_clear(&components);
    takt_text_clear(&connections);
    takt_text_clear(&all);
}

// What became of a run.
typedef struct outcome {
    bool is_silent; // neither a failure nor a doubt
    double worst; // error of a step that is not doubtful, in tolerances; noise alone does not count
    double n_calls; // per member and step
} outcome;

static int64_t count_doubts(void)
{
    takt_statistics s;
    takt_run_statistics(c.run, &s);
    const takt_doubtful_steps *n = &s.doubtful_steps;
    return n->unconverged + n->below_fallback + n->at_step_min + n->not_iterated;
}

static double judge_values(void)
{
    double t = c.run->state.grid.time, error = find_error(t, c.run->state.y.real);
    bool is_noise = noise > 0 && error > 1 && find_uncertainty(t, c.run->state.y.real) > 1;
    return is_noise ? 0 : error;
}

// Runs to the end and checks every step.
static outcome try_nodes(const char *settings)
{
    test_model models[] = {{"Node", node_variables, .output = node_output, REWINDS}, {0}};
    outcome out = {0};
    couple(models, settings);
    takt_progress progress = TAKT_RUNNING;
    takt_status st = c.status ? c.status : takt_run_initialize(c.run, &c.err);
    int before = models[0].counts.step, n_steps = 0;
    int64_t n_doubts = 0;
    while (!st && progress == TAKT_RUNNING) {
        st = takt_run_step(c.run, &progress, &c.err);
        if (st) break;
        n_steps++;
        bool is_doubtful = count_doubts() > n_doubts;
        n_doubts += is_doubtful;
        if (!is_doubtful) out.worst = fmax(out.worst, judge_values());
    }
    out.is_silent = !st && n_doubts == 0;
    out.n_calls = n_steps ? (double)(models[0].counts.step - before) / n_steps / n_nodes : 0;
    test_uncouple(&c);
    return out;
}

// ---- counts ----------------------------------------------------------------------------------------

// Three members, each reading the other two. Gains give spectral radii up to about 2, and swing.
static void draw_triple(int number)
{
    seed = (uint32_t)number * 2654435761u + 11;
    n_nodes = 3;
    noise = 0;
    double scale = between(0.2, 1.4);
    for (int i = 0; i < 3; i++) {
        nodes[i] = (node){.from = {(i + 1) % 3, (i + 2) % 3, -1}, .unit = 1};
        nodes[i].source = between(-1, 1);
        nodes[i].source_swing = between(0, 1);
        nodes[i].frequency = between(0.5, 2);
        for (int k = 0; k < 2; k++) {
            nodes[i].gain[k] = scale * between(-1, 1);
            nodes[i].swing[k] = 0.3 * scale * between(-1, 1);
        }
    }
}

// The mean of the calls per member and step over 60 loops, all of which are solved; no error is larger than
// `limit` tolerances.
static double measure_triples(const char *algorithm, double limit)
{
    char settings[200];
    double sum = 0;
    snprintf(settings, sizeof settings, "algorithm=%s step-size=0.1 stop-time=10 iterations=50",
             algorithm);
    for (int i = 0; i < 60; i++) {
        draw_triple(i);
        outcome out = try_nodes(settings);
        if (!out.is_silent || out.worst > limit)
            fail_msg("%d: %s: %s, error %g", i, algorithm, out.is_silent ? "silent" : "doubtful",
                     out.worst);
        sum += out.n_calls;
    }
    return sum / 60;
}

static void random_loops_need_few_sweeps(void **state)
{
    (void)state;
    assert_true(measure_triples("quasi-newton", 1) <= 2.35);
    assert_true(measure_triples("anderson", 1) <= 4.01);
    assert_true(measure_triples("newton", 3) > 4);
}

// a = k b + time, b = a: one torn unknown. The first step needs a secant; then two sweeps are enough, of which
// the second one proves the first one right.
static void secants_serve_the_following_steps(void **state)
{
    (void)state;
    n_nodes = 2;
    noise = 0;
    nodes[0] = (node){.from = {1, -1, -1}, .gain = {3}, .source = 1, .unit = 1};
    nodes[1] = (node){.from = {0, -1, -1}, .gain = {1}, .unit = 1};
    nodes[0].source_swing = nodes[0].frequency = 1;
    assert_near(try_nodes("algorithm=quasi-newton step-size=0.1 stop-time=10").n_calls, 2.01, 1e-9);
    assert_near(try_nodes("algorithm=anderson step-size=0.1 stop-time=10").n_calls, 3, 1e-9);
}

// ---- no silent error -------------------------------------------------------------------------------

// Up to 50 nodes in a circle and across; nearly singular, in units that differ by 18 powers of ten, with noise,
// and not linear.
static void draw_nodes(int number)
{
    static const double scales[] = {0.3, 0.9, 0.999, 0.999999, 1.3, 3};
    static const double noises[] = {0, 0, 0, 1e-12, 1e-8};
    static const double swings[] = {0, 0, 0.01, 0.3};
    seed = (uint32_t)number * 2654435761u + 7;
    n_nodes = choose(6) == 0 ? MAX_NODES : 1 + choose(8);
    noise = noises[choose(5)];
    double scale = scales[choose(6)], swing = swings[choose(4)], minor = choose(2) ? 1 : 1e-3;
    bool has_units = choose(4) == 0, is_linear = choose(2);
    for (int i = 0; i < n_nodes; i++) {
        node *at = &nodes[i];
        *at = (node){.kind = is_linear ? LINEAR : (kind)choose(N_KINDS), .unit = 1};
        if (has_units) at->unit = pow(10, choose(19) - 9);
        at->source = between(-1, 1);
        at->source_swing = choose(2) ? between(0, 1) : 0;
        at->frequency = between(0.5, 3);
        for (int k = 0; k < N_INPUTS; k++) {
            at->from[k] = k == 0 ? (i + 1) % n_nodes : choose(3) ? choose(n_nodes) : -1;
            at->gain[k] = scale * (k == 0 ? 1 : minor * between(0, 0.5)) * (choose(4) ? 1 : -1);
            at->swing[k] = swing * scale * (k == 0 ? 1 : minor) * between(-1, 1);
        }
    }
}

// Returns how many of the systems are solved in all steps.
static int try_systems(const char *algorithm, int n)
{
    int n_solved = 0;
    char settings[200];
    for (int i = 0; i < n; i++) {
        snprintf(settings, sizeof settings,
                 "algorithm=%s step-control=%s step-size=0.1 step-max=0.1 step-min=1e-3 "
                 "step-fallback=0 stop-time=2 iterations=50",
                 algorithm, i % 2 ? "fixed" : "convergence");
        draw_nodes(i);
        outcome out = try_nodes(settings);
        n_solved += out.is_silent;
        if (out.worst > 5 * n_nodes)
            fail_msg("%d: %s, %d nodes: silently wrong by %g tolerances", i, algorithm, n_nodes,
                     out.worst);
    }
    return n_solved;
}

static void no_answer_is_silently_wrong(void **state)
{
    (void)state;
    enum { N = 300 };
    int by_newton = try_systems("newton", N); // some have no solution, or none near by
    assert_true(by_newton > N * 3 / 4);
    assert_true(try_systems("quasi-newton", N) >= by_newton);
    assert_true(try_systems("anderson", N) >= by_newton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_loops_need_few_sweeps),
        cmocka_unit_test(secants_serve_the_following_steps),
        cmocka_unit_test(no_answer_is_silently_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
