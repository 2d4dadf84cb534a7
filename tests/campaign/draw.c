// SPDX-License-Identifier: MIT
// One function per kind of system; see draw.h.
#include "campaign/draw.h"

#include <math.h>

const char *const kind_names[N_KINDS] = {
    [KIND_LINEAR] = "linear loops, contracting",
    [KIND_STEEP] = "linear loops, not contracting",
    [KIND_NEARLY_SINGULAR] = "nearly singular loops",
    [KIND_NONLINEAR] = "nonlinear loops",
    [KIND_BOOLEAN] = "Boolean loops",
    [KIND_MIXED] = "loops of reals and Booleans",
    [KIND_LAGS] = "lags",
    [KIND_OSCILLATORS] = "oscillators",
    [KIND_JUMPS] = "jumps near grid points",
    [KIND_TABLES] = "tables",
    [KIND_NOISE] = "noisy members",
    [KIND_CROWD] = "crowds of other connections",
    [KIND_NOMINAL] = "nominal values 1e-9 to 1e9",
    [KIND_STUCK] = "members without rewinding",
    [KIND_OPEN] = "outputs that nobody reads",
};

const char *const control_names[N_CONTROLS] = {"fixed", "convergence", "richardson"};

// ---- chance ----------------------------------------------------------------------------------------

typedef struct drawing {
    uint64_t seed;
    random_system *system;
} drawing;

// SplitMix64 (Steele, Lea and Flood 2014).
static uint64_t next(drawing *d)
{
    uint64_t z = d->seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double between(drawing *d, double low, double high)
{
    return low + (high - low) * ((double)(next(d) >> 11) / 9007199254740992.0);
}

// Less than n.
static int choose(drawing *d, int n)
{
    return (int)(next(d) % (uint64_t)n);
}

static bool by_chance(drawing *d, double share)
{
    return between(d, 0, 1) < share;
}

static double one_of(drawing *d, const double *values, int n)
{
    return values[choose(d, n)];
}

#define ONE_OF(d, ...)                                                                             \
    one_of(d, (const double[]){__VA_ARGS__}, sizeof(double[]){__VA_ARGS__} / sizeof(double))

// ---- pieces ----------------------------------------------------------------------------------------

static node *add(drawing *d, node_law law)
{
    node *at = &d->system->nodes[d->system->n_nodes++];
    *at = (node){.law = law, .scale = 1, .rewinds = true, .T = 1};
    return at;
}

static void connect(node *to, int from, double gain)
{
    to->source[to->n_inputs] = from;
    to->gain[to->n_inputs++] = gain;
}

// Small loops are as likely as large ones together.
static int size_of_loop(drawing *d)
{
    return by_chance(d, 0.5) ? 2 + choose(d, 4) : 2 + choose(d, 49);
}

// Nodes of one law in a ring with connections across. The gains of each node's inputs have the sum `total`
// of absolute values, which bounds the spectral radius; where none is negative it is just that.
static void add_ring(drawing *d, node_law law, int n, double total, double share_negative)
{
    int first = d->system->n_nodes;
    for (int i = 0; i < n; i++) {
        node *at = add(d, law);
        int n_more = choose(d, 3);
        double weights[3] = {0.3 + between(d, 0, 1), between(d, 0, 1), between(d, 0, 1)}, sum = 0;
        for (int k = 0; k <= n_more; k++) sum += weights[k];
        for (int k = 0; k <= n_more; k++) {
            int from = k == 0 ? (i + 1) % n : choose(d, n);
            double sign = by_chance(d, share_negative) ? -1 : 1;
            connect(at, first + from, sign * total * weights[k] / sum);
        }
        at->c = between(d, -1, 1);
        at->a = 1;
    }
}

// Near a communication point of fixed steps, or anywhere.
static double draw_jump_time(drawing *d)
{
    const random_system *system = d->system;
    double grid = system->step_size * (1 + choose(d, (int)(system->stop_time / system->step_size)));
    double anywhere = between(d, 0.1, 0.9) * system->stop_time;
    double near = grid + ONE_OF(d, -1e-3, -1e-6, -1e-8, 1e-8, 1e-6, 1e-3) * system->step_size;
    return by_chance(d, 0.5) ? anywhere : fmin(near, 0.95 * system->stop_time);
}

static void connect_anyhow(drawing *d, int from, double gain, int first, int last)
{
    for (int i = first; i < last; i++)
        if (d->system->nodes[i].n_inputs < MAX_INPUTS && by_chance(d, i == first ? 1 : 0.3))
            connect(&d->system->nodes[i], from, gain);
}

// ---- loops -----------------------------------------------------------------------------------------

static void draw_linear(drawing *d)
{
    add_ring(d, LAW_SUM, size_of_loop(d), ONE_OF(d, 0.1, 0.5, 0.8, 0.95), between(d, 0, 0.6));
}

static void draw_steep(drawing *d)
{
    add_ring(d, LAW_SUM, size_of_loop(d), ONE_OF(d, 1.3, 2, 5, 30), between(d, 0.2, 0.8));
}

static void draw_nearly_singular(drawing *d)
{
    double rest = pow(10, -between(d, 2, 6));
    add_ring(d, LAW_SUM, size_of_loop(d), 1 - rest, 0);
    if (by_chance(d, 0.5)) // values near 1, else large
        for (int i = 0; i < d->system->n_nodes; i++) d->system->nodes[i].c *= rest;
}

static void draw_nonlinear(drawing *d)
{
    if (by_chance(d, 0.4)) { // x = c - a x^2, with more of its kind
        int n = 1 + choose(d, 3);
        for (int i = 0; i < n; i++) {
            node *square = add(d, LAW_SQUARE);
            square->a = between(d, 0.05, 2);
            square->c = between(d, 0.2, 1);
            connect(square, 2 * i + 1, 1);
            if (i > 0) connect(square, 0, 0.1);
            connect(add(d, LAW_SUM), 2 * i, 1);
        }
        return;
    }
    add_ring(d, LAW_TANH, size_of_loop(d), ONE_OF(d, 0.5, 1, 2, 4), between(d, 0, 1));
    for (int i = 0; i < d->system->n_nodes; i++) d->system->nodes[i].a = between(d, 0.3, 1.5);
}

static void draw_boolean(drawing *d)
{
    add(d, LAW_EDGE)->t_jump = draw_jump_time(d);
    int n = 2 + choose(d, 9);
    for (int i = 0; i < n; i++) {
        node *at = add(d, LAW_GATE);
        at->gate = (gate)choose(d, N_GATES);
        at->is_inverted = by_chance(d, 0.3);
        connect(at, 1 + (i + 1) % n, 0);
        if (by_chance(d, 0.6)) connect(at, choose(d, n + 1), 0);
    }
}

// A ring whose switches are thrown by comparing values of it.
static void draw_mixed(drawing *d)
{
    int n = 2 + choose(d, 5), n_switches = 1 + choose(d, 3);
    add_ring(d, LAW_SUM, n, ONE_OF(d, 0.3, 0.8, 2), between(d, 0, 0.6));
    for (int i = 0; i < n_switches; i++) {
        int compare = d->system->n_nodes;
        node *comparison = add(d, LAW_COMPARE);
        connect(comparison, choose(d, n), 1);
        comparison->a = between(d, -0.5, 0.5);
        node *choice = add(d, LAW_SWITCH);
        choice->a = between(d, -1, 1);
        choice->c = between(d, -1, 1);
        connect(choice, compare, 0);
        connect_anyhow(d, compare + 1, between(d, -1, 1), i, i + 1);
    }
}

// ---- states ----------------------------------------------------------------------------------------

// Lags in a ring, some of them joined by functions; contracting in the maximum norm.
static void draw_lags(drawing *d)
{
    int n = 1 + choose(d, 5);
    add_ring(d, LAW_LAG, n, ONE_OF(d, 0.2, 0.6, 0.9), between(d, 0, 1));
    for (int i = 0; i < n; i++) {
        node *at = &d->system->nodes[i];
        at->T = between(d, 0.1, 2);
        at->a = by_chance(d, 0.2) ? between(d, -0.5, 0.5) : 0;
        at->start = between(d, -1, 1);
    }
    int source = d->system->n_nodes;
    add(d, LAW_SUM)->c = 1;
    int function = d->system->n_nodes;
    node *joined = add(d, by_chance(d, 0.5) ? LAW_SUM : LAW_TANH);
    joined->a = 0.9;
    connect(joined, 0, between(d, -0.9, 0.9));
    connect_anyhow(d, source, between(d, -1, 1), 0, n);
    connect_anyhow(d, function, between(d, -0.1, 0.1), 0, n);
}

static void draw_oscillators(drawing *d)
{
    int n = 1 + choose(d, 3);
    for (int i = 0; i < n; i++) {
        node *at = add(d, LAW_OSCILLATOR);
        at->T = between(d, 0.1, 1);
        at->a = between(d, 0.05, 0.7);
        at->start = between(d, -1, 1);
        if (n > 1) connect(at, (i + 1) % n, between(d, -0.4, 0.4));
    }
    int gain = d->system->n_nodes;
    connect(add(d, LAW_SUM), choose(d, n), between(d, -0.4, 0.4));
    d->system->nodes[gain].c = between(d, -1, 1);
    connect_anyhow(d, gain, 1, 0, n);
}

static void draw_jumps(drawing *d)
{
    int n = 2 + choose(d, 6);
    add_ring(d, LAW_SUM, n, ONE_OF(d, 0.3, 0.9, 3), between(d, 0.2, 0.8));
    int n_jumps = 1 + choose(d, 3);
    for (int i = 0; i < n_jumps; i++) {
        int jump = d->system->n_nodes;
        node *at = add(d, LAW_JUMP);
        at->a = between(d, -1, 1);
        at->c = between(d, -1, 1);
        at->t_jump = draw_jump_time(d);
        connect_anyhow(d, jump, 1, choose(d, n), n);
    }
    if (by_chance(d, 0.5)) return;
    int edge = d->system->n_nodes; // a Boolean one that moves a lag
    add(d, LAW_EDGE)->t_jump = draw_jump_time(d);
    node *choice = add(d, LAW_SWITCH);
    choice->a = between(d, -1, 1);
    connect(choice, edge, 0);
    node *lag = add(d, LAW_LAG);
    lag->T = between(d, 0.1, 1);
    connect(lag, edge + 1, 1);
}

// ---- tables ----------------------------------------------------------------------------------------

static void draw_row_times(drawing *d)
{
    random_system *system = d->system;
    double t = by_chance(d, 0.5) ? 0 : 0.1 * system->stop_time;
    system->n_rows = 2 + choose(d, MAX_ROWS - 1);
    for (int i = 0; i < system->n_rows; i++) {
        system->row_times[i] = t;
        bool is_jump = by_chance(d, 0.2), is_short = by_chance(d, 0.3);
        t += is_jump ? 0 : between(d, 0.02, is_short ? 0.05 : 0.4) * system->stop_time;
    }
}

static node *add_column(drawing *d, node_law law)
{
    node *at = add(d, law);
    bool is_straight = by_chance(d, 0.3), is_triangle = by_chance(d, 0.3);
    for (int i = 0; i < d->system->n_rows; i++)
        at->column[i] = law == LAW_HELD ? choose(d, 2)
                        : is_straight   ? d->system->row_times[i]
                        : is_triangle   ? i % 2
                                        : between(d, -1, 1);
    return at;
}

static void draw_tables(drawing *d)
{
    draw_row_times(d);
    add_column(d, LAW_COLUMN);
    add_column(d, LAW_HELD);
    node *choice = add(d, LAW_SWITCH);
    choice->a = between(d, -1, 1);
    connect(choice, 1, 0);
    int lag = d->system->n_nodes;
    add_ring(d, by_chance(d, 0.5) ? LAW_LAG : LAW_SUM, 1 + choose(d, 3), 0.6, 0.5);
    for (int i = lag; i < d->system->n_nodes; i++) {
        node *at = &d->system->nodes[i];
        if (at->law == LAW_LAG) at->a = 0;
        at->T = between(d, 0.1, 1);
    }
    connect_anyhow(d, 0, between(d, -1, 1), lag, d->system->n_nodes);
    connect_anyhow(d, 2, between(d, -1, 1), lag, d->system->n_nodes);
    if (by_chance(d, 0.5)) connect(add(d, LAW_INTEGRATOR), 0, 1);
}

static void draw_open(drawing *d)
{
    int driver = 0;
    if (by_chance(d, 0.5)) {
        draw_row_times(d);
        add_column(d, LAW_COLUMN);
    } else {
        add(d, LAW_SUM)->c = between(d, 0.2, 2);
    }
    if (by_chance(d, 0.5)) {
        connect(add(d, LAW_SUM), driver, between(d, -2, 2));
        driver = 1;
    }
    connect(add(d, LAW_INTEGRATOR), driver, between(d, -2, 2));
    node *lag = add(d, LAW_LAG);
    lag->T = between(d, 0.1, 1);
    connect(lag, driver, 1);
    node *oscillator = add(d, LAW_OSCILLATOR);
    oscillator->T = between(d, 0.1, 1);
    oscillator->a = between(d, 0.05, 0.7);
    connect(oscillator, driver, 1);
}

// ---- circumstances ---------------------------------------------------------------------------------

static void draw_noise(drawing *d)
{
    double noise = pow(10, -between(d, 6, 10));
    add_ring(d, LAW_SUM, 2 + choose(d, 10), ONE_OF(d, 0.3, 0.8, 0.95, 2), between(d, 0, 0.6));
    for (int i = 0; i < d->system->n_nodes; i++)
        if (by_chance(d, 0.5)) d->system->nodes[i].noise = noise;
}

static void draw_crowd(drawing *d)
{
    if (by_chance(d, 0.5))
        draw_lags(d);
    else
        add_ring(d, LAW_SUM, 2 + choose(d, 4), ONE_OF(d, 0.5, 0.9, 0.99), between(d, 0, 0.6));
    d->system->n_idle = 100 + choose(d, 900);
}

static void draw_nominal(drawing *d)
{
    if (by_chance(d, 0.5))
        draw_lags(d);
    else
        add_ring(d, LAW_SUM, 2 + choose(d, 8), ONE_OF(d, 0.5, 0.9, 2), between(d, 0, 0.6));
    bool is_common = by_chance(d, 0.5), is_declared = by_chance(d, 0.7);
    double scale = pow(10, between(d, -9, 9));
    for (int i = 0; i < d->system->n_nodes; i++) {
        d->system->nodes[i].scale = is_common ? scale : pow(10, between(d, -9, 9));
        d->system->nodes[i].declares_nominal = is_declared;
    }
}

static void draw_stuck(drawing *d)
{
    if (by_chance(d, 0.5))
        draw_lags(d);
    else
        draw_linear(d);
    d->system->nodes[choose(d, d->system->n_nodes)].rewinds = false;
}

typedef void draw_fn(drawing *d);

static draw_fn *const draws[N_KINDS] = {
    [KIND_LINEAR] = draw_linear,
    [KIND_STEEP] = draw_steep,
    [KIND_NEARLY_SINGULAR] = draw_nearly_singular,
    [KIND_NONLINEAR] = draw_nonlinear,
    [KIND_BOOLEAN] = draw_boolean,
    [KIND_MIXED] = draw_mixed,
    [KIND_LAGS] = draw_lags,
    [KIND_OSCILLATORS] = draw_oscillators,
    [KIND_JUMPS] = draw_jumps,
    [KIND_TABLES] = draw_tables,
    [KIND_NOISE] = draw_noise,
    [KIND_CROWD] = draw_crowd,
    [KIND_NOMINAL] = draw_nominal,
    [KIND_STUCK] = draw_stuck,
    [KIND_OPEN] = draw_open,
};

// ---- all -------------------------------------------------------------------------------------------

static void draw_settings(drawing *d)
{
    random_system *system = d->system;
    bool is_adaptive = system->control != CONTROL_FIXED;
    system->step_size = ONE_OF(d, 0.001, 0.01, 0.1, 0.1, 0.5);
    system->stop_time = is_adaptive ? 1 : (5 + choose(d, 20)) * system->step_size;
    system->relative = ONE_OF(d, 1e-3, 1e-4, 1e-5);
    if (system->control != CONTROL_RICHARDSON && by_chance(d, 0.3)) system->relative = 1e-7;
    system->absolute = 0.1 * system->relative;
    system->iterations = (int)ONE_OF(d, 5, 20, 20, 50, 200);
    system->step_max = ONE_OF(d, 0.1, 0.2, 1);
    system->step_min = ONE_OF(d, 1e-4, 1e-6, 1e-8);
}

void draw_system(uint32_t number, random_system *out)
{
    *out = (random_system){.number = number,
                           .kind = (kind)(number % N_KINDS),
                           .control = (control)(number / N_KINDS % N_CONTROLS)};
    drawing d = {.seed = (uint64_t)number << 20, .system = out};
    draw_settings(&d);
    draws[out->kind](&d);
}
