// SPDX-License-Identifier: MIT
// Exit without a warning means right: random linear loops, contracting and not, nearly singular and large, by
// every algorithm and step control. The reference is Gaussian elimination. A result is right, or the run
// fails, or it warns.
#include <math.h>
#include <stdlib.h>

#include "unit/run/models.h"

enum { MAX_N = 15, N_INPUTS = 3, N_SYSTEMS = 120 };

static test_coupling c;
static uint32_t seed;

static double draw(void) // from 0 to 1
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (double)(1u << 24);
}

static int choose(int n)
{
    return (int)(draw() * n);
}

// y = k1 u1 + k2 u2 + k3 u3 + c sin(t)
static const test_variable mix_variables[] = {
    {"u1", TAKT_INPUT, .start = "0"},
    {"u2", TAKT_INPUT, .start = "0"},
    {"u3", TAKT_INPUT, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = "u1 u2 u3"},
    {"k1", TAKT_PARAMETER, .start = "0"},
    {"k2", TAKT_PARAMETER, .start = "0"},
    {"k3", TAKT_PARAMETER, .start = "0"},
    {"c", TAKT_PARAMETER, .start = "0"},
    {0},
};

static double source(double t)
{
    return 1 + sin(t);
}

static void mix_output(test_instance *at)
{
    at->real[3] = at->real[7] * source(at->time);
    for (int i = 0; i < N_INPUTS; i++) at->real[3] += at->real[4 + i] * at->real[i];
}

// (I - A) y = b source(t)
typedef struct equations {
    int n;
    double a[MAX_N][MAX_N], b[MAX_N];
} equations;

static bool solve(const equations *e, double t, double *y)
{
    double m[MAX_N][MAX_N + 1];
    int n = e->n;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) m[i][k] = (i == k) - e->a[i][k];
        m[i][n] = e->b[i] * source(t);
    }
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(m[i][k]) > fabs(m[p][k])) p = i;
        if (fabs(m[p][k]) < 1e-9) return false;
        for (int j = 0; j <= n; j++) {
            double swap = m[k][j];
            m[k][j] = m[p][j];
            m[p][j] = swap;
        }
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0 : m[i][k] / m[k][k];
            for (int j = k; j <= n; j++) m[i][j] -= factor * m[k][j];
        }
    }
    for (int i = 0; i < n; i++) y[i] = m[i][n] / m[i][i];
    return true;
}

static void write_system(equations *e, takt_text *components, takt_text *connections,
                         takt_text *settings)
{
    static const double scales[] = {0.2, 0.6, 0.9, 0.999, 1.5};
    double scale = scales[choose(5)];
    *e = (equations){.n = 2 + choose(MAX_N - 1)};
    for (int i = 0; i < e->n; i++) {
        e->b[i] = draw();
        takt_text_print(components, "m%d:Mix ", i);
        takt_text_print(settings, " set=m%d.c=%.17g", i, e->b[i]);
        for (int k = 0; k < N_INPUTS; k++) {
            int from = k == 0 ? (i + 1) % e->n : choose(e->n); // one circle through all
            double gain = scale * (k == 0 ? 1 : draw() / 2) * (draw() < 0.3 ? -1 : 1);
            if (k > 0) gain *= 1 - scale < 0.5 ? 1e-3 : 1;
            e->a[i][from] += gain;
            takt_text_print(connections, "m%d.y>m%d.u%d ", from, i, k + 1);
            takt_text_print(settings, " set=m%d.k%d=%.17g", i, k + 1, gain);
        }
    }
}

// How far the last row is from the solution, in units of the tolerance.
static double find_error(const equations *e)
{
    double y[MAX_N], worst = 0;
    if (!solve(e, c.time[c.n_rows - 1], y)) return 0;
    for (int i = 0; i < e->n; i++) {
        double value = c.value[c.n_rows - 1][i];
        double error = fabs(value - y[i]) / (1e-5 * fabs(y[i]) + 1e-6);
        worst = fmax(worst, isnan(error) ? INFINITY : error);
    }
    return worst;
}

// Neither a failure nor a doubt. The log of a test is cut where it is too long, so the counts are asked.
static bool is_silent(void)
{
    takt_statistics s = {.size = sizeof s};
    if (c.status) return false;
    takt_run_statistics(c.run, &s, NULL);
    const takt_doubtful_steps *n = s.doubtful_steps;
    return n->unconverged + n->below_fallback + n->at_step_min + n->not_iterated == 0;
}

static bool try_system(int number, const char *algorithm, const char *control)
{
    seed = (uint32_t)number * 2654435761u + 7;
    equations e;
    takt_text components = {0}, connections = {0}, settings = {0};
    takt_text_print(&settings,
                    "algorithm=%s step-control=%s step-size=0.1 step-max=0.1 step-min=1e-3 "
                    "step-fallback=1e-2 stop-time=0.5 iterations=200",
                    algorithm, control);
    write_system(&e, &components, &connections, &settings);
    test_model models[] = {{"Mix", mix_variables, .output = mix_output, REWINDS}, {0}};
    connections.data[connections.length - 1] = 0;
    test_try_couple(&c, models, components.data, connections.data, settings.data);
    if (!c.status) test_try_run_all(&c);
    bool is_good = is_silent();
    double error = is_good ? find_error(&e) : 0;
    if (error > 5 * e.n)
        fail_msg("%d: %s, %s, %d unknowns: silently wrong by %g tolerances", number, algorithm,
                 control, e.n, error);
    test_uncouple(&c);
    takt_text_clear(&components);
    takt_text_clear(&connections);
    takt_text_clear(&settings);
    return is_good;
}

static void no_loop_is_silently_wrong(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"fixed-point",  "newton",   "auto", "seidel",
                                             "quasi-newton", "anderson", NULL};
    static const char *const controls[] = {"fixed", "convergence"};
    int n_good[6] = {0};
    for (int i = 0; i < N_SYSTEMS; i++)
        for (int k = 0; algorithms[k]; k++)
            n_good[k] += try_system(i, algorithms[k], controls[i % 2]);
    assert_true(n_good[0] > N_SYSTEMS / 4); // many of them contract
    assert_true(n_good[1] > N_SYSTEMS * 9 / 10);
    assert_true(n_good[4] > N_SYSTEMS * 9 / 10);
}

// x = k x + 1 - k: nearly singular, and the changes are small from the first sweep on.
static void slow_contraction_is_no_convergence(void **state)
{
    (void)state;
    static const char *const gains[] = {"0.9", "0.99", "0.999", "0.9999", "0.999999"};
    for (int i = 0; i < 5; i++) {
        char settings[300];
        double k = strtod(gains[i], NULL);
        snprintf(settings, sizeof settings,
                 "algorithm=fixed-point step-size=0.1 stop-time=1 iterations=50 set=b.k=%s "
                 "set=a.c=%.17g",
                 gains[i], 1 - k);
        test_model models[] = {GAIN, {0}};
        test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u", settings);
        test_try_run_all(&c);
        double error = fabs(test_value(&c, "a.y", -1) - 1);
        if (is_silent() && error > 1e-4) fail_msg("gain %s: silently wrong by %g", gains[i], error);
        test_uncouple(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_loop_is_silently_wrong),
        cmocka_unit_test(slow_contraction_is_no_convergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
