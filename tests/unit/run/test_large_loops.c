// SPDX-License-Identifier: MIT
// Loops with so many torn values that no matrix is kept for them: rings in which every member reads both neighbours.
// They are linear, so that waves around the ring have exact solutions of their own.
#include <stdlib.h>

#include "run/auto.h"
#include "unit/run/models.h"

static test_coupling c;

enum { N_MOST = 1300, N_WAVES = 3 };
static const int waves[N_WAVES] = {1, 7, 40}; // around the ring

// ---- the ring --------------------------------------------------------------------------------------

// How strongly waves drive member i.
static double drive(int i, int n)
{
    double sum = 0;
    for (int m = 0; m < N_WAVES; m++) sum += cos(2 * M_PI * waves[m] * i / n) / (m + 1);
    return sum;
}

// Couples n models "Member" with inputs u1, u2, an output y, and a parameter c.
static void make_ring(test_model *models, int n, const char *settings)
{
    size_t size = 200 * (size_t)n + 1000;
    char *components = malloc(size), *connections = malloc(size), *all = malloc(size);
    char *p = components, *q = connections, *s = all;
    assert_non_null(p), assert_non_null(q), assert_non_null(s);
    s += sprintf(s, "%s record=m0.y record=m5.y", settings);
    for (int i = 0; i < n; i++) {
        p += sprintf(p, "%sm%d:Member", i ? " " : "", i);
        q +=
            sprintf(q, "%sm%d.y>m%d.u1 m%d.y>m%d.u2", i ? " " : "", i, (i + 1) % n, (i + 1) % n, i);
        s += sprintf(s, " set=m%d.c=%.17g", i, drive(i, n));
    }
    test_couple(&c, models, components, connections, all);
    free(components), free(connections), free(all);
}

// What members 0 and 5 should be, if wave m alone would be of this size.
static double sum_waves(int i, int n, const double *sizes)
{
    double sum = 0;
    for (int m = 0; m < N_WAVES; m++) sum += sizes[m] * cos(2 * M_PI * waves[m] * i / n) / (m + 1);
    return sum;
}

static int n_torn(void)
{
    int sum = 0;
    for (int b = 0; b < c.plan->n_blocks; b++) sum += c.plan->blocks[b].n_torn;
    return sum;
}

// ---- members with a state --------------------------------------------------------------------------

// y' = -a y + k (u1 + u2) + c sin(t), with the inputs held
static double a_state, k_state;
static const test_variable state_variables[] = {
    {"u1", TAKT_INPUT, .start = "0"},
    {"u2", TAKT_INPUT, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = ""},
    {"c", TAKT_PARAMETER, .start = "0"},
    {0},
};
static void state_output(test_instance *at)
{
    at->real[2] = at->state[0];
}
static double driven(double t) // solves y' = -a y + sin(t)
{
    return (a_state * sin(t) - cos(t)) / (1 + a_state * a_state);
}
static void state_step(test_instance *at, double t, double h)
{
    double held = k_state / a_state * (at->real[0] + at->real[1]), c_own = at->real[3];
    double rest = at->state[0] - held - c_own * driven(t);
    at->state[0] = rest * exp(-a_state * h) + held + c_own * driven(t + h);
}

// x' = lambda x + sin(t), x(0) = 0
static double mode(double lambda, double t)
{
    return (exp(lambda * t) - lambda * sin(t) - cos(t)) / (1 + lambda * lambda);
}

static double error_of_states(int n)
{
    double error = 0, largest = 0;
    for (int row = 0; row < c.n_rows; row++)
        for (int column = 0; column < 2; column++) {
            double sizes[N_WAVES], t = c.time[row];
            for (int m = 0; m < N_WAVES; m++)
                sizes[m] = mode(-a_state + 2 * k_state * cos(2 * M_PI * waves[m] / n), t);
            double exact = sum_waves(column ? 5 : 0, n, sizes);
            error = fmax(error, fabs(test_value(&c, column ? "m5.y" : "m0.y", row) - exact));
            largest = fmax(largest, fabs(exact));
        }
    return error / largest;
}

static void large_loops_keep_the_tolerance_whether_weak_or_strong(void **state)
{
    (void)state;
    static const double cases[][2] = {{1, 0.05}, {40, 18}, {40, -18}};
    for (int i = 0; i < 3; i++) {
        test_model models[] = {
            {"Member", state_variables, .output = state_output, .step = state_step, REWINDS}, {0}};
        int n = 240;
        a_state = cases[i][0], k_state = cases[i][1];
        make_ring(models, n, "stop-time=1 tolerance=1e-4 output-interval=0.05");
        assert_true(n_torn() > 100); // more than a matrix is kept for
        test_run_all(&c);
        assert_true(error_of_states(n) <= 10 * 1e-4);
        if (i > 0) assert_true(c.run->automatic->couple.loops[0].state->is_implicit);
        test_uncouple(&c);
    }
}

// ---- members without a state -----------------------------------------------------------------------

// y = k (u1 + u2) + c cos(t)
static const double k_function = 0.45;
static const test_variable function_variables[] = {
    {"u1", TAKT_INPUT, .start = "0"},
    {"u2", TAKT_INPUT, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = "u1 u2"},
    {"c", TAKT_PARAMETER, .start = "0"},
    {0},
};
static void function_output(test_instance *at)
{
    at->real[2] = k_function * (at->real[0] + at->real[1]) + at->real[3] * cos(at->time);
}

// More than 500 values that depend on each other at once; repetition alone would take 150 sweeps for five digits.
static void large_algebraic_loops_are_solved_without_a_matrix(void **state)
{
    (void)state;
    test_model models[] = {{"Member", function_variables, .output = function_output, REWINDS}, {0}};
    int n = N_MOST;
    make_ring(models, n, "stop-time=0.3 step-size=0.1");
    assert_true(n_torn() > 500);
    test_run_all(&c);
    assert_int_equal(c.run->counts.doubts[TAKT_DOUBT_UNCONVERGED].n, 0);
    for (int row = 1; row < c.n_rows; row++) {
        double sizes[N_WAVES];
        for (int m = 0; m < N_WAVES; m++)
            sizes[m] = cos(c.time[row]) / (1 - 2 * k_function * cos(2 * M_PI * waves[m] / n));
        assert_near(test_value(&c, "m0.y", row), sum_waves(0, n, sizes), 1e-4 * 10);
        assert_near(test_value(&c, "m5.y", row), sum_waves(5, n, sizes), 1e-4 * 10);
    }
    test_uncouple(&c);
}

// What is carried grows in proportion with members and torn values.
static void memory_of_large_loops_grows_linearly(void **state)
{
    (void)state;
    double sizes[2];
    for (int i = 0; i < 2; i++) {
        test_model models[] = {
            {"Member", state_variables, .output = state_output, .step = state_step, REWINDS}, {0}};
        int n = 600 << i;
        make_ring(models, n, "stop-time=1 tolerance=1e-4");
        assert_true(n_torn() > 100);
        sizes[i] = (double)takt_auto_memory(c.run).size / (n + n_torn());
        test_uncouple(&c);
    }
    assert_near(sizes[1], sizes[0], 0.3 * sizes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_loops_keep_the_tolerance_whether_weak_or_strong),
        cmocka_unit_test(large_algebraic_loops_are_solved_without_a_matrix),
        cmocka_unit_test(memory_of_large_loops_grows_linearly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
