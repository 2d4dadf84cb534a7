// SPDX-License-Identifier: MIT
// Whole runs by prediction: rows between communication points, instances that cannot be rewound, events, systems that
// switch, and fixed steps.
#include "run/auto.h"
#include "support/problems.h"
#include "unit/run/models.h"

static test_coupling c;
static test_problem problem;

// ---- rows ------------------------------------------------------------------------------------------

static void rows_between_communication_points_keep_the_tolerance(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double error;
    } cases[] = {{"lv", 3},      {"mass_fx", 3}, {"mass_xx", 3},
                 {"thermal", 3}, {"loop", 3},    {"hysteresis", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (double tolerance = 1e-3; tolerance > 0.5e-6; tolerance /= 1000) {
            char settings[100];
            snprintf(settings, sizeof settings, "output-interval=0.0137 tolerance=%g", tolerance);
            test_problem_make(&problem, cases[i].name, 'a');
            test_measured m = test_problem_run(&problem, settings);
            assert_int_equal(m.status, TAKT_OK);
            if (m.error > cases[i].error * tolerance)
                print_error("%s at %g: %g\n", cases[i].name, tolerance, m.error / tolerance);
            assert_true(m.error <= cases[i].error * tolerance);
        }
}

// Rows do not change steps.
static void rows_cost_no_steps(void **state)
{
    (void)state;
    test_problem_make(&problem, "lv", 'a');
    test_measured few = test_problem_run(&problem, "output-interval=10 tolerance=1e-4");
    test_problem_make(&problem, "lv", 'a');
    test_measured many = test_problem_run(&problem, "output-interval=0.01 tolerance=1e-4");
    assert_int_equal(few.steps, many.steps);
    assert_int_equal(few.calls, many.calls);
}

// n counts whole seconds; y = time.
static const test_variable count_variables[] = {
    {"y", TAKT_OUTPUT, .depends = ""}, {"n", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""}, {0}};
static void count_output(test_instance *at)
{
    at->real[0] = at->time;
    at->integer[1] = (int64_t)floor(at->time + 1e-12);
}

// y' = u + n
static const test_variable plus_variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                               {"n", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
                                               {"y", TAKT_OUTPUT, .depends = ""},
                                               {0}};
static void sum_output(test_instance *at)
{
    at->real[2] = at->state[0];
}
static void sum_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h * (at->real[0] + (double)at->integer[1]);
}

// clang-format off
#define COUNT {"Count", count_variables, .output = count_output, REWINDS}
#define SUM {"Sum", plus_variables, .output = sum_output, .step = sum_step, REWINDS}
// clang-format on

static void discrete_columns_hold_between_communication_points(void **state)
{
    (void)state;
    test_model models[] = {COUNT, SUM, {0}};
    test_couple(&c, models, "n:Count s:Sum", "n.n>s.n n.y>s.u",
                "stop-time=5 tolerance=1e-5 output-interval=0.03 strict=true");
    test_run_all(&c);
    assert_true(c.n_rows >= 168);
    for (int i = 0; i < c.n_rows; i++) {
        double t = c.time[i], n = floor(t + 1e-4), sum = n * (n - 1) / 2 + n * (t - n) + t * t / 2;
        if (fabs(t - round(t)) > 1e-3) assert_near(test_value(&c, "n.n", i), n, 0);
        assert_near(test_value(&c, "n.y", i), t, 1e-9);
        assert_near(test_value(&c, "s.y", i), sum, 6 * 1e-5 * 22.5);
    }
    test_uncouple(&c);
}

// ---- instances that cannot be rewound ----------------------------------------------------------------

// y' = k u
static const test_variable swing_variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                                {"y", TAKT_OUTPUT, .depends = ""},
                                                {"k", TAKT_PARAMETER, .start = "1"},
                                                {"y0", TAKT_PARAMETER, .start = "0"},
                                                {0}};
static void swing_init(test_instance *at)
{
    at->state[0] = at->real[3];
}
static void swing_output(test_instance *at)
{
    at->real[1] = at->state[0];
}
static void swing_step(test_instance *at, double t, double h) // Simpson's rule, exact for cubics
{
    double u =
        test_input_at(at, 0, t) + 4 * test_input_at(at, 0, t + h / 2) + test_input_at(at, 0, t + h);
    at->state[0] += at->real[2] * h / 6 * u;
}

static void couple_swings(test_model *models, const char *settings)
{
    char all[300];
    snprintf(all, sizeof all, "stop-time=10 set=a.k=-1 set=a.y0=1 %s", settings);
    test_couple(&c, models, "a:Swing b:Swing", "b.y>a.u a.y>b.u", all);
    assert_non_null(c.run->automatic);
}

static double swing_error(void)
{
    double error = 0;
    for (int i = 0; i < c.n_rows; i++) {
        error = fmax(error, fabs(test_value(&c, "a.y", i) - cos(c.time[i])));
        error = fmax(error, fabs(test_value(&c, "b.y", i) - sin(c.time[i])));
    }
    return error;
}

static void without_rewinding_steps_are_kept_and_counted(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        test_model models[] = {{"Swing", swing_variables, .init = swing_init,
                                .output = swing_output, .step = swing_step,
                                .can = {.variable_step = true, .interpolate_inputs = k == 0}},
                               {0}};
        couple_swings(models, "tolerance=1e-4");
        test_run_all(&c);
        assert_int_equal(models[0].counts.save, 0);
        assert_int_equal(models[0].counts.restore, 0);
        assert_int_equal(c.run->counts.n_rejected, 0);
        assert_true(swing_error() < 3e-4); // smooth values can be led nevertheless
        test_uncouple(&c);
    }
}

static void with_strict_a_step_that_cannot_be_repeated_is_a_failure(void **state)
{
    (void)state;
    // A jump that nobody can go back to.
    test_model models[] = {COUNT, SUM, {0}};
    models[0].can.rewind = models[1].can.rewind = false;
    test_couple(&c, models, "n:Count s:Sum", "n.n>s.n n.y>s.u", "stop-time=5 tolerance=1e-4");
    test_run_all(&c);
    assert_true(c.run->counts.doubts[TAKT_DOUBT_NOT_REPEATED].n > 0);
    test_uncouple(&c);
    test_couple(&c, models, "n:Count s:Sum", "n.n>s.n n.y>s.u",
                "stop-time=5 tolerance=1e-4 strict=true");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "--strict");
    test_uncouple(&c);
}

// ---- events ----------------------------------------------------------------------------------------

// y = 1 until an event at 3.3 s, which a step stops at or before which it is announced; then y = -1.
static const double EVENT = 3.3;
static const test_variable turn_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void turn_step(test_instance *at, double t, double h)
{
    if (at->state[0] != 0 || t + h < EVENT) return;
    at->wants_event = true;
    at->stop_at = fmax(t, EVENT);
}
static void turn_event(test_instance *at, takt_event *out)
{
    (void)out;
    if (at->wants_event) at->state[0] = 1;
}
static void turn_output(test_instance *at)
{
    at->real[0] = at->state[0] != 0 ? -1 : 1;
}

static void early_return_is_a_communication_point_for_all(void **state)
{
    (void)state;
    static const char *const orders[] = {"t:Turn i:Integrator", "i:Integrator t:Turn"};
    for (int k = 0; k < 4; k++) {
        test_model models[] = {
            {"Turn", turn_variables, .step = turn_step, .output = turn_output, .event = turn_event,
             .can = {.rewind = true, .variable_step = true, .events = true, .early_return = true}},
            INTEGRATOR,
            {0}};
        test_couple(&c, models, orders[k % 2], "t.y>i.u",
                    k < 2 ? "stop-time=10 tolerance=1e-4 output-interval=0 strict=true"
                          : "stop-time=10 step-size=0.25 strict=true");
        assert_non_null(c.run->automatic);
        test_run_all(&c);
        assert_near(test_value(&c, "i.y", -1) - 1, EVENT - (10 - EVENT), 1e-9);
        int n = 0;
        for (int i = 0; i < c.n_rows; i++) n += fabs(c.time[i] - EVENT) < 1e-9;
        assert_int_equal(n, 2);
        test_uncouple(&c);
    }
}

// ---- a thermostat and a room -------------------------------------------------------------------------

// C T' = P - G (T - T_out), exact while the power is held; G = 50 W/K, C = 1e5 J/K, T_out = 5 degC.
static void room_step(test_instance *at, double t, double h)
{
    (void)t;
    double goal = 5 + at->real[0] / 50;
    at->state[0] = goal + (at->state[0] - goal) * exp(-50 / 1e5 * h);
}
static void room_output(test_instance *at)
{
    if (at->state[7] == 0) at->state[0] = 18, at->state[7] = 1;
    at->real[1] = at->state[0];
}

// Heats with 2000 W from below 19 to above 21 degC.
static void thermostat_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    if (at->real[0] < 19) at->state[0] = 2000;
    if (at->real[0] > 21) at->state[0] = 0;
}
static void thermostat_output(test_instance *at)
{
    at->real[1] = at->state[0];
}

// The mean power of a day, from the balance of energy: losses between the temperatures.
static void a_thermostat_heats_as_the_balance_of_energy_wants(void **state)
{
    (void)state;
    static const char *const settings[] = {"", "tolerance=1e-3", "tolerance=1e-6", "step-size=60"};
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        static const test_variable both[] = {
            {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
        test_model models[] = {
            {"Room", both, .output = room_output, .step = room_step, REWINDS},
            {"Thermostat", both, .output = thermostat_output, .step = thermostat_step, REWINDS},
            {0}};
        char all[200];
        snprintf(all, sizeof all, "stop-time=86400 output-interval=0 %s", settings[k]);
        test_couple(&c, models, "r:Room t:Thermostat", "r.y>t.u t.y>r.u", all);
        test_run_all(&c);
        double energy = 0, losses = 0, from = 3600; // in J, after the first hour
        int first = 0;
        for (int i = 1; i < c.n_rows; i++) {
            if (c.time[i] <= from) {
                first = i;
                continue;
            }
            double h = c.time[i] - c.time[i - 1];
            double mean = (test_value(&c, "r.y", i) + test_value(&c, "r.y", i - 1)) / 2;
            energy += h * test_value(&c, "t.y", i - 1);
            losses += h * 50 * (mean - 5);
        }
        double stored = 1e5 * (test_value(&c, "r.y", -1) - test_value(&c, "r.y", first));
        double length = 86400 - c.time[first];
        assert_near(energy / length / ((losses + stored) / length), 1, 0.02);
        assert_near(losses / length, 750, 0.04 * 750); // 20 degC within, 5 without
        test_uncouple(&c);
    }
}

// ---- fixed steps -------------------------------------------------------------------------------------

static void fixed_steps_repeat_nothing_and_are_better_than_one_pass(void **state)
{
    (void)state;
    double errors[2];
    for (int k = 0; k < 2; k++) {
        test_problem_make(&problem, "lv", 'a');
        test_measured m =
            test_problem_run(&problem, k ? "step-size=0.25" : "step-size=0.25 algorithm=seidel");
        assert_int_equal(m.status, TAKT_OK);
        assert_int_equal(m.steps, 400);
        assert_int_equal(m.rejected, 0);
        errors[k] = m.error;
    }
    assert_true(errors[1] < errors[0] / 100);
}

// Never worse than one pass with the same steps.
static void fixed_steps_are_never_worse_than_one_pass(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double h;
    } cases[] = {{"lv", 0.1},          {"lv", 1},           {"mass_fx", 0.01},
                 {"mass_xx", 0.01},    {"mass_xx", 0.1},    {"thermal", 0.001},
                 {"hysteresis", 0.01}, {"hysteresis", 0.1}, {"roessler", 0.05},
                 {"rnd100", 0.05},     {"rnd122", 0.05},    {"rnd122", 0.0166667}};
    int n_worse = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (const char *mode = "abm"; *mode; mode++) {
            char settings[100];
            snprintf(settings, sizeof settings, "step-size=%g", cases[i].h);
            test_problem_make(&problem, cases[i].name, *mode);
            test_measured now = test_problem_run(&problem, settings);
            snprintf(settings, sizeof settings, "step-size=%g algorithm=seidel", cases[i].h);
            test_problem_make(&problem, cases[i].name, *mode);
            test_measured pass = test_problem_run(&problem, settings);
            assert_int_equal(now.status, TAKT_OK);
            if (now.error <= 1.001 * pass.error) continue;
            n_worse++;
            print_error("%s (%c), h = %g: error %g, one pass %g\n", cases[i].name, *mode,
                        cases[i].h, now.error, pass.error);
        }
    assert_int_equal(n_worse, 0);
}

static double error_of(const char *name, char mode, double h, bool can_rewind,
                       const char *algorithm)
{
    char settings[100];
    snprintf(settings, sizeof settings, "step-size=%g algorithm=%s", h, algorithm);
    test_problem_make(&problem, name, mode);
    problem.cannot_rewind = !can_rewind;
    test_measured out = test_problem_run(&problem, settings);
    assert_int_equal(out.status, TAKT_OK);
    return out.error;
}

// Members with time constants of 0.15 ms begin away from their balance: what they do first takes a small part of a step of 50 ms.
static void first_steps_that_are_too_long_are_divided(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double h, part;
    } cases[] = {{"rnd122", 0.05, 30}, {"rnd100", 0.00555556, 50}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (const char *mode = "abm"; *mode; mode++) {
            double now = error_of(cases[i].name, *mode, cases[i].h, true, "auto");
            double pass = error_of(cases[i].name, *mode, cases[i].h, true, "seidel");
            if (now > pass / cases[i].part)
                fail_msg("%s (%c): error %g, one pass %g", cases[i].name, *mode, now, pass);
        }
}

// Where loops cannot be solved, extrapolated values must not make things worse, neither where members hold their inputs,
// whose errors partly cancel in one pass, nor where extrapolation is not stable.
static void loops_that_cannot_be_rewound_are_not_worse_than_one_pass(void **state)
{
    (void)state;
    for (int i = 100; i < 106; i++)
        for (const char *mode = "abm"; *mode; mode++)
            for (double h = 1; h > 0.1; h /= 3) {
                char name[20];
                snprintf(name, sizeof name, "lvr%d", i);
                double now = error_of(name, *mode, h, false, "auto");
                double pass = error_of(name, *mode, h, false, "seidel");
                if (pass < 0.3 && now > 1.05 * pass)
                    fail_msg("%s (%c), h = %g: error %g, one pass %g", name, *mode, h, now, pass);
            }
    assert_true(error_of("rnd105", 'a', 0.05, false, "auto") <
                2 * error_of("rnd105", 'a', 0.05, false, "seidel"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_between_communication_points_keep_the_tolerance),
        cmocka_unit_test(rows_cost_no_steps),
        cmocka_unit_test(discrete_columns_hold_between_communication_points),
        cmocka_unit_test(without_rewinding_steps_are_kept_and_counted),
        cmocka_unit_test(with_strict_a_step_that_cannot_be_repeated_is_a_failure),
        cmocka_unit_test(early_return_is_a_communication_point_for_all),
        cmocka_unit_test(a_thermostat_heats_as_the_balance_of_energy_wants),
        cmocka_unit_test(fixed_steps_repeat_nothing_and_are_better_than_one_pass),
        cmocka_unit_test(fixed_steps_are_never_worse_than_one_pass),
        cmocka_unit_test(first_steps_that_are_too_long_are_divided),
        cmocka_unit_test(loops_that_cannot_be_rewound_are_not_worse_than_one_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
