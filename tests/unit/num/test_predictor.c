// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "num/predictor.h"

enum { N = 2 };

static takt_predictor_state kept;
static double values[TAKT_PREDICTOR_POINTS * N], work[N];
static takt_predictor predictor = {N, &kept, values, work};
static const double units[N] = {1, 1};

// Adds the points of a polynomial of the given order, at unequal distances; returns the time of the next one.
static double add_points(int order, int n)
{
    double t = 0;
    takt_predictor_clear(&predictor);
    for (int i = 0; i < n; i++, t += 0.1 + 0.05 * (i % 3)) {
        double x[N] = {3 + pow(t, order), 2 - pow(t, order)};
        takt_predictor_add(&predictor, t, x, units);
    }
    return t;
}

static void polynomials_are_predicted_exactly(void **state)
{
    (void)state;
    for (int order = 0; order < TAKT_PREDICTOR_POINTS; order++) {
        double t = add_points(order, 9), x[N];
        takt_predictor_predict(&predictor, t, x);
        assert_near(x[0], 3 + pow(t, order), 1e-11);
        assert_near(x[1], 2 - pow(t, order), 1e-11);
    }
}

static void the_order_is_what_would_have_predicted_best(void **state)
{
    (void)state;
    add_points(2, 9);
    assert_int_equal(kept.order >= 2, 1);
    double t = 5;
    for (int i = 0; i < 6;
         i++, t += 0.1) { // to and fro: nothing predicts better than the last value
        double x[N] = {i % 2, 0};
        takt_predictor_add(&predictor, t, x, units);
    }
    assert_int_equal(kept.order, 0);
}

static void two_points_make_a_line(void **state)
{
    (void)state;
    double t = add_points(1, 2), x[N];
    takt_predictor_predict(&predictor, t, x);
    assert_near(x[0], 3 + t, 1e-12);
}

static void values_that_changed_or_another_time_are_no_continuation(void **state)
{
    (void)state;
    double x[N] = {1, 2};
    takt_predictor_clear(&predictor);
    assert_false(takt_predictor_continues(&predictor, 1, 0.1, x));
    takt_predictor_add(&predictor, 1, x, units);
    assert_true(takt_predictor_continues(&predictor, 1, 0.1, x));
    assert_false(takt_predictor_continues(&predictor, 1.1, 0.1, x));
    x[1] = 2 + 1e-15;
    assert_false(takt_predictor_continues(&predictor, 1, 0.1, x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_are_predicted_exactly),
        cmocka_unit_test(the_order_is_what_would_have_predicted_best),
        cmocka_unit_test(two_points_make_a_line),
        cmocka_unit_test(values_that_changed_or_another_time_are_no_continuation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
