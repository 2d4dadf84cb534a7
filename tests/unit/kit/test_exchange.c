// SPDX-License-Identifier: MIT
// Model exchange of FMI 2.0 by an FMU of the kit: order of calls, states, events, saved states; and that the kit's own
// integrator computes the same.
#include <math.h>

#include "support/raw_fmu.h"

#define UNPACKED TEST_FMUS ".unpacked"

static void start(raw_fmu *f, const char *name)
{
    raw_open(f, UNPACKED, name);
    f->c = f->fmi2Instantiate("it", fmi2ModelExchange, f->guid, NULL, &f->callbacks, fmi2False,
                              fmi2False);
    assert_non_null(f->c);
    assert_int_equal(f->fmi2SetupExperiment(f->c, fmi2False, 0, 0, fmi2False, 0), fmi2OK);
    assert_int_equal(f->fmi2EnterInitializationMode(f->c), fmi2OK);
    assert_int_equal(f->fmi2ExitInitializationMode(f->c), fmi2OK);
}

static void functions_of_other_modes_are_refused_or_tolerated(void **state)
{
    (void)state;
    raw_fmu f;
    double x[2] = {1, 0};
    fmi2EventInfo info;
    fmi2Boolean enters, ends;
    start(&f, "Ball");
    assert_int_equal(f.fmi2SetContinuousStates(f.c, x, 2), fmi2OK);
    assert_contains(f.log, "fmi2SetContinuousStates: the standard does not allow it in the state "
                           "'event mode'");
    assert_int_equal(f.fmi2DoStep(f.c, 0, 1, fmi2True), fmi2Error);
    assert_contains(f.log, "fmi2DoStep: not allowed in the state 'event mode'");
    assert_int_equal(f.fmi2NewDiscreteStates(f.c, &info), fmi2OK);
    assert_false(info.newDiscreteStatesNeeded || info.valuesOfContinuousStatesChanged);
    assert_int_equal(f.fmi2EnterContinuousTimeMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2NewDiscreteStates(f.c, &info), fmi2OK);
    assert_contains(f.log, "fmi2NewDiscreteStates: the standard does not allow it in the state "
                           "'continuous-time mode'");
    assert_int_equal(f.fmi2CompletedIntegratorStep(f.c, fmi2True, &enters, &ends), fmi2OK);
    assert_int_equal(f.fmi2EnterEventMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2Terminate(f.c), fmi2OK);
    raw_close(&f);
}

static void counts_and_times_are_checked(void **state)
{
    (void)state;
    raw_fmu f;
    double x[3] = {1, 0};
    start(&f, "Ball");
    assert_int_equal(f.fmi2EnterContinuousTimeMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2SetContinuousStates(f.c, x, 3), fmi2Error);
    assert_contains(f.log, "fmi2SetContinuousStates: there are 2 values, not 3");
    assert_int_equal(f.fmi2GetDerivatives(f.c, NULL, 2), fmi2Error);
    assert_int_equal(f.fmi2GetEventIndicators(f.c, x, 0), fmi2Error);
    assert_int_equal(f.fmi2SetTime(f.c, NAN), fmi2Error);
    assert_contains(f.log, "fmi2SetTime: nan is no time");
    raw_close(&f);
}

static void the_fmu_computes_derivatives_and_jumps(void **state)
{
    (void)state;
    raw_fmu f;
    double x[2] = {-1e-9, -4}, dx[2], z, nominals[2];
    fmi2EventInfo info;
    start(&f, "Ball");
    assert_int_equal(f.fmi2EnterContinuousTimeMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2SetTime(f.c, 0.4), fmi2OK);
    assert_int_equal(f.fmi2SetContinuousStates(f.c, x, 2), fmi2OK);
    assert_int_equal(f.fmi2GetDerivatives(f.c, dx, 2), fmi2OK);
    assert_true(dx[0] == -4 && dx[1] == -9.81);
    assert_int_equal(f.fmi2GetEventIndicators(f.c, &z, 1), fmi2OK);
    assert_true(z == -1e-9);
    assert_int_equal(f.fmi2GetNominalsOfContinuousStates(f.c, nominals, 2), fmi2OK);
    assert_true(nominals[0] == 1 && nominals[1] == 1);

    void *saved = NULL;
    assert_int_equal(raw_save(&f, &saved), fmi2OK);
    for (int i = 0; i < 2; i++) { // the second time from the saved state
        assert_int_equal(f.fmi2EnterEventMode(f.c), fmi2OK);
        assert_int_equal(f.fmi2NewDiscreteStates(f.c, &info), fmi2OK);
        assert_true(info.valuesOfContinuousStatesChanged && !info.newDiscreteStatesNeeded);
        assert_int_equal(f.fmi2GetContinuousStates(f.c, x, 2), fmi2OK);
        assert_near(x[1], 2.8, 1e-15);
        assert_near(raw_get(&f, "h"), 0, 0);
        assert_int_equal(raw_restore(&f, saved), fmi2OK);
        assert_near(raw_get(&f, "v"), -4, 0);
    }
    assert_int_equal(raw_free_state(&f, &saved), fmi2OK);
    raw_close(&f);
}

// h = 1 - g t^2 / 2, then bounces; an explicit method of fifth order is exact here but for the events.
static void for_co_simulation_the_kit_integrates(void **state)
{
    (void)state;
    static const char *const names[] = {"Ball_fmi1", "Ball", "Ball_fmi3"};
    for (int i = 0; i < 3; i++) {
        raw_fmu f;
        raw_open(&f, UNPACKED, names[i]);
        raw_start(&f);
        assert_int_equal(raw_step(&f, 0, 0.4), fmi2OK);
        assert_near(raw_get(&f, "h"), 1 - 9.81 * 0.4 * 0.4 / 2, 1e-14);
        assert_int_equal(raw_step(&f, 0.4, 0.4), fmi2OK);
        double t1 = sqrt(2 / 9.81), v1 = 0.7 * sqrt(2 * 9.81), t = 0.8 - t1;
        assert_near(raw_get(&f, "h"), v1 * t - 9.81 * t * t / 2, 1e-13);
        assert_int_equal(raw_step(&f, 0.8, 5), fmi2OK);
        assert_near(raw_get(&f, "v"), 0, 0); // at rest
        assert_near(raw_get(&f, "h"), 0, 1e-12);
        raw_close(&f);
    }
}

// While the relay is on, x' = 1: what x becomes in steps of 0.1 s tells when it was switched. In FMI 3.0 `events`
// says that the importing program handles events, but not within steps.
static void check_relay(const char *name, bool events)
{
    static const struct {
        double u, x;
    } steps[] = {{0, 0}, {1, 0.1}, {0.5, 0.2}, {0.2, 0.2}, {0.5, 0.2}, {0.8, 0.3}};
    raw_fmu f;
    bool no = false, next = false;
    double time = 0;
    raw_open(&f, UNPACKED, name);
    f.event_mode = events;
    raw_start(&f);
    if (events) {
        assert_int_equal(f.fmi3UpdateDiscreteStates(f.c, &no, &no, &no, &no, &next, &time), fmi3OK);
        assert_int_equal(f.fmi3EnterStepMode(f.c), fmi3OK);
    }
    for (int i = 0; i < (int)(sizeof steps / sizeof *steps); i++) {
        raw_set(&f, "u", steps[i].u);
        if (i % 2) raw_get(&f, "x"); // must not hide that the input has changed
        assert_int_equal(raw_step(&f, 0.1 * i, 0.1), 0);
        assert_near(raw_get(&f, "x"), steps[i].x, 1e-12);
    }
    raw_close(&f);
}

static void inputs_cause_events_at_the_beginning_of_a_step(void **state)
{
    (void)state;
    check_relay("Relay_fmi1", false);
    check_relay("Relay", false);
    check_relay("Relay_fmi3", false);
    check_relay("Relay_fmi3", true);
}

static void events_of_inputs_survive_saving_and_rewinding(void **state)
{
    (void)state;
    raw_fmu f;
    void *before = NULL, *after = NULL;
    raw_open(&f, UNPACKED, "Relay");
    raw_start(&f);
    assert_int_equal(raw_step(&f, 0, 0.1), fmi2OK);
    assert_int_equal(raw_save(&f, &before), fmi2OK);
    raw_set(&f, "u", 1);
    assert_int_equal(raw_save(&f, &after), fmi2OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(raw_step(&f, 0.1, 0.1), fmi2OK);
        assert_near(raw_get(&f, "x"), 0.1, 1e-12);
        assert_int_equal(raw_restore(&f, after), fmi2OK);
    }
    assert_int_equal(raw_restore(&f, before), fmi2OK);
    assert_int_equal(raw_step(&f, 0.1, 0.1), fmi2OK);
    assert_true(raw_get(&f, "x") == 0);
    raw_free_state(&f, &before);
    raw_free_state(&f, &after);
    raw_close(&f);
}

static void discrete_inputs_cause_events_where_no_indicator_changes(void **state)
{
    (void)state;
    raw_fmu f;
    fmi2Boolean yes = fmi2True;
    raw_open(&f, UNPACKED, "Relay");
    fmi2ValueReference inverted = raw_reference(&f, "inverted");
    raw_start(&f);
    assert_int_equal(raw_step(&f, 0, 0.1), fmi2OK);
    assert_int_equal(f.fmi2SetBoolean(f.c, &inverted, 1, &yes), fmi2OK);
    assert_int_equal(raw_step(&f, 0.1, 0.1), fmi2OK);
    assert_near(raw_get(&f, "x"), 0.1, 1e-12);
    raw_close(&f);
}

// The importing program handles the event, which has come at the beginning of the step.
static void an_event_of_inputs_ends_a_step_at_once_where_that_is_allowed(void **state)
{
    (void)state;
    raw_fmu f;
    bool no = false, event = false, ends = false, early = false;
    double last = NAN, next;
    raw_open(&f, UNPACKED, "Relay_fmi3");
    f.event_mode = f.early_return = true;
    raw_start(&f);
    assert_int_equal(f.fmi3UpdateDiscreteStates(f.c, &no, &no, &no, &no, &no, &next), fmi3OK);
    assert_int_equal(f.fmi3EnterStepMode(f.c), fmi3OK);
    raw_set(&f, "u", 1);
    assert_int_equal(f.fmi3DoStep(f.c, 0, 0.1, false, &event, &ends, &early, &last), fmi3OK);
    assert_true(event && early && !ends && last == 0);
    assert_int_equal(f.fmi3EnterEventMode(f.c), fmi3OK);
    assert_int_equal(f.fmi3UpdateDiscreteStates(f.c, &no, &no, &no, &no, &no, &next), fmi3OK);
    assert_int_equal(f.fmi3EnterStepMode(f.c), fmi3OK);
    assert_int_equal(f.fmi3DoStep(f.c, 0, 0.1, false, &event, &ends, &early, &last), fmi3OK);
    assert_true(!event && !early && last == 0.1);
    assert_near(raw_get(&f, "x"), 0.1, 1e-12);
    raw_close(&f);
}

static void an_fmu_for_model_exchange_only_refuses_co_simulation(void **state)
{
    (void)state;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Oddities");
    assert_null(f.fmi2Instantiate("it", fmi2CoSimulation, f.guid, NULL, &f.callbacks, fmi2False,
                                  fmi2False));
    assert_contains(f.log, "the FMU is made for model exchange only");
    raw_close(&f);
    raw_open(&f, UNPACKED, "Gain");
    assert_null(f.fmi2Instantiate("it", fmi2ModelExchange, f.guid, NULL, &f.callbacks, fmi2False,
                                  fmi2False));
    assert_contains(f.log, "the FMU is made for co-simulation only");
    raw_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_other_modes_are_refused_or_tolerated),
        cmocka_unit_test(counts_and_times_are_checked),
        cmocka_unit_test(the_fmu_computes_derivatives_and_jumps),
        cmocka_unit_test(for_co_simulation_the_kit_integrates),
        cmocka_unit_test(inputs_cause_events_at_the_beginning_of_a_step),
        cmocka_unit_test(events_of_inputs_survive_saving_and_rewinding),
        cmocka_unit_test(discrete_inputs_cause_events_where_no_indicator_changes),
        cmocka_unit_test(an_event_of_inputs_ends_a_step_at_once_where_that_is_allowed),
        cmocka_unit_test(an_fmu_for_model_exchange_only_refuses_co_simulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
