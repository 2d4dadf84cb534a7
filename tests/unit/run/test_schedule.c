// SPDX-License-Identifier: MIT
// Changes of algorithm during a run mean the same as the algorithm given from the beginning.
#include <math.h>

#include "run/algorithm.h"
#include "run/schedule.h"
#include "unit/run/models.h"

static test_coupling c;

static double run_self_connected(const char *how)
{
    char settings[200];
    test_model models[] = {GAIN, {0}};
    snprintf(settings, sizeof settings, "step-size=0.1 stop-time=1 set=a.k=0.7 set=a.c=1 %s", how);
    test_couple(&c, models, "a:Gain", "a.y>a.u", settings);
    test_run_all(&c);
    double y = test_value(&c, "a.y", -1);
    test_uncouple(&c);
    return y;
}

// y = 0.7 y + 1: a component that is connected with itself is a loop.
static void a_component_connected_with_itself_is_iterated(void **state)
{
    (void)state;
    assert_near(run_self_connected("algorithm=newton"), 1 / 0.3, 1e-12);
    assert_near(run_self_connected("algorithm=seidel algorithm-at=0:newton"), 1 / 0.3, 1e-12);
    assert_near(run_self_connected("algorithm=seidel algorithm-at=0:a=newton"), 1 / 0.3, 1e-12);
}

static int64_t count_sweeps(const char *components, const char *connections)
{
    static const test_variable source_variables[] = {
        {"y", TAKT_OUTPUT, .depends = ""},
        {"k", TAKT_CALCULATED_PARAMETER, .initial = TAKT_CALCULATED, .depends = ""},
        {0}};
    test_model models[] = {GAIN, INTEGRATOR, {"Source", source_variables, REWINDS}, {0}};
    test_couple(&c, models, components, connections,
                "algorithm=fixed-point step-size=0.1 stop-time=1 relative-tolerance=1e-6 "
                "absolute-tolerance=1e-9 set=a.k=0.5 set=b.k=0.9");
    test_run_all(&c);
    takt_statistics s = {.size = sizeof s};
    takt_run_statistics(c.run, &s, NULL);
    assert_int_equal(s.n_loops, 1);
    int64_t n = s.loops[0]->sweeps;
    test_uncouple(&c);
    return n;
}

// Connections that only the initialization uses do not count in the norm.
static void connections_for_the_initialization_do_not_loosen_a_loop(void **state)
{
    (void)state;
    const char *loop = "i.y>a.u a.y>b.u b.y>i.u";
    int64_t n = count_sweeps("i:Integrator a:Gain b:Gain s:Source", loop);
    int64_t n_more = count_sweeps("i:Integrator a:Gain b:Gain s:Source g:Gain h:Gain",
                                  "i.y>a.u a.y>b.u b.y>i.u s.k>g.k s.k>g.c s.k>h.k s.k>h.c");
    assert_true(n > 20);
    assert_int_equal(n, n_more);
}

static void unknown_names_in_changes_are_refused(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {0}};
    test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u", "step-size=0.1 stop-time=1");
    assert_int_equal(takt_run_set_algorithm(c.run, "x=newton", &c.err), TAKT_ERR_USAGE);
    assert_contains(c.err.message, "there is no component 'x'");
    assert_int_equal(takt_run_set_algorithm(c.run, "auto", &c.err), TAKT_ERR_USAGE);
    assert_contains(c.err.message, "'auto' is not an algorithm that can be changed to");
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_component_connected_with_itself_is_iterated),
        cmocka_unit_test(connections_for_the_initialization_do_not_loosen_a_loop),
        cmocka_unit_test(unknown_names_in_changes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
