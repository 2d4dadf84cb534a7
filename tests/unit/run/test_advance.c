// SPDX-License-Identifier: MIT
// Segments: what is called without a clock is counted, ends and fails as if it were called one by one.

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "run/waves.h"
#include "unit/run/models.h"

static test_coupling c;

static void step_n_times(int n)
{
    takt_progress progress = TAKT_RUNNING;
    for (int i = 0; i < n; i++) assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
}

static void every_call_is_counted_although_few_are_timed(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, GAIN, {0}};
    test_couple(&c, models, "clock:Clock a:Gain b:Gain", "clock.y>a.u a.y>b.u",
                "algorithm=seidel step-size=0.1 stop-time=100 record-exclude=*");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    takt_statistics before = {.size = sizeof before}, after = {.size = sizeof after};
    takt_run_statistics(c.run, &before, NULL);
    int64_t n_gets = before.instances[1]->get.count, n_sets = before.instances[1]->set.count;
    step_n_times(1000);
    takt_run_statistics(c.run, &after, NULL);
    assert_int_equal(after.do_step_total, 3000);
    assert_int_equal(after.instances[0]->set.count, 0);
    assert_int_equal(after.instances[1]->set.count - n_sets, 1000);
    assert_int_equal(after.instances[1]->do_step.count, 1000);
    assert_int_equal(after.instances[1]->get.count - n_gets, 1000);
    assert_int_equal(after.instances[2]->get.count, 0); // nobody needs its output
    assert_int_equal(models[0].counts.step + models[1].counts.step, 3000);
    assert_true(after.instances[1]->do_step.time > 0 && after.instances[1]->do_step.time < 60);
    test_uncouple(&c);
}

static void neighbours_that_are_called_alike_share_a_segment(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, GAIN, {0}};
    test_couple(&c, models, "clock:Clock a:Gain b:Gain", "clock.y>a.u a.y>b.u",
                "algorithm=seidel step-size=0.1 stop-time=1");
    assert_int_equal(c.plan->n_blocks, 3);
    assert_int_equal(c.run->work.blocks[0].n_joined, 3);
    assert_int_equal(c.run->work.blocks[0].n_segments, 1);
    assert_int_equal(c.run->work.blocks[0].segments[0].n_members, 3);
    assert_ptr_equal(c.run->work.whole, &c.run->work.blocks[0].segments[0]);
    assert_int_equal(takt_run_set_algorithm(c.run, "jacobi", &c.err), TAKT_OK);
    assert_int_equal(c.run->work.blocks[0].n_joined, 3); // their inputs come before the first step
    assert_ptr_equal(c.run->work.whole, &c.run->work.blocks[0].segments[0]);
    test_uncouple(&c);
}

static void whole_system_is_advanced_only_while_no_waves_are_due(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, GAIN, {0}};
    test_couple(&c, models, "clock:Clock a:Gain", "clock.y>a.u",
                "algorithm=seidel step-size=0.1 stop-time=100 jobs=2");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    step_n_times(20); // the first ones are timed
    assert_true(c.run->work.whole->n_untimed > 0);
    takt_waves_turn *turn = (takt_waves_turn *)c.run->waves;
    turn->n_plain = 1;
    int n_untimed = c.run->work.whole->n_untimed;
    step_n_times(1);
    assert_int_equal(turn->n_plain, 0);
    assert_int_equal(c.run->work.whole->n_untimed, n_untimed + 1);
    step_n_times(1); // whoever cares for waves is asked again
    assert_true(turn->n_plain >= 0);
    test_uncouple(&c);
}

static void recorded_inputs_are_those_of_the_step(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, GAIN, {0}};
    test_couple(&c, models, "clock:Clock a:Gain", "clock.y>a.u",
                "algorithm=seidel step-size=0.1 stop-time=100 record=*");
    int i_input = -1;
    for (int i = 0; takt_run_column(c.run, i); i++)
        if (strcmp(takt_run_column(c.run, i), "a.u") == 0) i_input = i;
    assert_true(i_input >= 0);
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    for (int i = 1; i <= 100; i++) {
        step_n_times(1);
        assert_near(takt_run_value(c.run, i_input), 0.1 * i, 1e-12);
    }
    test_uncouple(&c);
}

enum { LONG = 300000 }; // ticks
static void long_step(test_instance *at, double t, double h)
{
    (void)at, (void)t, (void)h;
    for (uint64_t begin = takt_ticks(); takt_ticks() - begin < LONG;) continue;
}

static void long_steps_are_always_timed(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    models[0].step = long_step;
    test_couple(&c, models, "clock:Clock", "", "algorithm=seidel step-size=0.1 stop-time=100");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    const takt_segment *segment = &c.run->work.blocks[0].segments[0];
    c.run->work.n_first_timed = 2;
    step_n_times(5);
    assert_int_equal(segment->max_untimed, 0);
    models[0].step = NULL; // from now on it is fast
    step_n_times(2);
    assert_true(segment->max_untimed > 0);
    test_uncouple(&c);
}

// Long and short steps in turn, ten each.
static void sometimes_long_step(test_instance *at, double t, double h)
{
    if ((int)(t + h / 2) % 2) long_step(at, t, h);
}

static void times_are_right_where_few_steps_are_long(void **state)
{
    (void)state;
    static const char *const settings[] = {"algorithm=seidel step-size=0.1 stop-time=100",
                                           "algorithm=auto step-size=0.1 stop-time=100"};
    for (int i = 0; i < 2; i++) {
        test_model models[] = {CLOCK, GAIN, {0}};
        models[0].step = sometimes_long_step;
        test_couple(&c, models, "clock:Clock a:Gain", "clock.y>a.u", settings[i]);
        assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
        step_n_times(1000);
        const takt_run_instance *clock = &c.run->work.instances[0];
        double all = 500.0 * LONG, told = (double)clock->counters[TAKT_ACTIVITY_DO_STEP].ticks;
        if (told < 0.6 * all) print_error("only %g of the time\n", told / all);
        assert_true(told >= 0.6 * all); // nearly all of it; the first one of ten may be missed
        test_uncouple(&c);
    }
}

// The step takes long, its calls do not.
static void many_quick_steps_are_not_timed(void **state)
{
    (void)state;
    enum { N = 2000, NAMES = 24 * N };
    static char components[NAMES];
    int n = 0;
    for (int i = 0; i < N; i++) n += snprintf(components + n, NAMES - (size_t)n, "c%d:Clock ", i);
    test_model models[] = {CLOCK, {0}};
    test_couple(&c, models, components, "", "algorithm=seidel step-size=0.1 stop-time=100 jobs=1");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    step_n_times(20);
    const takt_segment *whole = c.run->work.whole;
    int n_untimed = whole->n_untimed;
    assert_true(whole->max_untimed > 0);
    step_n_times(10);
    assert_int_equal(whole->n_untimed, n_untimed + 10);
    test_uncouple(&c);
}

static void values_nobody_observes_are_read_when_asked_for(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    test_couple(&c, models, "clock:Clock", "", "algorithm=seidel step-size=0.1 stop-time=1");
    c.run->observers[0]->type->destroy(c.run->observers[0]);
    c.run->n_observers = 0;
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    int n = models[0].counts.get;
    step_n_times(3);
    assert_int_equal(models[0].counts.get, n);
    assert_near(takt_run_value(c.run, 0), 0.3, 1e-12);
    assert_near(takt_run_value(c.run, 0), 0.3, 1e-12);
    assert_int_equal(models[0].counts.get, n + 1);
    step_n_times(1);
    assert_int_equal(takt_run_finish(c.run, &c.err), TAKT_OK);
    assert_near(takt_run_value(c.run, 0), 0.4, 1e-12); // also after the end
    test_uncouple(&c);
}

static void value_that_cannot_be_read_ends_the_run(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    models[0].fault = TEST_GIVES_NAN;
    models[0].fault_time = 0.15;
    test_couple(&c, models, "clock:Clock", "", "algorithm=seidel step-size=0.1 stop-time=1");
    c.run->observers[0]->type->destroy(c.run->observers[0]);
    c.run->n_observers = 0;
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    step_n_times(2);
    assert_true(isnan(takt_run_value(c.run, 0)));
    assert_contains(c.system.log.text, "instance 'clock' at t=0.2 s: variable 'y' is not a number");
    takt_progress progress;
    assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_ERR_USAGE);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_is_counted_although_few_are_timed),
        cmocka_unit_test(neighbours_that_are_called_alike_share_a_segment),
        cmocka_unit_test(whole_system_is_advanced_only_while_no_waves_are_due),
        cmocka_unit_test(recorded_inputs_are_those_of_the_step),
        cmocka_unit_test(long_steps_are_always_timed),
        cmocka_unit_test(times_are_right_where_few_steps_are_long),
        cmocka_unit_test(many_quick_steps_are_not_timed),
        cmocka_unit_test(values_nobody_observes_are_read_when_asked_for),
        cmocka_unit_test(value_that_cannot_be_read_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
