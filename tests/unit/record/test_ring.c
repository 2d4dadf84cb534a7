// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "record/ring.h"

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void slots_are_rounded_up_to_a_power_of_two(void **state)
{
    (void)state;
    takt_ring ring;
    assert_true(takt_ring_init(&ring, 65));
    assert_int_equal(ring.n_slots, 128);
    takt_ring_clear(&ring);
}

static void slots_come_in_order_and_return(void **state)
{
    (void)state;
    takt_ring ring;
    uint64_t slot = 99;
    assert_true(takt_ring_init(&ring, 4));
    for (uint64_t i = 0; i < 10; i++) {
        assert_true(takt_ring_wait_for_room(&ring, &slot));
        assert_int_equal(slot, i % 4);
        takt_ring_push(&ring);
        assert_int_equal(takt_ring_items(&ring, &slot), 1);
        assert_int_equal(slot, i % 4);
        takt_ring_pop(&ring, 1);
    }
    assert_int_equal(takt_ring_items(&ring, &slot), 0);
    takt_ring_clear(&ring);
}

typedef struct pair {
    takt_ring ring;
    int items[64];
    bool is_slow;
    int n_wrong;
} pair;

enum { N_ITEMS = 300000 };

static void *consume(void *context)
{
    pair *p = context;
    uint64_t first, n;
    int expected = 0;
    while (expected < N_ITEMS) {
        n = takt_ring_items(&p->ring, &first);
        for (uint64_t i = 0; i < n; i++)
            p->n_wrong += p->items[(first + i) % p->ring.n_slots] != expected++;
        takt_ring_pop(&p->ring, n);
        if (p->is_slow && expected < 2000) usleep(100);
        if (n == 0) takt_ring_sleep(&p->ring, 0.01);
    }
    return NULL;
}

static void pass_items(bool is_slow)
{
    pair p = {.is_slow = is_slow};
    assert_true(takt_ring_init(&p.ring, 64));
    pthread_t consumer;
    pthread_create(&consumer, NULL, consume, &p);
    for (int i = 0; i < N_ITEMS; i++) {
        uint64_t slot = 0;
        assert_true(takt_ring_wait_for_room(&p.ring, &slot));
        p.items[slot] = i;
        takt_ring_push(&p.ring);
    }
    pthread_join(consumer, NULL);
    assert_int_equal(p.n_wrong, 0);
    takt_ring_clear(&p.ring);
}

static void no_item_is_lost_or_changed_between_threads(void **state)
{
    (void)state;
    pass_items(false);
    pass_items(true);
}

static void sleep_ends_when_its_time_is_over(void **state)
{
    (void)state;
    takt_ring ring;
    uint64_t slot;
    assert_true(takt_ring_init(&ring, 64));
    assert_true(takt_ring_wait_for_room(&ring, &slot));
    takt_ring_push(&ring); // one item is no reason to wake up
    double start = seconds();
    takt_ring_sleep(&ring, 0.05);
    assert_true(seconds() - start >= 0.049);
    takt_ring_clear(&ring);
}

static void sleep_ends_at_once_when_a_quarter_is_full_or_all_is_done(void **state)
{
    (void)state;
    takt_ring ring;
    uint64_t slot;
    assert_true(takt_ring_init(&ring, 64));
    for (int i = 0; i < 16; i++) {
        assert_true(takt_ring_wait_for_room(&ring, &slot));
        takt_ring_push(&ring);
    }
    double start = seconds();
    takt_ring_sleep(&ring, 60);
    takt_ring_pop(&ring, 16);
    takt_ring_end(&ring);
    assert_true(takt_ring_is_ended(&ring));
    takt_ring_sleep(&ring, 60);
    assert_true(seconds() - start < 30);
    takt_ring_clear(&ring);
}

static void *abandon_soon(void *context)
{
    usleep(20000);
    takt_ring_abandon(context);
    return NULL;
}

static void a_waiting_producer_is_reported_when_the_consumer_gives_up(void **state)
{
    (void)state;
    takt_ring ring;
    uint64_t slot;
    assert_true(takt_ring_init(&ring, 4));
    for (int i = 0; i < 4; i++) {
        assert_true(takt_ring_wait_for_room(&ring, &slot));
        takt_ring_push(&ring);
    }
    pthread_t consumer;
    pthread_create(&consumer, NULL, abandon_soon, &ring);
    assert_false(takt_ring_wait_for_room(&ring, &slot));
    pthread_join(consumer, NULL);
    takt_ring_clear(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_rounded_up_to_a_power_of_two),
        cmocka_unit_test(slots_come_in_order_and_return),
        cmocka_unit_test(no_item_is_lost_or_changed_between_threads),
        cmocka_unit_test(sleep_ends_when_its_time_is_over),
        cmocka_unit_test(sleep_ends_at_once_when_a_quarter_is_full_or_all_is_done),
        cmocka_unit_test(a_waiting_producer_is_reported_when_the_consumer_gives_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
