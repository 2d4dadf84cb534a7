// SPDX-License-Identifier: MIT
// FMI 3.0: steps that end early, events, clocks.
#include "support/raw_fmu.h"

#include "fmus/misbehave.h"

#define UNPACKED TEST_FMUS ".unpacked"

// What fmi3DoStep reports.
typedef struct step {
    int status;
    bool needs_event, terminates, is_early;
    double last;
} step;

static step do_step(raw_fmu *f, double t, double h)
{
    step s = {.last = NAN};
    s.status =
        (int)f->fmi3DoStep(f->c, t, h, false, &s.needs_event, &s.terminates, &s.is_early, &s.last);
    return s;
}

// What fmi3UpdateDiscreteStates reports.
typedef struct update {
    bool again, terminates, has_next;
    double next;
} update;

static update update_states(raw_fmu *f)
{
    update u = {.next = NAN};
    bool nominals = true, values = true;
    assert_int_equal(f->fmi3UpdateDiscreteStates(f->c, &u.again, &u.terminates, &nominals, &values,
                                                 &u.has_next, &u.next),
                     fmi3OK);
    assert_false(nominals || values);
    return u;
}

static void open_with(raw_fmu *f, const char *name, bool event_mode, bool early_return)
{
    raw_open(f, UNPACKED, name);
    f->event_mode = event_mode;
    f->early_return = early_return;
    raw_start(f);
    if (!event_mode) return;
    update_states(f);
    assert_int_equal(f->fmi3EnterStepMode(f->c), fmi3OK);
}

static bool get_boolean(raw_fmu *f, const char *name)
{
    fmi3ValueReference vr = raw_reference(f, name);
    bool value;
    assert_int_equal(f->fmi3GetBoolean(f->c, &vr, 1, &value, 1), fmi3OK);
    return value;
}

static int get_integer(raw_fmu *f, const char *name)
{
    fmi3ValueReference vr = raw_reference(f, name);
    int value = -999;
    assert_int_equal(f->fmi3GetInt32(f->c, &vr, 1, &value, 1), fmi3OK);
    return value;
}

// ---- events in steps -----------------------------------------------------------------------------------

// From 20 degrees the room cools down to 19 in log(20/19)/k seconds.
static const double t_switch = 0.5129329438755058;

static void step_ends_at_an_event_where_that_is_allowed(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_with(&f, "Thermostat_fmi3", true, true);
    step s = do_step(&f, 0, 1);
    assert_int_equal(s.status, fmi3OK);
    assert_true(s.needs_event && s.is_early && !s.terminates);
    assert_near(s.last, t_switch, 1e-15);
    assert_true(raw_get(&f, "T") == 19);
    assert_true(raw_get(&f, "time") == s.last);
    assert_int_equal(f.fmi3EnterEventMode(f.c), fmi3OK);
    assert_false(get_boolean(&f, "heating")); // not before the update
    update u = update_states(&f);
    assert_false(u.again || u.terminates || u.has_next);
    assert_true(get_boolean(&f, "heating"));
    assert_int_equal(f.fmi3EnterStepMode(f.c), fmi3OK);
    step rest = do_step(&f, s.last, 1 - s.last);
    assert_int_equal(rest.status, fmi3OK);
    assert_false(rest.needs_event || rest.is_early);
    assert_true(rest.last == 1);
    assert_near(raw_get(&f, "T"), 30 + (19 - 30) * exp(-0.1 * (1 - t_switch)), 1e-14);
    raw_close(&f);
}

static void step_goes_on_over_events_where_early_return_is_not_allowed(void **unused)
{
    (void)unused;
    for (int event_mode = 0; event_mode < 2; event_mode++) {
        raw_fmu f;
        open_with(&f, "Thermostat_fmi3", event_mode, false);
        step s = do_step(&f, 0, 20); // switches several times
        assert_int_equal(s.status, fmi3OK);
        assert_false(s.needs_event || s.is_early);
        assert_true(s.last == 20);
        assert_true(get_integer(&f, "switches") >= 5);
        raw_close(&f);
    }
}

static void clocks_tick_in_events_that_the_step_goes_on_over(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_with(&f, "ClockSource_fmi3", true, false);
    step s = do_step(&f, 0, 1.9); // ticks every 0.25 s
    assert_int_equal(s.status, fmi3OK);
    assert_false(s.needs_event || s.is_early);
    assert_int_equal(get_integer(&f, "number"), 7 * 7);
    s = do_step(&f, 1.9, 0.1);
    assert_true(s.status == fmi3OK && s.needs_event && s.last == 2);
    assert_int_equal(f.fmi3EnterEventMode(f.c), fmi3OK);
    assert_int_equal(get_integer(&f, "number"), 8 * 8);
    raw_close(&f);
}

static void event_at_the_end_of_a_step_needs_no_early_return(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_with(&f, "Misbehave_fmi3", true, false);
    f.fmi3Reset(f.c);
    fmi3ValueReference vr[] = {raw_reference(&f, "what"), raw_reference(&f, "last_time")};
    const int64_t what = MISBEHAVE_EVENT;
    const double last = 0.5;
    assert_int_equal(f.fmi3SetInt64(f.c, &vr[0], 1, &what, 1), fmi3OK);
    assert_int_equal(f.fmi3SetFloat64(f.c, &vr[1], 1, &last, 1), fmi3OK);
    f.fmi3EnterInitializationMode(f.c, false, 0, 0, false, 0);
    f.fmi3ExitInitializationMode(f.c);
    f.fmi3EnterStepMode(f.c);
    step s = do_step(&f, 0, 0.5);
    assert_true(s.needs_event && !s.is_early && s.last == 0.5);
    assert_int_equal(f.fmi3EnterEventMode(f.c), fmi3OK);
    update_states(&f);
    f.fmi3EnterStepMode(f.c);
    s = do_step(&f, 0.5, 0.5);
    assert_true(s.status == fmi3OK && !s.needs_event && s.last == 1);
    raw_close(&f);
}

static void event_outside_of_its_step_is_an_error(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave_fmi3");
    f.event_mode = f.early_return = true;
    raw_start_with(&f, "what", MISBEHAVE_EVENT); // last_time is -1
    f.fmi3EnterStepMode(f.c);
    assert_int_equal(do_step(&f, 0, 0.5).status, fmi3Error);
    assert_contains(f.log, "the model stopped at -1, which is outside of the step from 0 to 0.5");
    raw_close(&f);
}

static void events_without_end_are_an_error(void **unused)
{
    (void)unused;
    static const struct {
        int what;
        const char *message;
    } cases[] = {
        {MISBEHAVE_ENDLESS_EVENT, "the event at time 0 does not end after 1000 changes"},
        {MISBEHAVE_REPEATED_EVENT, "there are more than 1000 events at time 0"},
    };
    static const char *const fmus[] = {"Misbehave", "Misbehave_fmi1", "Misbehave_fmi3"};
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 3; k++) {
            raw_fmu f;
            raw_open(&f, UNPACKED, fmus[k]);
            raw_start_with(&f, "what", cases[i].what);
            assert_int_equal(raw_step(&f, 0, 0.5), fmi3Error);
            assert_contains(f.log, cases[i].message);
            raw_close(&f);
        }
    }
}

static void events_need_event_mode(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_with(&f, "Thermostat_fmi3", false, true);
    assert_int_equal(f.fmi3EnterEventMode(f.c), fmi3Error);
    assert_contains(f.log, "the instance has been made without event mode");
    raw_close(&f);
}

// ---- steps that end early ------------------------------------------------------------------------------------

static void open_misbehave(raw_fmu *f, int what, double last_time, bool early_return)
{
    raw_open(f, UNPACKED, "Misbehave_fmi3");
    f->early_return = early_return;
    raw_instantiate(f);
    raw_set(f, "last_time", last_time);
    raw_set(f, "max_step", 0.25);
    fmi3ValueReference vr = raw_reference(f, "what");
    const int64_t value = what;
    assert_int_equal(f->fmi3SetInt64(f->c, &vr, 1, &value, 1), fmi3OK);
    assert_int_equal(f->fmi3EnterInitializationMode(f->c, false, 0, 0, false, 0), fmi3OK);
    assert_int_equal(f->fmi3ExitInitializationMode(f->c), fmi3OK);
}

static void discarded_step_can_be_repeated_smaller(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_misbehave(&f, MISBEHAVE_DISCARD, -1, true);
    step s = do_step(&f, 0, 1);
    assert_int_equal(s.status, fmi3Discard);
    assert_contains(f.log, "logStatusDiscard: the step from 0 to 1 is discarded");
    assert_true(raw_get(&f, "time") == 0);
    s = do_step(&f, 0, 0.25);
    assert_true(s.status == fmi3OK && s.last == 0.25);
    raw_close(&f);
}

static void incomplete_step_is_an_early_return(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_misbehave(&f, MISBEHAVE_DISCARD, 0.5, true);
    step s = do_step(&f, 0, 1);
    assert_int_equal(s.status, fmi3OK);
    assert_true(s.is_early && !s.needs_event && !s.terminates && s.last == 0.5);
    assert_int_equal(do_step(&f, 0.5, 0.25).status, fmi3OK);
    raw_close(&f);

    open_misbehave(&f, MISBEHAVE_DISCARD, 0.5, false);
    assert_int_equal(do_step(&f, 0, 1).status, fmi3Error);
    assert_contains(f.log, "the model computed the step from 0 to 1 only up to 0.5, and the "
                           "importing program does not allow early return");
    assert_int_equal(do_step(&f, 0.5, 0.25).status, fmi3Error);
    raw_close(&f);
}

static void model_that_wants_to_end_says_so(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_misbehave(&f, MISBEHAVE_TERMINATE, 0.5, true);
    step s = do_step(&f, 0, 1);
    assert_int_equal(s.status, fmi3OK);
    assert_true(s.terminates && s.is_early && s.last == 0.5);
    assert_int_equal(f.fmi3Terminate(f.c), fmi3OK);
    raw_close(&f);
}

static void end_wanted_by_the_first_event_is_reported(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave_fmi3");
    f.event_mode = true;
    raw_start_with(&f, "what", MISBEHAVE_TERMINATE_EVENT);
    assert_true(update_states(&f).terminates);
    raw_close(&f);
    // Who does not handle events hears it from the first step.
    open_misbehave(&f, MISBEHAVE_TERMINATE_EVENT, -1, true);
    step s = do_step(&f, 0, 1);
    assert_true(s.status == fmi3OK && s.terminates && s.last == 0);
    raw_close(&f);
    raw_open(&f, UNPACKED, "Misbehave");
    raw_start_with(&f, "what", MISBEHAVE_TERMINATE_EVENT);
    assert_int_equal(raw_step(&f, 0, 1), fmi2Discard);
    fmi2Boolean terminates = fmi2False;
    assert_int_equal(f.fmi2GetBooleanStatus(f.c, fmi2Terminated, &terminates), fmi2OK);
    assert_int_equal(terminates, fmi2True);
    raw_close(&f);
}

static void pending_steps_are_waited_for(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_misbehave(&f, MISBEHAVE_PENDING, -1, false);
    step s = do_step(&f, 0, 1);
    assert_true(s.status == fmi3OK && s.last == 1 && !s.is_early);
    raw_close(&f);
}

static void steps_begin_where_the_last_one_ended(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_with(&f, "Thermostat_fmi3", true, true);
    assert_int_equal(do_step(&f, 0.5, 1).status, fmi3Error);
    assert_contains(f.log, "the communication point is 0.5, but the FMU is at time 0");
    assert_int_equal(do_step(&f, 0, 0).status, fmi3Error);
    assert_int_equal(do_step(&f, 0, NAN).status, fmi3Error);
    raw_close(&f);
}

// ---- clocks ----------------------------------------------------------------------------------------------

static bool get_clock(raw_fmu *f, const char *name)
{
    fmi3ValueReference vr = raw_reference(f, name);
    bool value = false;
    assert_int_equal(f->fmi3GetClock(f->c, &vr, 1, &value), fmi3OK);
    return value;
}

static fmi3Status set_clock(raw_fmu *f, const char *name, bool value)
{
    fmi3ValueReference vr = raw_reference(f, name);
    return f->fmi3SetClock(f->c, &vr, 1, &value);
}

static void output_clock_ticks_at_the_announced_time(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "ClockSource_fmi3");
    f.event_mode = f.early_return = true;
    raw_start(&f);
    assert_false(get_clock(&f, "tick"));
    update u = update_states(&f);
    assert_true(u.has_next && u.next == 0.25);
    f.fmi3EnterStepMode(f.c);
    step s = do_step(&f, 0, 1); // the kit does not let it pass the event
    assert_true(s.needs_event && s.is_early && s.last == 0.25);
    // Whoever does not care is stopped again.
    s = do_step(&f, 0.25, 0.5);
    assert_true(s.needs_event && s.is_early && s.last == 0.25);

    fmi3ValueReference number = raw_reference(&f, "number");
    int value = -1;
    assert_int_equal(f.fmi3GetInt32(f.c, &number, 1, &value, 1), fmi3OK); // against the standard
    assert_contains(f.log, "logStatusWarning: fmi3GetInt32: variable 'number' belongs to the clock "
                           "'tick', which does not tick now; this is its last value");
    assert_int_equal(f.fmi3EnterEventMode(f.c), fmi3OK);
    assert_true(get_clock(&f, "tick"));
    assert_int_equal(get_integer(&f, "number"), 1);
    u = update_states(&f);
    assert_true(u.next == 0.5);
    assert_false(get_clock(&f, "tick"));
    assert_int_equal(set_clock(&f, "tick", true), fmi3Error); // it is an output
    raw_close(&f);
}

static void input_clock_can_be_taken_back_before_the_update(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "ClockCounter_fmi3");
    f.event_mode = f.early_return = true;
    raw_start(&f);
    fmi3ValueReference number = raw_reference(&f, "number");
    const int five = 5;
    assert_int_equal(f.fmi3SetInt32(f.c, &number, 1, &five, 1), fmi3Error); // no tick
    assert_int_equal(set_clock(&f, "tick", true), fmi3OK);
    assert_int_equal(f.fmi3SetInt32(f.c, &number, 1, &five, 1), fmi3OK);
    assert_int_equal(get_integer(&f, "ticks"), 1);
    assert_int_equal(get_integer(&f, "sum"), 5);
    assert_int_equal(set_clock(&f, "tick", false), fmi3OK);
    assert_int_equal(get_integer(&f, "sum"), 0);
    assert_int_equal(set_clock(&f, "tick", true), fmi3OK);
    update_states(&f);
    assert_false(get_clock(&f, "tick")); // ended by the update
    assert_int_equal(get_integer(&f, "sum"), 5);
    update_states(&f);
    assert_int_equal(get_integer(&f, "ticks"), 1);
    // A tick without an update has no effect.
    assert_int_equal(set_clock(&f, "sample", true), fmi3OK);
    f.fmi3EnterStepMode(f.c);
    assert_int_equal(get_integer(&f, "samples"), 0);
    raw_close(&f);
}

static void periodic_clock_has_interval_and_shift(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "ClockCounter_fmi3");
    f.event_mode = true;
    raw_instantiate(&f);
    f.fmi3EnterInitializationMode(f.c, false, 0, 0, false, 0);
    fmi3ValueReference sample = raw_reference(&f, "sample"), tick = raw_reference(&f, "tick");
    fmi3IntervalQualifier qualifier;
    double value;
    assert_int_equal(f.fmi3GetIntervalDecimal(f.c, &sample, 1, &value, &qualifier), fmi3OK);
    assert_true(value == 0.5);
    assert_int_equal(qualifier, fmi3IntervalChanged);
    assert_int_equal(f.fmi3GetShiftDecimal(f.c, &sample, 1, &value), fmi3OK);
    assert_true(value == 0.25);
    assert_int_equal(f.fmi3GetIntervalDecimal(f.c, &tick, 1, &value, &qualifier), fmi3Error);
    assert_contains(f.log, "the clock 'tick' is triggered and has no interval");
    f.fmi3ExitInitializationMode(f.c);
    assert_int_equal(f.fmi3GetIntervalDecimal(f.c, &sample, 1, &value, &qualifier), fmi3OK);
    assert_int_equal(qualifier, fmi3IntervalUnchanged);
    raw_close(&f);
}

// One event of both: the tick and its number go from one to the other.
static void pass_values(raw_fmu *source, raw_fmu *counter)
{
    assert_int_equal(source->fmi3EnterEventMode(source->c), fmi3OK);
    assert_int_equal(counter->fmi3EnterEventMode(counter->c), fmi3OK);
    bool ticks = get_clock(source, "tick");
    assert_int_equal(set_clock(counter, "tick", ticks), fmi3OK);
    if (ticks) {
        const int number = get_integer(source, "number");
        fmi3ValueReference vr = raw_reference(counter, "number");
        assert_int_equal(counter->fmi3SetInt32(counter->c, &vr, 1, &number, 1), fmi3OK);
    }
    update_states(source);
    update_states(counter);
    assert_int_equal(source->fmi3EnterStepMode(source->c), fmi3OK);
    assert_int_equal(counter->fmi3EnterStepMode(counter->c), fmi3OK);
}

static void ticks_of_one_fmu_are_counted_by_another(void **unused)
{
    (void)unused;
    raw_fmu source, counter;
    open_with(&source, "ClockSource_fmi3", true, true);
    open_with(&counter, "ClockCounter_fmi3", true, true);
    for (double t = 0; t < 1;) {
        step s = do_step(&source, t, 1 - t);
        assert_int_equal(s.status, fmi3OK);
        assert_int_equal(do_step(&counter, t, s.last - t).status, fmi3OK);
        if (s.needs_event) pass_values(&source, &counter);
        t = s.last;
    }
    assert_int_equal(get_integer(&counter, "ticks"), 4);
    assert_int_equal(get_integer(&counter, "sum"), 1 + 4 + 9 + 16);
    raw_close(&source);
    raw_close(&counter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_ends_at_an_event_where_that_is_allowed),
        cmocka_unit_test(step_goes_on_over_events_where_early_return_is_not_allowed),
        cmocka_unit_test(clocks_tick_in_events_that_the_step_goes_on_over),
        cmocka_unit_test(event_at_the_end_of_a_step_needs_no_early_return),
        cmocka_unit_test(event_outside_of_its_step_is_an_error),
        cmocka_unit_test(events_without_end_are_an_error),
        cmocka_unit_test(events_need_event_mode),
        cmocka_unit_test(discarded_step_can_be_repeated_smaller),
        cmocka_unit_test(incomplete_step_is_an_early_return),
        cmocka_unit_test(model_that_wants_to_end_says_so),
        cmocka_unit_test(end_wanted_by_the_first_event_is_reported),
        cmocka_unit_test(pending_steps_are_waited_for),
        cmocka_unit_test(steps_begin_where_the_last_one_ended),
        cmocka_unit_test(output_clock_ticks_at_the_announced_time),
        cmocka_unit_test(input_clock_can_be_taken_back_before_the_update),
        cmocka_unit_test(periodic_clock_has_interval_and_shift),
        cmocka_unit_test(ticks_of_one_fmu_are_counted_by_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
