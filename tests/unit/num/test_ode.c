// SPDX-License-Identifier: MIT
#include "support/memory.h"
#include "support/test.h"

#include "num/ode.h"

typedef struct problem {
    int n_calls, n_steps;
    double forbidden; // derivatives refuse x[0] above this
    bool fails;
} problem;

// x'' = -x as two equations: x = cos t.
static takt_status oscillate(void *context, double t, const double *x, double *dx,
                             takt_ode_answer *answer, takt_error *err)
{
    problem *p = context;
    (void)t;
    p->n_calls++;
    if (p->fails) return takt_fail(err, TAKT_ERR_SIMULATION, "no derivatives");
    *answer = x[0] > p->forbidden ? TAKT_ODE_TOO_FAR : TAKT_ODE_FINE;
    dx[0] = x[1];
    dx[1] = -x[0];
    return TAKT_OK;
}

static takt_status position(void *context, double t, const double *x, double *g,
                            takt_ode_answer *answer, takt_error *err)
{
    (void)context, (void)t, (void)answer, (void)err;
    g[0] = x[0];
    return TAKT_OK;
}

static takt_status count_step(void *context, double t, const double *x, bool *stops,
                              takt_error *err)
{
    (void)t, (void)x, (void)err, (void)stops;
    ((problem *)context)->n_steps++;
    return TAKT_OK;
}

static const double tolerances[] = {1e-10, 1e-10};

static takt_ode *make(takt_ode_method method, problem *p, int n_roots, double h)
{
    takt_ode_problem about = {.n = 2,
                              .n_roots = n_roots,
                              .relative = 1e-9,
                              .absolute = tolerances,
                              .h_fixed = h,
                              .context = p,
                              .derivatives = oscillate,
                              .roots = position,
                              .step_done = count_step};
    takt_ode *ode = NULL;
    takt_error err = {0};
    if (takt_ode_create(method, &about, &ode, &err)) fail_msg("%s", err.message);
    const double start[] = {1, 0};
    if (takt_ode_restart(ode, 0, start, &err)) fail_msg("%s", err.message);
    return ode;
}

static double error_at_one(takt_ode_method method, double h)
{
    problem p = {.forbidden = INFINITY};
    takt_ode *ode = make(method, &p, 0, h);
    double t, x[2];
    takt_ode_end end;
    assert_int_equal(takt_ode_integrate(ode, 1, &t, x, &end, NULL), TAKT_OK);
    assert_int_equal(end, TAKT_ODE_REACHED);
    assert_true(t == 1);
    assert_true(p.n_steps > 0);
    takt_ode_destroy(ode);
    return fabs(x[0] - cos(1));
}

static void methods_have_their_order(void **state)
{
    (void)state;
    assert_true(error_at_one(TAKT_CVODE_BDF, 1) < 1e-6);
    assert_true(error_at_one(TAKT_CVODE_ADAMS, 1) < 1e-6);
    assert_near(error_at_one(TAKT_EULER, 0.01) / error_at_one(TAKT_EULER, 0.005), 2, 0.1);
    assert_near(error_at_one(TAKT_RK4, 0.1) / error_at_one(TAKT_RK4, 0.05), 16, 1.5);
}

static void roots_are_found_by_every_method(void **state)
{
    (void)state;
    for (int method = 0; method < TAKT_N_ODE_METHODS; method++) {
        problem p = {.forbidden = INFINITY};
        takt_ode *ode = make((takt_ode_method)method, &p, 1, 1e-4);
        double t, x[2];
        takt_ode_end end;
        assert_int_equal(takt_ode_integrate(ode, 10, &t, x, &end, NULL), TAKT_OK);
        assert_int_equal(end, TAKT_ODE_ROOT);
        assert_near(t, acos(0), method == TAKT_EULER ? 1e-3 : 1e-7);
        assert_near(x[0], 0, 1e-8);
        // It goes on from there to the next one.
        assert_int_equal(takt_ode_restart(ode, t, x, NULL), TAKT_OK);
        assert_int_equal(takt_ode_integrate(ode, 10, &t, x, &end, NULL), TAKT_OK);
        assert_int_equal(end, TAKT_ODE_ROOT);
        assert_near(t, 3 * acos(0), method == TAKT_EULER ? 3e-3 : 1e-6);
        takt_ode_destroy(ode);
    }
}

// x'' = -2: a ball that starts upwards with velocity v is back after v seconds.
static takt_status fall(void *context, double t, const double *x, double *dx,
                        takt_ode_answer *answer, takt_error *err)
{
    (void)context, (void)t, (void)answer, (void)err;
    dx[0] = x[1];
    dx[1] = -2;
    return TAKT_OK;
}

// 0 counts as negative, so a flight has two changes of sign, one of them at its beginning.
static takt_status height(void *context, double t, const double *x, double *g,
                          takt_ode_answer *answer, takt_error *err)
{
    (void)context, (void)t, (void)answer, (void)err;
    g[0] = x[0] == 0 ? -1e-100 : x[0];
    return TAKT_OK;
}

static void flights_shorter_than_the_first_step_are_seen(void **state)
{
    static const takt_ode_method methods[] = {TAKT_CVODE_BDF, TAKT_CVODE_ADAMS, TAKT_RK4};
    (void)state;
    const double coarse[] = {1e-5, 1e-5};
    for (int i = 0; i < 3; i++)
        for (double v = 1; v > 1e-9; v /= 7) {
            takt_ode_problem about = {.n = 2,
                                      .n_roots = 1,
                                      .relative = 1e-4,
                                      .absolute = coarse,
                                      .h_fixed = 0.1,
                                      .derivatives = fall,
                                      .roots = height};
            takt_ode *ode = NULL;
            takt_ode_end end;
            double t = 1, x[] = {0, v};
            assert_int_equal(takt_ode_create(methods[i], &about, &ode, NULL), TAKT_OK);
            for (int k = 0; k < 2; k++) {
                assert_int_equal(takt_ode_restart(ode, t, x, NULL), TAKT_OK);
                assert_int_equal(takt_ode_integrate(ode, 3, &t, x, &end, NULL), TAKT_OK);
                assert_int_equal(end, TAKT_ODE_ROOT);
                assert_true(k ? x[0] <= 0 : x[0] > 0);
                assert_near(t, k ? 1 + v : 1, 0.03 * v + 1e-12);
            }
            takt_ode_destroy(ode);
        }
}

// A ball that loses 10 % of its velocity with each bounce is at rest after a time; nobody may fall through the floor.
static void events_that_time_cannot_resolve_are_a_failure(void **state)
{
    (void)state;
    problem p = {.forbidden = INFINITY};
    takt_ode_problem about = {.n = 2,
                              .n_roots = 1,
                              .relative = 1e-6,
                              .absolute = tolerances,
                              .h_fixed = 0.1,
                              .context = &p,
                              .derivatives = fall,
                              .roots = height};
    takt_ode *ode = NULL;
    takt_error err = {0};
    takt_status st = TAKT_OK;
    double t = 1, x[] = {0, 1e-16};
    assert_int_equal(takt_ode_create(TAKT_CVODE_ADAMS, &about, &ode, NULL), TAKT_OK);
    for (int k = 0; k < 200 && !st; k++) {
        takt_ode_end end = TAKT_ODE_REACHED;
        assert_int_equal(takt_ode_restart(ode, t, x, NULL), TAKT_OK);
        st = takt_ode_integrate(ode, 3, &t, x, &end, &err);
        if (!st) assert_int_equal(end, TAKT_ODE_ROOT);
        x[0] = 0;
        x[1] = 0.9 * fabs(x[1]) < 1e-16 ? 0.9 * fabs(x[1]) : 1e-16;
    }
    assert_int_equal(st, TAKT_ERR_SIMULATION);
    assert_contains(err.message, "events follow each other faster than time can resolve");
    takt_ode_destroy(ode);
}

static void errors_of_the_equations_are_passed_on(void **state)
{
    (void)state;
    for (int method = 0; method < TAKT_N_ODE_METHODS; method++) {
        problem p = {.forbidden = INFINITY};
        takt_ode *ode = make((takt_ode_method)method, &p, 0, 0.1);
        p.fails = true;
        double t, x[2];
        takt_ode_end end;
        takt_error err = {0};
        assert_int_equal(takt_ode_integrate(ode, 10, &t, x, &end, &err), TAKT_ERR_SIMULATION);
        assert_string_equal(err.message, "no derivatives");
        takt_ode_destroy(ode);
    }
}

static void a_point_that_cannot_be_reached_is_a_failure_not_a_loop(void **state)
{
    (void)state;
    for (int method = 0; method < TAKT_N_ODE_METHODS; method++) {
        problem p = {.forbidden = INFINITY};
        takt_ode *ode = make((takt_ode_method)method, &p, 0, 0.1);
        p.forbidden = -2; // everywhere
        double t, x[2];
        takt_ode_end end;
        takt_error err = {0};
        assert_int_equal(takt_ode_integrate(ode, 10, &t, x, &end, &err), TAKT_ERR_SIMULATION);
        assert_contains(err.message, "t=0 s");
        takt_ode_destroy(ode);
    }
}

static takt_status clock_roots(void *context, double t, const double *x, double *g,
                               takt_ode_answer *answer, takt_error *err)
{
    (void)context, (void)x, (void)answer, (void)err;
    g[0] = t - 0.3;
    return TAKT_OK;
}

// Three reactions (Robertson 1966), whose time scales reach from 1e-4 s to 1e10 s.
static takt_status react(void *context, double t, const double *x, double *dx,
                         takt_ode_answer *answer, takt_error *err)
{
    (void)context, (void)t, (void)answer, (void)err;
    dx[2] = 3e7 * x[1] * x[1];
    dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    dx[1] = -dx[0] - dx[2];
    return TAKT_OK;
}

// A step is short compared to the time reached, not to the end that is far away.
static void first_steps_may_be_short_compared_to_the_end(void **state)
{
    (void)state;
    const double absolute[] = {1e-16, 1e-20, 1e-16};
    for (int i = 4; i <= 9; i++) {
        takt_ode_problem about = {
            .n = 3, .relative = pow(10, -i), .absolute = absolute, .derivatives = react};
        takt_ode *ode = NULL;
        takt_ode_end end;
        takt_error err = {0};
        double t, x[] = {1, 0, 0};
        assert_int_equal(takt_ode_create(TAKT_CVODE_BDF, &about, &ode, NULL), TAKT_OK);
        assert_int_equal(takt_ode_restart(ode, 0, x, NULL), TAKT_OK);
        if (takt_ode_integrate(ode, 4e10, &t, x, &end, &err)) fail_msg("%s", err.message);
        // By the Radau IIA method of order 5 in the logarithm of time, 500 to 2000 steps agree in 9 digits.
        assert_near(x[0], 5.2083451768e-08, 1e3 * about.relative * x[0]);
        assert_near(x[1], 2.0833381779e-13, 1e3 * about.relative * x[1]);
        assert_near(x[0] + x[1] + x[2], 1, 1e-6);
        takt_ode_destroy(ode);
    }
}

static void a_problem_without_states_has_roots_too(void **state)
{
    (void)state;
    takt_ode_problem about = {.n_roots = 1, .h_fixed = 1, .roots = clock_roots};
    takt_ode *ode = NULL;
    assert_int_equal(takt_ode_create(TAKT_CVODE_BDF, &about, &ode, NULL), TAKT_OK);
    assert_int_equal(takt_ode_restart(ode, 0, NULL, NULL), TAKT_OK);
    double t;
    takt_ode_end end;
    assert_int_equal(takt_ode_integrate(ode, 1, &t, NULL, &end, NULL), TAKT_OK);
    assert_int_equal(end, TAKT_ODE_ROOT);
    assert_near(t, 0.3, 1e-10);
    assert_true(t > 0.3);
    takt_ode_destroy(ode);
}

// The fifth allocation asks for all that SUNDIALS will need; it would not survive to get less.
static void sundials_is_only_begun_with_enough_memory(void **state)
{
    (void)state;
    const takt_ode_problem about = {.n = 2,
                                    .relative = 1e-9,
                                    .absolute = tolerances,
                                    .derivatives = oscillate,
                                    .step_done = count_step};
    for (int n = 1; n <= 5; n++) {
        takt_ode *ode = NULL;
        takt_error err = {0};
        test_memory_fail(n);
        takt_status st = takt_ode_create(TAKT_CVODE_BDF, &about, &ode, &err);
        assert_true(test_memory_has_failed());
        test_memory_fail(0);
        assert_int_equal(st, TAKT_ERR_MEMORY);
        assert_string_equal(err.message, "out of memory");
        assert_null(ode);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_have_their_order),
        cmocka_unit_test(roots_are_found_by_every_method),
        cmocka_unit_test(flights_shorter_than_the_first_step_are_seen),
        cmocka_unit_test(events_that_time_cannot_resolve_are_a_failure),
        cmocka_unit_test(errors_of_the_equations_are_passed_on),
        cmocka_unit_test(a_point_that_cannot_be_reached_is_a_failure_not_a_loop),
        cmocka_unit_test(first_steps_may_be_short_compared_to_the_end),
        cmocka_unit_test(a_problem_without_states_has_roots_too),
        cmocka_unit_test(sundials_is_only_begun_with_enough_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
