// SPDX-License-Identifier: MIT
// Loops whose gain is almost 1, always or for a moment during the run: a small residual then hides a large error. Results are
// right, or it is said that they are not, by the name of the loop.
#include "unit/run/models.h"

enum { N_SYSTEMS = 60 };

static test_coupling c;

static struct {
    double k, g; // gains of both members
    double base, swing, rate; // of what the first one adds
    double t_near; // s; when the gain is closest to 1
    double bend; // how fast it goes away from there, 1/s^2
} p;

static const test_variable adder_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static double gain_at(double t)
{
    return p.k * (1 - p.bend * (t - p.t_near) * (t - p.t_near));
}
static double added_at(double t)
{
    return p.base + p.swing * sin(p.rate * t);
}
static void adder_output(test_instance *at)
{
    at->real[1] = gain_at(at->time) * at->real[0] + added_at(at->time);
}
static void scaler_output(test_instance *at)
{
    at->real[1] = p.g * at->real[0];
}

static test_model models[] = {{"Adder", adder_variables, .output = adder_output, REWINDS},
                              {"Scaler", adder_variables, .output = scaler_output, REWINDS},
                              {0}};

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

// 1 minus the gain is from 1e-15 to 1e-2.
static void draw(int i, bool is_bent)
{
    uint64_t seed = 4711 + (uint64_t)i;
    for (int k = 0; k < 5; k++) uniform(&seed);
    double off = pow(10, -15 + 13 * uniform(&seed));
    p.g = 0.1 + 3 * uniform(&seed);
    p.k = (1 - off) / p.g;
    p.base = 1 + uniform(&seed);
    p.swing = 0.5 * uniform(&seed);
    p.rate = 0.3 + 2 * uniform(&seed);
    p.t_near = 0.3 + 0.5 * uniform(&seed);
    p.bend = is_bent ? 0.5 + uniform(&seed) : 0;
}

static double right_at(double t, double *rest)
{
    *rest = (double)(1 - (long double)gain_at(t) * p.g);
    return added_at(t) / *rest;
}

// The largest of all rows, in units of 1e-3 and what rounding of gain and values allows. To a tolerance errors are relative to
// the largest value that there was.
static double error_of_run(bool is_tolerance)
{
    double largest = 0, scale = 0, rest;
    for (int i = 0; i < c.n_rows; i++) {
        double right = right_at(c.time[i], &rest);
        if (!is_tolerance) scale = 0;
        scale = fmax(scale, fabs(right));
        if (is_tolerance && c.time[i] >= p.t_near)
            scale = fmax(scale, fabs(right_at(p.t_near, &(double){0})));
        double error = fabs(test_value(&c, "a.y", i) - right) / scale;
        largest = fmax(largest, error / (1e-3 + 1e-15 / fabs(rest)));
    }
    return largest;
}

static bool is_told(void)
{
    bool is_named = strstr(c.err.message, "'a'") || strstr(c.err.message, "a.y") ||
                    strstr(c.err.message, "'s'") || strstr(c.err.message, "s.y");
    if (c.status && !is_named) fail_msg("does not name the loop: %s", c.err.message);
    return c.status || test_count_doubts(&c) > 0;
}

static void try_all(const char *settings, bool is_bent)
{
    int n_wrong = 0, n_right = 0;
    for (int i = 0; i < N_SYSTEMS; i++) {
        draw(i, is_bent);
        test_try_couple(&c, models, "a:Adder s:Scaler", "a.y>s.u s.y>a.u", settings);
        if (!c.status) test_try_run_all(&c);
        double error = c.status ? INFINITY : error_of_run(strstr(settings, "tolerance"));
        bool is_silent = !is_told();
        n_right += error <= 1;
        n_wrong += is_silent && error > 1;
        if (is_silent && error > 1)
            print_message("%s, system %d: error %g, 1 - gain = %g\n", settings, i, error,
                          1 - p.k * p.g);
        test_uncouple(&c);
    }
    print_message("%s%s: %d right, %d silently wrong of %d\n", settings, is_bent ? ", bent" : "",
                  n_right, n_wrong, N_SYSTEMS);
    assert_int_equal(n_wrong, 0);
    assert_true(n_right >= (is_bent ? N_SYSTEMS / 2 : N_SYSTEMS / 3));
}

static const char *const settings[] = {"stop-time=1 step-size=0.01", "stop-time=1 tolerance=1e-4",
                                       "stop-time=1 step-size=0.01 algorithm=quasi-newton",
                                       "stop-time=1 step-size=0.01 algorithm=newton",
                                       "stop-time=1 step-size=0.01 algorithm=anderson"};

static void loops_with_a_gain_of_almost_1_are_right_or_told(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) try_all(settings[i], false);
}

static void loops_that_come_near_a_gain_of_1_are_right_or_told(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) try_all(settings[i], true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_with_a_gain_of_almost_1_are_right_or_told),
        cmocka_unit_test(loops_that_come_near_a_gain_of_1_are_right_or_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
