// SPDX-License-Identifier: MIT
// Discrete values in loops that depend on themselves at once: they are held while the real ones are solved, and what never
// rests is named with its values.
#include "unit/run/models.h"

static test_coupling c;

// on = x > limit, delivered as a Boolean and as a discrete real.
static const test_variable relay_variables[] = {
    {"x", TAKT_INPUT, .start = "0"},
    {"limit", TAKT_PARAMETER, .start = "0.5"},
    {"on", TAKT_OUTPUT, .type = TAKT_BOOLEAN, .depends = "x"},
    {"level", TAKT_OUTPUT, .depends = "x", .is_discrete = true},
    {0},
};

static void relay_output(test_instance *at)
{
    at->integer[2] = at->real[0] > at->real[1];
    at->real[3] = (double)at->integer[2];
}

static const test_variable plant_variables[] = {
    {"on", TAKT_INPUT, .type = TAKT_BOOLEAN, .start = "0"},
    {"level", TAKT_INPUT, .start = "0", .is_discrete = true},
    {"u", TAKT_INPUT, .start = "0"},
    {"effect", TAKT_PARAMETER, .start = "2"},
    {"x", TAKT_OUTPUT, .depends = "on level u"},
    {0},
};

// Crosses 0.5 with time; switched on it goes up or down by `effect`.
static void plant_output(test_instance *at)
{
    double on = (double)at->integer[0] + at->real[1];
    at->real[4] = at->time + 0.5 * at->real[2] + at->real[3] * on;
}

// y = 0.8 x
static const test_variable return_variables[] = {
    {"x", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "x"}, {0}};
static void return_output(test_instance *at)
{
    at->real[1] = 0.8 * at->real[0];
}

static test_model models[] = {
    {"Relay", relay_variables, .output = relay_output, REWINDS},
    {"Plant", plant_variables, .output = plant_output, REWINDS},
    {"Return", return_variables, .output = return_output, REWINDS},
    {0},
};

static void run(const char *connection, const char *settings)
{
    char connections[200];
    snprintf(connections, sizeof connections, "p.x>r.x p.x>b.x b.y>p.u %s", connection);
    test_try_couple(&c, models, "r:Relay p:Plant b:Return", connections, settings);
    if (!c.status) test_try_run_all(&c);
}

static const char *const algorithms[] = {"newton", "quasi-newton", "anderson", "fixed-point"};

// x = (t + 2 on) / 0.6: behind t = 0.3 it is on.
static void check_solution(const char *settings)
{
    static const char *const connections[] = {"r.on>p.on", "r.level>p.level"};
    for (int k = 0; k < 2; k++) {
        run(connections[k], settings);
        if (c.status) fail_msg("%s, %s: %s", settings, connections[k], c.err.message);
        for (int i = 0; i < c.n_rows; i++) {
            double t = c.time[i], x = test_value(&c, "p.x", i);
            if (fabs(t - 0.3) < 1e-6) continue; // the switch itself
            assert_near(x, (t + (t > 0.3 ? 2 : 0)) / 0.6, 1e-3);
        }
        test_uncouple(&c);
    }
}

static void discrete_values_come_to_rest_in_loops(void **state)
{
    (void)state;
    char settings[200];
    for (int i = 0; i < 4; i++) {
        snprintf(settings, sizeof settings,
                 "algorithm=%s step-size=0.07 stop-time=1 iterations=200 "
                 "relative-tolerance=1e-8 absolute-tolerance=1e-8",
                 algorithms[i]);
        check_solution(settings);
    }
    check_solution("step-size=0.07 stop-time=1");
    check_solution("tolerance=1e-5 stop-time=1");
}

// Switched on, x is below the limit, so that it goes off: from t = 0.3 on there is no solution.
static void values_that_flip_are_named(void **state)
{
    (void)state;
    char settings[200];
    static const char message[] = "r.on does not rest: it is ";
    for (int i = 0; i < 4; i++) {
        snprintf(settings, sizeof settings,
                 "algorithm=%s step-size=0.07 stop-time=1 iterations=50 strict=true "
                 "set=p.effect=-2",
                 algorithms[i]);
        run("r.on>p.on", settings);
        assert_int_equal(c.status, TAKT_ERR_SIMULATION);
        assert_contains(c.err.message, "r.on does not rest: it is ");
        assert_contains(c.err.message, "t=0.28 s");
        test_uncouple(&c);
    }
    run("r.on>p.on", "tolerance=1e-4 stop-time=1 set=p.effect=-2");
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, message);
    assert_near(c.time[c.n_rows - 1], 0.3, 1e-4);
    test_uncouple(&c);
}

// In fixed steps the run goes on, and says what does not rest.
static void flips_in_fixed_steps_are_doubts(void **state)
{
    (void)state;
    run("r.on>p.on", "step-size=0.07 stop-time=1 set=p.effect=-2 algorithm=quasi-newton");
    assert_int_equal(c.status, TAKT_OK);
    assert_contains(c.system.log.text, "(r.on does not rest: it is ");
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discrete_values_come_to_rest_in_loops),
        cmocka_unit_test(values_that_flip_are_named),
        cmocka_unit_test(flips_in_fixed_steps_are_doubts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
