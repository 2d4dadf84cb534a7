// SPDX-License-Identifier: MIT
// Which thread steps which instance, and when; that results are the same is shown by test_random.c and
// tests/unit/api/test_parallel.c. Steps that take long sleep, so that threads pay on every machine.
#include "run/waves.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "unit/run/models.h"

static test_coupling c;
static pthread_t main_thread;

// y counts the steps that other threads than the main one have made; from t = `from` on they take long.
static const test_variable sleeper_variables[] = {
    {"y", TAKT_OUTPUT, .depends = ""}, {"from", TAKT_PARAMETER, .start = "0"}, {0}};

static void sleeper_output(test_instance *at)
{
    at->real[0] = at->state[0];
}

static void sleeper_step(test_instance *at, double t, double h)
{
    (void)h;
    if (t >= at->real[1]) usleep(2000);
    if (!pthread_equal(pthread_self(), main_thread)) at->state[0]++;
}

#define SLEEPER                                                                                    \
    {                                                                                              \
        "Sleeper", sleeper_variables, .output = sleeper_output, .step = sleeper_step, REWINDS      \
    }

static void step_times(int n)
{
    takt_progress progress;
    for (int i = 0; i < n; i++) assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
}

static double steps_elsewhere(int i_instance)
{
    return ((test_instance *)c.run->work.instances[i_instance].instance)->state[0];
}

static void long_steps_are_shared_by_threads(void **state)
{
    (void)state;
    test_model models[] = {SLEEPER, {0}};
    test_couple(&c, models, "a:Sleeper b:Sleeper", "", "step-size=1 stop-time=100 jobs=2");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    step_times(4); // are timed
    assert_int_equal(c.run->counts.n_parallel, 0);
    step_times(20);
    assert_true(c.run->counts.n_parallel >=
                4); // trials; whether it goes on so is up to a busy machine
    assert_near(steps_elsewhere(0) + steps_elsewhere(1), (double)c.run->counts.n_parallel, 0);
    test_uncouple(&c);
}

static void instances_that_are_tied_stay_in_the_thread_of_the_run(void **state)
{
    (void)state;
    test_model models[] = {SLEEPER, {0}};
    test_couple(&c, models, "a1:Sleeper a2:Sleeper b:Sleeper d:Sleeper", "",
                "step-size=1 stop-time=100 jobs=3 one-thread=a*");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    step_times(24);
    assert_true(c.run->counts.n_parallel > 0);
    assert_near(steps_elsewhere(0) + steps_elsewhere(1), 0, 0);
    assert_true(steps_elsewhere(2) > 0 && steps_elsewhere(3) > 0);
    test_uncouple(&c);
}

static void steps_that_become_long_are_noticed_soon(void **state)
{
    (void)state;
    enum { N_CHEAP = 10000, N_LONG = 2000 }; // about 6000 more would follow until the next trials
    test_model models[] = {SLEEPER, {0}};
    test_couple(&c, models, "a:Sleeper b:Sleeper", "",
                "step-size=1 stop-time=30000 jobs=2 set=a.from=10000 set=b.from=10000");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    step_times(N_CHEAP);
    int64_t n_before = c.run->counts.n_parallel;
    int n = 0;
    while (c.run->counts.n_parallel < n_before + 4 && n++ < N_LONG) step_times(1); // trials
    assert_true(n < N_LONG);
    test_uncouple(&c);
}

static void one_job_and_one_instance_need_no_threads(void **state)
{
    (void)state;
    test_model models[] = {SLEEPER, {0}};
    test_couple(&c, models, "a:Sleeper b:Sleeper", "", "step-size=1 stop-time=9 jobs=1");
    test_run_all(&c);
    assert_null(c.run->waves);
    test_uncouple(&c);
    test_couple(&c, models, "a:Sleeper", "", "step-size=1 stop-time=9 jobs=8");
    test_run_all(&c);
    assert_null(c.run->waves);
    test_uncouple(&c);
}

// One thread would repeat the attempt with smaller steps and never step b that far. With two, b has been
// stepped too, and an instance that has failed cannot go back.
static void failure_beside_a_discarded_step_is_told(void **state)
{
    (void)state;
    test_model models[] = {{"Discards", sleeper_variables, .output = sleeper_output, REWINDS,
                            .fault = TEST_DISCARDS, .fault_time = 0.45},
                           {"Fails", sleeper_variables, .output = sleeper_output, REWINDS,
                            .fault = TEST_FAILS, .fault_time = 0.48},
                           {0}};
    static const char *const expected[] = {"instance 'a'", "instance 'b'"};
    for (int i = 0; i < 2; i++) {
        char settings[128];
        snprintf(settings, sizeof settings,
                 "algorithm=jacobi step-control=convergence step-size=0.1 step-min=0.02 "
                 "stop-time=1 jobs=%d",
                 i + 1);
        test_couple(&c, models, "a:Discards b:Fails", "", settings);
        assert_int_equal(takt_waves_force(c.run, &c.err), TAKT_OK);
        test_try_run_all(&c);
        assert_int_equal(c.status, TAKT_ERR_SIMULATION);
        assert_contains(c.err.message, expected[i]);
        test_uncouple(&c);
    }
}

static void steps_in_two_phases_are_all_begun_before_the_first_one_is_ended(void **state)
{
    (void)state;
    takt_text journal = {0};
    test_model models[] = {INTEGRATOR, {0}};
    models[0].is_split = true;
    models[0].journal = &journal;
    for (int n_jobs = 1; n_jobs <= 2; n_jobs++) {
        test_couple(&c, models, "a:Integrator b:Integrator", "a.y>b.u b.y>a.u",
                    n_jobs == 1 ? "algorithm=jacobi step-size=0.1 stop-time=0.3 jobs=1"
                                : "algorithm=jacobi step-size=0.1 stop-time=0.3 jobs=2");
        assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
        takt_text_clear(&journal);
        step_times(1);
        const char *begun = strstr(journal.data, "b.begin"),
                   *ended = strstr(journal.data, "a.step");
        assert_non_null(begun);
        assert_non_null(ended);
        assert_true(strstr(journal.data, "a.begin") < begun && begun < ended);
        assert_true(ended < strstr(journal.data, "b.step"));
        assert_near(c.run->state.y.real[0], 1.1, 1e-15);
        step_times(2);
        assert_near(c.run->state.y.real[0], 1.331, 1e-14);
        takt_statistics s = {.size = sizeof s};
        takt_run_statistics(c.run, &s, NULL);
        assert_int_equal(s.do_step_total, 6);
        test_uncouple(&c);
        takt_text_clear(&journal);
    }
}

int main(void)
{
    main_thread = pthread_self();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_steps_are_shared_by_threads),
        cmocka_unit_test(instances_that_are_tied_stay_in_the_thread_of_the_run),
        cmocka_unit_test(steps_that_become_long_are_noticed_soon),
        cmocka_unit_test(one_job_and_one_instance_need_no_threads),
        cmocka_unit_test(failure_beside_a_discarded_step_is_told),
        cmocka_unit_test(steps_in_two_phases_are_all_begun_before_the_first_one_is_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
