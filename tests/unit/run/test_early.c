// SPDX-License-Identifier: MIT
// Events that an instance finds within a step are communication points for all others, too.
#include "run/waves.h"
#include "unit/run/models.h"

static test_coupling c;

#define RETURNS_EARLY                                                                              \
    .can = {.rewind = true, .variable_step = true, .events = true, .early_return = true}

// y = 1 until an event at 0.33 s, which is found only when a step comes there; then y = -1. `context` is the
// time by which a step must exceed the event to find it.
static const test_variable turn_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};
static const double EVENT = 0.33;
static void turn_step(test_instance *at, double t, double h)
{
    const double *hidden = at->model->context;
    if (at->state[0] != 0 || t + h < EVENT + (hidden ? *hidden : 0)) return;
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

// clang-format off
#define TURN {"Turn", turn_variables, .step = turn_step, .output = turn_output, \
              .event = turn_event, RETURNS_EARLY}
// clang-format on

static const char *const controls[] = {"fixed", "convergence", "richardson"};

static void couple(test_model *models, const char *components, const char *control,
                   const char *settings)
{
    char all[400];
    snprintf(all, sizeof all, "step-control=%s step-size=0.1 step-max=0.1 stop-time=0.6 %s",
             control, settings);
    test_couple(&c, models, components, "t.y>i.u", all);
}

static int64_t count_alone(void)
{
    takt_statistics statistics = {.size = sizeof statistics};
    takt_run_statistics(c.run, &statistics, NULL);
    return statistics.doubtful_steps->event_alone;
}

// The integral of y at the end: 0.33 - 0.27.
static void assert_exact(double tolerance)
{
    assert_near(test_value(&c, "i.y", -1) - 1, 0.06, tolerance);
}

static void all_have_a_point_at_the_event(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"jacobi", "seidel", "fixed-point"};
    static const char *const orders[] = {"t:Turn i:Integrator", "i:Integrator t:Turn"};
    for (int k = 0; k < 18; k++) {
        test_model models[] = {TURN, INTEGRATOR, {0}};
        char settings[100];
        snprintf(settings, sizeof settings, "strict=true algorithm=%s", algorithms[k / 6]);
        couple(models, orders[k % 2], controls[k / 2 % 3], settings);
        test_run_all(&c);
        assert_exact(1e-12);
        int n = 0;
        for (int i = 0; i < c.n_rows; i++) {
            if (fabs(c.time[i] - EVENT) > 1e-9) continue;
            assert_near(test_value(&c, "t.y", i), n == 0 ? 1 : -1, 0);
            assert_near(test_value(&c, "i.y", i) - 1, EVENT, 1e-12);
            n++;
        }
        assert_int_equal(n, 2);
        assert_int_equal(count_alone(), 0);
        assert_true(c.run->counts.n_rejected >= 1);
        test_uncouple(&c);
    }
}

static void threads_share_events_too(void **state)
{
    (void)state;
    test_model models[] = {TURN, INTEGRATOR, {0}};
    test_couple(&c, models, "t:Turn i:Integrator k:Integrator", "t.y>i.u t.y>k.u",
                "algorithm=jacobi step-size=0.1 stop-time=0.6 jobs=2 strict=true");
    assert_int_equal(takt_waves_force(c.run, &c.err), TAKT_OK);
    test_run_all(&c);
    assert_exact(1e-12);
    assert_true(c.run->counts.n_parallel > 0);
    test_uncouple(&c);
}

// The step to the event does not show it, and the next one does so at once.
static void an_event_that_rounding_hides_is_shared(void **state)
{
    (void)state;
    double hidden = 1e-13;
    for (int k = 0; k < 3; k++) {
        test_model models[] = {TURN, INTEGRATOR, {0}};
        models[0].context = &hidden;
        couple(models, "i:Integrator t:Turn", controls[k], "strict=true");
        test_run_all(&c);
        assert_exact(1e-12);
        test_uncouple(&c);
    }
}

static void without_rewinding_an_event_that_others_see_late_is_doubtful(void **state)
{
    (void)state;
    test_model models[] = {TURN, INTEGRATOR, {0}};
    models[1].can.rewind = false;
    couple(models, "t:Turn i:Integrator", "fixed", "");
    test_run_all(&c);
    assert_near(test_value(&c, "i.y", -1) - 1, 0, 1e-12); // wrong by 0.06
    assert_int_equal(count_alone(), 1);
    assert_contains(c.system.log.text,
                    "warn: 1 of 6 steps had an event that reached other instances only at their "
                    "end, as not all can be rewound or stop there: first at t=0.3 s");
    assert_int_equal(models[0].counts.save, 0);
    test_uncouple(&c);
    couple(models, "t:Turn i:Integrator", "fixed", "strict=true");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "an event within the step reaches other instances only at its "
                                   "end");
    test_uncouple(&c);
    models[1].can = (takt_capabilities){.rewind = true}; // only steps of equal size
    couple(models, "t:Turn i:Integrator", "fixed", "");
    test_run_all(&c);
    assert_int_equal(count_alone(), 1);
    test_uncouple(&c);
}

static void an_event_that_nobody_sees_concerns_nobody(void **state)
{
    (void)state;
    test_model models[] = {TURN, INTEGRATOR, {0}};
    test_couple(&c, models, "t:Turn i:Integrator", "",
                "step-size=0.1 stop-time=0.6 strict=true record=t.y");
    test_run_all(&c);
    assert_int_equal(c.n_rows, 7);
    assert_int_equal(models[0].counts.save + models[1].counts.save, 0);
    test_uncouple(&c);
}

static void systems_without_such_instances_save_nothing(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, INTEGRATOR, {0}};
    couple(models, "t:Clock i:Integrator", "fixed", "algorithm=seidel");
    test_run_all(&c);
    assert_int_equal(models[0].counts.save + models[1].counts.save, 0);
    test_uncouple(&c);
}

// y becomes 1 by an event at the very beginning of a step, once u is greater than 0.25.
static const test_variable switch_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void switch_step(test_instance *at, double t, double h)
{
    (void)h;
    if (at->state[0] != 0 || at->real[0] < 0.25) return;
    at->wants_event = true;
    at->stop_at = t;
}
static void switch_event(test_instance *at, takt_event *out)
{
    (void)out;
    if (at->real[0] > 0.25) at->state[0] = 1;
}
static void switch_output(test_instance *at)
{
    at->real[1] = at->state[0];
}

// With seidel, the input is that of the end of the step: at the beginning there is nothing to be seen.
static void events_that_inputs_cause_at_once_are_left_alone(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        test_model models[] = {CLOCK,
                               {"Switch", switch_variables, .step = switch_step,
                                .event = switch_event, .output = switch_output, RETURNS_EARLY},
                               INTEGRATOR,
                               {0}};
        char settings[200];
        snprintf(settings, sizeof settings, "step-control=%s step-size=0.1 stop-time=0.6",
                 controls[k]);
        test_couple(&c, models, "t:Clock s:Switch i:Integrator", "t.y>s.u s.y>i.u", settings);
        test_run_all(&c);
        assert_near(test_value(&c, "s.y", -1), 1, 0);
        assert_int_equal(count_alone(), 0);
        test_uncouple(&c);
    }
}

// Every step has an event in its middle.
static void restless_step(test_instance *at, double t, double h)
{
    at->wants_event = true;
    at->stop_at = t + h / 2;
}
static void restless_output(test_instance *at)
{
    at->real[0] = 1;
}

static void a_run_goes_on_though_every_step_has_an_event(void **state)
{
    (void)state;
    test_model models[] = {{"Restless", turn_variables, .step = restless_step,
                            .output = restless_output, RETURNS_EARLY},
                           INTEGRATOR,
                           {0}};
    for (int k = 0; k < 2; k++) {
        couple(models, "t:Restless i:Integrator", controls[k], "");
        test_run_all(&c);
        assert_near(test_value(&c, "i.y", -1) - 1, 0.6, 1e-12);
        assert_int_equal(count_alone(), 6);
        test_uncouple(&c);
    }
}

static void stuck_step(test_instance *at, double t, double h)
{
    (void)h;
    at->wants_event = true;
    at->stop_at = t;
}

static void events_that_stop_time_are_a_failure_with_the_name(void **state)
{
    (void)state;
    test_model models[] = {
        {"Stuck", turn_variables, .step = stuck_step, .output = restless_output, RETURNS_EARLY},
        INTEGRATOR,
        {0}};
    couple(models, "t:Stuck i:Integrator", "fixed", "");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "instance 't' at t=0 s: stops for an event again and again");
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_have_a_point_at_the_event),
        cmocka_unit_test(threads_share_events_too),
        cmocka_unit_test(an_event_that_rounding_hides_is_shared),
        cmocka_unit_test(without_rewinding_an_event_that_others_see_late_is_doubtful),
        cmocka_unit_test(an_event_that_nobody_sees_concerns_nobody),
        cmocka_unit_test(systems_without_such_instances_save_nothing),
        cmocka_unit_test(events_that_inputs_cause_at_once_are_left_alone),
        cmocka_unit_test(a_run_goes_on_though_every_step_has_an_event),
        cmocka_unit_test(events_that_stop_time_are_a_failure_with_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
