// SPDX-License-Identifier: MIT
// The problems by name; see problems.h.
#include <math.h>
#include <string.h>

#include "support/solution.h"

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
    double radius = sqrt(-2 * log(uniform(1e-12, 1)));
    return radius * cos(6.283185307179586 * uniform(0, 1));
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
    p->parts[0] = (test_part){.n = 1,
                              .n_inputs = 1,
                              .n_outputs = 1,
                              .c = {{1}},
                              .x0 = {x},
                              .sources = {1},
                              .derivatives = lv_slopes,
                              .parameters = {a, -b}};
    p->parts[1] = (test_part){.n = 1,
                              .n_inputs = 1,
                              .n_outputs = 1,
                              .c = {{1}},
                              .x0 = {y},
                              .sources = {0},
                              .derivatives = lv_slopes,
                              .parameters = {-c, d}};
}

static void make_masses(test_problem *p, bool by_force)
{
    double k = 10, c = 1, d = 0.05;
    p->n_parts = 2;
    p->stop = 20;
    test_part right = {.n = 2,
                       .n_inputs = 1,
                       .n_outputs = 2,
                       .a = {{0, 1}, {-c - k, -d}},
                       .b = {{0}, {k}},
                       .c = {{1, 0}, {0, 1}}};
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
    p->parts[0] = (test_part){.n = 3,
                              .n_inputs = 1,
                              .n_outputs = 1,
                              .a = {{-g - loss, source, 0}, {0, 0, omega}, {0, -omega, 0}},
                              .b = {{g}},
                              .c = {{1}},
                              .x0 = {t1, 0, 1},
                              .sources = {1}};
    p->parts[1] = (test_part){.n = 2,
                              .n_inputs = 1,
                              .n_outputs = 1,
                              .a = {{(-g - loss_fast) / capacity, ambient / capacity}},
                              .b = {{g / capacity}},
                              .c = {{1}},
                              .x0 = {t2, 1},
                              .sources = {0}};
}

static void make_hysteresis(test_problem *p, double rate, double low, double high)
{
    p->n_parts = 2;
    p->stop = 10;
    p->is_switching = true;
    p->parts[0] = (test_part){.n = 1,
                              .n_inputs = 1,
                              .n_outputs = 1,
                              .a = {{-rate}},
                              .b = {{rate}},
                              .c = {{1}},
                              .sources = {1}};
    p->parts[1] = (test_part){
        .n_inputs = 1, .n_outputs = 1, .x0 = {1}, .low = low, .high = high, .sources = {0}};
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

static const test_part one_state = {.n = 1, .n_inputs = 1, .n_outputs = 1, .c = {{1}}};

static void make_roessler(test_problem *p, int seed)
{
    (void)seed;
    p->n_parts = 2;
    p->stop = 40;
    p->parts[0] = (test_part){.n = 2,
                              .n_inputs = 1,
                              .n_outputs = 2,
                              .c = {{1, 0}, {0, 1}},
                              .x0 = {1, 1},
                              .sources = {2},
                              .derivatives = roessler_xy};
    p->parts[1] = one_state;
    p->parts[1].x0[0] = 0.1;
    p->parts[1].derivatives = roessler_z;
}

static void make_vdp(test_problem *p, int seed)
{
    (void)seed;
    p->n_parts = 2;
    p->stop = 20;
    p->parts[0] = p->parts[1] = one_state;
    p->parts[0].x0[0] = 2;
    p->parts[0].sources[0] = 1;
    p->parts[0].derivatives = vdp_x;
    p->parts[1].derivatives = vdp_v;
}

// An algebraic loop of three with the gain -1.98.
static void make_loop(test_problem *p, int seed)
{
    (void)seed;
    p->n_parts = 3;
    p->stop = 20;
    p->parts[0] = (test_part){.n = 3,
                              .n_inputs = 1,
                              .n_outputs = 1,
                              .a = {{-1, 1, 0}, {0, 0, 3}, {0, -3, 0}},
                              .b = {{1}},
                              .c = {{1}},
                              .d = {{1.5}},
                              .x0 = {1, 0, 1},
                              .sources = {2}};
    p->parts[1] = (test_part){.n = 1,
                              .n_inputs = 1,
                              .n_outputs = 1,
                              .a = {{-2}},
                              .b = {{1}},
                              .c = {{1}},
                              .d = {{1.2}},
                              .sources = {0}};
    p->parts[2] = (test_part){.n = 1,
                              .n_inputs = 1,
                              .n_outputs = 1,
                              .a = {{-0.5}},
                              .b = {{0.5}},
                              .c = {{-1}},
                              .d = {{-1.1}},
                              .x0 = {0.5},
                              .sources = {1}};
}

// A random part: A = Q L Q^-1 with eigenvalues spread over six decades, of the sizes lambda.
static void make_random_matrix(test_part *part, double q[][TEST_MOST], double *lambda)
{
    static double copy[TEST_MOST][TEST_MOST], inverse[TEST_MOST][TEST_MOST];
    double l[4][4] = {{0}}, ql[4][4] = {{0}};
    int n = part->n;
    memset(inverse, 0, sizeof inverse);
    for (int i = 0; i < n; i++) {
        lambda[i] = pow(10, uniform(-2, 4));
        l[i][i] = -lambda[i];
        for (int j = 0; j < n; j++) q[i][j] = (i == j) + 0.3 * normal();
        inverse[i][i] = 1;
    }
    if (n >= 2 && uniform(0, 1) < 0.3) {
        double w = pow(10, uniform(-1, 1.5));
        l[0][0] = l[1][1] = -0.3 * w, l[0][1] = w, l[1][0] = -w;
        lambda[0] = lambda[1] = w;
    }
    memcpy(copy, q, sizeof copy);
    test_solve(n, copy, n, inverse);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) ql[i][j] += q[i][k] * l[k][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) part->a[i][j] += ql[i][k] * inverse[k][j];
}

// The outputs of part p begin at offsets[p].
static int choose_source(const test_part *part, int p, const int *offsets, int total, int n_chosen)
{
    for (;;) {
        int s = between(0, total - 1);
        bool is_new = s < offsets[p] || s >= offsets[p + 1];
        for (int k = 0; k < n_chosen; k++) is_new &= part->sources[k] != s;
        if (is_new) return s;
    }
}

static void add_drive(test_part *part, double q[][TEST_MOST], const double *lambda)
{
    int n = part->n;
    double w = uniform(0.5, 3);
    for (int i = 0; i < n; i++) {
        double drive = 0;
        for (int k = 0; k < n; k++) drive += q[i][k] * lambda[k];
        part->a[i][n] = 0.7 * drive;
    }
    part->a[n][n + 1] = w, part->a[n + 1][n] = -w;
    part->x0[n] = 0, part->x0[n + 1] = 1;
    part->n = n + 2;
}

static void make_random_part(test_part *part, int p, const int *offsets, int total)
{
    static double q[TEST_MOST][TEST_MOST];
    int n = between(1, 3), n_outputs = offsets[p + 1] - offsets[p], others = total - n_outputs;
    double lambda[4];
    memset(q, 0, sizeof q);
    *part = (test_part){.n = n, .n_outputs = n_outputs};
    make_random_matrix(part, q, lambda);
    part->n_inputs = between(1, others < 3 ? others : 3);
    for (int j = 0; j < part->n_inputs; j++) {
        double v[4];
        part->sources[j] = choose_source(part, p, offsets, total, j);
        for (int i = 0; i < n; i++) v[i] = lambda[i] * normal() * 0.6;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) part->b[i][j] += q[i][k] * v[k];
    }
    bool has_d = uniform(0, 1) < 0.25;
    for (int i = 0; i < n_outputs; i++) {
        for (int j = 0; j < n; j++) part->c[i][j] = normal();
        for (int j = 0; j < part->n_inputs; j++) part->d[i][j] = has_d ? 0.5 * normal() : 0;
    }
    for (int i = 0; i < n; i++) part->x0[i] = normal();
    if (p == 0) add_drive(part, q, lambda);
}

// Does the linear system stay bounded?
static bool is_stable(const test_problem *problem)
{
    static test_solution s;
    static double m[TEST_MOST * TEST_MOST], e[TEST_MOST * TEST_MOST];
    test_solution_begin(&s, problem);
    for (int i = 0; i < s.n * s.n; i++) m[i] = s.matrix[i];
    test_exponential(s.n, m, e);
    for (int k = 0; k < 7; k++) { // e^(128 A) must not be large
        double largest = 0;
        test_multiply(s.n, e, e, m);
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

// A fast pair that oscillates, and two slow parts that read it, and that it reads, weakly. The slow ones are a hundred
// times slower.
static void make_rates(test_problem *p, int seed)
{
    state = 11000 + (uint64_t)seed;
    double w = 6.283185307179586 * uniform(0.7, 2), s = w / 100 * uniform(0.5, 1.2);
    double to_slow = pow(10, uniform(-4, -2)), to_fast = pow(10, uniform(-3, -1));
    double damping = uniform(0, 0.002) * w;
    p->n_parts = 4;
    p->stop = 80 * 6.283185307179586 / w;
    p->parts[0] = (test_part){.n = 1,
                              .n_inputs = 2,
                              .n_outputs = 1,
                              .a = {{-damping}},
                              .b = {{w, to_fast * w}},
                              .c = {{1}},
                              .x0 = {1},
                              .sources = {1, 3}};
    p->parts[1] = (test_part){.n = 1,
                              .n_inputs = 1,
                              .n_outputs = 1,
                              .a = {{-damping}},
                              .b = {{-w}},
                              .c = {{1}},
                              .sources = {0}};
    p->parts[2] = (test_part){.n = 2,
                              .n_inputs = 2,
                              .n_outputs = 1,
                              .a = {{-0.1 * s, s}, {-s, -0.1 * s}},
                              .b = {{to_slow * s, 0}, {0, 0.5 * s}},
                              .c = {{1, 0}},
                              .x0 = {uniform(0.5, 1), uniform(-1, 1)},
                              .sources = {0, 3}};
    p->parts[3] = (test_part){.n = 1,
                              .n_inputs = 2,
                              .n_outputs = 1,
                              .a = {{-s}},
                              .b = {{0.7 * s, to_slow * s}},
                              .c = {{1}},
                              .x0 = {uniform(0.3, 1)},
                              .sources = {2, 1}};
}

// ---- by name -----------------------------------------------------------------------------------------

static void make_the_lv(test_problem *p, int seed)
{
    (void)seed;
    make_lv(p, 0.1, 0.02, 0.4, 0.02, 10, 10);
}

static void make_mass_fx(test_problem *p, int seed)
{
    (void)seed;
    make_masses(p, true);
}

static void make_mass_xx(test_problem *p, int seed)
{
    (void)seed;
    make_masses(p, false);
}

static void make_the_thermal(test_problem *p, int seed)
{
    (void)seed;
    make_thermal(p, 100, 0.01, 1, 0.1, 20, 2, 1, 20, 0);
}

static void make_thermal2(test_problem *p, int seed)
{
    (void)seed;
    make_thermal(p, 300, 0.003, 2, 0.5, 30, 3, 5, 5, 15);
}

static void make_the_hysteresis(test_problem *p, int seed)
{
    (void)seed;
    make_hysteresis(p, 1, 0.4, 0.6);
}

// The name is followed by a number where there are many of a kind. Longer names come first.
static const struct kind {
    const char *name;
    void (*make)(test_problem *problem, int seed);
} kinds[] = {{"lvr", make_random_lv},
             {"lv", make_the_lv},
             {"mass_fx", make_mass_fx},
             {"mass_xx", make_mass_xx},
             {"thermal2", make_thermal2},
             {"thermal", make_the_thermal},
             {"hysteresis", make_the_hysteresis},
             {"hyst", make_random_hysteresis},
             {"roessler", make_roessler},
             {"vdp", make_vdp},
             {"loop", make_loop},
             {"rate", make_rates},
             {"rnd", make_random}};

void test_problem_make(test_problem *p, const char *name, char mode)
{
    size_t i = 0, n = sizeof kinds / sizeof *kinds;
    memset(p, 0, sizeof *p);
    while (i < n && strncmp(name, kinds[i].name, strlen(kinds[i].name)) != 0) i++;
    assert_true(i < n);
    kinds[i].make(p, (int)strtol(name + strlen(kinds[i].name), NULL, 10));
    for (int k = 0; k < p->n_parts; k++)
        p->is_held[k] = mode == 'b' || (mode == 'm' && k == p->n_parts - 1);
}
