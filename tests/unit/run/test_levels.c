// SPDX-License-Identifier: MIT
// Steps by prediction with several threads: instances that do not depend on each other are stepped side by side, and
// every value is the same bit for bit. The same with instances that step in two phases, with and without threads.
#include "run/levels.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "run/auto.h"
#include "run/waves.h"
#include "unit/run/models.h"

static test_coupling c;
static pthread_t main_thread;
static _Atomic int n_elsewhere; // steps that other threads than the main one have made

// x' = k (u - x), with the input held, exactly; y = x.
static const test_variable body_variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                               {"y", TAKT_OUTPUT, .depends = ""},
                                               {"k", TAKT_PARAMETER, .start = "1"},
                                               {"x0", TAKT_PARAMETER, .start = "0"},
                                               {0}};

static void body_output(test_instance *at)
{
    at->real[1] = at->real[3] + at->state[0];
}

static void body_step(test_instance *at, double t, double h)
{
    (void)t;
    double x = at->real[3] + at->state[0];
    at->state[0] += (at->real[0] - x) * -expm1(-at->real[2] * h);
    if (!pthread_equal(pthread_self(), main_thread)) n_elsewhere++;
}

// y jumps from 0 to 1 at t = 0.3
static const test_variable switch_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};

static void switch_output(test_instance *at)
{
    at->real[0] = at->time >= 0.3;
}

#define BODY                                                                                       \
    {                                                                                              \
        "Body", body_variables, .output = body_output, .step = body_step, REWINDS                  \
    }
// The same, with the input as it moves: Simpson's rule.
static void follower_step(test_instance *at, double t, double h)
{
    double u = (test_input_at(at, 0, t) + 4 * test_input_at(at, 0, t + h / 2) +
                test_input_at(at, 0, t + h)) /
               6;
    at->state[0] += (u - at->real[3] - at->state[0]) * -expm1(-at->real[2] * h);
}

#define FOLLOWER                                                                                   \
    {                                                                                              \
        "Follower", body_variables, .output = body_output, .step = follower_step, .can = {         \
            .rewind = true,                                                                        \
            .variable_step = true,                                                                 \
            .interpolate_inputs = true                                                             \
        }                                                                                          \
    }
#define SWITCH                                                                                     \
    {                                                                                              \
        "Switch", switch_variables, .output = switch_output, REWINDS                               \
    }

// y = t squared
static const test_variable ramp_variables[] = {{"y", TAKT_OUTPUT, .depends = ""}, {0}};

static void ramp_output(test_instance *at)
{
    at->real[0] = at->time * at->time;
}

/// All that a run has delivered.
typedef struct record {
    double y[4000]; // of one communication point after the other, behind its time
    int n;
    int64_t n_steps, n_rejected, n_parallel;
} record;

static void keep_point(record *to)
{
    int n = c.plan->n_outputs[TAKT_KIND_REAL];
    assert_true(to->n + 1 + n <= (int)(sizeof to->y / sizeof *to->y));
    to->y[to->n++] = c.run->state.grid.time;
    memcpy(to->y + to->n, c.run->state.y.real, (size_t)n * sizeof *to->y);
    to->n += n;
}

// Three pairs, one of them strongly coupled, behind a switch that jumps, and two bodies behind all of them.
static void run_with(int n_jobs, bool is_split, const char *more, record *out)
{
    test_model models[] = {BODY, FOLLOWER, SWITCH, {0}};
    models[0].is_split = models[1].is_split = is_split;
    char settings[200];
    takt_progress progress = TAKT_RUNNING;
    snprintf(settings, sizeof settings,
             "stop-time=1 jobs=%d set=a.x0=1 set=p.x0=1 set=p.k=40 "
             "set=q.k=30 set=d.k=3 %s",
             n_jobs, more);
    memset(out, 0, sizeof *out);
    n_elsewhere = 0;
    test_couple(
        &c, models, "s:Switch a:Body b:Body p:Body q:Body d:Body e:Body f:Body g:Body h:Follower",
        "a.y>b.u b.y>a.u p.y>q.u q.y>p.u s.y>d.u d.y>e.u e.y>f.u b.y>g.u b.y>h.u", settings);
    assert_non_null(c.run->automatic);
    if (n_jobs > 1 || is_split) assert_int_equal(takt_waves_force(c.run, &c.err), TAKT_OK);
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    while (progress == TAKT_RUNNING) {
        assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
        keep_point(out);
    }
    out->n_steps = c.run->counts.n_steps;
    out->n_rejected = c.run->counts.n_rejected;
    out->n_parallel = c.run->counts.n_parallel;
    test_uncouple(&c);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    static const char *const kinds[] = {"tolerance=1e-4", "step-size=0.01"};
    static record alone, shared;
    for (int kind = 0; kind < 2; kind++) {
        run_with(1, false, kinds[kind], &alone);
        assert_int_equal(alone.n_parallel, 0);
        assert_int_equal(n_elsewhere, 0);
        if (kind == 0) assert_true(alone.n_rejected > 0); // the jump
        for (int n_jobs = 2; n_jobs <= 4; n_jobs++) {
            run_with(n_jobs, false, kinds[kind], &shared);
            assert_true(shared.n_parallel > 0 && n_elsewhere > 0);
            assert_int_equal(shared.n_steps, alone.n_steps);
            assert_int_equal(shared.n_rejected, alone.n_rejected);
            assert_int_equal(shared.n, alone.n);
            assert_memory_equal(shared.y, alone.y, (size_t)alone.n * sizeof *alone.y);
        }
    }
}

// Also where an instance is led through a step by several of its own, as all bodies are here.
static void two_phases_change_no_bit(void **state)
{
    (void)state;
    static const char *const kinds[] = {"tolerance=1e-4", "step-size=0.01"};
    static record plain, split;
    for (int kind = 0; kind < 2; kind++) {
        run_with(1, false, kinds[kind], &plain);
        for (int n_jobs = 1; n_jobs <= 3; n_jobs++) {
            run_with(n_jobs, true, kinds[kind], &split);
            assert_true(split.n_parallel > 0);
            assert_int_equal(n_elsewhere > 0, n_jobs > 1); // the loops
            assert_int_equal(split.n_steps, plain.n_steps);
            assert_int_equal(split.n_rejected, plain.n_rejected);
            assert_int_equal(split.n, plain.n);
            assert_memory_equal(split.y, plain.y, (size_t)plain.n * sizeof *plain.y);
        }
    }
}

// Those of one level; in each step of the system the bodies make several steps of their own.
static void all_are_begun_before_the_first_one_is_ended(void **state)
{
    (void)state;
    takt_text journal = {0};
    test_model models[] = {BODY, {"Ramp", ramp_variables, .output = ramp_output, REWINDS}, {0}};
    models[0].is_split = true;
    models[0].journal = &journal;
    test_couple(&c, models, "r:Ramp d:Body e:Body f:Body", "r.y>d.u r.y>e.u r.y>f.u",
                "stop-time=1 tolerance=1e-4 jobs=1");
    assert_int_equal(takt_waves_force(c.run, &c.err), TAKT_OK);
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    takt_progress progress = TAKT_RUNNING;
    for (int i = 0; i < 3; i++) assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
    int n = 0;
    const char *at = journal.data;
    for (const char *first; (first = strstr(at, "d.begin")); n++) {
        const char *last = strstr(first, "f.begin"), *ended = strstr(first, "d.step");
        assert_non_null(last);
        assert_non_null(ended);
        assert_true(last < ended ||
                    n % 2 == 1); // the second one of a pair begins when the first one ends
        at = ended;
    }
    assert_true(n > 3);
    test_uncouple(&c);
    takt_text_clear(&journal);
}

// The failure of the first block in the order of the plan is reported, whichever thread met its own first.
static void the_first_failure_is_reported(void **state)
{
    (void)state;
    test_model models[] = {{"Fails", body_variables, .output = body_output, .step = body_step,
                            REWINDS, .fault = TEST_FAILS, .fault_time = 0.2},
                           {0}};
    for (int i = 0; i < 6; i++) {
        char settings[80];
        int n_jobs = 1 + i / 2;
        models[0].is_split = i % 2;
        snprintf(settings, sizeof settings, "stop-time=1 tolerance=1e-3 jobs=%d", n_jobs);
        test_couple(&c, models, "a:Fails b:Fails d:Fails", "", settings);
        if (i > 0) assert_int_equal(takt_waves_force(c.run, &c.err), TAKT_OK);
        test_try_run_all(&c);
        assert_int_equal(c.status, TAKT_ERR_SIMULATION);
        assert_contains(c.err.message, "instance 'a'");
        test_uncouple(&c);
    }
}

int main(void)
{
    main_thread = pthread_self();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(two_phases_change_no_bit),
        cmocka_unit_test(all_are_begun_before_the_first_one_is_ended),
        cmocka_unit_test(the_first_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
