// SPDX-License-Identifier: MIT
// FMUs of the kit driven as other programs drive FMUs: the orders of calls of known importing programs, and
// common slips. What does no harm works, with a warning that the program may ignore.
#include "support/raw_fmu.h"

#define UNPACKED TEST_FMUS ".unpacked"

static const char *const gains[] = {"Gain_fmi1", "Gain", "Gain_fmi3"};
enum { N_VERSIONS = 3 };

// The same call in each version.

static int terminate(raw_fmu *f)
{
    if (f->version == 1) return (int)f->fmiTerminateSlave(f->c);
    return f->version == 2 ? (int)f->fmi2Terminate(f->c) : (int)f->fmi3Terminate(f->c);
}

static int reset(raw_fmu *f)
{
    if (f->version == 1) return (int)f->fmiResetSlave(f->c);
    return f->version == 2 ? (int)f->fmi2Reset(f->c) : (int)f->fmi3Reset(f->c);
}

static int enter_and_exit(raw_fmu *f, double start)
{
    if (f->version == 1) return (int)f->fmiInitializeSlave(f->c, start, fmiTrue, 10);
    if (f->version == 3)
        return (int)f->fmi3EnterInitializationMode(f->c, true, 1e-6, start, true, 10) +
               (int)f->fmi3ExitInitializationMode(f->c);
    return (int)f->fmi2SetupExperiment(f->c, fmi2True, 1e-6, start, fmi2True, 10) +
           (int)f->fmi2EnterInitializationMode(f->c) + (int)f->fmi2ExitInitializationMode(f->c);
}

static void open_gain(raw_fmu *f, int i)
{
    raw_open(f, UNPACKED, gains[i]);
    raw_instantiate(f);
    raw_clear_log(f);
}

static void assert_works(raw_fmu *f, double t)
{
    raw_set(f, "u", 7);
    assert_int_equal(raw_step(f, t, 0.5), 0);
    assert_true(raw_get(f, "y") == 7 * raw_get(f, "k"));
}

// ---- before and during initialization --------------------------------------------------------------

static void values_are_set_in_any_order_before_initialization(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_VERSIONS; i++) {
        raw_fmu f;
        open_gain(&f, i);
        raw_set(&f, "u", 3); // MasterSim, FMPy and OMSimulator do so
        raw_set(&f, "k", 2);
        raw_set(&f, "u", 4);
        assert_string_equal(f.log, "");
        assert_int_equal(enter_and_exit(&f, 0), 0);
        assert_true(raw_get(&f, "y") == 8);
        assert_works(&f, 0);
        assert_string_equal(f.log, "");
        raw_close(&f); // many never terminate
    }
    assert_int_equal(raw_allocations(), 0);
}

static void values_read_before_initialization_are_start_values(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_VERSIONS; i++) {
        raw_fmu f;
        open_gain(&f, i);
        assert_true(raw_get(&f, "k") == 1 && raw_get(&f, "u") == 0 && raw_get(&f, "y") == 0);
        if (f.version < 3) assert_contains(f.log, "the standard does not allow it");
        assert_int_equal(enter_and_exit(&f, 0), 0);
        assert_works(&f, 0);
        raw_close(&f);
    }
}

static void missing_experiment_begins_at_0(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_gain(&f, 1);
    assert_int_equal(f.fmi2EnterInitializationMode(f.c), fmi2OK);
    assert_contains(f.log, "logStatusWarning: fmi2EnterInitializationMode: no start time has been "
                           "given; it is taken to be 0");
    assert_int_equal(f.fmi2EnterInitializationMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2SetupExperiment(f.c, 0, 0, 2, 0, 0), fmi2OK); // late, but not too late
    assert_int_equal(f.fmi2ExitInitializationMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2ExitInitializationMode(f.c), fmi2OK);
    assert_works(&f, 2);
    raw_close(&f);
}

static void initialization_is_completed_by_its_exit_or_a_step(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_gain(&f, 1);
    raw_set(&f, "u", 2);
    assert_int_equal(f.fmi2ExitInitializationMode(f.c), fmi2OK); // never entered
    assert_true(raw_get(&f, "y") == 2);
    assert_works(&f, 0);
    raw_close(&f);

    open_gain(&f, 1);
    f.fmi2SetupExperiment(f.c, 0, 0, 1, 0, 0);
    f.fmi2EnterInitializationMode(f.c);
    assert_works(&f, 1); // never left
    raw_close(&f);

    open_gain(&f, 2);
    assert_int_equal(f.fmi3ExitInitializationMode(f.c), fmi3OK);
    assert_int_equal(f.fmi3EnterStepMode(f.c), fmi3OK); // it is in that mode already
    assert_works(&f, 0);
    raw_close(&f);

    open_gain(&f, 1); // but a step without any initialization is refused
    assert_int_equal(raw_step(&f, 0, 0.5), fmi2Error);
    raw_close(&f);
}

// MasterSim does so with FMUs of FMI 1.0.
static void parameters_set_behind_the_initialization_of_fmi1_count(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "LotkaVolterraPrey_fmi1");
    raw_start(&f);
    assert_true(raw_get(&f, "x") == 10);
    raw_set(&f, "x0", 12);
    assert_contains(f.log, "variable 'x0' (parameter, fixed) should not be set");
    assert_true(raw_get(&f, "x") == 12);
    assert_int_equal(raw_step(&f, 0, 0.1), fmiOK);
    fmiValueReference vr = raw_reference(&f, "x0");
    double value = 13;
    assert_int_equal(f.fmiSetReal(f.c, &vr, 1, &value), fmiError); // now it is too late
    raw_close(&f);
}

// ---- end -------------------------------------------------------------------------------------------

static void terminate_is_accepted_everywhere(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_VERSIONS; i++) {
        raw_fmu f;
        open_gain(&f, i);
        assert_int_equal(terminate(&f), 0); // nothing has begun
        assert_int_equal(terminate(&f), 0);
        assert_int_equal(reset(&f), 0);
        assert_int_equal(enter_and_exit(&f, 0), 0);
        assert_works(&f, 0);
        assert_int_equal(terminate(&f), 0);
        assert_int_equal(terminate(&f), 0);
        raw_set(&f, "u", 1); // too late, but harmless
        raw_close(&f);
    }
    assert_int_equal(raw_allocations(), 0);
}

static void instances_are_used_again_after_a_reset(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_VERSIONS; i++) {
        raw_fmu f;
        open_gain(&f, i);
        for (int run = 0; run < 3; run++) {
            assert_true(run == 0 || raw_get(&f, "k") == 1);
            raw_set(&f, "k", 2);
            assert_int_equal(enter_and_exit(&f, run), 0);
            assert_works(&f, run);
            if (run == 1) assert_int_equal(terminate(&f), 0);
            assert_int_equal(reset(&f), 0);
        }
        raw_close(&f);
    }
}

// ---- arguments -------------------------------------------------------------------------------------

static void missing_arguments_that_say_nothing_are_accepted(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    f.c = f.fmi2Instantiate("", fmi2CoSimulation, f.guid, NULL, NULL, 0, 0);
    assert_non_null(f.c);
    assert_int_equal(enter_and_exit(&f, 0), 0);
    assert_works(&f, 0);
    assert_int_equal(f.fmi2GetReal(f.c, NULL, 0, NULL), fmi2OK);
    assert_int_equal(f.fmi2SetReal(f.c, NULL, 0, NULL), fmi2OK);
    assert_int_equal(f.fmi2SetString(f.c, NULL, 0, NULL), fmi2OK);
    fmi2FMUstate none = NULL;
    assert_int_equal(f.fmi2FreeFMUstate(f.c, &none), fmi2OK);
    assert_int_equal(f.fmi2FreeFMUstate(f.c, NULL), fmi2OK);
    assert_int_equal(f.fmi2SetDebugLogging(f.c, fmi2True, 0, NULL), fmi2OK);
    raw_close(&f);

    raw_open(&f, UNPACKED, "Gain_fmi3");
    f.c = f.fmi3InstantiateCoSimulation(NULL, f.guid, NULL, false, true, false, false, NULL, 0,
                                        NULL, NULL, NULL);
    assert_non_null(f.c);
    assert_int_equal(enter_and_exit(&f, 0), 0);
    assert_int_equal(f.fmi3DoStep(f.c, 0, 1, true, NULL, NULL, NULL, NULL), fmi3OK);
    assert_int_equal(f.fmi3GetFloat64(f.c, NULL, 0, NULL, 0), fmi3OK);
    assert_int_equal(f.fmi3FreeFMUState(f.c, NULL), fmi3OK);
    raw_close(&f);

    raw_open(&f, UNPACKED, "Gain_fmi1");
    f.c = f.fmiInstantiateSlave(NULL, f.guid, NULL, NULL, 0, 0, 0, f.callbacks1, 0);
    assert_non_null(f.c);
    assert_contains(f.log, "the instance has no name; it is called 'Gain'");
    raw_close(&f);
}

static void count_updates(fmi3InstanceEnvironment environment, fmi3Float64 time,
                          fmi3Boolean may_set, fmi3Boolean may_get, fmi3Boolean step_finished,
                          fmi3Boolean can_return, fmi3Boolean *wants_return,
                          fmi3Float64 *return_time)
{
    (void)time, (void)may_get, (void)step_finished, (void)can_return, (void)return_time;
    *(int *)environment += may_set;
    *wants_return = false;
}

// Some programs name outputs that they want to record between communication points.
static void outputs_may_be_required_for_intermediate_updates(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Lag_fmi3");
    for (int n = 1; n <= 2; n++) { // the output alone, and with the input
        const fmi3ValueReference vr[] = {raw_reference(&f, "x"), raw_reference(&f, "u")};
        int n_updates = 0;
        f.c = f.fmi3InstantiateCoSimulation("it", f.guid, NULL, false, false, false, true, vr,
                                            (size_t)n, &n_updates, NULL, count_updates);
        assert_non_null(f.c);
        assert_int_equal(enter_and_exit(&f, 0), 0);
        assert_int_equal(raw_step(&f, 0, 0.5), 0);
        assert_true(n == 1 ? n_updates == 0 : n_updates > 0);
        f.fmi3FreeInstance(f.c);
    }
    const fmi3ValueReference none = 4711;
    f.c = f.fmi3InstantiateCoSimulation("it", f.guid, NULL, false, false, false, true, &none, 1, &f,
                                        f.log_message3, count_updates);
    assert_null(f.c);
    assert_contains(f.log, "a variable that is required for intermediate updates does not exist");
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

static void intermediate_updates_may_be_wanted_where_inputs_are_held(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "LagHeld_fmi3");
    const fmi3ValueReference u = raw_reference(&f, "u");
    f.c = f.fmi3InstantiateCoSimulation("it", f.guid, NULL, false, true, false, true, &u, 1, &f,
                                        f.log_message3, count_updates);
    assert_non_null(f.c);
    assert_contains(f.log, "1 of 1 variables that are required for intermediate updates");
    assert_int_equal(enter_and_exit(&f, 0), 0);
    assert_int_equal(raw_step(&f, 0, 0.5), 0);
    raw_close(&f);
}

// Some programs use event mode with every FMU if their user asks for it.
static void event_mode_may_be_wanted_where_there_are_no_events(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain_fmi3");
    f.c = f.fmi3InstantiateCoSimulation("it", f.guid, NULL, false, true, true, false, NULL, 0, &f,
                                        f.log_message3, NULL);
    assert_non_null(f.c);
    assert_contains(f.log, "the FMU has no event mode; ");
    assert_int_equal(enter_and_exit(&f, 0), 0);
    for (int i = 0; i < 3; i++) {
        fmi3Boolean again = true, answer;
        double time;
        raw_set(&f, "u", i + 1);
        assert_int_equal(
            f.fmi3UpdateDiscreteStates(f.c, &again, &answer, &answer, &answer, &answer, &time),
            fmi3OK);
        assert_false(again);
        assert_true(raw_get(&f, "y") == i + 1);
        assert_int_equal(f.fmi3EnterStepMode(f.c), fmi3OK);
        assert_int_equal(raw_step(&f, i, 1), 0);
        assert_int_equal(f.fmi3EnterEventMode(f.c), fmi3OK);
    }
    raw_close(&f);
}

static void times_with_roundings_are_accepted(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_VERSIONS; i++) {
        raw_fmu f;
        open_gain(&f, i);
        assert_int_equal(enter_and_exit(&f, 0), 0);
        float t = 0, h = 0.1F; // a program with few digits
        for (int n = 0; n < 90; n++, t += h) assert_int_equal(raw_step(&f, (double)t, 0.1), 0);
        assert_int_equal(raw_step(&f, 9.1, 0.1), 3); // but not another time
        assert_contains(f.log, "the communication point is 9.09");
        raw_close(&f);
    }
}

static void warnings_do_not_flood_the_log(void **unused)
{
    (void)unused;
    raw_fmu f;
    open_gain(&f, 1);
    for (int i = 0; i < 1000; i++) raw_get(&f, "u"); // in the state "instantiated"
    assert_in_range(f.n_messages, 1, 20);
    raw_close(&f);
}

// ---- model exchange ----------------------------------------------------------------------------------

static void fmi1_models_can_be_ended_in_every_way(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Ball_fmi1me");
    const fmiModelCallbackFunctions callbacks = {.logger = f.callbacks1.logger,
                                                 .allocateMemory = f.callbacks1.allocateMemory,
                                                 .freeMemory = f.callbacks1.freeMemory};
    void *c = f.fmiInstantiateModel("", f.guid, callbacks, fmiFalse);
    assert_non_null(c);
    double x[2];
    fmiEventInfo info;
    assert_int_equal(f.fmiGetContinuousStates(c, x, 2), fmiOK);
    assert_int_equal(f.fmiInitialize(c, fmiFalse, 0, &info), fmiOK); // no time was set: 0
    assert_int_equal(f.fmiSetTime(c, 0.01), fmiOK);
    assert_int_equal(f.fmiTerminate(c), fmiOK);
    assert_int_equal(f.fmiTerminate(c), fmiOK);
    f.fmiFreeModelInstance(c);
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

static void fmi2_models_forgive_modes_that_are_already_there(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Ball");
    f.c = f.fmi2Instantiate("it", fmi2ModelExchange, f.guid, NULL, &f.callbacks, 0, 0);
    assert_non_null(f.c);
    fmi2EventInfo info;
    fmi2Boolean enters, ends;
    double x[2], dx[2];
    assert_int_equal(f.fmi2SetTime(f.c, 1), fmi2OK);
    assert_int_equal(f.fmi2EnterInitializationMode(f.c), fmi2OK); // the start time is 1
    assert_int_equal(f.fmi2ExitInitializationMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2EnterEventMode(f.c), fmi2OK); // it is there
    assert_int_equal(f.fmi2NewDiscreteStates(f.c, &info), fmi2OK);
    assert_int_equal(f.fmi2GetContinuousStates(f.c, x, 2), fmi2OK);
    assert_int_equal(f.fmi2SetContinuousStates(f.c, x, 2), fmi2OK);
    assert_int_equal(f.fmi2EnterContinuousTimeMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2EnterContinuousTimeMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2CompletedIntegratorStep(f.c, fmi2True, &enters, &ends), fmi2OK);
    assert_int_equal(f.fmi2GetDerivatives(f.c, dx, 2), fmi2OK);
    assert_true(dx[0] == x[1]);
    assert_int_equal(f.fmi2Terminate(f.c), fmi2OK);
    assert_int_equal(f.fmi2Terminate(f.c), fmi2OK);
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_set_in_any_order_before_initialization),
        cmocka_unit_test(values_read_before_initialization_are_start_values),
        cmocka_unit_test(missing_experiment_begins_at_0),
        cmocka_unit_test(initialization_is_completed_by_its_exit_or_a_step),
        cmocka_unit_test(parameters_set_behind_the_initialization_of_fmi1_count),
        cmocka_unit_test(terminate_is_accepted_everywhere),
        cmocka_unit_test(instances_are_used_again_after_a_reset),
        cmocka_unit_test(missing_arguments_that_say_nothing_are_accepted),
        cmocka_unit_test(outputs_may_be_required_for_intermediate_updates),
        cmocka_unit_test(intermediate_updates_may_be_wanted_where_inputs_are_held),
        cmocka_unit_test(event_mode_may_be_wanted_where_there_are_no_events),
        cmocka_unit_test(times_with_roundings_are_accepted),
        cmocka_unit_test(warnings_do_not_flood_the_log),
        cmocka_unit_test(fmi1_models_can_be_ended_in_every_way),
        cmocka_unit_test(fmi2_models_forgive_modes_that_are_already_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
