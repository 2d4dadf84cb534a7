// SPDX-License-Identifier: MIT
// Going back in time: what is kept after a step belongs together, and what was tried leaves no trace.
#include "run/algorithm.h"
#include "run/calls.h"
#include "unit/run/models.h"

static test_coupling c;

// Steps to the end. After every step the values that the run keeps must be those that the instances
// have: their states belong to the sweep that was kept.
static void run_and_compare_with_instances(void)
{
    takt_progress progress = TAKT_RUNNING;
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    int n = c.plan->n_outputs[TAKT_KIND_REAL];
    while (progress == TAKT_RUNNING) {
        if (takt_run_step(c.run, &progress, &c.err)) fail_msg("%s", c.err.message);
        double kept[16];
        assert_true(n <= 16);
        memcpy(kept, c.run->state.y.real, (size_t)n * sizeof *kept);
        for (int i = 0; i < c.run->work.n_instances; i++) {
            assert_int_equal(takt_run_get_outputs(c.run, i, 0, &c.err), TAKT_OK);
            const test_instance *instance = (test_instance *)c.run->work.instances[i].instance;
            assert_near(instance->time, c.run->state.grid.time, 1e-9);
        }
        for (int i = 0; i < n; i++) assert_true(kept[i] == c.run->state.y.real[i]);
    }
}

// x' = u, y = x; z = k y; a chain behind it
static void kept_values_are_those_of_the_instances(void **state)
{
    (void)state;
    const char *algorithms[] = {"jacobi", "seidel",       "fixed-point",
                                "newton", "quasi-newton", "anderson"};
    const char *controls[] = {"fixed", "convergence", "richardson"};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            for (int n = 1; n <= 20; n += 19) { // converging or not
                test_model models[] = {CLOCK, INTEGRATOR, GAIN, {0}};
                char settings[300];
                snprintf(settings, sizeof settings,
                         "algorithm=%s step-control=%s step-size=0.1 stop-time=1 step-max=0.2 "
                         "step-min=0.01 step-fallback=0.05 iterations=%d set=f.k=-3",
                         algorithms[i], controls[k], n);
                test_couple(&c, models, "x:Integrator f:Gain g:Gain clock:Clock h:Gain",
                            "x.y>f.u f.y>x.u x.y>g.u clock.y>h.u", settings);
                run_and_compare_with_instances();
                test_uncouple(&c);
            }
}

// Another algorithm in every step, for one loop or for both.
static void algorithms_may_change_in_every_step(void **state)
{
    (void)state;
    const char *changes[] = {"x=newton",  "fixed-point", "f2=jacobi",     "seidel", "quasi-newton",
                             "x2=newton", "jacobi",      "f=fixed-point", "newton", "f=anderson"};
    for (int k = 0; k < 3; k++) {
        const char *controls[] = {"fixed", "convergence", "richardson"};
        test_model models[] = {INTEGRATOR, GAIN, {0}};
        char settings[300];
        snprintf(
            settings, sizeof settings,
            "algorithm=seidel step-control=%s step-size=0.002 step-max=0.002 step-min=1e-4 "
            "stop-time=0.5 relative-tolerance=1e-3 absolute-tolerance=1e-3 set=f.k=-1 set=f2.k=-2",
            controls[k]);
        test_couple(&c, models, "x:Integrator f:Gain x2:Integrator f2:Gain",
                    "x.y>f.u f.y>x.u x2.y>f2.u f2.y>x2.u", settings);
        takt_progress progress = TAKT_RUNNING;
        assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
        for (int i = 0; progress == TAKT_RUNNING; i++) {
            assert_int_equal(takt_run_set_algorithm(c.run, changes[i % 10], &c.err), TAKT_OK);
            if (takt_run_step(c.run, &progress, &c.err)) fail_msg("%s", c.err.message);
        }
        assert_near(test_value(&c, "x.y", -1), exp(-0.5), 1e-3);
        assert_near(test_value(&c, "x2.y", -1), exp(-1), 2e-3);
        test_uncouple(&c);
        assert_int_equal(models[0].counts.states + models[1].counts.states, 0);
    }
}

// Counts its steps and tells the number as an integer and as text; repeats what it receives.
static const test_variable teller_variables[] = {
    {"n_in", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"text_in", TAKT_INPUT, .type = TAKT_STRING, .start = "0"},
    {"n", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
    {"text", TAKT_OUTPUT, .type = TAKT_STRING, .depends = ""},
    {"n_seen", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
    {"text_seen", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
    {0},
};
static void teller_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    at->state[0]++;
    at->state[1] = (double)at->integer[0];
    at->state[2] = strtod(at->bytes[1].data, NULL);
}
static void teller_output(test_instance *at)
{
    char text[40];
    int n = snprintf(text, sizeof text, "%.0f and more", at->state[0]);
    takt_bytes_assign(&at->bytes[3], text, (size_t)n);
    at->integer[2] = (int64_t)at->state[0];
    at->integer[4] = (int64_t)at->state[1];
    at->integer[5] = (int64_t)at->state[2];
}

static void jump_output(test_instance *at)
{
    at->real[0] = at->time < 0.37 ? 0 : 1;
}

// With jacobi a value arrives one (half) step later; every attempt that was taken back would be seen
// in the numbers.
static void rejected_steps_leave_no_trace_in_integers_and_texts(void **state)
{
    (void)state;
    const char *algorithms[] = {"jacobi", "seidel",       "fixed-point",
                                "newton", "quasi-newton", "anderson"};
    for (int k = 0; k < 6; k++) {
        test_model models[] = {
            {"Jump", clock_variables, .output = jump_output, REWINDS},
            {"Teller", teller_variables, .output = teller_output, .step = teller_step, REWINDS},
            GAIN,
            {0}};
        char settings[300];
        snprintf(settings, sizeof settings,
                 "algorithm=%s step-control=richardson step-size=0.2 step-max=0.2 step-min=0.001 "
                 "step-fallback=0 stop-time=1",
                 algorithms[k]);
        test_couple(&c, models, "a:Teller b:Teller jump:Jump gain:Gain",
                    "a.n>b.n_in a.text>b.text_in b.n>a.n_in b.text>a.text_in jump.y>gain.u",
                    settings);
        test_run_all(&c);
        assert_true(c.run->counts.n_error_failures > 2);
        for (int i = 1; i < c.n_rows; i++) {
            int n = 2 * i;
            assert_near(test_value(&c, "a.n", i), n, 0);
            assert_near(test_value(&c, "b.n", i), n, 0);
            // a comes first, so b gets its new value in all but jacobi; iterated, a does so as well.
            assert_near(test_value(&c, "a.n_seen", i), k < 2 ? n - 1 : n, 0);
            assert_near(test_value(&c, "b.n_seen", i), k < 1 ? n - 1 : n, 0);
            assert_near(test_value(&c, "a.text_seen", i), test_value(&c, "a.n_seen", i), 0);
            assert_near(test_value(&c, "b.text_seen", i), test_value(&c, "b.n_seen", i), 0);
        }
        test_uncouple(&c);
    }
}

static void a_change_that_fails_changes_nothing(void **state)
{
    (void)state;
    test_model models[] = {INTEGRATOR, GAIN, {"Fixed", gain_variables, .output = gain_output}, {0}};
    const char *settings = "algorithm=seidel step-size=0.1 stop-time=0.5 set=f.k=-1 set=f2.k=-1";
    const char *components = "x:Integrator f:Gain x2:Integrator f2:Fixed";
    const char *connections = "x.y>f.u f.y>x.u x2.y>f2.u f2.y>x2.u";
    const char *wanted[] = {"newton", "fixed-point", "f2=newton"};
    for (int i = 0; i < 3; i++) {
        test_couple(&c, models, components, connections, settings);
        assert_int_equal(takt_run_set_algorithm(c.run, wanted[i], &c.err), TAKT_ERR_USAGE);
        assert_contains(c.err.message, "instance 'f2' cannot save and restore its state");
        for (int k = 0; k < c.plan->n_blocks; k++)
            assert_string_equal(c.run->work.blocks[k].use->type->facts->name, "seidel");
        test_run_all(&c);
        assert_near(test_value(&c, "x.y", -1), pow(0.9, 5), 1e-12);
        test_uncouple(&c);
    }
    assert_int_equal(models[0].counts.save, 0);

    // A schedule that cannot be followed is refused before the run begins.
    char all[300];
    snprintf(all, sizeof all, "%s algorithm-at=0.3:newton", settings);
    test_try_couple(&c, models, components, connections, all);
    assert_int_equal(c.status, TAKT_ERR_USAGE);
    assert_contains(c.err.message, "algorithm-at 0.3 s: algorithm 'newton'");
    test_uncouple(&c);
    snprintf(all, sizeof all, "%s algorithm-at=0.3:nobody=jacobi", settings);
    test_try_couple(&c, models, components, connections, all);
    assert_int_equal(c.status, TAKT_ERR_USAGE);
    assert_contains(c.system.log.text, "there is no component 'nobody'");
    test_uncouple(&c);
}

// Each call that can fail does so in turn: the message names the instance, the others are ended
// properly, and nothing is left.
static void failing_calls_end_the_run_properly(void **state)
{
    (void)state;
    const struct {
        test_fault fault;
        const char *message;
        bool ends_itself; // the instance with the fault is terminated as well
    } cases[] = {
        {TEST_FAILS_TO_SAVE, "instance 'f' at t=0 s: f: save fails", false},
        {TEST_FAILS_TO_RESTORE, "instance 'f' at t=0 s: f: restore fails", false},
        {TEST_FAILS, "instance 'f' at t=", false},
        {TEST_FAILS_TO_TERMINATE, "instance 'f': f: terminate fails", true},
    };
    const char *controls[] = {"fixed", "convergence", "richardson"};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 6; k++) {
            test_model models[] = {INTEGRATOR, GAIN, {0}};
            models[1].fault = cases[i].fault;
            models[1].fault_time = 0.25;
            char settings[200];
            snprintf(settings, sizeof settings,
                     "algorithm=%s step-control=%s step-size=0.1 stop-time=0.5 step-max=0.1 "
                     "set=f.k=-1",
                     k < 3 ? "newton" : "fixed-point", controls[k % 3]);
            test_couple(&c, models, "x:Integrator f:Gain", "x.y>f.u f.y>x.u", settings);
            test_try_run_all(&c);
            assert_int_equal(c.status, TAKT_ERR_SIMULATION);
            assert_contains(c.err.message, cases[i].message);
            test_uncouple(&c);
            assert_int_equal(models[0].counts.terminate, 1);
            assert_int_equal(models[1].counts.terminate, cases[i].ends_itself);
            assert_int_equal(models[0].counts.destroy + models[1].counts.destroy, 2);
            assert_int_equal(models[0].counts.states + models[1].counts.states, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_values_are_those_of_the_instances),
        cmocka_unit_test(algorithms_may_change_in_every_step),
        cmocka_unit_test(rejected_steps_leave_no_trace_in_integers_and_texts),
        cmocka_unit_test(a_change_that_fails_changes_nothing),
        cmocka_unit_test(failing_calls_end_the_run_properly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
