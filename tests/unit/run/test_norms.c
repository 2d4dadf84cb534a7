// SPDX-License-Identifier: MIT
// Norms: every value counts by its own magnitude, whatever else is in the system.
#include <math.h>

#include "unit/run/models.h"

static test_coupling c;

static const char *const algorithms[] = {"fixed-point", "newton", "quasi-newton", "anderson"};

enum { N_ALGORITHMS = 4 };

// y = a sin t - 0.9 u, so that with y = u the solution is a sin t / 1.9
#define FEEDBACK(name, size)                                                                       \
    static const test_variable name[] = {{"u", TAKT_INPUT, .start = "0", .nominal = size},         \
                                         {"y", TAKT_OUTPUT, .depends = "u", .nominal = size},      \
                                         {"a", TAKT_PARAMETER, .start = "1"},                      \
                                         {0}}
FEEDBACK(plain_variables, 0);
FEEDBACK(tiny_variables, 1e-7);
FEEDBACK(huge_variables, 1e9);
static void feedback_output(test_instance *at)
{
    at->real[1] = at->real[2] * sin(at->time) - 0.9 * at->real[0];
}

static test_model models[] = {{"Plain", plain_variables, .output = feedback_output, REWINDS},
                              {"Tiny", tiny_variables, .output = feedback_output, REWINDS},
                              {"Huge", huge_variables, .output = feedback_output, REWINDS},
                              GAIN,
                              INTEGRATOR,
                              {0}};

static void run(const char *components, const char *settings, const char *more)
{
    char all[400];
    snprintf(all, sizeof all, "step-size=0.1 stop-time=3 %s %s", settings, more);
    test_couple(&c, models, components, "a.y>b.u b.y>a.u", all);
    test_run_all(&c);
}

// The largest error of a.y, relative to a / 1.9.
static double worst(double a)
{
    double most = 0;
    for (int i = 0; i < c.n_rows; i++)
        most = fmax(most, fabs(test_value(&c, "a.y", i) * 1.9 / a - sin(c.time[i])));
    return most;
}

static void small_values_are_solved_to_relative_accuracy(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int is_declared = 0; is_declared < 2; is_declared++) {
            char settings[100];
            snprintf(settings, sizeof settings, "algorithm=%s iterations=200", algorithms[i]);
            run(is_declared ? "a:Tiny b:Gain" : "a:Plain b:Gain", settings, "set=a.a=1.9e-7");
            assert_true(worst(1.9e-7) < 2e-5);
            test_uncouple(&c);
            run("a:Tiny b:Gain", settings, "set=a.a=1.9e-7 norm=papers");
            if (i == 0) assert_true(worst(1.9e-7) > 0.05); // all of it is below the tolerance
            test_uncouple(&c);
        }
}

// Half a newton is nothing in a value of meganewtons: nobody wants it to be exact to 1e-6.
static void a_large_nominal_value_widens_the_tolerance(void **state)
{
    (void)state;
    int64_t n_sweeps[2];
    for (int i = 0; i < 2; i++) {
        run(i ? "a:Plain b:Gain" : "a:Huge b:Gain", "algorithm=fixed-point iterations=200",
            "set=a.a=1");
        n_sweeps[i] = c.run->work.blocks[0].n_sweeps;
        test_uncouple(&c);
    }
    assert_true(n_sweeps[0] < n_sweeps[1] / 2);
}

// A difference of large values, which is zero but for rounding, is no unknown that must be exact.
static const test_variable difference_variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                                     {"v", TAKT_INPUT, .start = "0"},
                                                     {"y", TAKT_OUTPUT, .depends = "u v"},
                                                     {"d", TAKT_OUTPUT, .depends = "u v"},
                                                     {0}};
static void difference_output(test_instance *at)
{
    double x = 1e5 + 1e4 * sin(at->time) + at->real[1];
    at->real[2] = x - 0.95 * at->real[0];
    at->real[3] = (at->real[2] - x / 1.95) / 3;
}

static void rounding_near_zero_does_not_keep_a_loop_from_converging(void **state)
{
    (void)state;
    for (int i = 0; i < N_ALGORITHMS; i++) {
        test_model own[] = {
            {"Difference", difference_variables, .output = difference_output, REWINDS}, GAIN, {0}};
        char settings[100];
        snprintf(settings, sizeof settings,
                 "step-size=0.01 stop-time=3 algorithm=%s iterations=1000 strict=true",
                 algorithms[i]);
        test_couple(&c, own, "a:Difference b:Gain d:Gain", "a.y>b.u b.y>a.u a.d>d.u d.y>a.v",
                    settings);
        test_run_all(&c);
        assert_near(test_value(&c, "a.d", -1), 0, 0.1);
        test_uncouple(&c);
    }
}

// A valve of micrometres, x = (1 + k) 1e-6 sin t - k w with w = x, in a loop with a pressure of 1e9: nobody declares a nominal
// value, and x is no difference of pressures.
static const test_variable valve_variables[] = {
    {"p", TAKT_INPUT, .start = "1e9"},     {"w", TAKT_INPUT, .start = "0"},
    {"q", TAKT_OUTPUT, .depends = "p"},    {"x", TAKT_OUTPUT, .depends = "p w"},
    {"k", TAKT_PARAMETER, .start = "0.9"}, {0}};
static void valve_output(test_instance *at)
{
    at->real[2] = 1e9 - 0.5 * (at->real[0] - 1e9);
    at->real[3] = (1 + at->real[4]) * 1e-6 * sin(at->time) - at->real[4] * at->real[1];
}

static void couple_valve(test_model *own, const char *algorithm, double k)
{
    char settings[200];
    snprintf(settings, sizeof settings,
             "step-size=0.1 stop-time=3 algorithm=%s iterations=300 set=a.k=%g", algorithm, k);
    test_couple(&c, own, "a:Valve b:Gain d:Gain", "a.q>b.u b.y>a.p a.x>d.u d.y>a.w", settings);
    test_run_all(&c);
}

static void large_values_do_not_hide_errors_of_small_ones(void **state)
{
    (void)state;
    test_model own[] = {{"Valve", valve_variables, .output = valve_output, REWINDS}, GAIN, {0}};
    for (int i = 0; i < N_ALGORITHMS; i++)
        for (double k = 0.9; k < 1.1; k += 0.15) {
            couple_valve(own, algorithms[i], k);
            bool can_solve = i > 0 || k < 1;
            assert_int_equal(c.run->counts.n_limit_exceeded > 0, !can_solve);
            for (int n = 0; n < c.n_rows && can_solve; n++)
                assert_near(test_value(&c, "a.x", n), 1e-6 * sin(c.time[n]), 1e-10);
            test_uncouple(&c);
        }
}

enum { N_OTHERS = 1000 };

// A loop, perhaps beside many connections that have nothing to do with it.
static double solve_beside(int n_others, const char *settings)
{
    static char components[20 * N_OTHERS + 100], connections[20 * N_OTHERS + 100];
    int n = snprintf(components, sizeof components, "a:Plain b:Gain");
    int m = snprintf(connections, sizeof connections, "a.y>b.u b.y>a.u");
    for (int i = 0; i < n_others; i++) {
        n += snprintf(components + n, sizeof components - (size_t)n, " g%d:Gain", i);
        if (i > 0)
            m +=
                snprintf(connections + m, sizeof connections - (size_t)m, " g%d.y>g%d.u", i - 1, i);
    }
    test_couple(&c, models, components, connections, settings);
    test_run_all(&c);
    double y = test_value(&c, "a.y", -1);
    test_uncouple(&c);
    return y;
}

static void what_else_is_in_the_system_changes_nothing(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "algorithm=fixed-point iterations=200 step-size=0.1 stop-time=1 record=a.* "
        "relative-tolerance=1e-3",
        "algorithm=newton iterations=200 step-size=0.1 stop-time=1 record=a.* "
        "relative-tolerance=1e-3",
        "algorithm=fixed-point iterations=200 step-control=richardson step-size=0.1 stop-time=1 "
        "record=a.* "
        "relative-tolerance=1e-3"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_near(solve_beside(N_OTHERS, settings[i]), solve_beside(0, settings[i]), 0);
    const char *papers =
        "algorithm=fixed-point iterations=200 step-size=0.1 stop-time=1 record=a.* norm=papers "
        "relative-tolerance=1e-3";
    assert_true(solve_beside(N_OTHERS, papers) != solve_beside(0, papers));
}

// Two integrators, a' = -b, b' = a (from a(0) = b(0) = 1), in any units.
static const test_variable small_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static const test_variable small_declared_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "", .nominal = 1e-7}, {0}};
static void small_output(test_instance *at)
{
    at->real[1] = 1e-7 + at->state[0];
}

static void the_error_test_knows_small_values(void **state)
{
    (void)state;
    double error[3];
    for (int i = 0; i < 3; i++) {
        test_model own[] = {
            INTEGRATOR,
            GAIN,
            {"Small", small_variables, .output = small_output, .step = integrator_step, REWINDS},
            {"Declared", small_declared_variables, .output = small_output, .step = integrator_step,
             REWINDS},
            {0}};
        static const char *const components[] = {"a:Integrator b:Integrator n:Gain",
                                                 "a:Small b:Small n:Gain",
                                                 "a:Declared b:Declared n:Gain"};
        test_couple(&c, own, components[i], "b.y>n.u n.y>a.u a.y>b.u",
                    "algorithm=seidel step-control=richardson step-size=0.1 stop-time=3 "
                    "set=n.k=-1");
        test_run_all(&c);
        double unit = i == 0 ? 1 : 1e-7;
        error[i] = fabs(test_value(&c, "a.y", -1) / unit - (cos(3) - sin(3)));
        test_uncouple(&c);
    }
    assert_true(error[0] < 0.02 && error[1] < 0.02 && error[2] < 0.02);
}

// y / s = cos(2 u / s) for s = 1e-10: all of it is below the absolute tolerance.
static const test_variable cosine_variables[] = {
    {"u", TAKT_INPUT, .start = "0", .nominal = 1e-10},
    {"y", TAKT_OUTPUT, .depends = "u", .nominal = 1e-10},
    {0}};
static void cosine_output(test_instance *at)
{
    at->real[1] = 1e-10 * cos(2e10 * at->real[0]);
}

static void initialization_knows_small_values(void **state)
{
    (void)state;
    for (int is_papers = 0; is_papers < 2; is_papers++) {
        test_model own[] = {
            {"Cosine", cosine_variables, .output = cosine_output, REWINDS}, GAIN, {0}};
        test_couple(&c, own, "a:Cosine b:Gain", "a.y>b.u b.y>a.u",
                    is_papers ? "algorithm=newton norm=papers" : "algorithm=newton");
        test_run_all(&c);
        double x = 1e10 * test_value(&c, "a.y", 0), residual = fabs(x - cos(2 * x));
        assert_true(is_papers ? residual > 0.1 : residual < 1e-6);
        test_uncouple(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_values_are_solved_to_relative_accuracy),
        cmocka_unit_test(a_large_nominal_value_widens_the_tolerance),
        cmocka_unit_test(rounding_near_zero_does_not_keep_a_loop_from_converging),
        cmocka_unit_test(large_values_do_not_hide_errors_of_small_ones),
        cmocka_unit_test(what_else_is_in_the_system_changes_nothing),
        cmocka_unit_test(the_error_test_knows_small_values),
        cmocka_unit_test(initialization_knows_small_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
