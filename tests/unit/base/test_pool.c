// SPDX-License-Identifier: MIT
#include <stdatomic.h>
#include <unistd.h>

#include "base/pool.h"
#include "support/test.h"

enum { N_THREADS = 3, N_ROUNDS = 2000 };

typedef struct tally {
    long by_thread[N_THREADS];
    atomic_long all;
    int pause; // us
} tally;

static void count(void *context, int i_thread)
{
    tally *t = context;
    t->by_thread[i_thread]++;
    if (t->pause > 0 && i_thread > 0) usleep((useconds_t)t->pause);
    atomic_fetch_add(&t->all, 1);
}

static void count_rounds(int n_threads, int n_rounds, int pause)
{
    takt_error err = {0};
    takt_pool *pool = takt_pool_create(n_threads);
    assert_int_equal(takt_pool_start(pool, &err), TAKT_OK);
    tally t = {.pause = pause};
    for (int i = 1; i <= n_rounds; i++) {
        takt_pool_run(pool, count, &t);
        assert_int_equal(atomic_load(&t.all), (long)i * n_threads);
    }
    for (int i = 0; i < n_threads; i++) assert_int_equal(t.by_thread[i], n_rounds);
    takt_pool_destroy(pool);
}

static void every_thread_does_every_task_before_the_caller_goes_on(void **state)
{
    (void)state;
    for (int n = 1; n <= N_THREADS; n++) count_rounds(n, N_ROUNDS, 0);
}

static void caller_that_waits_long_sleeps_and_is_woken(void **state)
{
    (void)state;
    count_rounds(2, 20, 1000);
}

static void workers_that_wait_long_sleep_and_are_woken(void **state)
{
    (void)state;
    takt_error err = {0};
    takt_pool *pool = takt_pool_create(2);
    assert_int_equal(takt_pool_start(pool, &err), TAKT_OK);
    tally t = {0};
    for (int i = 0; i < 20; i++) {
        usleep(1000);
        takt_pool_run(pool, count, &t);
    }
    assert_int_equal(atomic_load(&t.all), 40);
    usleep(1000);
    takt_pool_destroy(pool);
}

static void pool_without_a_task_ends(void **state)
{
    (void)state;
    takt_error err = {0};
    takt_pool_destroy(takt_pool_create(2)); // without threads
    takt_pool *pool = takt_pool_create(2);
    assert_int_equal(takt_pool_start(pool, &err), TAKT_OK);
    takt_pool_destroy(pool);
    takt_pool_destroy(NULL);
    assert_true(takt_pool_processors() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_does_every_task_before_the_caller_goes_on),
        cmocka_unit_test(caller_that_waits_long_sleeps_and_is_woken),
        cmocka_unit_test(workers_that_wait_long_sleep_and_are_woken),
        cmocka_unit_test(pool_without_a_task_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
