// SPDX-License-Identifier: MIT
// Snapshots of a whole run: from a restored one it goes on bit for bit as it did the first time.
#include <math.h>
#include <string.h>

#include "run/snapshot.h"
#include "takt/pacing.h"
#include "unit/run/models.h"

static test_coupling c;

// x' = u - x^3 by ten Euler steps, with a switch of its own: a state that is not in the outputs.
static const test_variable plant_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static void plant_output(test_instance *at)
{
    at->real[1] = at->state[0] + 0.3 * at->real[0] + (at->state[1] > 0.5 ? 0.1 : 0);
}
static void plant_step(test_instance *at, double t, double h)
{
    (void)t;
    for (int i = 0; i < 10; i++)
        at->state[0] += h / 10 * (at->real[0] - at->state[0] * at->state[0] * at->state[0]);
    at->state[1] = at->state[0] > 0.2 ? 1 : 0;
}

// y = 0.5 - 0.7 u with memory of its input.
static const test_variable control_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static void control_output(test_instance *at)
{
    at->real[1] = 0.5 * cos(at->time) - 0.7 * at->real[0] - 0.1 * at->state[0];
}
static void control_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h * at->real[0];
}

#define PLANT                                                                                      \
    {                                                                                              \
        "Plant", plant_variables, .output = plant_output, .step = plant_step, REWINDS              \
    }
#define CONTROL                                                                                    \
    {                                                                                              \
        "Control", control_variables, .output = control_output, .step = control_step, REWINDS      \
    }

enum { N = 100 };

// The bits of all values, times and what steps carry, after each of N steps.
typedef struct course {
    double t[N], h[N];
    uint64_t hash[N];
} course;

static uint64_t hash(uint64_t start, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) start = (start ^ bytes[i]) * 1099511628211u;
    return start;
}

static void go(course *out)
{
    takt_progress progress;
    for (int i = 0; i < N; i++) {
        assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
        assert_int_equal(progress, TAKT_RUNNING);
        const takt_run_state *state = &c.run->state;
        out->t[i] = state->grid.time;
        out->h[i] = state->control.h_next;
        uint64_t sum = 14695981039346656037u;
        sum = hash(sum, state->y.real, (size_t)c.plan->n_outputs[TAKT_KIND_REAL] * sizeof(double));
        sum = hash(sum, state->u.real, (size_t)c.plan->n_inputs[TAKT_KIND_REAL] * sizeof(double));
        for (int k = 0; k < c.run->work.n_instances; k++) {
            const test_instance *at = (test_instance *)c.run->work.instances[k].instance;
            sum = hash(sum, at->state, sizeof at->state);
        }
        out->hash[i] = sum;
    }
}

static void assert_same(const course *a, const course *b)
{
    assert_memory_equal(a->t, b->t, sizeof a->t);
    assert_memory_equal(a->h, b->h, sizeof a->h);
    assert_memory_equal(a->hash, b->hash, sizeof a->hash);
}

static const char *const algorithms[] = {"auto",   "jacobi",       "seidel",  "fixed-point",
                                         "newton", "quasi-newton", "anderson"};
static const char *const controls[] = {"fixed", "convergence", "richardson"};
static const char *const more[] = {"", " algorithm-at=0.5:newton algorithm-at=3:jacobi",
                                   " output-interval=0.07", " time-grid=accumulated"};

static void couple(const char *settings)
{
    static test_model models[] = {PLANT, CONTROL, GAIN, {0}};
    test_couple(&c, models, "p:Plant q:Control g:Gain", "p.y>q.u q.y>p.u q.y>g.u", settings);
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
}

static void step_n_times(int n)
{
    takt_progress progress;
    for (int i = 0; i < n; i++) assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
}

static void the_same_steps_follow_with_every_algorithm_and_control(void **state)
{
    (void)state;
    static course first, again;
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
        for (size_t k = 0; k < sizeof controls / sizeof *controls; k++)
            for (size_t m = 0; m < sizeof more / sizeof *more; m++) {
                char settings[300];
                snprintf(settings, sizeof settings,
                         "algorithm=%s step-control=%s step-size=0.02 step-max=0.1 "
                         "relative-tolerance=1e-3 absolute-tolerance=1e-4 stop-time=1000%s",
                         algorithms[a], controls[k], more[m]);
                couple(settings);
                step_n_times(7);
                takt_snapshot *snapshot = NULL;
                assert_int_equal(takt_snapshot_take(c.run, &snapshot, &c.err), TAKT_OK);
                go(&first);
                for (int i = 0; i < 2; i++) { // as often as one likes
                    assert_int_equal(takt_snapshot_restore(c.run, snapshot, &c.err), TAKT_OK);
                    go(&again);
                    assert_same(&first, &again);
                }
                takt_snapshot_destroy(snapshot);
                test_uncouple(&c);
            }
}

// Steps by prediction: instances that hold inputs and that follow them, to a tolerance and fixed.
static void the_same_steps_follow_by_prediction(void **state)
{
    (void)state;
    static course first, again;
    static const char *const settings[] = {"tolerance=1e-3",
                                           "tolerance=1e-6",
                                           "tolerance=1e-4 output-interval=0.07",
                                           "tolerance=1e-4 output-interval=0.07 output-grid=exact",
                                           "step-size=0.02",
                                           "step-size=0.5",
                                           "step-size=0.02 output-interval=0.07"};
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        for (int is_following = 0; is_following < 2; is_following++)
            for (int n_before = 0; n_before < 60; n_before += 29) {
                test_model models[] = {PLANT, CONTROL, GAIN, {0}};
                char all[200];
                for (int i = 0; i < 2; i++) models[i].can.interpolate_inputs = is_following;
                snprintf(all, sizeof all, "stop-time=1000 %s", settings[k]);
                test_couple(&c, models, "p:Plant q:Control g:Gain", "p.y>q.u q.y>p.u q.y>g.u", all);
                assert_non_null(c.run->automatic);
                assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
                step_n_times(n_before);
                takt_snapshot *snapshot = NULL;
                assert_int_equal(takt_snapshot_take(c.run, &snapshot, &c.err), TAKT_OK);
                go(&first);
                for (int i = 0; i < 2; i++) {
                    assert_int_equal(takt_snapshot_restore(c.run, snapshot, &c.err), TAKT_OK);
                    go(&again);
                    assert_same(&first, &again);
                }
                takt_snapshot_destroy(snapshot);
                test_uncouple(&c);
            }
}

// What moves it stays within a dead zone at first, so that its outputs say nothing about its states.
static const test_variable hidden_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void hidden_output(test_instance *at)
{
    at->real[1] = at->state[1];
}
static void hidden_step(test_instance *at, double t, double h)
{
    (void)t;
    double beyond = fmax(at->real[0] - 0.9, 0);
    for (int i = 0; i < 10; i++) {
        at->state[1] += h / 10 * (at->state[0] - at->state[1]);
        at->state[0] += h / 10 * (beyond - 0.1 * at->state[0]);
    }
}
static const test_variable wave_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};
static void wave_output(test_instance *at)
{
    at->real[0] = 1.2 * sin(at->time);
}

// An instance that hides whether it has states is led in two ways (hidden.h). Both go on.
static void twins_go_on_as_well(void **state)
{
    (void)state;
    static course first, again;
    test_model models[] = {
        {"Hidden", hidden_variables, .output = hidden_output, .step = hidden_step, REWINDS},
        {"Wave", wave_variables, .output = wave_output, REWINDS},
        {0}};
    test_couple(&c, models, "w:Wave h:Hidden", "w.y>h.u", "tolerance=1e-4 stop-time=1000");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    takt_instance_state *hidden = &c.run->state.instances[1];
    takt_snapshot *snapshot = NULL;
    for (int i = 0; i < 10 && !hidden->has_twin; i++) step_n_times(1);
    assert_true(hidden->has_twin);
    step_n_times(2);
    assert_true(hidden->has_twin);
    assert_int_equal(takt_snapshot_take(c.run, &snapshot, &c.err), TAKT_OK);
    go(&first);
    assert_false(hidden->has_twin); // it has been needed
    assert_true(c.run->state.y.real[1] > 1e-3);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(takt_snapshot_restore(c.run, snapshot, &c.err), TAKT_OK);
        assert_true(hidden->has_twin);
        go(&again);
        assert_same(&first, &again);
    }
    takt_snapshot_destroy(snapshot);
    test_uncouple(&c);
}

static void the_end_is_no_hindrance(void **state)
{
    (void)state;
    couple("algorithm=seidel step-size=0.1 stop-time=1");
    step_n_times(5);
    takt_snapshot *snapshot = NULL;
    takt_progress progress;
    assert_int_equal(takt_snapshot_take(c.run, &snapshot, &c.err), TAKT_OK);
    for (int round = 0; round < 2; round++) {
        step_n_times(4);
        assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
        assert_int_equal(progress, TAKT_FINISHED);
        assert_near(takt_run_time(c.run), 1, 0);
        assert_int_equal(takt_snapshot_restore(c.run, snapshot, &c.err), TAKT_OK);
        assert_near(takt_run_time(c.run), 0.5, 1e-15);
    }
    takt_snapshot_destroy(snapshot);
    test_uncouple(&c);
}

// x' = -x, exactly.
static const test_variable decay_variables[] = {{"x", TAKT_OUTPUT, .start = "1"}, {0}};
static void decay_output(test_instance *at)
{
    at->real[0] = exp(-at->state[0]);
}
static void decay_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h;
}

// Steps until nothing changes; returns the time. Ends at `until` at the latest.
static double step_until_steady(double until)
{
    takt_progress progress;
    int is_steady = 0;
    while (!is_steady && takt_run_time(c.run) < until) {
        assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
        assert_int_equal(takt_run_look_steady(c.run, &is_steady, &c.err), TAKT_OK);
    }
    return takt_run_time(c.run);
}

static void what_is_known_of_the_end_goes_back_as_well(void **state)
{
    (void)state;
    test_model models[] = {
        {"Decay", decay_variables, .output = decay_output, .step = decay_step, REWINDS}, {0}};
    test_couple(&c, models, "d:Decay", "", "step-size=0.1 stop-time=100 tolerance=1e-2");
    takt_snapshot *first = NULL, *later = NULL;
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    assert_int_equal(takt_snapshot_take(c.run, &first, &c.err), TAKT_OK);
    assert_int_equal(takt_run_watch_steady(c.run, 3, &c.err), TAKT_OK);
    assert_near(step_until_steady(6), 6, 1e-9); // half of the time that it takes has passed
    takt_steady_state before = {.size = sizeof before}, after = {.size = sizeof after};
    assert_int_equal(takt_run_steady_state(c.run, &before, &c.err), TAKT_OK);
    assert_int_equal(takt_snapshot_take(c.run, &later, &c.err), TAKT_OK);
    double end = step_until_steady(100);
    assert_true(end > 6.5 && end < 9);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(takt_snapshot_restore(c.run, i ? first : later, &c.err), TAKT_OK);
        assert_int_equal(takt_run_steady_state(c.run, &after, &c.err), TAKT_OK);
        if (i == 0) assert_near(after.since, before.since, 0);
        assert_near(step_until_steady(100), end, 0);
    }
    takt_snapshot_destroy(first);
    takt_snapshot_destroy(later);
    test_uncouple(&c);
}

static void instances_that_cannot_save_are_named(void **state)
{
    (void)state;
    test_model models[] = {GAIN, {"Old", gain_variables, .output = gain_output}, {0}};
    test_couple(&c, models, "a:Gain b:Old", "a.y>b.u", "step-size=0.1 stop-time=1");
    takt_snapshot *snapshot = NULL;
    assert_int_equal(takt_snapshot_take(c.run, &snapshot, &c.err), TAKT_ERR_USAGE);
    assert_contains(c.err.message, "only between initialization and the end");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    assert_int_equal(takt_snapshot_take(c.run, &snapshot, &c.err), TAKT_ERR_USAGE);
    assert_contains(c.err.message, "instance 'b' cannot save its state");
    assert_null(snapshot);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_steps_follow_with_every_algorithm_and_control),
        cmocka_unit_test(the_same_steps_follow_by_prediction),
        cmocka_unit_test(twins_go_on_as_well),
        cmocka_unit_test(the_end_is_no_hindrance),
        cmocka_unit_test(what_is_known_of_the_end_goes_back_as_well),
        cmocka_unit_test(instances_that_cannot_save_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
