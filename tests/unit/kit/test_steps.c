// SPDX-License-Identifier: MIT
// Steps: their times, their ends, and the equations of the example FMUs.
#include "support/raw_fmu.h"

#include "fmus/misbehave.h"

#define UNPACKED TEST_FMUS ".unpacked"

static void start_until(raw_fmu *f, double start, double stop)
{
    raw_instantiate(f);
    assert_int_equal(f->fmi2SetupExperiment(f->c, 0, 0, start, fmi2True, stop), fmi2OK);
    assert_int_equal(f->fmi2EnterInitializationMode(f->c), fmi2OK);
    assert_int_equal(f->fmi2ExitInitializationMode(f->c), fmi2OK);
}

static void impossible_steps_are_refused(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    start_until(&f, 0, 1);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0, fmi2True), fmi2Error);
    assert_contains(f.log, "the communication step size must be positive, but it is 0 at time 0");
    assert_int_equal(f.fmi2DoStep(f.c, 0, -0.1, fmi2True), fmi2Error);
    assert_int_equal(f.fmi2DoStep(f.c, 0, NAN, fmi2True), fmi2Error);
    assert_int_equal(f.fmi2DoStep(f.c, NAN, 0.1, fmi2True), fmi2Error);
    assert_int_equal(f.fmi2DoStep(f.c, INFINITY, 0.1, fmi2True), fmi2Error);
    raw_clear_log(&f);
    assert_int_equal(f.fmi2DoStep(f.c, 0.5, 0.1, fmi2True), fmi2Error);
    assert_contains(f.log, "the communication point is 0.5, but the FMU is at time 0");
    assert_int_equal(f.fmi2DoStep(f.c, 0, 1.001, fmi2True), fmi2Error);
    assert_contains(f.log, "would go beyond the stop time 1");
    assert_int_equal(f.fmi2DoStep(f.c, 0, 1, fmi2True), fmi2OK);
    raw_close(&f);
}

static void rounding_errors_of_times_are_forgiven(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Math003Part3");
    start_until(&f, 0, 10);
    raw_set(&f, "x3", 1);
    for (int i = 0; i < 100; i++) // multiples of h, with a last step that ends behind 10
        assert_int_equal(f.fmi2DoStep(f.c, i * 0.1, i < 99 ? 0.1 : 0.1 + 1e-12, fmi2True), fmi2OK);
    assert_near(raw_get(&f, "x4"), 20, 1e-9);
    f.fmi2FreeInstance(f.c);

    start_until(&f, 0, 10);
    raw_set(&f, "x3", 1);
    double t = 0;
    for (int i = 0; i < 100; i++, t += 0.1) // added up: t is 9.99999999999998 at the end
        assert_int_equal(f.fmi2DoStep(f.c, t, 0.1, fmi2True), fmi2OK);
    raw_close(&f);
}

static void fixed_step_fmu_refuses_another_step_size(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "FixedStep");
    raw_start(&f);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.1, fmi2True), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0.1, 0.1 + 1e-12, fmi2True), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0.2, 0.05, fmi2True), fmi2Error);
    assert_contains(f.log, "the first one was 0.1, now it is 0.05");
    assert_null(strstr(f.xml, "canHandleVariableCommunicationStepSize"));
    raw_close(&f);
}

static fmi2Status step_of(raw_fmu *f, int what, double last_time)
{
    raw_instantiate(f);
    fmi2ValueReference vr = raw_reference(f, "what");
    assert_int_equal(f->fmi2SetInteger(f->c, &vr, 1, &what), fmi2OK);
    raw_set(f, "when", 0.2);
    raw_set(f, "last_time", last_time);
    assert_int_equal(f->fmi2SetupExperiment(f->c, 0, 0, 0, 0, 0), fmi2OK);
    assert_int_equal(f->fmi2EnterInitializationMode(f->c), fmi2OK);
    assert_int_equal(f->fmi2ExitInitializationMode(f->c), fmi2OK);
    raw_set(f, "u", 7);
    assert_int_equal(f->fmi2DoStep(f->c, 0, 0.1, fmi2True), fmi2OK);
    return f->fmi2DoStep(f->c, 0.1, 0.1, fmi2True);
}

static void discarded_step_gives_its_last_time(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave");
    double time;
    int terminated;
    assert_int_equal(step_of(&f, MISBEHAVE_DISCARD, 0.15), fmi2Discard);
    assert_int_equal(f.fmi2GetRealStatus(f.c, fmi2LastSuccessfulTime, &time), fmi2OK);
    assert_true(time == 0.15);
    assert_int_equal(f.fmi2GetBooleanStatus(f.c, fmi2Terminated, &terminated), fmi2OK);
    assert_int_equal(terminated, fmi2False);
    assert_int_equal(f.fmi2GetBooleanStatus(f.c, fmi2DoStepStatus, &terminated), fmi2Discard);
    assert_int_equal(f.fmi2GetRealStatus(f.c, fmi2LastSuccessfulTime, NULL), fmi2Error);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.1, fmi2True), fmi2Error); // that time is over
    assert_int_equal(f.fmi2DoStep(f.c, 0.15, 0.1, fmi2True), fmi2Discard); // it is at its order
    f.fmi2FreeInstance(f.c);

    assert_int_equal(step_of(&f, MISBEHAVE_DISCARD, -1), fmi2Discard);
    f.fmi2GetRealStatus(f.c, fmi2LastSuccessfulTime, &time);
    assert_true(time == 0.1);
    raw_close(&f);
}

static void discarded_step_succeeds_after_a_rewind_with_a_smaller_one(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave");
    raw_instantiate(&f);
    fmi2ValueReference vr = raw_reference(&f, "what");
    int what = MISBEHAVE_DISCARD;
    assert_int_equal(f.fmi2SetInteger(f.c, &vr, 1, &what), fmi2OK);
    raw_set(&f, "max_step", 0.05);
    f.fmi2SetupExperiment(f.c, 0, 0, 0, 0, 0);
    f.fmi2EnterInitializationMode(f.c);
    f.fmi2ExitInitializationMode(f.c);
    fmi2FMUstate state = NULL;
    assert_int_equal(f.fmi2GetFMUstate(f.c, &state), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.1, fmi2False), fmi2Discard);
    assert_int_equal(f.fmi2SetFMUstate(f.c, state), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.05, fmi2False), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0.05, 0.05, fmi2False), fmi2OK);
    raw_close(&f);
}

static void fmu_can_end_the_simulation(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave");
    double time;
    int terminated;
    assert_int_equal(step_of(&f, MISBEHAVE_TERMINATE, 0.125), fmi2Discard);
    assert_int_equal(f.fmi2GetBooleanStatus(f.c, fmi2Terminated, &terminated), fmi2OK);
    assert_int_equal(terminated, fmi2True);
    f.fmi2GetRealStatus(f.c, fmi2LastSuccessfulTime, &time);
    assert_true(time == 0.125);
    assert_int_equal(f.fmi2Terminate(f.c), fmi2OK);
    assert_true(raw_get(&f, "y") == 7);
    raw_close(&f);
}

static void other_misbehaviour_is_as_ordered(void **unused)
{
    (void)unused;
    static const struct {
        int what;
        fmi2Status status;
        const char *message;
    } cases[] = {
        {MISBEHAVE_NOTHING, fmi2OK, NULL},
        {MISBEHAVE_WARNING, fmi2Warning, "logStatusWarning: the step from 0.1 to 0.2 is odd"},
        {MISBEHAVE_ERROR, fmi2Error,
         "logStatusError: fmi2DoStep: the model's step reports an error at time"},
        {MISBEHAVE_FATAL, fmi2Fatal,
         "logStatusFatal: fmi2DoStep: the model's step reports a fatal error"},
        {MISBEHAVE_NOT_A_NUMBER, fmi2OK, NULL},
        {MISBEHAVE_INFINITE, fmi2OK, NULL},
        {MISBEHAVE_SLOW, fmi2OK, NULL},
        {MISBEHAVE_WRITE_STDOUT, fmi2OK, NULL},
        {MISBEHAVE_LOG_PERCENT, fmi2OK, "UNSAFE FORMAT: 100% done"},
        {MISBEHAVE_LOG_HOSTILE, fmi2OK, "UNSAFE FORMAT: %n"},
        {MISBEHAVE_LOG_NULL, fmi2OK, NULL},
    };
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        raw_clear_log(&f);
        assert_int_equal(step_of(&f, cases[i].what, -1), cases[i].status);
        if (cases[i].message) assert_contains(f.log, cases[i].message);
        if (cases[i].what == MISBEHAVE_NOT_A_NUMBER) assert_true(isnan(raw_get(&f, "y")));
        if (cases[i].what == MISBEHAVE_INFINITE) assert_true(isinf(raw_get(&f, "y")));
        f.fmi2FreeInstance(f.c);
    }
    f.c = NULL;
    raw_close(&f);
}

static void failing_initialization_is_an_error(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave");
    raw_instantiate(&f);
    fmi2ValueReference vr = raw_reference(&f, "what");
    int what = MISBEHAVE_INIT_ERROR;
    f.fmi2SetInteger(f.c, &vr, 1, &what);
    f.fmi2SetupExperiment(f.c, 0, 0, 0, 0, 0);
    assert_int_equal(f.fmi2EnterInitializationMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2ExitInitializationMode(f.c), fmi2Error);
    assert_contains(f.log, "the model's initialize reports an error at time 0");
    assert_contains(f.log, "logStatusError: initialization fails because what = init_error");
    assert_int_equal(f.fmi2Reset(f.c), fmi2OK);
    raw_close(&f);
}

static void pending_step_ends_when_polled(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave");
    assert_int_equal(step_of(&f, MISBEHAVE_PENDING, -1), fmi2Pending);
    const char *text = NULL;
    assert_int_equal(f.fmi2GetStringStatus(f.c, fmi2PendingStatus, &text), fmi2OK);
    assert_string_equal(text, "step in progress");
    fmi2Status status = fmi2Fatal;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f.fmi2GetStatus(f.c, fmi2DoStepStatus, &status), fmi2OK);
        assert_int_equal(status, fmi2Pending);
        assert_int_equal(f.n_finished, 0);
    }
    assert_int_equal(f.fmi2GetStatus(f.c, fmi2DoStepStatus, &status), fmi2OK);
    assert_int_equal(status, fmi2OK);
    assert_int_equal(f.n_finished, 1);
    assert_int_equal(f.fmi2GetStatus(f.c, fmi2DoStepStatus, &status), fmi2OK);
    assert_int_equal(f.n_finished, 1);
    assert_true(raw_get(&f, "y") == 7);
    assert_int_equal(f.fmi2DoStep(f.c, 0.2, 0.1, fmi2True), fmi2Pending);
    assert_int_equal(f.fmi2CancelStep(f.c), fmi2OK);
    raw_close(&f);
}

// ---- equations of the examples -----------------------------------------------------------------------

static void math003_signals_switch_at_their_times(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Math003Part1");
    raw_start(&f);
    assert_true(raw_get(&f, "x1") == 0 && raw_get(&f, "x2") == 0);
    static const double x1[] = {0, 1, 0, 0, 0, 1, 1}, x2[] = {0, 0, 0, 1, 0, 0, 1};
    for (int i = 1; i < 7; i++) {
        assert_int_equal(f.fmi2DoStep(f.c, i - 1, 1, fmi2True), fmi2OK);
        assert_true(raw_get(&f, "x1") == x1[i]);
        assert_true(raw_get(&f, "x2") == x2[i]);
    }
    raw_close(&f);

    raw_open(&f, UNPACKED, "Math003Part1");
    start_until(&f, 5.5, 10); // outputs at the start follow the start time
    assert_true(raw_get(&f, "x1") == 1 && raw_get(&f, "x2") == 0);
    raw_close(&f);
}

static void math003_controller_switches(void **unused)
{
    (void)unused;
    static const double cases[][4] = {// x1, x2, x4, x3
                                      {1, 0, 0, 3},  {1, 0, 2.5, 0},    {1, 1, 0, 0},
                                      {0, 1, 0, -3}, {0, 1, -2.5, 0},   {0, 0, 0, 0},
                                      {1, 0, -9, 3}, {0.9995, 0, 0, 3}, {0.5, 0.5, 0, 0}};
    raw_fmu f;
    raw_open(&f, UNPACKED, "Math003Part2");
    raw_start(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        raw_set(&f, "x1", cases[i][0]);
        raw_set(&f, "x2", cases[i][1]);
        raw_set(&f, "x4", cases[i][2]);
        assert_int_equal(f.fmi2DoStep(f.c, (double)i, 1, fmi2True), fmi2OK);
        assert_true(raw_get(&f, "x3") == cases[i][3]);
    }
    raw_close(&f);
}

static void lotka_volterra_steps_are_exponentials(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "LotkaVolterraPrey");
    raw_start(&f);
    assert_true(raw_get(&f, "x") == 10);
    raw_set(&f, "y", 3);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.5, fmi2True), fmi2OK);
    assert_near(raw_get(&f, "x"), 10 * exp((0.1 - 0.02 * 3) * 0.5), 1e-14);
    raw_close(&f);
    raw_open(&f, UNPACKED, "LotkaVolterraPredator");
    raw_start(&f);
    assert_true(raw_get(&f, "y") == 10);
    raw_set(&f, "x", 3);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.5, fmi2True), fmi2OK);
    assert_near(raw_get(&f, "y"), 10 * exp((0.02 * 3 - 0.4) * 0.5), 1e-14);
    raw_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_steps_are_refused),
        cmocka_unit_test(rounding_errors_of_times_are_forgiven),
        cmocka_unit_test(fixed_step_fmu_refuses_another_step_size),
        cmocka_unit_test(discarded_step_gives_its_last_time),
        cmocka_unit_test(discarded_step_succeeds_after_a_rewind_with_a_smaller_one),
        cmocka_unit_test(fmu_can_end_the_simulation),
        cmocka_unit_test(other_misbehaviour_is_as_ordered),
        cmocka_unit_test(failing_initialization_is_an_error),
        cmocka_unit_test(pending_step_ends_when_polled),
        cmocka_unit_test(math003_signals_switch_at_their_times),
        cmocka_unit_test(math003_controller_switches),
        cmocka_unit_test(lotka_volterra_steps_are_exponentials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
