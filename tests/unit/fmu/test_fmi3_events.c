// SPDX-License-Identifier: MIT
// Event mode, early returns and clocks of FMI 3.0.
#include "unit/fmu/tiny3_fixture.h"

static void after_initialization_there_is_event_mode(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS});
    assert_true(f->model->can.events);
    assert_true(counters(f)->uses_events && counters(f)->may_return_early);
    initialize(f, T_MODE_NEXT_EVENT);
    takt_event event = settle(f);
    assert_near(event.next_time, 0.3, 1e-15);
    assert_int_equal(get_integer(f, "count"), 2); // the first update asked for another one
    takt_step_result result;
    assert_int_equal(step_to(f, 0, 0.3, &result), TAKT_OK);
    event = handle_events(f, 0.3);
    assert_true(event.next_time == INFINITY);
    assert_int_equal(get_integer(f, "count"), 4);
}

static void early_returns_tell_when(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS});
    initialize(f, T_MODE_EARLY);
    settle(f);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_EARLY);
    assert_true(result.has_event);
    assert_near(result.time, 0.55, 1e-15);
    handle_events(f, result.time);
    assert_int_equal(step_to(f, 0.55, 0.6, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DONE);
    assert_near(get_real(f, "x"), 0.6, 1e-12);
}

static void a_time_that_is_no_number_is_not_believed(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS});
    initialize(f, T_MODE_EARLY_NAN);
    settle(f);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_EARLY);
    assert_near(result.time, 0.5, 1e-12);
}

static void an_update_may_end_the_simulation(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS});
    initialize(f, T_MODE_TERMINATE_IN_EVENT);
    assert_true(settle(f).terminates);
}

static void discrete_states_are_evaluated_before_reading(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS " providesEvaluateDiscreteStates='true'"});
    initialize(f, T_MODE_NORMAL);
    assert_int_equal(get_integer(f, "evaluated"), 1);
    assert_int_equal(get_integer(f, "evaluated"), 1); // nothing was set in between
    assert_int_equal(set_one(f, "u", 2, 0), TAKT_OK);
    assert_int_equal(get_integer(f, "evaluated"), 2);
    settle(f);
    assert_int_equal(get_integer(f, "evaluated"), 2);
}

// ---- clocks --------------------------------------------------------------------------------------

// Goes from event to event up to t = 1 and keeps the times of the first ones.
static int run_clocks(fixture *f, double *times, int max)
{
    takt_event event = settle(f);
    double t = 0;
    int n = 0;
    while (event.next_time <= 1 + 1e-9 && n < max) {
        takt_step_result result;
        assert_int_equal(step_to(f, t, event.next_time, &result), TAKT_OK);
        t = times[n++] = event.next_time;
        event = handle_events(f, t);
    }
    return n;
}

static void clocks_tick_when_the_fmu_says(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    double times[32];
    int n = run_clocks(f, times, 32);
    // periodic: 0.25, 0.5, ...; changing: 0.1, 0.3, 0.7; tunable: 0.1, 0.3, 0.5, 0.6, 0.7, ...
    static const double expected[] = {0.1, 0.25, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1};
    for (int i = 0, k = 0; i < n; i++) { // nearly equal times may come one after the other
        if (k > 0 && fabs(times[i] - expected[k - 1]) < 1e-9) continue;
        assert_true(k < 10);
        assert_near(times[i], expected[k++], 1e-9);
    }
    assert_int_equal(get_integer(f, "ticks"), 4);
    assert_int_equal(get_integer(f, "changing_ticks"), 3);
    assert_int_equal(get_integer(f, "tunable_ticks"), 8);
    assert_int_equal(get_integer(f, "countdown_ticks"), 0);
}

static void clocked_variables_keep_their_value_between_ticks(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    assert_int_equal(get_integer(f, "ticks"), 0);
    assert_int_equal(get_integer(f, "clocked_in"), 7);
    takt_event event = settle(f);
    for (double t = 0; t < 0.25;) {
        takt_step_result result;
        assert_int_equal(step_to(f, t, event.next_time, &result), TAKT_OK);
        t = event.next_time;
        assert_int_equal(set_one(f, "clocked_in", 0, 8), TAKT_OK); // has no effect here
        assert_int_equal(f->instance->type->enter_events(f->instance, t, &f->err), TAKT_OK);
        if (t == 0.25) assert_int_equal(set_one(f, "clocked_in", 0, 9), TAKT_OK);
        assert_int_equal(get_integer(f, "ticks"), t == 0.25);
        assert_int_equal(get_integer(f, "periodic"), t == 0.25);
        event = settle(f);
    }
    assert_int_equal(get_integer(f, "ticks"), 1);
    assert_int_equal(get_integer(f, "clocked_in"), 9);
    assert_int_equal(get_integer(f, "periodic"), 0);
}

static void triggered_clocks_are_values_in_event_mode(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    settle(f);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK); // outside event mode: nothing
    assert_int_equal(get_integer(f, "out_clock"), 0);
    takt_step_result result;
    assert_int_equal(step_to(f, 0, 0.05, &result), TAKT_OK);
    assert_int_equal(f->instance->type->enter_events(f->instance, 0.05, &f->err), TAKT_OK);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK); // ticks already
    assert_int_equal(get_integer(f, "triggered"), 1);
    assert_int_equal(get_integer(f, "out_clock"), 1);
    assert_int_equal(get_integer(f, "out_ticks"), 1);
    assert_int_equal(set_one(f, "triggered", 0, 0), TAKT_OK);
    assert_int_equal(get_integer(f, "out_clock"), 0);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK);
    settle(f);
    assert_int_equal(get_integer(f, "out_clock"), 0);
    assert_int_equal(get_integer(f, "out_ticks"), 1);
}

static void countdowns_start_in_event_mode(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK);
    takt_event event = settle(f);
    takt_step_result result;
    assert_near(event.next_time, 0.1, 1e-15); // others tick first
    assert_int_equal(step_to(f, 0, 0.1, &result), TAKT_OK);
    event = handle_events(f, 0.1);
    assert_near(event.next_time, 0.15, 1e-15);
    assert_int_equal(step_to(f, 0.1, 0.15, &result), TAKT_OK);
    event = handle_events(f, 0.15);
    assert_int_equal(get_integer(f, "countdown_ticks"), 1);
    assert_near(event.next_time, 0.25, 1e-15);
}

static void impossible_intervals_are_refused(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_BAD_INTERVAL);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK);
    takt_event event;
    assert_int_equal(f->instance->type->update_events(f->instance, &event, &f->err),
                     TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "clock 'countdown' has an interval of nan s");
}

static const char fraction[] = "<Clock name='fraction' valueReference='55' causality='input' "
                               "intervalVariability='fixed' supportsFraction='true'/>\n"
                               "<Int32 name='tunable_ticks' valueReference='61' "
                               "causality='output'/>\n";

static void fractions_do_not_drift(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = fraction});
    initialize(f, T_MODE_NORMAL);
    takt_event event = settle(f);
    double t = 0;
    for (int i = 0; i < 10000; i++) {
        takt_step_result result;
        assert_true(event.next_time == (2 + (double)i) / 3);
        assert_int_equal(step_to(f, t, event.next_time, &result), TAKT_OK);
        t = event.next_time;
        event = handle_events(f, t);
    }
    assert_int_equal(get_integer(f, "tunable_ticks"), 10000);
}

static void a_resolution_of_nothing_is_refused(void **state)
{
    fixture *f = *state;
    const takt_interval interval = {0};
    instantiate(f, (options){.attributes = EVENTS, .variables = fraction});
    assert_int_equal(set_one(f, "mode", 0, T_MODE_BAD_INTERVAL), TAKT_OK);
    const takt_instance_type *type = f->instance->type;
    assert_int_equal(type->enter_initialization(f->instance, &interval, &f->err), TAKT_OK);
    assert_int_equal(type->exit_initialization(f->instance, &f->err), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "fmi3GetIntervalFraction of 'fraction': the resolution is 0");
}

// ---- states ------------------------------------------------------------------------------------

static void states_hold_the_ticks_too(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    const takt_instance_type *type = f->instance->type;
    takt_event event = settle(f);
    takt_step_result result;
    void *saved = NULL;
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(step_to(f, 0, 0.1, &result), TAKT_OK);
        event = handle_events(f, 0.1);
        assert_near(event.next_time, 0.25, 1e-15);
        assert_int_equal(get_integer(f, "changing_ticks"), 1);
        assert_near(get_real(f, "x"), 0.1, 1e-15);
        assert_int_equal(type->restore(f->instance, saved, &f->err), TAKT_OK);
        assert_int_equal(get_integer(f, "changing_ticks"), 0);
    }
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    assert_int_equal(counters(f)->n_states, 1);
    type->free_state(f->instance, &saved);
    assert_null(saved);
    assert_int_equal(counters(f)->n_states, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(after_initialization_there_is_event_mode),
        TEST(early_returns_tell_when),
        TEST(a_time_that_is_no_number_is_not_believed),
        TEST(an_update_may_end_the_simulation),
        TEST(discrete_states_are_evaluated_before_reading),
        TEST(clocks_tick_when_the_fmu_says),
        TEST(clocked_variables_keep_their_value_between_ticks),
        TEST(triggered_clocks_are_values_in_event_mode),
        TEST(countdowns_start_in_event_mode),
        TEST(impossible_intervals_are_refused),
        TEST(fractions_do_not_drift),
        TEST(a_resolution_of_nothing_is_refused),
        TEST(states_hold_the_ticks_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
