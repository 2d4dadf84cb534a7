// SPDX-License-Identifier: MIT
// Derivatives of outputs in predictions: fewer calls where they are right, no harm where they are not.
#include "run/slopes.h"
#include "support/problems.h"

static test_problem problem;

static test_measured measure(const char *name, char mode, const char *how, double tolerance)
{
    char settings[100];
    snprintf(settings, sizeof settings, "tolerance=%g output-interval=0", tolerance);
    test_problem_make(&problem, name, mode);
    problem.derives = how;
    test_measured m = test_problem_run(&problem, settings);
    assert_int_equal(m.status, TAKT_OK);
    return m;
}

// y = 1 + 2 t - 3 t^2 + t^3 and its derivative
static double cubic(double t)
{
    return 1 + t * (2 + t * (-3 + t));
}
static double cubic_slope(double t)
{
    return 2 + t * (-6 + 3 * t);
}

static void three_points_and_a_derivative_determine_a_cubic(void **state)
{
    (void)state;
    static const double times[] = {0.3, 0.5, 1.2, 1.3};
    bool is_known = true, is_wanted = true;
    const takt_ranges wanted = {.of = &(takt_range){0, 1}, .n = 1};
    double slope = 0, predicted;
    takt_slopes own = {.is_possible = true, .n_values = 1, .slopes = &slope, .is_known = &is_known};
    takt_history *history = calloc(1, takt_history_size(1));
    assert_non_null(history);
    history->n_values = 1;
    for (int i = 0; i < 4; i++) takt_history_add(history, times[i], &(double){cubic(times[i])});
    slope = cubic_slope(times[3]);
    for (double t = 1.3; t < 2; t += 0.17) {
        takt_history_predict(history, 3, t, &wanted, &predicted);
        double by_one = predicted + takt_slopes_addition(&own, history, 3, t, 0);
        takt_slopes_add(&own, history, 3, t, &is_wanted, &predicted);
        assert_near(predicted, cubic(t), 1e-12);
        assert_near(by_one, predicted, 0);
    }
    takt_history_predict(history, 1, 1.5, &wanted, &predicted);
    takt_slopes_add(&own, history, 1, 1.5, &is_wanted, &predicted); // a straight line
    assert_near(predicted, cubic(1.3) + 0.2 * slope, 1e-12);
    is_known = false;
    assert_near(takt_slopes_addition(&own, history, 3, 2, 0), 0, 0);
    free(history);
}

static void right_derivatives_save_calls(void **state)
{
    (void)state;
    static const char *const names[] = {"lv", "mass_xx", "roessler"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (double tolerance = 1e-4; tolerance > 0.5e-6; tolerance /= 100)
            for (char mode = 'a'; mode <= 'b'; mode++) {
                test_measured without = measure(names[i], mode, NULL, tolerance);
                test_measured with = measure(names[i], mode, "right", tolerance);
                assert_true((double)with.calls <= 0.92 * (double)without.calls);
                assert_true(with.error <= 3 * tolerance);
            }
    double sum_with = 0, sum_without = 0;
    for (int seed = 1; seed <= 6; seed++) {
        char name[10];
        snprintf(name, sizeof name, "rnd%d", seed);
        test_measured with = measure(name, 'a', "right", 1e-4);
        assert_true(with.error <= 3 * 1e-4);
        sum_with += (double)with.calls;
        sum_without += (double)measure(name, 'a', NULL, 1e-4).calls;
    }
    assert_true(sum_with <= 0.92 * sum_without);
}

// Stiff problems and switches: derivatives help little, and must not cost much.
static void right_derivatives_do_no_harm(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double most, error; // calls, in relation to those without; error
    } cases[] = {{"thermal", 1.05, 3},
                 {"thermal2", 1.05, 3},
                 {"loop", 1.05, 3},
                 {"mass_fx", 1.05, 3},
                 {"hysteresis", 1.25, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (double tolerance = 1e-4; tolerance > 0.5e-6; tolerance /= 100) {
            test_measured without = measure(cases[i].name, 'a', NULL, tolerance);
            test_measured with = measure(cases[i].name, 'a', "right", tolerance);
            if ((double)with.calls > cases[i].most * (double)without.calls)
                print_error("%s: %d, %d\n", cases[i].name, (int)with.calls, (int)without.calls);
            assert_true((double)with.calls <= cases[i].most * (double)without.calls);
            assert_true(with.error <= cases[i].error * tolerance);
        }
}

static void wrong_derivatives_change_nothing_and_are_soon_not_asked_for(void **state)
{
    (void)state;
    static const char *const names[] = {"lv", "mass_xx", "thermal", "rnd3"};
    static const char *const hows[] = {"zero", "late", "negative", "random", "refused", "nan"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        test_measured without = measure(names[i], 'a', NULL, 1e-4);
        for (size_t k = 0; k < sizeof hows / sizeof *hows; k++) {
            test_measured with = measure(names[i], 'a', hows[k], 1e-4);
            assert_true((double)with.calls <= 1.05 * (double)without.calls);
            assert_true(with.error <= 3 * 1e-4);
            if (strcmp(names[i], "lv") == 0)
                assert_true(problem.models[0].counts.get_derivatives <= 60);
        }
    }
}

// The setting that switches derivatives of inputs off.
static void nobody_asks_when_derivatives_are_switched_off(void **state)
{
    (void)state;
    test_problem_make(&problem, "lv", 'a');
    problem.derives = "right";
    test_measured m = test_problem_run(&problem, "tolerance=1e-4 input-derivatives=off");
    assert_int_equal(m.status, TAKT_OK);
    assert_int_equal(problem.models[0].counts.get_derivatives, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_points_and_a_derivative_determine_a_cubic),
        cmocka_unit_test(right_derivatives_save_calls),
        cmocka_unit_test(right_derivatives_do_no_harm),
        cmocka_unit_test(wrong_derivatives_change_nothing_and_are_soon_not_asked_for),
        cmocka_unit_test(nobody_asks_when_derivatives_are_switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
