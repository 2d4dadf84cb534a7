// SPDX-License-Identifier: MIT
// Loops solved by secants: how many sweeps they need, and that no answer is silently wrong. The members are
// nodes whose equations are known (nodes.h).
#include "support/nodes.h"

static test_nodes nodes;

// ---- counts ----------------------------------------------------------------------------------------

// Three members, each reading the other two. Gains give spectral radii up to about 2, and swing.
static void draw_triple(int number)
{
    nodes.seed = (uint32_t)number * 2654435761u + 11;
    nodes.n = 3;
    nodes.noise = 0;
    double scale = test_nodes_between(&nodes, 0.2, 1.4);
    for (int i = 0; i < 3; i++) {
        nodes.all[i] = (test_node){.from = {(i + 1) % 3, (i + 2) % 3, -1}, .unit = 1};
        nodes.all[i].source = test_nodes_between(&nodes, -1, 1);
        nodes.all[i].source_swing = test_nodes_between(&nodes, 0, 1);
        nodes.all[i].frequency = test_nodes_between(&nodes, 0.5, 2);
        for (int k = 0; k < 2; k++) {
            nodes.all[i].gain[k] = scale * test_nodes_between(&nodes, -1, 1);
            nodes.all[i].swing[k] = 0.3 * scale * test_nodes_between(&nodes, -1, 1);
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
        test_nodes_outcome out = test_nodes_run(&nodes, settings, false);
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

// Does the loop become singular between 0 and 10 s? Then solutions go to infinity, and steps to a tolerance end there.
static bool becomes_singular(void)
{
    double before = 0;
    for (int step = 0; step <= 10000; step++) {
        double t = 1e-3 * step, m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 2; k++)
                m[i][nodes.all[i].from[k]] -=
                    nodes.all[i].gain[k] + nodes.all[i].swing[k] * sin(t + k);
        double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                     m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                     m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        if (det * before < 0) return true;
        before = det;
    }
    return false;
}

// The same loops to a tolerance: the mean of the calls per member and step of those that have a solution all the time.
static double measure_triples_to_tolerance(void)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < 60; i++) {
        draw_triple(i);
        test_nodes_outcome out =
            test_nodes_run(&nodes, "algorithm=auto tolerance=1e-4 stop-time=10", false);
        if (becomes_singular()) continue;
        if (!out.is_silent || out.worst > 1)
            fail_msg("%d: %s, error %g", i, out.is_silent ? "silent" : "doubtful", out.worst);
        sum += out.n_calls;
        n++;
    }
    assert_true(n > 50);
    return sum / n;
}

static void the_default_needs_few_sweeps_for_random_loops(void **state)
{
    (void)state;
    assert_true(measure_triples("auto", 1) <= 2.5);
    assert_true(measure_triples_to_tolerance() <= 2.5);
}

static double count_calls(const char *algorithm)
{
    char settings[100];
    snprintf(settings, sizeof settings, "algorithm=%s step-size=0.1 stop-time=10", algorithm);
    return test_nodes_run(&nodes, settings, false).n_calls;
}

// a = k b + time, b = a: one torn unknown. The first step needs a secant; then two sweeps are enough, of which
// the second one proves the first one right.
static void secants_serve_the_following_steps(void **state)
{
    (void)state;
    nodes.n = 2;
    nodes.noise = 0;
    nodes.all[0] = (test_node){.from = {1, -1, -1}, .gain = {3}, .source = 1, .unit = 1};
    nodes.all[1] = (test_node){.from = {0, -1, -1}, .gain = {1}, .unit = 1};
    nodes.all[0].source_swing = nodes.all[0].frequency = 1;
    assert_near(count_calls("quasi-newton"), 2.01, 1e-9);
    assert_near(count_calls("anderson"), 3, 1e-9);
}

// ---- no silent error -------------------------------------------------------------------------------

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
        test_nodes_make(&nodes, i, TEST_NODE_N_SMOOTH);
        test_nodes_outcome out = test_nodes_run(&nodes, settings, false);
        n_solved += out.is_silent;
        if (out.worst > 5 * nodes.n)
            fail_msg("%d: %s, %d nodes: silently wrong by %g tolerances", i, algorithm, nodes.n,
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
        cmocka_unit_test(the_default_needs_few_sweeps_for_random_loops),
        cmocka_unit_test(secants_serve_the_following_steps),
        cmocka_unit_test(no_answer_is_silently_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
