// SPDX-License-Identifier: MIT
#include "unit/run/models.h"

static test_coupling c;

#define EVENTS .can = {.rewind = true, .variable_step = true, .events = true}

// n counts the events, which happen every 0.25 s: time events, known beforehand.
static const test_variable ticker_variables[] = {
    {"n", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""}, {0}};
static void ticker_output(test_instance *at)
{
    at->integer[0] = (int64_t)at->state[0];
}
static void ticker_event(test_instance *at, takt_event *out)
{
    double due = 0.25 * (at->state[0] + 1);
    if (at->time >= due - 1e-9) {
        at->state[0]++;
        due += 0.25;
    }
    out->next_time = due;
}

// y = 10 u, but only as of the last event.
static const test_variable sampler_variables[] = {
    {"u", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"y", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
    {0}};
static void sampler_output(test_instance *at)
{
    at->integer[1] = (int64_t)at->state[0];
}
static void sampler_event(test_instance *at, takt_event *out)
{
    (void)out;
    at->state[0] = 10.0 * (double)at->integer[0];
}

// clang-format off
#define TICKER {"Ticker", ticker_variables, .output = ticker_output, .event = ticker_event, EVENTS}
#define SAMPLER {"Sampler", sampler_variables, .output = sampler_output, .event = sampler_event, EVENTS}
// clang-format on

static void time_events_are_hit_exactly_and_shown_by_two_rows(void **state)
{
    (void)state;
    test_model models[] = {TICKER, {0}};
    test_couple(&c, models, "t:Ticker", "", "step-size=0.1 stop-time=1");
    test_run_all(&c);
    // 11 points of the grid, 2 events between them (0.25, 0.75), 4 second rows (also at 0.5 and 1).
    assert_int_equal(c.n_rows, 11 + 2 + 4);
    for (int i = 1, n = 0; i < c.n_rows; i++) {
        if (c.time[i] != c.time[i - 1]) continue;
        n++;
        assert_near(c.time[i], 0.25 * n, 1e-12);
        assert_near(test_value(&c, "t.n", i - 1), n - 1, 0);
        assert_near(test_value(&c, "t.n", i), n, 0);
    }
    assert_near(test_value(&c, "t.n", -1), 4, 0);
    assert_true(c.time[c.n_rows - 1] == 1);
    test_uncouple(&c);
}

static void events_travel_from_instance_to_instance_without_time_going_on(void **state)
{
    (void)state;
    test_model models[] = {TICKER, SAMPLER, {0}};
    // The chain is listed against its direction, and runs through two samplers.
    test_couple(&c, models, "b:Sampler a:Sampler t:Ticker", "t.n>a.u a.y>b.u",
                "step-size=0.1 stop-time=1");
    test_run_all(&c);
    for (int i = 0; i < c.n_rows; i++) {
        bool is_left = i + 1 < c.n_rows && c.time[i + 1] == c.time[i]; // before the event
        if (is_left) continue;
        double n = test_value(&c, "t.n", i);
        assert_near(test_value(&c, "a.y", i), 10 * n, 0);
        assert_near(test_value(&c, "b.y", i), 100 * n, 0);
    }
    assert_near(test_value(&c, "b.y", -1), 400, 0);
    assert_int_equal(models[0].counts.enter_events, 4);
    assert_int_equal(models[0].counts.leave_events, 5); // after initialization, too
    test_uncouple(&c);
}

// A step that finds an event in its middle stops there; y' = 1 until the event, then -1.
static const test_variable bounce_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void bounce_step(test_instance *at, double t, double h)
{
    double slope = at->state[1] != 0 ? -1 : 1;
    bool crosses = at->state[1] == 0 && at->state[0] + slope * h > 0.33;
    if (crosses) at->stop_at = t + (0.33 - at->state[0]);
    at->state[0] = crosses ? 0.33 : at->state[0] + slope * h;
}
static void bounce_output(test_instance *at)
{
    at->real[0] = at->state[0];
}
static void bounce_event(test_instance *at, takt_event *out)
{
    (void)out;
    if (at->state[0] >= 0.33) at->state[1] = 1;
}

static void early_return_is_handled_and_the_step_completed(void **state)
{
    (void)state;
    test_model models[] = {{"Bounce", bounce_variables, .step = bounce_step,
                            .output = bounce_output, .event = bounce_event, EVENTS},
                           {0}};
    test_couple(&c, models, "b:Bounce", "", "step-size=0.1 stop-time=0.6");
    test_run_all(&c);
    assert_near(test_value(&c, "b.y", -1), 0.33 - 0.27, 1e-12);
    assert_int_equal(models[0].counts.step, 7);
    test_uncouple(&c);
}

static void forever_event(test_instance *at, takt_event *out)
{
    out->needs_update = at->time > 0.25;
}
static void now_event(test_instance *at, takt_event *out)
{
    out->next_time = at->time;
}
static void always_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    at->wants_event = true;
}

// y = 1 - u as of the last event.
static void inverter_event(test_instance *at, takt_event *out)
{
    (void)out;
    at->state[0] = 1 - (double)at->integer[0];
}
static void copier_event(test_instance *at, takt_event *out)
{
    (void)out;
    at->state[0] = (double)at->integer[0];
}

static void a_circle_that_never_rests_names_its_members(void **state)
{
    (void)state;
    test_model models[] = {
        TICKER,
        {"Inverter", sampler_variables, .output = sampler_output, .event = inverter_event, EVENTS},
        {"Copier", sampler_variables, .output = sampler_output, .event = copier_event, EVENTS},
        {0}};
    test_couple(&c, models, "t:Ticker i:Inverter k:Copier", "i.y>k.u k.y>i.u",
                "step-size=0.1 stop-time=1");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "events do not come to rest after 100 rounds; involved: "
                                   "instance 'i', 'k'");
    assert_null(strstr(c.err.message, "'t'"));
    test_uncouple(&c);
}

static void events_that_never_end_are_a_failure_with_the_name(void **state)
{
    (void)state;
    test_model models[] = {
        {"Forever", bounce_variables, .event = forever_event, .step = always_step, EVENTS},
        {"Now", bounce_variables, .event = now_event, EVENTS},
        {0}};
    test_couple(&c, models, "f:Forever", "", "step-size=0.1 stop-time=1");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "events do not come to rest after 100 rounds");
    assert_contains(c.err.message, "instance 'f'");
    assert_contains(c.err.message, "t=0.3");
    test_uncouple(&c);

    test_couple(&c, models, "n:Now", "", "step-size=0.1 stop-time=1");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "instance 'n' at t=0 s: demands its next event at t=0 s");
    test_uncouple(&c);
}

static void end_event(test_instance *at, takt_event *out)
{
    out->terminates = at->time > 0.25;
}

static void event_may_end_the_simulation(void **state)
{
    (void)state;
    test_model models[] = {
        {"End", bounce_variables, .event = end_event, .step = always_step, EVENTS}, {0}};
    test_couple(&c, models, "e:End", "", "step-size=0.1 stop-time=1");
    test_run_all(&c);
    assert_int_equal(c.run->state.progress, TAKT_TERMINATED);
    assert_contains(c.system.log.text, "instance 'e' ended the simulation at t=0.3");
    test_uncouple(&c);
}

static void adaptive_steps_hit_events_too(void **state)
{
    (void)state;
    test_model models[] = {TICKER, {0}};
    test_couple(&c, models, "t:Ticker", "",
                "step-control=richardson step-size=0.1 step-max=0.4 stop-time=1");
    test_run_all(&c);
    assert_near(test_value(&c, "t.n", -1), 4, 0);
    assert_true(c.time[c.n_rows - 1] == 1);
    test_uncouple(&c);
}

// An event that is just behind a communication point.
static void once_event(test_instance *at, takt_event *out)
{
    out->next_time = at->time < 0.2 ? 0.2 + 1e-8 : INFINITY;
}

static void a_short_step_to_an_event_is_followed_by_long_ones(void **state)
{
    (void)state;
    static const char *const controls[] = {"fixed", "convergence", "richardson"};
    for (int k = 0; k < 3; k++) {
        test_model models[] = {
            {"Once", ticker_variables, .event = once_event, EVENTS}, INTEGRATOR, GAIN, {0}};
        char settings[200];
        snprintf(settings, sizeof settings,
                 "algorithm=newton step-control=%s step-size=0.1 step-max=0.1 stop-time=1 "
                 "set=a.k=-1 step-fallback=1e-6 relative-tolerance=0.01 strict=true",
                 controls[k]);
        test_couple(&c, models, "o:Once i:Integrator a:Gain", "i.y>a.u a.y>i.u", settings);
        test_run_all(&c); // strict: loops are solved in all steps
        assert_true(c.n_rows < 20);
        test_uncouple(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_events_are_hit_exactly_and_shown_by_two_rows),
        cmocka_unit_test(events_travel_from_instance_to_instance_without_time_going_on),
        cmocka_unit_test(early_return_is_handled_and_the_step_completed),
        cmocka_unit_test(a_circle_that_never_rests_names_its_members),
        cmocka_unit_test(events_that_never_end_are_a_failure_with_the_name),
        cmocka_unit_test(event_may_end_the_simulation),
        cmocka_unit_test(adaptive_steps_hit_events_too),
        cmocka_unit_test(a_short_step_to_an_event_is_followed_by_long_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
