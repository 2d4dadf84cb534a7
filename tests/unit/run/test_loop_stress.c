// SPDX-License-Identifier: MIT
// Loops of 1 to 50 members made by chance, with saturations, tables and several solutions, nearly singular, in odd units and
// with noise: whatever the algorithm, no answer is silently wrong, at initialization and in steps. The equations are
// known (nodes.h): errors are found by an exact Newton step.
#include "support/nodes.h"

enum { N = 100 };

static test_nodes nodes;

// How many are solved in all steps.
static int try_systems(const char *settings)
{
    int n_solved = 0;
    for (int i = 0; i < N; i++) {
        test_nodes_make(&nodes, i, TEST_N_NODE_KINDS);
        test_nodes_outcome out = test_nodes_run(&nodes, settings, true);
        n_solved += out.is_silent;
        if (out.worst > 5 * nodes.n)
            fail_msg("%d: %s, %d nodes: silently wrong by %g tolerances", i, settings, nodes.n,
                     out.worst);
    }
    return n_solved;
}

static int try_algorithm(const char *algorithm)
{
    char settings[300];
    snprintf(settings, sizeof settings,
             "algorithm=%s step-control=fixed step-size=0.1 iterations=50 stop-time=2", algorithm);
    int n_solved = try_systems(settings);
    snprintf(settings, sizeof settings,
             "algorithm=%s step-control=convergence step-size=0.1 step-max=0.1 step-min=1e-3 "
             "step-fallback=0 iterations=50 stop-time=2",
             algorithm);
    return n_solved + try_systems(settings);
}

// Some have no solution, or lose it on the way.
static void no_algorithm_is_silently_wrong(void **state)
{
    (void)state;
    assert_true(try_algorithm("newton") > 2 * N * 3 / 4);
    assert_true(try_algorithm("quasi-newton") > 2 * N * 8 / 10);
    assert_true(try_algorithm("anderson") > 2 * N * 8 / 10);
    assert_true(try_algorithm("fixed-point") > 2 * N / 3);
}

static void loops_of_auto_are_not_silently_wrong(void **state)
{
    (void)state;
    assert_true(try_systems("step-size=0.1 stop-time=2") > N * 8 / 10);
    assert_true(try_systems("tolerance=1e-4 stop-time=2") > N * 8 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_algorithm_is_silently_wrong),
        cmocka_unit_test(loops_of_auto_are_not_silently_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
