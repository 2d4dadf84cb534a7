// SPDX-License-Identifier: MIT
// Estimates of an inverse by few secants, against those by a matrix.
#include "num/inverse.h"

#include "support/test.h"

enum { N = 12, ROOM = 8 };

static double noise(unsigned *seed) // from -1 to 1
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1u << 23) - 1;
}

// Changes of a linear G(w) = M w with entries below 1/2.
static void make_changes(int n_changes, double dw[][N], double dg[][N])
{
    unsigned seed = 7;
    double m[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) m[i][j] = 0.1 * noise(&seed);
    for (int k = 0; k < n_changes; k++) {
        for (int i = 0; i < N; i++) dw[k][i] = noise(&seed);
        for (int i = 0; i < N; i++) {
            dg[k][i] = 0;
            for (int j = 0; j < N; j++) dg[k][i] += m[i][j] * dw[k][j];
        }
    }
}

typedef struct pair {
    double dense_numbers[N * N], few_numbers[1 + 4 * ROOM * N];
    takt_inverse dense, few;
} pair;

static void begin(pair *both)
{
    both->dense = (takt_inverse){N, 0, both->dense_numbers};
    both->few = (takt_inverse){N, ROOM, both->few_numbers};
    assert_int_equal(takt_inverse_size(N, 0), N * N);
    assert_int_equal(takt_inverse_size(N, ROOM), 1 + 4 * ROOM * N);
    takt_inverse_reset(&both->dense);
    takt_inverse_reset(&both->few);
}

static void few_secants_are_the_same_as_a_matrix(void **state)
{
    (void)state;
    pair both;
    double dw[ROOM][N], dg[ROOM][N], scale[N], room[2 * N], r[N], a[N], b[N];
    begin(&both);
    make_changes(ROOM, dw, dg);
    for (int i = 0; i < N; i++) scale[i] = 1 + i, r[i] = i % 3 - 1;
    for (int k = 0; k < ROOM; k++) {
        assert_true(takt_inverse_learn(&both.dense, dw[k], dg[k], scale, room));
        assert_true(takt_inverse_learn(&both.few, dw[k], dg[k], scale, room));
        takt_inverse_step(&both.dense, r, a);
        takt_inverse_step(&both.few, r, b);
        for (int i = 0; i < N; i++) assert_near(b[i], a[i], 1e-12);
    }
    double norm = takt_inverse_gain(&both.dense, scale, room);
    double estimate = takt_inverse_gain(&both.few, scale, room);
    assert_true(estimate <= norm * (1 + 1e-12) && estimate >= 0.5 * norm);
}

// Secants that are kept hold: a change of w by dw is what B makes of dw - dg.
static void the_newest_secants_stay_when_room_ends(void **state)
{
    (void)state;
    enum { MANY = 5 * ROOM + 3 };
    pair both;
    static double dw[MANY][N], dg[MANY][N];
    double scale[N], room[2 * N], r[N], d[N];
    begin(&both);
    make_changes(MANY, dw, dg);
    for (int i = 0; i < N; i++) scale[i] = 1;
    for (int k = 0; k < MANY; k++) {
        assert_true(takt_inverse_learn(&both.few, dw[k], dg[k], scale, room));
        for (int i = 0; i < N; i++) r[i] = dw[k][i] - dg[k][i];
        takt_inverse_step(&both.few, r, d);
        for (int i = 0; i < N; i++) assert_near(d[i], dw[k][i], 1e-9);
    }
}

static void singular_changes_are_not_learnt(void **state)
{
    (void)state;
    pair both;
    double dw[1][N], dg[1][N], zero[N] = {0}, scale[N], room[2 * N], r[N], d[N];
    begin(&both);
    make_changes(1, dw, dg);
    for (int i = 0; i < N; i++) scale[i] = 1, r[i] = i;
    assert_false(takt_inverse_learn(&both.few, dw[0], dw[0], scale, room));
    assert_false(takt_inverse_learn(&both.few, zero, zero, scale, room));
    dg[0][3] = NAN;
    assert_false(takt_inverse_learn(&both.few, dw[0], dg[0], scale, room));
    takt_inverse_step(&both.few, r, d);
    assert_memory_equal(d, r, sizeof d);
    assert_near(takt_inverse_gain(&both.few, scale, room), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_secants_are_the_same_as_a_matrix),
        cmocka_unit_test(the_newest_secants_stay_when_room_ends),
        cmocka_unit_test(singular_changes_are_not_learnt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
