// SPDX-License-Identifier: MIT
// Steps that are kept although their tests have not passed are counted by cause, reported with the first
// and the worst, and failures with the setting `strict`.
#include <math.h>
#include <string.h>

#include "unit/run/models.h"

static test_coupling c;

// y = 1 - 1.8 u^2 + 0.01 sin t: repetition does not converge, whatever the step.
static const test_variable logistic_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static void logistic_output(test_instance *at)
{
    at->real[1] = 1 - 1.8 * at->real[0] * at->real[0] + 0.01 * sin(at->time);
}
#define LOGISTIC                                                                                   \
    {                                                                                              \
        "Logistic", logistic_variables, .output = logistic_output, REWINDS                         \
    }

// y = u + 0.001 sin t: connected with itself it has no solution, but at 0 s.
static void drift_output(test_instance *at)
{
    at->real[1] = (at->time > 0 ? 1 : 0.5) * at->real[0] + 0.001 * sin(at->time);
}
#define DRIFT                                                                                      \
    {                                                                                              \
        "Drift", logistic_variables, .output = drift_output, REWINDS                               \
    }

// A contradiction: y = not u.
static const test_variable not_variables[] = {
    {"u", TAKT_INPUT, .type = TAKT_BOOLEAN, .start = "0"},
    {"y", TAKT_OUTPUT, .type = TAKT_BOOLEAN, .depends = "u"},
    {0}};
static void not_output(test_instance *at)
{
    at->integer[1] = !at->integer[0];
}
#define NOT                                                                                        \
    {                                                                                              \
        "Not", not_variables, .output = not_output, REWINDS                                        \
    }

static takt_doubtful_steps doubtful(void)
{
    takt_statistics s = {.size = sizeof s};
    takt_run_statistics(c.run, &s, NULL);
    return *s.doubtful_steps;
}

static void expect_strict_failure(test_model *models, const char *components,
                                  const char *connections, const char *settings, const char *piece)
{
    char strict[400];
    snprintf(strict, sizeof strict, "%s strict=true", settings);
    test_try_couple(&c, models, components, connections, strict);
    if (!c.status) test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, piece);
    test_uncouple(&c);
}

static void unsolved_steps_below_the_fallback_limit_are_doubtful(void **state)
{
    (void)state;
    test_model models[] = {LOGISTIC, GAIN, {0}};
    const char *settings = "algorithm=fixed-point step-control=convergence step-size=0.1 "
                           "step-min=1e-4 step-fallback=1e-3 iterations=3 stop-time=0.01";
    test_couple(&c, models, "a:Logistic g:Gain", "a.y>g.u g.y>a.u", settings);
    test_run_all(&c);
    takt_doubtful_steps n = doubtful();
    assert_true(n.below_fallback > 5);
    assert_int_equal(n.unconverged + n.at_step_min + n.not_iterated, 0);
    assert_contains(c.system.log.text, "steps were too small to be iterated (--step-fallback), and "
                                       "their loops are not solved: first at t=0");
    assert_contains(c.system.log.text, " s in the loop of 'a', worst at t=");
    test_uncouple(&c);
    expect_strict_failure(models, "a:Logistic g:Gain", "a.y>g.u g.y>a.u", settings,
                          " s, loop of 'a': the step is too small to be iterated");
}

static void loops_without_a_solution_are_doubtful_with_every_control(void **state)
{
    (void)state;
    test_model models[] = {DRIFT, NOT, GAIN, {0}};
    static const char *const systems[][2] = {{"a:Drift g:Gain", "a.y>g.u g.y>a.u"},
                                             {"a:Not b:Not n:Not", "a.y>b.u b.y>n.u n.y>a.u"}};
    static const char *const controls[] = {"fixed", "convergence", "richardson"};
    static const char *const algorithms[] = {"fixed-point", "newton", "quasi-newton", "anderson"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 4; m++) {
                char settings[300];
                snprintf(settings, sizeof settings,
                         "algorithm=%s step-control=%s step-size=0.1 step-min=1e-3 "
                         "step-fallback=1e-2 start-time=0.5 stop-time=1 absolute-tolerance=1e-9",
                         algorithms[m], controls[k]);
                test_try_couple(&c, models, systems[i][0], systems[i][1], settings);
                if (!c.status) test_try_run_all(&c);
                takt_doubtful_steps n = {0};
                if (!c.status) n = doubtful();
                bool is_said = strstr(c.system.log.text, "warn: ") != NULL;
                if (!c.status && (!is_said || n.unconverged + n.below_fallback == 0))
                    fail_msg("%s, %s: silently wrong", systems[i][0], settings);
                test_uncouple(&c);
            }
}

static void error_tests_that_fail_at_the_smallest_step_are_doubtful(void **state)
{
    (void)state;
    test_model models[] = {INTEGRATOR, {0}};
    const char *settings = "algorithm=seidel step-control=richardson step-size=0.1 step-min=0.1 "
                           "step-max=0.1 stop-time=1 relative-tolerance=1e-9";
    test_couple(&c, models, "i:Integrator k:Integrator", "i.y>k.u k.y>i.u", settings);
    test_run_all(&c);
    assert_int_equal(doubtful().at_step_min, 10);
    assert_contains(c.system.log.text, "warn: 10 of 10 steps failed the error test at the smallest "
                                       "step size (--step-min): first at t=0 s, worst at t=");
    test_uncouple(&c);
    expect_strict_failure(models, "i:Integrator k:Integrator", "i.y>k.u k.y>i.u", settings,
                          "t=0 s: the error test failed at the smallest step size");
}

// y = -2 y + 1 without iterating, because a member cannot be rewound, or because the user wants it so.
static void algebraic_loops_that_are_not_iterated_are_doubtful(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {"Old", gain_variables, .output = gain_output}, {0}};
    const char *const settings = "step-size=0.1 stop-time=1 set=a.k=-2 set=a.c=1";
    test_couple(&c, models, "a:Gain b:Old", "a.y>b.u b.y>a.u", settings);
    test_run_all(&c);
    assert_int_equal(doubtful().not_iterated, 10);
    assert_contains(c.system.log.text, "warn: 10 of 10 steps left an algebraic loop unsolved");
    test_uncouple(&c);
    char strict[200];
    snprintf(strict, sizeof strict, "%s strict=true", settings);
    test_try_couple(&c, models, "a:Gain b:Old", "a.y>b.u b.y>a.u", strict);
    if (!c.status) test_try_run_all(&c);
    assert_int_not_equal(c.status, TAKT_OK); // known from the start
    test_uncouple(&c);
}

static void good_steps_are_not_doubtful(void **state)
{
    (void)state;
    test_model models[] = {GAIN, INTEGRATOR, {0}};
    static const char *const controls[] = {"fixed", "convergence", "richardson"};
    for (int k = 0; k < 3; k++) {
        char settings[200];
        snprintf(settings, sizeof settings,
                 "algorithm=newton step-control=%s step-size=0.01 stop-time=1 strict=true "
                 "set=a.k=-2 set=a.c=1",
                 controls[k]);
        test_couple(&c, models, "a:Gain b:Gain i:Integrator", "a.y>b.u b.y>a.u a.y>i.u", settings);
        test_run_all(&c);
        assert_near(test_value(&c, "a.y", -1), 1.0 / 3, 1e-6);
        takt_doubtful_steps n = doubtful();
        assert_int_equal(n.unconverged + n.below_fallback + n.at_step_min + n.not_iterated, 0);
        test_uncouple(&c);
    }
}

// A row 1e-8 s before a point of the grid makes a step that is shorter than the fallback limit, which was
// meant for sizes that step control chooses.
static void steps_that_are_cut_short_are_iterated(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, GAIN, {0}};
    static const char *const controls[] = {"fixed", "convergence", "richardson"};
    for (int k = 0; k < 3; k++) {
        char settings[300];
        snprintf(
            settings, sizeof settings,
            "algorithm=newton step-control=%s step-size=0.1 step-max=0.1 stop-time=1 "
            "step-fallback=1e-6 step-min=1e-9 output-interval=0.19999999 strict=true set=a.k=0.5",
            controls[k]);
        test_couple(&c, models, "t:Clock s:Gain a:Gain b:Gain", "t.y>s.u a.y>b.u b.y>a.u",
                    settings);
        test_run_all(&c);
        assert_near(test_value(&c, "a.y", -1), 0, 1e-9);
        test_uncouple(&c);
    }
}

// The setting `iterations` is not the limit of steps by prediction: it is not named.
static void loops_without_a_solution_are_named_in_steps_by_prediction(void **state)
{
    (void)state;
    test_model models[] = {DRIFT, GAIN, {0}};
    const char *settings = "step-size=0.1 stop-time=1 iterations=7";
    test_couple(&c, models, "a:Drift g:Gain", "a.y>g.u g.y>a.u", settings);
    test_run_all(&c);
    assert_true(doubtful().unconverged > 5);
    assert_contains(c.system.log.text, "steps found no solution of a loop; their results are");
    assert_null(strstr(c.system.log.text, "within 7"));
    test_uncouple(&c);
    expect_strict_failure(models, "a:Drift g:Gain", "a.y>g.u g.y>a.u", settings,
                          "a loop has no solution (--strict)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsolved_steps_below_the_fallback_limit_are_doubtful),
        cmocka_unit_test(loops_without_a_solution_are_doubtful_with_every_control),
        cmocka_unit_test(error_tests_that_fail_at_the_smallest_step_are_doubtful),
        cmocka_unit_test(algebraic_loops_that_are_not_iterated_are_doubtful),
        cmocka_unit_test(good_steps_are_not_doubtful),
        cmocka_unit_test(steps_that_are_cut_short_are_iterated),
        cmocka_unit_test(loops_without_a_solution_are_named_in_steps_by_prediction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
