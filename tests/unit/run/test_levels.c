// SPDX-License-Identifier: MIT
// Steps by prediction with several threads: instances that do not depend on each other are stepped side by side, and
// every value is the same bit for bit.
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
#define SWITCH                                                                                     \
    {                                                                                              \
        "Switch", switch_variables, .output = switch_output, REWINDS                               \
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
static void run_with(int n_jobs, const char *more, record *out)
{
    test_model models[] = {BODY, SWITCH, {0}};
    char settings[200];
    takt_progress progress = TAKT_RUNNING;
    snprintf(settings, sizeof settings,
             "stop-time=1 jobs=%d set=a.x0=1 set=p.x0=1 set=p.k=40 "
             "set=q.k=30 set=d.k=3 %s",
             n_jobs, more);
    memset(out, 0, sizeof *out);
    n_elsewhere = 0;
    test_couple(&c, models, "s:Switch a:Body b:Body p:Body q:Body d:Body e:Body f:Body g:Body",
                "a.y>b.u b.y>a.u p.y>q.u q.y>p.u s.y>d.u d.y>e.u e.y>f.u b.y>g.u", settings);
    assert_non_null(c.run->automatic);
    if (n_jobs > 1) assert_int_equal(takt_waves_force(c.run, &c.err), TAKT_OK);
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
        run_with(1, kinds[kind], &alone);
        assert_int_equal(alone.n_parallel, 0);
        assert_int_equal(n_elsewhere, 0);
        if (kind == 0) assert_true(alone.n_rejected > 0); // the jump
        for (int n_jobs = 2; n_jobs <= 4; n_jobs++) {
            run_with(n_jobs, kinds[kind], &shared);
            assert_true(shared.n_parallel > 0 && n_elsewhere > 0);
            assert_int_equal(shared.n_steps, alone.n_steps);
            assert_int_equal(shared.n_rejected, alone.n_rejected);
            assert_int_equal(shared.n, alone.n);
            assert_memory_equal(shared.y, alone.y, (size_t)alone.n * sizeof *alone.y);
        }
    }
}

// The failure of the first block in the order of the plan is reported, whichever thread met its own first.
static void the_first_failure_is_reported(void **state)
{
    (void)state;
    test_model models[] = {{"Fails", body_variables, .output = body_output, .step = body_step,
                            REWINDS, .fault = TEST_FAILS, .fault_time = 0.2},
                           {0}};
    for (int n_jobs = 1; n_jobs <= 3; n_jobs++) {
        char settings[80];
        snprintf(settings, sizeof settings, "stop-time=1 tolerance=1e-3 jobs=%d", n_jobs);
        test_couple(&c, models, "a:Fails b:Fails d:Fails", "", settings);
        if (n_jobs > 1) assert_int_equal(takt_waves_force(c.run, &c.err), TAKT_OK);
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
        cmocka_unit_test(the_first_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
