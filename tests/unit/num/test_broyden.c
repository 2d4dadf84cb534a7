// SPDX-License-Identifier: MIT
// Broyden's method on linear problems, whose matrix it learns exactly.
#include "num/broyden.h"

#include "support/test.h"

enum { N = 3 };

// G(w) = M w + v; far from a contraction.
static const double m[N][N] = {{-1.5, 0.7, 0.2}, {0.4, 1.9, -0.6}, {0.1, -0.8, -2.2}};
static const double v[N] = {1, -2, 3};

static void map(const double *w, double *g)
{
    for (int i = 0; i < N; i++) {
        g[i] = v[i];
        for (int j = 0; j < N; j++) g[i] += m[i][j] * w[j];
    }
}

static double residual(const double *w)
{
    double g[N], largest = 0;
    map(w, g);
    for (int i = 0; i < N; i++) largest = fmax(largest, fabs(g[i] - w[i]));
    return largest;
}

// One step from w; its change is learnt.
static bool go_on(double *inverse, double *w, const double *scale)
{
    double g[N], r[N], d[N], dg[N], room[2 * N];
    map(w, g);
    for (int i = 0; i < N; i++) r[i] = g[i] - w[i];
    takt_broyden_step(N, inverse, r, d);
    for (int i = 0; i < N; i++) w[i] += d[i];
    map(w, dg);
    for (int i = 0; i < N; i++) dg[i] -= g[i];
    return takt_broyden_learn(N, inverse, d, dg, scale, room);
}

// Broyden's method ends after 2 n steps on linear problems (Gay 1979).
static void a_linear_problem_is_solved_in_twice_its_size(void **state)
{
    (void)state;
    double inverse[N * N], w[N] = {0}, scale[N] = {1, 1, 1};
    takt_broyden_reset(N, inverse);
    for (int i = 0; i < 2 * N; i++) {
        assert_true(residual(w) > 1e-9);
        assert_true(go_on(inverse, w, scale));
    }
    assert_near(residual(w), 0, 1e-9);
}

static void directions_that_were_tried_one_by_one_give_the_matrix(void **state)
{
    (void)state;
    double inverse[N * N], w[N] = {5, 5, 5}, scale[N] = {1, 10, 0.1}, room[2 * N], g[N], r[N], d[N];
    takt_broyden_reset(N, inverse);
    for (int j = 0; j < N; j++) {
        double dw[N] = {0}, dg[N];
        dw[j] = 1e-3;
        for (int i = 0; i < N; i++) dg[i] = m[i][j] * 1e-3;
        assert_true(takt_broyden_learn(N, inverse, dw, dg, scale, room));
    }
    for (int i = 0; i < N; i++) // (I - M) B = I
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += ((i == k) - m[i][k]) * inverse[k * N + j];
            assert_near(sum, i == j, 1e-9);
        }
    map(w, g);
    for (int i = 0; i < N; i++) r[i] = g[i] - w[i];
    takt_broyden_step(N, inverse, r, d);
    for (int i = 0; i < N; i++) w[i] += d[i];
    assert_near(residual(w), 0, 1e-12);
}

// Units of the values do not matter where scales have them, too.
static void scales_make_units_irrelevant(void **state)
{
    (void)state;
    double plain[N * N], scaled[N * N], room[2 * N];
    double units[N] = {1, 1e6, 1e-4}, ones[N] = {1, 1, 1};
    double dw[N] = {0.3, -0.2, 0.5}, dg[N] = {0.1, 0.4, -0.7}, dw_scaled[N], dg_scaled[N];
    takt_broyden_reset(N, plain);
    takt_broyden_reset(N, scaled);
    for (int i = 0; i < N; i++) dw_scaled[i] = dw[i] * units[i], dg_scaled[i] = dg[i] * units[i];
    assert_true(takt_broyden_learn(N, plain, dw, dg, ones, room));
    assert_true(takt_broyden_learn(N, scaled, dw_scaled, dg_scaled, units, room));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert_near(scaled[i * N + j] * units[j] / units[i], plain[i * N + j], 1e-12);
    assert_near(takt_broyden_gain(N, scaled, units), takt_broyden_gain(N, plain, ones), 1e-9);
}

// dG = dw: I - dG/dw would be singular in this direction.
static void singular_secants_are_not_learnt(void **state)
{
    (void)state;
    double inverse[N * N], before[N * N], scale[N] = {1, 1, 1}, room[2 * N];
    double dw[N] = {0.3, -0.2, 0.5}, zero[N] = {0}, bad[N] = {NAN, 0, 0};
    takt_broyden_reset(N, inverse);
    memcpy(before, inverse, sizeof before);
    assert_false(takt_broyden_learn(N, inverse, dw, dw, scale, room));
    assert_false(takt_broyden_learn(N, inverse, zero, zero, scale, room));
    assert_false(takt_broyden_learn(N, inverse, dw, bad, scale, room));
    assert_memory_equal(inverse, before, sizeof before);
}

static void the_gain_is_the_norm_of_the_inverse(void **state)
{
    (void)state;
    double inverse[N * N], scale[N] = {1, 1, 1}, room[2 * N], dw[N] = {1}, dg[N] = {0.9};
    takt_broyden_reset(N, inverse);
    assert_near(takt_broyden_gain(N, inverse, scale), 1, 0);
    assert_true(takt_broyden_learn(N, inverse, dw, dg, scale, room));
    assert_near(takt_broyden_gain(N, inverse, scale), 10, 1e-9); // 1 / (1 - 0.9)
    dg[0] = -9;
    takt_broyden_reset(N, inverse);
    assert_true(takt_broyden_learn(N, inverse, dw, dg, scale, room));
    assert_near(takt_broyden_gain(N, inverse, scale), 1, 0); // at least
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_problem_is_solved_in_twice_its_size),
        cmocka_unit_test(directions_that_were_tried_one_by_one_give_the_matrix),
        cmocka_unit_test(scales_make_units_irrelevant),
        cmocka_unit_test(singular_secants_are_not_learnt),
        cmocka_unit_test(the_gain_is_the_norm_of_the_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
