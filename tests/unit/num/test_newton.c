// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "num/dense.h"
#include "num/newton.h"

static takt_solution solve(takt_fixed_point_fn g, int n, double *x, takt_status *st)
{
    double work[64];
    int pivots[8];
    assert_true(takt_newton_work(n) <= 64);
    takt_newton newton = {.n = n,
                          .relative = 1e-9,
                          .absolute = 1e-12,
                          .max_iterations = 50,
                          .work = work,
                          .pivots = pivots};
    takt_solution solution = TAKT_NOT_CONVERGED;
    *st = takt_newton_solve(&newton, g, NULL, x, &solution, NULL);
    return solution;
}

// x = 3 - 2x: repetition diverges.
static takt_status steep(void *context, const double *x, double *g, takt_error *err)
{
    (void)context, (void)err;
    g[0] = 3 - 2 * x[0];
    return TAKT_OK;
}

static void newton_solves_what_repetition_does_not(void **state)
{
    (void)state;
    double x = 100;
    takt_status st;
    assert_int_equal(solve(steep, 1, &x, &st), TAKT_SOLVED);
    assert_int_equal(st, TAKT_OK);
    assert_near(x, 1, 1e-9);
}

// x = c + cos(x) / 2
typedef struct moving {
    double c;
    int n_calls;
} moving;

static takt_status slow(void *context, const double *x, double *g, takt_error *err)
{
    (void)err;
    moving *problem = context;
    problem->n_calls++;
    g[0] = problem->c + cos(x[0]) / 2;
    return TAKT_OK;
}

static void a_problem_that_changed_a_little_is_solved_again_with_few_evaluations(void **state)
{
    (void)state;
    double work[16], x = 0;
    int pivots[1];
    moving problem = {.c = 1};
    takt_newton newton = {.n = 1,
                          .relative = 1e-9,
                          .absolute = 1e-12,
                          .max_iterations = 50,
                          .work = work,
                          .pivots = pivots};
    takt_solution solution;
    assert_int_equal(takt_newton_solve(&newton, slow, &problem, &x, &solution, NULL), TAKT_OK);
    assert_int_equal(solution, TAKT_SOLVED);
    bool is_solved;
    problem = (moving){.c = 1.001};
    assert_int_equal(takt_newton_solve_again(&newton, slow, &problem, &x, &is_solved, NULL),
                     TAKT_OK);
    assert_true(is_solved);
    assert_near(x, 1.001 + cos(x) / 2, 1e-9);
    assert_true(problem.n_calls <= 4);

    problem.c = NAN;
    assert_int_equal(takt_newton_solve_again(&newton, slow, &problem, &x, &is_solved, NULL),
                     TAKT_OK);
    assert_false(is_solved);
}

// x = 1 + 0.5 x, but for 1e-7 that depends on the last bits of x.
static takt_status noisy(void *context, const double *x, double *g, takt_error *err)
{
    (void)context, (void)err;
    g[0] = 1 + 0.5 * x[0] + 1e-7 * sin(1e15 * x[0]);
    return TAKT_OK;
}

static void noise_widens_the_tolerance_by_what_it_makes_of_x(void **state)
{
    (void)state;
    double work[16], x = 100, noise = 1e-7, uncertainty = 0;
    int pivots[1];
    takt_newton newton = {.n = 1,
                          .relative = 1e-12,
                          .absolute = 1e-12,
                          .max_iterations = 50,
                          .work = work,
                          .pivots = pivots,
                          .noise = &noise,
                          .uncertainty = &uncertainty};
    takt_solution solution;
    assert_int_equal(takt_newton_solve(&newton, noisy, NULL, &x, &solution, NULL), TAKT_OK);
    assert_int_equal(solution, TAKT_SOLVED);
    assert_near(x, 2, 6e-7);
    assert_near(uncertainty, 2e-7, 1e-8);
}

// x = 1 + k x with 1 - k = 1e-10: differences over short distances are noise.
static takt_status almost_singular(void *context, const double *x, double *g, takt_error *err)
{
    (void)context, (void)err;
    g[0] = 1 + (1 - 1e-10) * x[0];
    return TAKT_OK;
}

static void wide_differences_solve_what_is_almost_singular(void **state)
{
    (void)state;
    double work[16], x = 1, noise = 1e-16, uncertainty;
    int pivots[1];
    takt_newton newton = {.n = 1,
                          .relative = 1e-5,
                          .absolute = 1e-9,
                          .max_iterations = 50,
                          .work = work,
                          .pivots = pivots};
    takt_solution solution;
    assert_int_equal(takt_newton_solve(&newton, almost_singular, NULL, &x, &solution, NULL),
                     TAKT_OK);
    assert_int_equal(solution, TAKT_SINGULAR);
    newton.noise = &noise, newton.uncertainty = &uncertainty, newton.spread = 1e-2;
    x = 1;
    assert_int_equal(takt_newton_solve(&newton, almost_singular, NULL, &x, &solution, NULL),
                     TAKT_OK);
    assert_int_equal(solution, TAKT_SOLVED);
    assert_near(x, 1 / (1 - (1 - 1e-10)), 1e-5 * 1e10);
}

// x = 1 + x has no solution.
static takt_status impossible(void *context, const double *x, double *g, takt_error *err)
{
    (void)context, (void)err;
    g[0] = 1 + x[0];
    return TAKT_OK;
}

static void newton_recognizes_a_singular_system(void **state)
{
    (void)state;
    double x = 0;
    takt_status st;
    assert_int_equal(solve(impossible, 1, &x, &st), TAKT_SINGULAR);
}

// The same in two steps, x1 = -x2 and x2 = 1 - x1: one unknown starts at 0, the other one does not.
static takt_status impossible_pair(void *context, const double *x, double *g, takt_error *err)
{
    (void)context, (void)err;
    g[0] = -x[1];
    g[1] = 1 - x[0];
    return TAKT_OK;
}

static void newton_recognizes_a_singular_system_of_unknowns_of_different_size(void **state)
{
    (void)state;
    double x[2] = {0, 0};
    takt_status st;
    assert_int_equal(solve(impossible_pair, 2, x, &st), TAKT_SINGULAR);
}

// atan(x) = 0 written as x = x - 3 atan(x): undamped Newton diverges from 3.
static takt_status needs_damping(void *context, const double *x, double *g, takt_error *err)
{
    (void)context, (void)err;
    g[0] = x[0] - 3 * atan(x[0]);
    return TAKT_OK;
}

static void newton_is_damped(void **state)
{
    (void)state;
    double x = 3;
    takt_status st;
    assert_int_equal(solve(needs_damping, 1, &x, &st), TAKT_SOLVED);
    assert_near(x, 0, 1e-9);
}

static takt_status not_a_number(void *context, const double *x, double *g, takt_error *err)
{
    (void)context, (void)err;
    g[0] = x[0] > 0.5 ? NAN : x[0] + 1;
    return TAKT_OK;
}

static void newton_never_takes_nan_for_a_solution(void **state)
{
    (void)state;
    double x = 1;
    takt_status st;
    assert_int_not_equal(solve(not_a_number, 1, &x, &st), TAKT_SOLVED);
    x = 0;
    assert_int_not_equal(solve(not_a_number, 1, &x, &st), TAKT_SOLVED);
}

static takt_status fails(void *context, const double *x, double *g, takt_error *err)
{
    (void)context, (void)x, (void)g;
    return takt_fail(err, TAKT_ERR_SIMULATION, "no");
}

static void newton_passes_errors_on(void **state)
{
    (void)state;
    double x = 1;
    takt_status st;
    assert_int_not_equal(solve(fails, 1, &x, &st), TAKT_SOLVED);
    assert_int_equal(st, TAKT_ERR_SIMULATION);
}

static void lu_solves_with_pivoting(void **state)
{
    (void)state;
    double a[] = {0, 2, 1, 1, 1, 0, 3, 0, 1};
    double b[] = {7, 3, 6}; // x = 1, 2, 3
    double scales[6];
    int pivots[3];
    assert_true(takt_lu_decompose(3, a, pivots, scales, 1e-15));
    takt_lu_solve(3, a, pivots, b);
    for (int i = 0; i < 3; i++) assert_near(b[i], i + 1, 1e-14);
}

static void lu_refuses_singular_and_non_finite_matrices(void **state)
{
    (void)state;
    double singular[] = {1, 2, 2, 4}, infinite[] = {1, INFINITY, 0, 1}, zero[] = {0};
    double scales[4];
    int pivots[2];
    assert_false(takt_lu_decompose(2, singular, pivots, scales, 1e-15));
    assert_false(takt_lu_decompose(2, infinite, pivots, scales, 1e-15));
    assert_false(takt_lu_decompose(1, zero, pivots, scales, 1e-15));
}

// Force and displacement: elements of very different size, but far from singular. The second matrix
// is the same as a singular one in other units.
static void lu_judges_in_any_units(void **state)
{
    (void)state;
    double stiff[] = {1, -0.5e9, -1e-9, 1}, triangular[] = {1, -1e12, 0, 1};
    double singular[] = {1, -1e9, -1e-9, 1};
    double b[] = {0, 1}; // x = 1e9, 2
    double scales[4];
    int pivots[2];
    assert_true(takt_lu_decompose(2, stiff, pivots, scales, 1e-7));
    takt_lu_solve(2, stiff, pivots, b);
    assert_near(b[0], 1e9, 1e-3);
    assert_near(b[1], 2, 1e-12);
    assert_true(takt_lu_decompose(2, triangular, pivots, scales, 1e-7));
    assert_false(takt_lu_decompose(2, singular, pivots, scales, 1e-7));
}

static void terms_that_cancel_are_cleared(void **state)
{
    (void)state;
    double a[] = {3e-9, 5, 1e-12, -0.5};
    takt_clear_cancelled(2, a, 1e-8);
    assert_near(a[0], 0, 0);
    assert_near(a[2], 1e-12, 0);
    assert_near(a[3], -0.5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_solves_what_repetition_does_not),
        cmocka_unit_test(a_problem_that_changed_a_little_is_solved_again_with_few_evaluations),
        cmocka_unit_test(noise_widens_the_tolerance_by_what_it_makes_of_x),
        cmocka_unit_test(wide_differences_solve_what_is_almost_singular),
        cmocka_unit_test(newton_recognizes_a_singular_system),
        cmocka_unit_test(newton_recognizes_a_singular_system_of_unknowns_of_different_size),
        cmocka_unit_test(newton_is_damped),
        cmocka_unit_test(newton_never_takes_nan_for_a_solution),
        cmocka_unit_test(newton_passes_errors_on),
        cmocka_unit_test(lu_solves_with_pivoting),
        cmocka_unit_test(lu_refuses_singular_and_non_finite_matrices),
        cmocka_unit_test(lu_judges_in_any_units),
        cmocka_unit_test(terms_that_cancel_are_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
