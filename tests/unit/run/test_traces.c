// SPDX-License-Identifier: MIT
// A step that was taken back leaves no trace: not in what instances have announced, nor in what they were
// promised, nor in who has failed.
#include <math.h>
#include <string.h>

#include "run/snapshot.h"
#include "run/waves.h"
#include "unit/run/models.h"

static test_coupling c;

#define EVENTS .can = {.rewind = true, .variable_step = true, .events = true}

// y = t; a state event at 0.33 makes its step return early. Before it the next event is announced at 0.97.
static const test_variable early_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void early_output(test_instance *at)
{
    at->real[1] = at->state[0] + 0.1 * at->real[0];
}
static void early_step(test_instance *at, double t, double h)
{
    bool stops = at->state[1] == 0 && at->state[0] < 0.33 && at->state[0] + h > 0.33;
    if (stops) at->stop_at = t + (0.33 - at->state[0]);
    at->state[0] = stops ? 0.33 : at->state[0] + h;
    if (stops) at->state[1] = 1;
}
static void early_event(test_instance *at, takt_event *out)
{
    out->next_time = at->state[1] != 0 ? INFINITY : 0.97;
}
#define EARLY                                                                                      \
    {                                                                                              \
        "Early", early_variables, .output = early_output, .step = early_step,                      \
                                  .event = early_event, EVENTS                                     \
    }

// The test instances refuse to be rewound to a time before one that they were promised.
static void instances_that_return_early_may_be_rewound_to_the_beginning_of_the_step(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "algorithm=seidel step-size=0.1 stop-time=1",
        "algorithm=fixed-point step-size=0.1 stop-time=1",
        "algorithm=newton step-size=0.1 stop-time=1",
        "algorithm=quasi-newton step-size=0.1 stop-time=1",
        "algorithm=anderson step-size=0.1 stop-time=1",
        "algorithm=seidel step-control=richardson step-size=0.1 stop-time=1"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        test_model models[] = {EARLY, GAIN, {0}};
        test_couple(&c, models, "a:Early b:Gain", "a.y>b.u b.y>a.u", settings[i]);
        test_run_all(&c);
        test_uncouple(&c);
    }
}

// Discards steps that end after 0.32, once: then the whole system goes back to the beginning.
static void discard_step(test_instance *at, double t, double h)
{
    (void)at, (void)t, (void)h;
}

static void announced_events_are_taken_back_with_the_step(void **state)
{
    (void)state;
    test_model models[] = {EARLY,
                           {"Discards", early_variables, .step = discard_step, REWINDS,
                            .fault = TEST_DISCARDS, .fault_time = 0.32},
                           {0}};
    test_couple(&c, models, "a:Early b:Discards", "",
                "call-order=listed step-control=convergence step-size=0.3 step-max=0.3 "
                "step-min=0.001 stop-time=1");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    assert_near(c.run->state.next_event, 0.97, 0);
    takt_progress progress;
    assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
    assert_near(c.run->state.grid.time, 0.3, 1e-12);
    assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
    assert_true(c.run->counts.n_rejected > 0);
    assert_true(c.run->state.grid.time < 0.325); // the event at 0.33 is still to come
    assert_near(c.run->state.next_event, 0.97, 0);
    assert_near(c.run->state.instances[0].next_event, 0.97, 0);
    test_uncouple(&c);
}

static void instances_that_failed_in_two_phases_are_not_called_again(void **state)
{
    (void)state;
    for (int is_split = 0; is_split < 2; is_split++) {
        test_model models[] = {{"Discards", early_variables, REWINDS, .fault = TEST_DISCARDS,
                                .fault_time = 0.45, .is_split = is_split},
                               {"Fails", early_variables, REWINDS, .fault = TEST_FAILS,
                                .fault_time = 0.48, .is_split = is_split},
                               {0}};
        test_couple(&c, models, "a:Discards b:Fails", "",
                    "algorithm=jacobi step-control=convergence step-size=0.1 step-min=0.02 "
                    "stop-time=1 jobs=2");
        assert_int_equal(takt_waves_force(c.run, &c.err), TAKT_OK);
        test_try_run_all(&c);
        assert_int_equal(c.status, TAKT_ERR_SIMULATION);
        assert_contains(c.err.message, "instance 'b' at t=");
        test_uncouple(&c);
    }
}

static void a_snapshot_that_fails_ends_the_run(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    test_couple(&c, models, "a:Clock", "", "step-size=0.1 stop-time=1");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    models[0].fault = TEST_FAILS_TO_SAVE;
    takt_snapshot *snapshot = NULL;
    assert_int_equal(takt_snapshot_take(c.run, &snapshot, &c.err), TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "instance 'a' at t=0 s");
    takt_progress progress;
    assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_ERR_USAGE);
    test_uncouple(&c);
    assert_int_equal(models[0].counts.terminate, 0);
}

// y = k u + c with k = -1000 up to t = 1, and 0.9999 from then on; the solution becomes 1.1. A matrix of
// before lets every step seem small.
static void sudden_output(test_instance *at)
{
    bool is_late = at->time >= 1;
    at->real[1] = (is_late ? 0.9999 : -1000) * at->real[0] + (is_late ? 1.1e-4 : 1001);
}

static void newton_does_not_judge_with_a_matrix_of_before(void **state)
{
    (void)state;
    static const char *const controls[] = {"fixed", "convergence"};
    for (int i = 0; i < 2; i++) {
        char settings[200];
        snprintf(settings, sizeof settings,
                 "algorithm=newton step-control=%s step-size=0.1 step-max=0.1 stop-time=2",
                 controls[i]);
        test_model models[] = {{"Sudden",
                                (const test_variable[]){{"u", TAKT_INPUT, .start = "1"},
                                                        {"y", TAKT_OUTPUT, .depends = "u"},
                                                        {0}},
                                .output = sudden_output, REWINDS},
                               GAIN,
                               {0}};
        test_couple(&c, models, "s:Sudden g:Gain", "s.y>g.u g.y>s.u", settings);
        test_run_all(&c);
        assert_near(test_value(&c, "s.y", -1), 1.1, 1e-3);
        test_uncouple(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_that_return_early_may_be_rewound_to_the_beginning_of_the_step),
        cmocka_unit_test(announced_events_are_taken_back_with_the_step),
        cmocka_unit_test(instances_that_failed_in_two_phases_are_not_called_again),
        cmocka_unit_test(a_snapshot_that_fails_ends_the_run),
        cmocka_unit_test(newton_does_not_judge_with_a_matrix_of_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
