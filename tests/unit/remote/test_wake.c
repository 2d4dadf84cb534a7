// SPDX-License-Identifier: MIT
// Waiting for a counter: no wake-up is lost, whoever sleeps is woken, and who waits in vain soon sleeps at once.
#include "remote/wake.h"

#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "support/test.h"

static const double LONG = 60; // s; no wait of these tests may last as long

/// Two threads that count in turns.
typedef struct game {
    takt_wake ping, pong;
    int n;
    bool may_spin;
} game;

static void answer_all(void *context)
{
    game *g = context;
    takt_patience patience = {.may_spin = g->may_spin};
    for (unsigned i = 0; i < (unsigned)g->n; i++) {
        takt_wake_wait(&g->ping, i, LONG, &patience);
        takt_wake_post(&g->pong);
    }
}

static void no_wake_up_is_lost(void **unused)
{
    (void)unused;
    for (int spins = 0; spins < 4; spins++) { // none, one or both sides
        game g = {.n = 2000, .may_spin = spins & 1};
        takt_patience patience = {.may_spin = spins & 2};
        takt_thread other;
        double begin = takt_clock();
        assert_true(takt_thread_start(&other, answer_all, &g));
        for (unsigned i = 0; i < (unsigned)g.n; i++) {
            takt_wake_post(&g.ping);
            assert_true(takt_wake_wait(&g.pong, i, LONG, &patience));
        }
        takt_thread_join(&other);
        assert_true(takt_clock() - begin < LONG);
        assert_int_equal(atomic_load(&g.pong.count), g.n);
        assert_int_equal(atomic_load(&g.ping.is_asleep) + atomic_load(&g.pong.is_asleep), 0);
    }
}

static double busy(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The number of attempts grows like the logarithm of the number of waits.
static void who_waits_in_vain_soon_sleeps_at_once(void **unused)
{
    (void)unused;
    takt_wake wake = {0};
    takt_patience patience = {.may_spin = true};
    int n_spins = 0;
    double begin = busy();
    for (int i = 0; i < 500; i++) {
        uint32_t before = patience.penalty;
        n_spins += patience.n_sleeps == 0;
        assert_false(takt_wake_wait(&wake, 0, 1e-3, &patience));
        assert_true(patience.penalty >= before);
    }
    assert_int_equal(n_spins, 8); // after 0, 1, 3, 7, ... waits that did not
    assert_int_equal(patience.penalty, 255);
    assert_true(busy() - begin < 0.2); // of more than half a second
    for (int i = 0; i < 50; i++) {
        patience.penalty = UINT32_MAX / 4;
        patience.n_sleeps = 0;
        takt_wake_wait(&wake, 0, 0, &patience);
        assert_true(patience.penalty < 20000); // it tries again some time
    }
}

static void post_later(void *context)
{
    takt_wake *wake = context;
    for (double end = takt_clock() + 20e-6; takt_clock() < end;) takt_thread_relax();
    takt_wake_post(wake);
}

// On a busy machine it may take some attempts until the other thread has a processor in time.
static void who_was_answered_soon_tries_again(void **unused)
{
    (void)unused;
    takt_patience patience = {.may_spin = true};
    bool has_paid = false;
    for (double end = takt_clock() + LONG; !has_paid && takt_clock() < end;) {
        takt_wake wake = {0};
        takt_thread other;
        patience.penalty = 8;
        patience.n_sleeps = 0;
        assert_true(takt_thread_start(&other, post_later, &wake));
        assert_true(takt_wake_wait(&wake, 0, LONG, &patience));
        takt_thread_join(&other);
        has_paid = patience.penalty == 4;
    }
    assert_true(has_paid);
}

static void without_a_processor_nobody_spins(void **unused)
{
    (void)unused;
    takt_wake wake = {0};
    takt_patience patience = {.may_spin = false};
    double begin = busy();
    for (int i = 0; i < 1000; i++) assert_false(takt_wake_wait(&wake, 0, 60e-6, &patience));
    assert_int_equal(patience.penalty, 0); // nothing was tried
    assert_false(takt_wake_wait(&wake, 0, 60e-6, NULL));
    assert_true(busy() - begin < 0.05);
}

/// A side that sleeps, and has found the counter changed.
typedef struct sleeper {
    takt_wake wake;
    bool is_woken;
    double waited; // s
} sleeper;

static void sleep_on(void *context)
{
    sleeper *s = context;
    double begin = takt_clock();
    s->is_woken = takt_wake_wait(&s->wake, 0, LONG, NULL);
    s->waited = takt_clock() - begin;
}

// The memory is shared with an FMU, which may write over it.
static void what_the_memory_says_of_sleep_need_not_be_trusted(void **unused)
{
    (void)unused;
    sleeper s = {0};
    takt_thread thread;
    const struct timespec moment = {.tv_nsec = 20000000};
    assert_true(takt_thread_start(&thread, sleep_on, &s));
    while (!atomic_load(&s.wake.is_asleep)) nanosleep(&moment, NULL);
    nanosleep(&moment, NULL);
    atomic_store(&s.wake.is_asleep, 0); // a lie
    takt_wake_post_surely(&s.wake);
    takt_thread_join(&thread);
    assert_true(s.is_woken);
    assert_true(s.waited < LONG / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_wake_up_is_lost),
        cmocka_unit_test(who_waits_in_vain_soon_sleeps_at_once),
        cmocka_unit_test(who_was_answered_soon_tries_again),
        cmocka_unit_test(without_a_processor_nobody_spins),
        cmocka_unit_test(what_the_memory_says_of_sleep_need_not_be_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
