// SPDX-License-Identifier: MIT
// Loops and schemes under steps by prediction: what is found out about instances during a run.
#include "run/couple.h"

#include "run/auto.h"
#include "unit/run/models.h"

static test_coupling c;

enum { U, Y, K, RATE };

// x' = rate (k u - x) + drive, exact for an input that moves along a polynomial of degree 2 at most, and for one that
// is held; y = x + sin t.
static const test_variable lag_variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                              {"y", TAKT_OUTPUT, .depends = ""},
                                              {"k", TAKT_PARAMETER, .start = "1"},
                                              {"rate", TAKT_PARAMETER, .start = "1"},
                                              {0}};
static void lag_output(test_instance *at)
{
    at->real[Y] = at->state[0] + sin(at->time);
}

// Many short steps with the input in their middle.
static void lag_step(test_instance *at, double t, double h)
{
    int n = at->motion.inputs ? 200 : 1;
    for (int i = 0; i < n; i++) {
        double goal = at->real[K] * test_input_at(at, U, t + (i + 0.5) * h / n);
        at->state[0] = goal + (at->state[0] - goal) * exp(-at->real[RATE] * h / n);
    }
}

// y = k u + sin t at once.
static const test_variable wave_variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                               {"y", TAKT_OUTPUT, .depends = "u"},
                                               {"k", TAKT_PARAMETER, .start = "1"},
                                               {0}};
static void wave_output(test_instance *at)
{
    at->real[Y] = at->real[K] * at->real[U] + sin(at->time);
}

// A relay with memory: y = 1 above 0.5, 0 below -0.5; it looks at its input at the end of steps only.
static const test_variable relay_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void relay_output(test_instance *at)
{
    at->real[Y] = at->state[0];
}
static void relay_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    if (at->real[U] > 0.5) at->state[0] = 1;
    if (at->real[U] < -0.5) at->state[0] = 0;
}

// y = sin t
static void sine_output(test_instance *at)
{
    at->real[0] = sin(at->time);
}

#define FOLLOWS .can = {.rewind = true, .variable_step = true, .interpolate_inputs = true}
// clang-format off
#define LAG {"Lag", lag_variables, .output = lag_output, .step = lag_step, FOLLOWS}
#define HOLDER {"Holder", lag_variables, .output = lag_output, .step = lag_step, REWINDS}
#define WAVE {"Wave", wave_variables, .output = wave_output, REWINDS}
#define RELAY {"Relay", relay_variables, .output = relay_output, .step = relay_step, REWINDS}
#define SINE {"Sine", clock_variables, .output = sine_output, REWINDS}
// clang-format on

static void couple(test_model *models, const char *components, const char *connections,
                   const char *settings)
{
    char all[400];
    snprintf(all, sizeof all, "stop-time=10 tolerance=1e-4 output-interval=0 %s", settings);
    test_couple(&c, models, components, connections, all);
    assert_non_null(c.run->automatic);
}

// The only loop.
static const takt_coupled *loop(void)
{
    for (int b = 0; b < c.plan->n_blocks; b++)
        if (c.run->automatic->couple.loops[b].n_torn) return &c.run->automatic->couple.loops[b];
    fail();
    return NULL;
}

static const takt_scheme *scheme_of(const char *name)
{
    for (int i = 0; i < c.run->work.n_instances; i++)
        if (strcmp(c.run->work.instances[i].instance->name, name) == 0)
            return &c.run->automatic->couple.schemes[i];
    fail();
    return NULL;
}

// ---- loops -----------------------------------------------------------------------------------------

static void a_weak_loop_is_not_solved_for(void **state)
{
    (void)state;
    test_model models[] = {LAG, {0}};
    couple(models, "a:Lag b:Lag", "a.y>b.u b.y>a.u", "set=a.k=0.1 set=b.k=-0.1");
    test_run_all(&c);
    assert_int_equal(loop()->n_torn, 1);
    assert_false(loop()->algebraic);
    assert_false(loop()->state->is_implicit);
    assert_int_equal(loop()->state->n_locks, 1); // nor was it ever
    test_uncouple(&c);
}

static void a_strong_loop_is_solved_for(void **state)
{
    (void)state;
    test_model models[] = {LAG, {0}};
    couple(models, "a:Lag b:Lag", "a.y>b.u b.y>a.u",
           "set=a.k=0.9 set=b.k=-0.9 set=a.rate=1000 set=b.rate=1000");
    test_run_all(&c);
    assert_false(loop()->algebraic);
    assert_true(loop()->state->is_implicit);
    assert_true(c.n_rows < 1000); // the fast rates alone would need ten thousand
    test_uncouple(&c);
}

// A chain is no loop, whatever the order in which it is listed.
static void a_chain_is_no_loop(void **state)
{
    (void)state;
    test_model models[] = {LAG, SINE, {0}};
    couple(models, "b:Lag a:Lag s:Sine", "s.y>a.u a.y>b.u", "");
    test_run_all(&c);
    for (int b = 0; b < c.plan->n_blocks; b++)
        assert_int_equal(c.run->automatic->couple.loops[b].n_torn, 0);
    test_uncouple(&c);
}

// y1 = k1 y2 + sin t, y2 = k2 y1 + sin t. Repetition diverges where |k1 k2| > 1.
static void assert_loop_is_solved(double k1, double k2, const char *settings, double most)
{
    test_model models[] = {WAVE, {0}};
    char all[200];
    snprintf(all, sizeof all, "set=a.k=%.17g set=b.k=%.17g %s", k1, k2, settings);
    couple(models, "a:Wave b:Wave", "a.y>b.u b.y>a.u", all);
    test_run_all(&c);
    assert_true(loop()->algebraic && loop()->state->is_implicit);
    assert_true(c.n_rows > 10);
    for (int i = 0; i < c.n_rows; i++) {
        double a = (1 + k1) / (1 - k1 * k2) * sin(c.time[i]);
        double b = (1 + k2) / (1 - k1 * k2) * sin(c.time[i]);
        assert_near(test_value(&c, "a.y", i), a, most);
        assert_near(test_value(&c, "b.y", i), b, most);
    }
    test_uncouple(&c);
}

static void algebraic_loops_are_solved(void **state)
{
    (void)state;
    assert_loop_is_solved(0.5, 0.5, "", 1e-6);
    assert_loop_is_solved(-1.5, 1.32, "", 1e-6); // the gain is -1.98
    assert_loop_is_solved(3, 4, "", 1e-6);
    assert_loop_is_solved(-1.5, 1.32, "step-control=fixed step-size=0.1", 1e-6);
}

// y = u + 0.001 sin t, connected with itself, from the first step on: at 0 s it has a solution.
static void drift_output(test_instance *at)
{
    at->real[Y] = (at->time > 0 ? 1 : 0.5) * at->real[U] + 0.001 * sin(at->time);
}

static void a_loop_without_solution_is_named(void **state)
{
    (void)state;
    test_model models[] = {{"Drift", wave_variables, .output = drift_output, REWINDS}, {0}};
    test_try_couple(&c, models, "a:Drift b:Drift", "a.y>b.u b.y>a.u",
                    "stop-time=10 tolerance=1e-4");
    if (!c.status) test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "has no unique solution (it is singular): there is none, "
                                   "whatever the values of");
    assert_true(strstr(c.err.message, "'a'") || strstr(c.err.message, "'b'"));
    test_uncouple(&c);
}

// ---- schemes ---------------------------------------------------------------------------------------

static void stateless_instances_end_at_one_call_per_step(void **state)
{
    (void)state;
    test_model models[] = {SINE, WAVE, {0}};
    couple(models, "s:Sine w:Wave", "s.y>w.u", "stop-time=100");
    test_run_all(&c);
    assert_int_equal(scheme_of("w")->kind, TAKT_SCHEME_END);
    assert_true(models[1].counts.step < 1.2 * models[0].counts.step); // with all trials
    test_uncouple(&c);
}

static void instances_that_wait_for_events_end_at_one_call_per_step(void **state)
{
    (void)state;
    test_model models[] = {SINE, RELAY, {0}};
    couple(models, "s:Sine r:Relay", "s.y>r.u", "");
    test_run_all(&c);
    assert_int_equal(scheme_of("r")->kind, TAKT_SCHEME_END);
    // Switched at 0.5 and -0.5 of the sine, to the tolerance.
    int n = 0;
    for (int i = 1; i < c.n_rows; i++) {
        if (test_value(&c, "r.y", i) == test_value(&c, "r.y", i - 1)) continue;
        assert_near(fabs(sin(c.time[i])), 0.5, 1e-3);
        n++;
    }
    assert_int_equal(n, 4);
    test_uncouple(&c);
}

// x' = u: the mean is exact, and one call.
static void integrators_end_at_the_mean(void **state)
{
    (void)state;
    test_model models[] = {SINE, INTEGRATOR, {0}};
    couple(models, "s:Sine i:Integrator", "s.y>i.u", "stop-time=100");
    test_run_all(&c);
    assert_int_equal(scheme_of("i")->kind, TAKT_SCHEME_MEAN);
    for (int i = 0; i < c.n_rows; i++)
        assert_near(test_value(&c, "i.y", i), 2 - cos(c.time[i]), 10 * 1e-4 * 3);
    test_uncouple(&c);
}

static void instances_that_follow_have_no_scheme(void **state)
{
    (void)state;
    test_model models[] = {SINE, LAG, {0}};
    couple(models, "s:Sine l:Lag", "s.y>l.u", "");
    test_run_all(&c);
    assert_int_equal(scheme_of("l")->kind, TAKT_SCHEME_END);
    assert_true(models[1].counts.step < models[0].counts.step + 20);
    test_uncouple(&c);
}

// Fast against the step: neither the mean nor the end would do.
static void fast_holders_get_more_steps(void **state)
{
    (void)state;
    test_model models[] = {SINE, HOLDER, {0}};
    couple(models, "s:Sine h:Holder", "s.y>h.u", "set=h.rate=30");
    test_run_all(&c);
    assert_int_equal(scheme_of("h")->kind, TAKT_SCHEME_GAUSS);
    double rate = 30, error = 0;
    for (int i = 0; i < c.n_rows; i++) {
        double t = c.time[i], n = 1 + rate * rate;
        double x = (rate * rate * sin(t) - rate * cos(t) + rate * exp(-rate * t)) / n;
        error = fmax(error, fabs(test_value(&c, "h.y", i) - x - sin(t)));
    }
    assert_near(error, 0, 10 * 1e-4 * 2);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weak_loop_is_not_solved_for),
        cmocka_unit_test(a_strong_loop_is_solved_for),
        cmocka_unit_test(a_chain_is_no_loop),
        cmocka_unit_test(algebraic_loops_are_solved),
        cmocka_unit_test(a_loop_without_solution_is_named),
        cmocka_unit_test(stateless_instances_end_at_one_call_per_step),
        cmocka_unit_test(instances_that_wait_for_events_end_at_one_call_per_step),
        cmocka_unit_test(integrators_end_at_the_mean),
        cmocka_unit_test(instances_that_follow_have_no_scheme),
        cmocka_unit_test(fast_holders_get_more_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
