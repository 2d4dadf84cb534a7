// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "num/secants.h"

enum { MAX_N = 8, ROOM = 10 };

// z = A z + b, and two more numbers that an evaluation delivers.
typedef struct problem {
    int n;
    double a[MAX_N][MAX_N], b[MAX_N];
    double noise;
    int n_evaluations;
} problem;

static uint32_t seed = 1;

static double draw(void) // from -1 to 1
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (double)(1u << 23) - 1;
}

static void make_problem(problem *p, int n, double gain)
{
    *p = (problem){.n = n};
    for (int i = 0; i < n; i++) {
        p->b[i] = draw();
        for (int k = 0; k < n; k++) p->a[i][k] = gain * draw();
    }
}

// The residual and all.
static void evaluate(problem *p, const double *z, double *r, double *all)
{
    p->n_evaluations++;
    all[0] = all[1] = 0;
    for (int i = 0; i < p->n; i++) {
        r[i] = p->b[i] - z[i];
        for (int k = 0; k < p->n; k++) r[i] += p->a[i][k] * z[k];
        r[i] *= 1 + p->noise * draw();
        all[0] += z[i];
        all[1] += 1e9 * z[i];
    }
}

typedef struct fixture {
    takt_secants secants;
    takt_secants_state state;
    double columns[ROOM * (1 + 2 * MAX_N + 2)], work[MAX_N * MAX_N * 2 + MAX_N];
    int picked[ROOM];
    double step[MAX_N], all[2], rest[MAX_N];
    takt_secants_result result;
} fixture;

static void init(fixture *f, int n)
{
    *f = (fixture){0};
    f->secants = (takt_secants){n, 2, ROOM, &f->state, f->columns, f->work, f->picked};
    f->result = (takt_secants_result){f->step, f->all, f->rest, 0, 0};
    assert_true(takt_secants_size(n, 2, ROOM) <= sizeof f->columns / sizeof *f->columns);
    assert_true(takt_secants_work(n, ROOM) <= sizeof f->work / sizeof *f->work);
}

static double size_of(int n, const double *r)
{
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(r[i]));
    return largest;
}

// Iterates from z until the residual is below `limit`; the number of evaluations. Components count in `units`.
static int solve(fixture *f, problem *p, const double *units, double *z, double limit, int most)
{
    double r[MAX_N], all[2], r_new[MAX_N], all_new[2], dz[MAX_N], dr[MAX_N], d_all[2];
    int n = p->n, before = p->n_evaluations;
    evaluate(p, z, r, all);
    while (size_of(n, r) > limit && p->n_evaluations - before < most) {
        takt_secants_solve(&f->secants, units, r, 1e-6, &f->result);
        for (int i = 0; i < n; i++) z[i] += dz[i] = f->step[i] + f->rest[i];
        evaluate(p, z, r_new, all_new);
        for (int i = 0; i < n; i++) dr[i] = r_new[i] - r[i];
        for (int i = 0; i < 2; i++) d_all[i] = all_new[i] - all[i];
        takt_secants_add(&f->secants, &(takt_secant){dz, dr, d_all});
        memcpy(r, r_new, sizeof r);
        memcpy(all, all_new, sizeof all);
    }
    return p->n_evaluations - before;
}

static const double ones[MAX_N] = {1, 1, 1, 1, 1, 1, 1, 1};

// One evaluation to begin with, one per direction, one at the solution.
static void linear_problems_of_any_gain_are_solved_after_one_secant_per_component(void **state)
{
    (void)state;
    const double gains[] = {0.1, 1, 30};
    for (int n = 1; n <= MAX_N; n++)
        for (int k = 0; k < 3; k++) {
            problem p;
            fixture f;
            double z[MAX_N] = {0};
            make_problem(&p, n, gains[k]);
            init(&f, n);
            assert_true(solve(&f, &p, ones, z, 1e-7, 100) <= n + 2);
        }
}

// The secants serve for another right-hand side; then nothing is missing any more.
static void kept_secants_solve_the_next_problem_at_once(void **state)
{
    (void)state;
    problem p;
    fixture f;
    double z[MAX_N] = {0};
    make_problem(&p, 4, 2);
    init(&f, 4);
    solve(&f, &p, ones, z, 1e-9, 100);
    takt_secants_begin(&f.secants, 6);
    for (int i = 0; i < 4; i++) p.b[i] = draw();
    assert_int_equal(solve(&f, &p, ones, z, 1e-9, 100), 2);
    assert_int_equal(f.result.rank, 4);
    assert_int_equal(f.result.n_own, 0);
    takt_secants_begin(&f.secants, 0); // only those of the new step, and there are none
    assert_int_equal(f.state.n_kept, 0);
}

static void all_that_evaluations_deliver_is_predicted(void **state)
{
    (void)state;
    problem p;
    fixture f;
    double z[MAX_N] = {0}, r[MAX_N], all[2], later[2];
    make_problem(&p, 3, 2);
    init(&f, 3);
    solve(&f, &p, ones, z, 1e-9, 100);
    for (int i = 0; i < 3; i++) z[i] += draw();
    evaluate(&p, z, r, all);
    takt_secants_solve(&f.secants, ones, r, 1e-6, &f.result);
    for (int i = 0; i < 3; i++) z[i] += f.step[i];
    evaluate(&p, z, r, later);
    for (int i = 0; i < 2; i++) assert_near((all[i] + f.all[i]) / later[i], 1, 1e-9);
}

// Components in units that differ by 1e9: the same problem, the same number of evaluations.
static void units_do_not_matter(void **state)
{
    (void)state;
    problem p;
    fixture f;
    double z[MAX_N] = {0}, units[MAX_N];
    make_problem(&p, 5, 2);
    for (int i = 0; i < 5; i++) units[i] = i % 2 ? 1e9 : 1;
    for (int i = 0; i < 5; i++) {
        p.b[i] *= units[i];
        for (int k = 0; k < 5; k++) p.a[i][k] *= units[i] / units[k];
    }
    init(&f, 5);
    assert_true(solve(&f, &p, units, z, 1e-4, 100) <= 5 + 2);
}

// Secants that say nothing new, or nothing at all, are left out; so a singular problem stays finite.
static void dependent_secants_are_left_out(void **state)
{
    (void)state;
    fixture f;
    init(&f, 2);
    double d[] = {1, 2}, again[] = {1 + 1e-9, 2}, none[] = {0, 0}, all[] = {1, 1}, r[] = {1, 1};
    takt_secants_add(&f.secants, &(takt_secant){d, none, all});
    takt_secants_add(&f.secants, &(takt_secant){again, again, all});
    takt_secants_add(&f.secants, &(takt_secant){d, d, all});
    takt_secants_solve(&f.secants, ones, r, 1e-6, &f.result);
    assert_int_equal(f.result.rank, 1);
    // (1, 1) along (1, 2): three fifths; the rest is at right angles to it.
    assert_near(f.step[0], -0.6, 1e-12);
    assert_near(f.step[1], -1.2, 1e-12);
    assert_near(f.rest[0] + 2 * f.rest[1], 0, 1e-12);
    assert_near(f.all[0], -0.6, 1e-12);
}

static void noise_limits_what_is_reached_but_not_more(void **state)
{
    (void)state;
    problem p;
    fixture f;
    double z[MAX_N] = {0};
    make_problem(&p, 3, 0.5);
    p.noise = 1e-3;
    init(&f, 3);
    assert_true(solve(&f, &p, ones, z, 1e-6, 100) <= 12);
}

static void the_oldest_secant_makes_room(void **state)
{
    (void)state;
    fixture f;
    init(&f, 1);
    for (int i = 0; i < ROOM + 3; i++) {
        double d = i, all[] = {i, i};
        takt_secants_add(&f.secants, &(takt_secant){&d, &d, all});
    }
    assert_int_equal(f.state.n_kept, ROOM);
    assert_near(takt_secants_get(&f.secants, 0).input[0], ROOM + 2, 0);
    assert_near(takt_secants_get(&f.secants, ROOM - 1).input[0], 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_problems_of_any_gain_are_solved_after_one_secant_per_component),
        cmocka_unit_test(kept_secants_solve_the_next_problem_at_once),
        cmocka_unit_test(all_that_evaluations_deliver_is_predicted),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(dependent_secants_are_left_out),
        cmocka_unit_test(noise_limits_what_is_reached_but_not_more),
        cmocka_unit_test(the_oldest_secant_makes_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
