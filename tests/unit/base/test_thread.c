// SPDX-License-Identifier: MIT
#include <signal.h>

#include "base/clock.h"
#include "base/thread.h"
#include "support/test.h"

// One thread of a test and what it shares with the test.
typedef struct meeting {
    takt_mutex lock;
    takt_condition condition;
    takt_semaphore semaphore;
    int n_waiting, n_woken;
    bool is_open;
    uint64_t id;
    sigset_t blocked;
} meeting;

static void meeting_init(meeting *m)
{
    *m = (meeting){0};
    assert_true(takt_mutex_init(&m->lock));
    assert_true(takt_condition_init(&m->condition));
    assert_true(takt_semaphore_init(&m->semaphore));
}

static void meeting_clear(meeting *m)
{
    takt_semaphore_clear(&m->semaphore);
    takt_condition_clear(&m->condition);
    takt_mutex_clear(&m->lock);
}

static void look_around(void *context)
{
    meeting *m = context;
    m->id = takt_thread_id();
    pthread_sigmask(SIG_SETMASK, NULL, &m->blocked);
}

static void a_thread_gets_no_signals_but_those_of_its_own_faults(void **state)
{
    (void)state;
    meeting m;
    meeting_init(&m);
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    takt_thread thread;
    assert_true(takt_thread_start(&thread, look_around, &m));
    takt_thread_join(&thread);
    assert_true(m.id != takt_thread_id());
    const int blocked[] = {SIGINT, SIGTERM, SIGPIPE, SIGALRM, SIGUSR1, SIGCHLD};
    for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++)
        assert_true(sigismember(&m.blocked, blocked[i]));
    const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        assert_false(sigismember(&m.blocked, open[i]));
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < 32; i++) assert_int_equal(sigismember(&before, i), sigismember(&after, i));
    meeting_clear(&m);
}

static void wait_for_opening(void *context)
{
    meeting *m = context;
    takt_mutex_lock(&m->lock);
    m->n_waiting++;
    takt_semaphore_post(&m->semaphore);
    while (!m->is_open) takt_condition_wait(&m->condition, &m->lock);
    m->n_woken++;
    takt_mutex_unlock(&m->lock);
}

static void a_broadcast_wakes_all_threads_that_wait(void **state)
{
    (void)state;
    enum { N_THREADS = 3 };
    meeting m;
    meeting_init(&m);
    takt_thread threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        assert_true(takt_thread_start(&threads[i], wait_for_opening, &m));
    for (int i = 0; i < N_THREADS; i++) takt_semaphore_wait(&m.semaphore);
    takt_mutex_lock(&m.lock);
    assert_int_equal(m.n_waiting, N_THREADS);
    m.is_open = true;
    takt_condition_broadcast(&m.condition);
    takt_mutex_unlock(&m.lock);
    for (int i = 0; i < N_THREADS; i++) takt_thread_join(&threads[i]);
    assert_int_equal(m.n_woken, N_THREADS);
    meeting_clear(&m);
}

static void waiting_ends_when_the_time_has_come(void **state)
{
    (void)state;
    meeting m;
    meeting_init(&m);
    takt_mutex_lock(&m.lock);
    double begin = takt_clock();
    assert_false(takt_condition_wait_until(&m.condition, &m.lock, begin - 1));
    assert_false(takt_condition_wait_until(&m.condition, &m.lock, -1));
    while (takt_condition_wait_until(&m.condition, &m.lock, begin + 0.02)) {}
    assert_true(takt_clock() - begin >= 0.02);
    takt_mutex_unlock(&m.lock);
    meeting_clear(&m);
}

static void open_soon(void *context)
{
    meeting *m = context;
    takt_mutex_lock(&m->lock); // free once the other thread waits
    m->is_open = true;
    takt_condition_signal(&m->condition);
    takt_mutex_unlock(&m->lock);
}

static void an_endless_limit_is_no_limit(void **state)
{
    (void)state;
    meeting m;
    meeting_init(&m);
    takt_thread thread;
    takt_mutex_lock(&m.lock);
    assert_true(takt_thread_start(&thread, open_soon, &m));
    while (!m.is_open) assert_true(takt_condition_wait_until(&m.condition, &m.lock, INFINITY));
    takt_mutex_unlock(&m.lock);
    takt_thread_join(&thread);
    meeting_clear(&m);
}

static void count_up(void *context)
{
    static takt_mutex lock = TAKT_MUTEX_INIT;
    for (int i = 0; i < 10000; i++) {
        takt_mutex_lock(&lock);
        ++*(int *)context;
        takt_mutex_unlock(&lock);
    }
}

static void a_static_lock_needs_no_call_to_be_ready(void **state)
{
    (void)state;
    int n = 0;
    takt_thread threads[2];
    for (int i = 0; i < 2; i++) assert_true(takt_thread_start(&threads[i], count_up, &n));
    for (int i = 0; i < 2; i++) takt_thread_join(&threads[i]);
    assert_int_equal(n, 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_gets_no_signals_but_those_of_its_own_faults),
        cmocka_unit_test(a_broadcast_wakes_all_threads_that_wait),
        cmocka_unit_test(waiting_ends_when_the_time_has_come),
        cmocka_unit_test(an_endless_limit_is_no_limit),
        cmocka_unit_test(a_static_lock_needs_no_call_to_be_ready),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
