// SPDX-License-Identifier: MIT
// Polynomials through points, against closed forms.
#include "num/interpolation.h"

#include "support/test.h"

// Points as a history has them: unequal, the latest one 0, and the end of a step.
static const double points[] = {0, -0.3, -0.5, -1.1, -1.2, -2, 1};

// x^5 - 2 x^4 + 3 x^2 - x + 7
static const double quintic[] = {7, -1, 3, 0, -2, 1, 0};
static double value_of(double x)
{
    return ((((x - 2) * x) * x + 3) * x - 1) * x + 7;
}

static double integral_of(double x)
{
    return (((((x / 6 - 0.4) * x) * x + 1) * x - 0.5) * x + 7) * x;
}

static void weights_reproduce_polynomials_of_their_degree(void **state)
{
    (void)state;
    for (int n = 1; n <= TAKT_MAX_POINTS; n++)
        for (double at = -2.5; at < 2; at += 0.37) {
            double weights[TAKT_MAX_POINTS], sum = 0, power = 0;
            takt_interpolation_weights(n, points, at, weights);
            for (int j = 0; j < n; j++) {
                sum += weights[j];
                power += weights[j] * pow(points[j], n - 1);
            }
            assert_near(sum, 1, 1e-9);
            assert_near(power, pow(at, n - 1), 1e-9 * (1 + fabs(pow(at, n - 1))));
        }
}

static void weights_at_a_point_are_those_of_its_value(void **state)
{
    (void)state;
    for (int k = 0; k < TAKT_MAX_POINTS; k++) {
        double weights[TAKT_MAX_POINTS];
        takt_interpolation_weights(TAKT_MAX_POINTS, points, points[k], weights);
        for (int j = 0; j < TAKT_MAX_POINTS; j++) assert_near(weights[j], j == k, 0);
    }
}

static void two_points_make_a_line(void **state)
{
    (void)state;
    double x[] = {1, 3}, weights[2], matrix[4];
    takt_interpolation_weights(2, x, 4, weights);
    assert_near(weights[0], -0.5, 1e-15);
    assert_near(weights[1], 1.5, 1e-15);
    takt_interpolation_matrix(2, x, matrix); // c0 = (3 v0 - v1) / 2, c1 = (v1 - v0) / 2
    const double wanted[] = {1.5, -0.5, -0.5, 0.5};
    for (int i = 0; i < 4; i++) assert_near(matrix[i], wanted[i], 1e-15);
}

static void the_matrix_finds_coefficients(void **state)
{
    (void)state;
    for (int n = 6; n <= TAKT_MAX_POINTS; n++) {
        double matrix[TAKT_MAX_POINTS * TAKT_MAX_POINTS];
        takt_interpolation_matrix(n, points, matrix);
        for (int d = 0; d < n; d++) {
            double c = 0;
            for (int j = 0; j < n; j++) c += matrix[d * n + j] * value_of(points[j]);
            assert_near(c, quintic[d], 1e-9);
        }
    }
}

// A value at rest stays so to the last bit: a course begins where the instance is.
static void the_value_at_zero_is_exact(void **state)
{
    (void)state;
    double matrix[TAKT_MAX_POINTS * TAKT_MAX_POINTS];
    takt_interpolation_matrix(TAKT_MAX_POINTS, points, matrix);
    for (int j = 0; j < TAKT_MAX_POINTS; j++) assert_near(matrix[j], j == 0, 0);
}

static void values_and_means_are_those_of_the_polynomial(void **state)
{
    (void)state;
    for (double x = -1; x < 2; x += 0.31) {
        assert_near(takt_polynomial_value(6, quintic, x), value_of(x), 1e-12);
        double mean = (integral_of(x + 0.7) - integral_of(x)) / 0.7;
        assert_near(takt_polynomial_mean(6, quintic, x, x + 0.7), mean, 1e-12);
    }
    assert_near(takt_polynomial_mean(1, quintic, 0, 1), 7, 0);
    assert_near(takt_polynomial_value(1, quintic, 5), 7, 0);
}

static void a_shifted_polynomial_has_the_same_values(void **state)
{
    (void)state;
    double c[6];
    for (int d = 0; d < 6; d++) c[d] = quintic[d];
    takt_polynomial_shift(6, c, 0.4);
    for (double x = -1; x < 2; x += 0.31)
        assert_near(takt_polynomial_value(6, c, x - 0.4), value_of(x), 1e-12);
    takt_polynomial_shift(6, c, -0.4);
    for (int d = 0; d < 6; d++) assert_near(c[d], quintic[d], 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_reproduce_polynomials_of_their_degree),
        cmocka_unit_test(weights_at_a_point_are_those_of_its_value),
        cmocka_unit_test(two_points_make_a_line),
        cmocka_unit_test(the_matrix_finds_coefficients),
        cmocka_unit_test(the_value_at_zero_is_exact),
        cmocka_unit_test(values_and_means_are_those_of_the_polynomial),
        cmocka_unit_test(a_shifted_polynomial_has_the_same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
