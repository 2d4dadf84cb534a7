// SPDX-License-Identifier: MIT
// Different rates: slow instances make longer steps than others, by themselves or where the user says so, and the
// tolerance holds. References are exact (linear problems) or come from an integrator for the whole system.
#include <math.h>
#include <string.h>

#include "run/auto.h"
#include "run/snapshot.h"
#include "support/problems.h"
#include "unit/run/models.h"

static test_coupling c;
static test_problem problem;

static test_measured run_rates(int seed, char mode, double tolerance, const char *more)
{
    char name[20], settings[300];
    snprintf(name, sizeof name, "rate%d", seed);
    snprintf(settings, sizeof settings, "tolerance=%g %s", tolerance, more);
    test_problem_make(&problem, name, mode);
    test_measured m = test_problem_run(&problem, settings);
    if (m.status) print_error("%s (%c): %s\n", name, mode, m.message);
    assert_int_equal(m.status, TAKT_OK);
    return m;
}

// ---- by themselves -----------------------------------------------------------------------------------

// Parts 2 and 3 are a hundred times slower than 0 and 1.
static void slow_instances_need_a_fifth_of_the_steps(void **state)
{
    (void)state;
    static const int seeds[] = {2, 5};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        for (const char *mode = "abm"; *mode; mode++) {
            test_measured same =
                run_rates(seeds[i], *mode, 1e-4, "output-interval=0 same-steps=true");
            test_measured now = run_rates(seeds[i], *mode, 1e-4, "output-interval=0");
            assert_true(now.error <= 10 * 1e-4);
            assert_int_equal(now.n_doubts, 0);
            for (int p = 0; p < 4; p++) {
                double part = (double)now.calls_of[p] / (double)same.calls_of[p];
                bool holds = part <= (p < 2 ? 1.2 : 0.2);
                if (!holds)
                    print_error("rate%d (%c), part %d: %g of the steps\n", seeds[i], *mode, p,
                                part);
                assert_true(holds);
            }
        }
}

// Also where the coupling is so strong that an instance is slow only now and then, or never.
static void errors_stay_within_the_tolerance(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-3, 1e-4, 1e-5};
    for (int seed = 1; seed <= 4; seed++)
        for (int k = 0; k < 3; k++) {
            char mode = "abm"[(seed + k) % 3];
            test_measured same =
                run_rates(seed, mode, tolerances[k], "output-interval=0 same-steps=true");
            test_measured now = run_rates(seed, mode, tolerances[k], "output-interval=0");
            bool holds = now.error <= fmax(10 * tolerances[k], 1.1 * same.error) &&
                         (double)now.calls_of[0] <= 1.2 * (double)same.calls_of[0] &&
                         (double)now.calls_of[1] <= 1.2 * (double)same.calls_of[1];
            if (!holds)
                print_error("rate%d (%c) at %g: error %g (%g), calls %lld (%lld)\n", seed, mode,
                            tolerances[k], now.error / tolerances[k], same.error / tolerances[k],
                            (long long)now.calls_of[0], (long long)same.calls_of[0]);
            assert_true(holds);
        }
}

// Rows within windows belong to all instances.
static void rows_within_windows_keep_the_tolerance(void **state)
{
    (void)state;
    static const char *const rows[] = {"output-interval=0.0137",
                                       "output-interval=0.1 output-grid=exact",
                                       "output-interval=0.05 output-grid=next"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_measured m = run_rates(3, i % 2 ? 'b' : 'a', 1e-4, rows[i]);
        assert_true(m.error <= 10 * 1e-4);
        assert_true(m.calls_of[2] < m.calls_of[0] / 4);
    }
}

static void instances_that_cannot_be_rewound_keep_all_together(void **state)
{
    (void)state;
    test_problem_make(&problem, "rate3", 'a');
    problem.cannot_rewind = true;
    test_measured m = test_problem_run(&problem, "tolerance=1e-4 output-interval=0");
    assert_int_equal(m.status, TAKT_OK);
    for (int p = 1; p < 4; p++) assert_int_equal(m.calls_of[p], m.calls_of[0]);
}

// ---- sizes that the user gives -----------------------------------------------------------------------

static void given_sizes_are_kept_where_the_error_allows_it(void **state)
{
    (void)state;
    static const double sizes[] = {0.2, 0.25, 0.3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char more[100];
        snprintf(more, sizeof more, "output-interval=0 step-size-of=p2=%g step-size-of=p3=%g",
                 sizes[i], sizes[i]);
        test_measured m = run_rates(3, 'a', 1e-4, more);
        double n = problem.stop / sizes[i]; // the stop time is no multiple
        assert_true(m.error <= 10 * 1e-4);
        assert_true((double)m.calls_of[2] >= floor(n) && (double)m.calls_of[2] <= 1.4 * n + 60);
        assert_int_equal(m.n_doubts, 0);
    }
}

// Steps of a component end at multiples of its size, and so do those of all others then.
static double grid_size;
static int n_off_grid, n_long;
static void (*step_before)(test_instance *at, double t, double h);
static void check_step(test_instance *at, double t, double h)
{
    double n = (t + h) / grid_size;
    bool is_last = t + h > problem.stop - 1e-9;
    if (!is_last && h > 0.55 * grid_size && fabs(n - round(n)) > 1e-9 * n) n_off_grid++;
    n_long += h > 0.9 * grid_size;
    step_before(at, t, h);
}

static void long_steps_end_on_the_grid_of_the_component(void **state)
{
    (void)state;
    test_problem_make(&problem, "rate8", 'a');
    grid_size = 0.25;
    n_off_grid = n_long = 0;
    problem.watch = check_step;
    problem.watched = 2;
    problem.unwatched = &step_before;
    test_measured m = test_problem_run(
        &problem, "tolerance=1e-4 output-interval=0 step-size-of=p2=0.25 step-size-of=p3=0.25");
    assert_int_equal(m.status, TAKT_OK);
    assert_int_equal(n_off_grid, 0);
    assert_true(n_long > 50);
}

// A size that is too long for the tolerance is not taken.
static void sizes_that_are_too_long_do_no_harm(void **state)
{
    (void)state;
    static const struct {
        const char *name, *settings;
    } cases[] = {{"lv", "step-size-of=p1=3"},        {"mass_fx", "step-size-of=p1=1"},
                 {"mass_xx", "step-size-of=p*=0.5"}, {"thermal", "step-size-of=p0=1"},
                 {"loop", "step-size-of=p1=0.5"},    {"hysteresis", "step-size-of=p0=0.5"},
                 {"rate2", "step-size-of=p0=0.5"},   {"rate2", "step-size-of=p*=2"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (const char *mode = "ab"; *mode; mode++) {
            char settings[200];
            snprintf(settings, sizeof settings, "tolerance=1e-4 output-interval=0 %s",
                     cases[i].settings);
            test_problem_make(&problem, cases[i].name, *mode);
            test_measured m = test_problem_run(&problem, settings);
            if (m.status || m.error > 10 * 1e-4)
                print_error("%s (%c) %s: %g\n", cases[i].name, *mode, m.message, m.error / 1e-4);
            assert_int_equal(m.status, TAKT_OK);
            assert_true(m.error <= 10 * 1e-4);
        }
}

// ---- jumps -------------------------------------------------------------------------------------------

// A fast pair a' = -W b, b' = W a; a fast lag y' = 5 (z + a + p - y); p jumps at T_FAST; a slow lag z' = (0.0001 a + 2 p + s - z) / 20 whose
// s jumps at T_SLOW, where its output jumps, too.
#define W 8.0
enum { STOP = 60 };
static double t_fast, t_slow;

static const test_variable one_input[] = {{"u", TAKT_INPUT, .start = "0"},
                                          {"y", TAKT_OUTPUT, .depends = ""},
                                          {"k", TAKT_PARAMETER, .start = "1"},
                                          {"y0", TAKT_PARAMETER, .start = "0"},
                                          {0}};
static void turn_init(test_instance *at)
{
    at->state[0] = at->real[3];
}
static void turn_output(test_instance *at)
{
    at->real[1] = at->state[0];
}
static void turn_step(test_instance *at, double t, double h) // Boole's rule, exact up to degree 5
{
    static const double weights[] = {7, 32, 12, 32, 7};
    double sum = 0;
    for (int i = 0; i < 5; i++) sum += weights[i] * test_input_at(at, 0, t + i * h / 4);
    at->state[0] += at->real[2] * h / 90 * sum;
}

static const test_variable kick_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void kick_output(test_instance *at)
{
    at->real[0] = at->time >= t_fast ? 1 : 0;
}

// x' = (u_1 g_1 + u_2 g_2 + u_3 g_3 + drive - x) rate, by small steps of Runge and Kutta.
static void lag_step(test_instance *at, double t, double h, const double *gains, double rate,
                     double t_jump)
{
    int n = 4 + (int)(40 * h);
    for (int i = 0; i < n; i++) {
        double dt = h / n, from = t + i * dt, k[4], *x = &at->state[0];
        double drive = from + dt / 2 >= t_jump ? 1.5 : 0.5;
        for (int s = 0; s < 4; s++) {
            double part = s == 0 ? 0 : s == 3 ? 1 : 0.5, u = 0;
            for (int j = 0; j < 3; j++)
                if (gains[j] != 0) u += gains[j] * test_input_at(at, j, from + part * dt);
            k[s] = rate *
                   (u + (t_jump < INFINITY ? drive : 0) - (*x + (s ? part * dt * k[s - 1] : 0)));
        }
        *x += dt / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
    }
}

static const test_variable lag_variables[] = {{"u1", TAKT_INPUT, .start = "0"},
                                              {"u2", TAKT_INPUT, .start = "0"},
                                              {"u3", TAKT_INPUT, .start = "0"},
                                              {"y", TAKT_OUTPUT, .depends = ""},
                                              {0}};
static void fast_step(test_instance *at, double t, double h)
{
    static const double gains[] = {1, 1, 1};
    lag_step(at, t, h, gains, 5, INFINITY);
}
static void fast_output(test_instance *at)
{
    at->real[3] = at->state[0];
}
static void slow_step(test_instance *at, double t, double h)
{
    static const double gains[] = {0.0001, 2, 0};
    lag_step(at, t, h, gains, 0.05, t_slow);
}
static void slow_output(test_instance *at)
{
    at->real[3] = at->state[0] + (at->time >= t_slow ? 0.5 : 0);
}

// clang-format off
#define FOLLOWS .can = {.rewind = true, .variable_step = true, .interpolate_inputs = true}
static test_model jump_models[] = {
    {"Turn", one_input, .init = turn_init, .output = turn_output, .step = turn_step, FOLLOWS},
    {"Kick", kick_variables, .output = kick_output, FOLLOWS},
    {"Fast", lag_variables, .output = fast_output, .step = fast_step, FOLLOWS},
    {"Slow", lag_variables, .output = slow_output, .step = slow_step, FOLLOWS},
    {0}};
// clang-format on

static void couple_jumps(const char *settings)
{
    char all[300];
    snprintf(all, sizeof all, "stop-time=%d set=a.k=-%g set=b.k=%g set=a.y0=1 %s", STOP, W, W,
             settings);
    for (int i = 0; i < 4; i++) jump_models[i].counts = (test_counts){0};
    test_couple(&c, jump_models, "a:Turn b:Turn p:Kick f:Fast z:Slow",
                "b.y>a.u a.y>b.u z.y>f.u1 a.y>f.u2 p.y>f.u3 a.y>z.u1 p.y>z.u2", all);
}

// z and y of the whole system up to time t, which only grows.
static void go_on(double *now, double *x, double t)
{
    while (*now < t - 1e-9) {
        double h = fmin(1e-3, t - *now), k[4][2];
        if (*now < t_fast - 1e-9) h = fmin(h, t_fast - *now);
        if (*now < t_slow - 1e-9) h = fmin(h, t_slow - *now);
        double p = *now + h / 2 >= t_fast, s = *now + h / 2 >= t_slow ? 1 : 0;
        for (int i = 0; i < 4; i++) {
            double part = i == 0 ? 0 : i == 3 ? 1 : 0.5, a = cos(W * (*now + part * h));
            double z = x[0] + (i ? part * h * k[i - 1][0] : 0);
            double y = x[1] + (i ? part * h * k[i - 1][1] : 0);
            k[i][0] = 0.05 * (0.0001 * a + 2 * p + 0.5 + s - z);
            k[i][1] = 5 * (z + 0.5 * s + a + p - y);
        }
        for (int i = 0; i < 2; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        *now += h;
    }
}

// The largest error of the rows, but for those at jumps.
static double jump_error(void)
{
    double now = 0, x[2] = {0, 0}, error = 0;
    for (int i = 0; i < c.n_rows; i++) {
        go_on(&now, x, c.time[i]);
        if (fabs(c.time[i] - t_fast) < 0.02 || fabs(c.time[i] - t_slow) < 0.02) continue;
        double z = x[0] + (c.time[i] >= t_slow ? 0.5 : 0);
        error = fmax(error, fabs(test_value(&c, "a.y", i) - cos(W * c.time[i])));
        error = fmax(error, fabs(test_value(&c, "z.y", i) - z) / 3);
        error = fmax(error, fabs(test_value(&c, "f.y", i) - x[1]) / 3);
    }
    return error;
}

static void jumps_of_fast_and_slow_instances_are_found(void **state)
{
    (void)state;
    static const double times[][2] = {{17.3, 41.7}, {30.01, 12.5}, {25, 25.2}};
    static const char *const more[] = {"", "step-size-of=z=0.4", "event-time=17.3 event-time=12.5",
                                       "output-grid=exact"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            char settings[100];
            t_fast = times[i][0];
            t_slow = times[i][1];
            snprintf(settings, sizeof settings, "tolerance=1e-4 output-interval=0.1 %s", more[k]);
            couple_jumps(settings);
            test_run_all(&c);
            double error = jump_error() / 1e-4;
            if (error > 10 || 3 * jump_models[3].counts.step > jump_models[2].counts.step)
                print_error("jumps at %g, %g s, %s: error %g, steps %d, %d\n", t_fast, t_slow,
                            more[k], error, jump_models[2].counts.step, jump_models[3].counts.step);
            assert_true(error <= 10);
            assert_true(3 * jump_models[3].counts.step <= jump_models[2].counts.step);
            test_uncouple(&c);
        }
}

// ---- the run as a whole ------------------------------------------------------------------------------

static void a_restored_snapshot_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    takt_snapshot *snapshot = NULL;
    takt_progress progress = TAKT_RUNNING;
    double first = 0, y[TEST_MAX_COLUMNS];
    t_fast = 40.1, t_slow = 30.3;
    couple_jumps("tolerance=1e-4 output-interval=0.1");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    while (takt_run_time(c.run) < 20)
        assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
    assert_true(c.run->automatic->rate.state->is_on);
    assert_int_equal(takt_snapshot_take(c.run, &snapshot, &c.err), TAKT_OK);
    for (int k = 0; k < 2; k++) {
        while (progress == TAKT_RUNNING)
            assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
        for (int i = 0; i < c.plan->n_columns; i++) {
            if (k == 0) y[i] = takt_run_value(c.run, i);
            assert_true(y[i] == takt_run_value(c.run, i));
        }
        if (k == 0) first = (double)c.run->state.n_events;
        assert_true(first == (double)c.run->state.n_events);
        assert_int_equal(takt_snapshot_restore(c.run, snapshot, &c.err), TAKT_OK);
        progress = c.run->state.progress;
    }
    takt_snapshot_destroy(snapshot);
    test_uncouple(&c);
}

static void the_same_steps_can_be_asked_for(void **state)
{
    (void)state;
    test_measured m = run_rates(3, 'a', 1e-4, "output-interval=0 same-steps=true");
    for (int p = 1; p < 4; p++) assert_int_equal(m.calls_of[p], m.calls_of[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_instances_need_a_fifth_of_the_steps),
        cmocka_unit_test(errors_stay_within_the_tolerance),
        cmocka_unit_test(rows_within_windows_keep_the_tolerance),
        cmocka_unit_test(instances_that_cannot_be_rewound_keep_all_together),
        cmocka_unit_test(given_sizes_are_kept_where_the_error_allows_it),
        cmocka_unit_test(long_steps_end_on_the_grid_of_the_component),
        cmocka_unit_test(sizes_that_are_too_long_do_no_harm),
        cmocka_unit_test(jumps_of_fast_and_slow_instances_are_found),
        cmocka_unit_test(a_restored_snapshot_goes_on_with_the_same_bits),
        cmocka_unit_test(the_same_steps_can_be_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
