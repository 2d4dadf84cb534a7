// SPDX-License-Identifier: MIT
// The last communication points.
#include "run/history.h"

#include "support/test.h"

enum { N_VALUES = 3 };

static takt_history *make(void)
{
    takt_history *history = calloc(1, takt_history_size(N_VALUES));
    assert_non_null(history);
    history->n_values = N_VALUES;
    return history;
}

static double cubic(double t)
{
    return ((0.5 * t - 1) * t + 2) * t - 3;
}

static void add(takt_history *history, double t)
{
    double y[N_VALUES] = {cubic(t), 5, t};
    takt_history_add(history, t, y);
}

static void points_are_numbered_from_the_latest(void **state)
{
    (void)state;
    takt_history *history = make();
    for (int i = 0; i < 4; i++) {
        add(history, i);
        assert_int_equal(history->n, i + 1);
        for (int j = 0; j <= i; j++) {
            assert_near(takt_history_time(history, j), i - j, 0);
            assert_near(takt_history_values(history, j)[2], i - j, 0);
        }
    }
    free(history);
}

static void the_oldest_point_is_lost(void **state)
{
    (void)state;
    takt_history *history = make();
    for (int i = 0; i < 20; i++) add(history, i);
    assert_int_equal(history->n, TAKT_MAX_POINTS);
    for (int j = 0; j < TAKT_MAX_POINTS; j++) {
        assert_near(takt_history_time(history, j), 19 - j, 0);
        assert_near(takt_history_values(history, j)[0], cubic(19 - j), 0);
    }
    free(history);
}

static void k_points_predict_polynomials_of_degree_k_minus_1(void **state)
{
    (void)state;
    takt_history *history = make();
    takt_ranges all = {.of = &(takt_range){0, N_VALUES}, .n = 1};
    double out[N_VALUES], t = 1e6; // far from zero: only differences of times count
    const double sizes[] = {0.1, 0.25, 0.07, 0.3, 0.2, 0.4, 0.11, 0.16};
    for (int i = 0; i < 8; i++) {
        double y[N_VALUES] = {cubic(t - 1e6), 5, t - 1e6};
        takt_history_add(history, t, y);
        t += sizes[i];
    }
    for (int k = 1; k < TAKT_MAX_POINTS; k++) {
        takt_history_predict(history, k, t, &all, out);
        assert_near(out[1], 5, 0); // what is constant stays so to the last bit
        if (k > 1) assert_near(out[2], t - 1e6, 1e-8);
        if (k > 3) assert_near(out[0], cubic(t - 1e6), 1e-6);
    }
    takt_history_predict(history, 1, t, &all, out);
    assert_near(out[0], takt_history_values(history, 0)[0], 0);
    free(history);
}

static void only_wanted_values_are_predicted(void **state)
{
    (void)state;
    takt_history *history = make();
    takt_range parts[] = {{0, 1}, {2, N_VALUES}};
    takt_ranges wanted = {.of = parts, .n = 2};
    double out[N_VALUES] = {9, 9, 9};
    add(history, 0);
    add(history, 1);
    takt_history_predict(history, 2, 3, &wanted, out);
    assert_near(out[1], 9, 0);
    assert_near(out[2], 3, 1e-15);
    free(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_numbered_from_the_latest),
        cmocka_unit_test(the_oldest_point_is_lost),
        cmocka_unit_test(k_points_predict_polynomials_of_degree_k_minus_1),
        cmocka_unit_test(only_wanted_values_are_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
