// SPDX-License-Identifier: MIT
// The ring's counters and the two ways to sleep; see ring.h.
//
// Why no wake-up is lost: the producer says that it sleeps and then looks at `tail` again, the
// consumer changes `tail` and then looks whether the producer sleeps. All four accesses are
// sequentially consistent, so at least one side sees the other. The consumer's sleep has a time
// limit, and a producer about to sleep wakes it, so there a relaxed look is enough.
#include "record/ring.h"

#include "base/clock.h"

bool takt_ring_init(takt_ring *ring, uint64_t n_slots)
{
    *ring = (takt_ring){.n_slots = 4};
    while (ring->n_slots < n_slots) ring->n_slots *= 2;
    if (!takt_mutex_init(&ring->lock)) return false;
    if (takt_condition_init(&ring->room)) {
        if (takt_condition_init(&ring->items)) return true;
        takt_condition_clear(&ring->room);
    }
    takt_mutex_clear(&ring->lock);
    return false;
}

void takt_ring_clear(takt_ring *ring)
{
    takt_condition_clear(&ring->items);
    takt_condition_clear(&ring->room);
    takt_mutex_clear(&ring->lock);
}

static void wake(takt_ring *ring, takt_condition *condition)
{
    takt_mutex_lock(&ring->lock);
    takt_condition_signal(condition);
    takt_mutex_unlock(&ring->lock);
}

// ---- producer ----------------------------------------------------------------------------------

void takt_ring_sleep_until_room(takt_ring *ring, uint64_t head)
{
    takt_mutex_lock(&ring->lock);
    atomic_store(&ring->producer_sleeps, true);
    takt_condition_signal(&ring->items);
    while ((ring->known_tail = atomic_load(&ring->tail)) + ring->n_slots == head &&
           !atomic_load(&ring->is_abandoned))
        takt_condition_wait(&ring->room, &ring->lock);
    atomic_store(&ring->producer_sleeps, false);
    takt_mutex_unlock(&ring->lock);
}

void takt_ring_look_for_room(takt_ring *ring, uint64_t head)
{
    ring->known_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (head - ring->known_tail >= ring->n_slots / 4 &&
        atomic_load_explicit(&ring->consumer_sleeps, memory_order_relaxed))
        wake(ring, &ring->items);
}

void takt_ring_end(takt_ring *ring)
{
    atomic_store(&ring->is_ended, true);
    wake(ring, &ring->items);
}

void takt_ring_hurry(takt_ring *ring)
{
    atomic_store(&ring->is_hurried, true);
    wake(ring, &ring->items);
}

// ---- consumer ----------------------------------------------------------------------------------

uint64_t takt_ring_items(takt_ring *ring, uint64_t *slot)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    *slot = tail & (ring->n_slots - 1);
    return atomic_load_explicit(&ring->head, memory_order_acquire) - tail;
}

void takt_ring_pop(takt_ring *ring, uint64_t n)
{
    atomic_store(&ring->tail, atomic_load_explicit(&ring->tail, memory_order_relaxed) + n);
    if (atomic_load(&ring->producer_sleeps)) wake(ring, &ring->room);
}

void takt_ring_sleep(takt_ring *ring, double seconds)
{
    double end = takt_clock() + seconds;
    uint64_t slot;
    takt_mutex_lock(&ring->lock);
    atomic_store(&ring->consumer_sleeps, true);
    bool in_time = true;
    while (in_time && takt_ring_items(ring, &slot) < ring->n_slots / 4 &&
           !atomic_load(&ring->is_ended) && !atomic_load(&ring->is_hurried) &&
           !atomic_load(&ring->producer_sleeps))
        in_time = takt_condition_wait_until(&ring->items, &ring->lock, end);
    atomic_store(&ring->consumer_sleeps, false);
    takt_mutex_unlock(&ring->lock);
}

bool takt_ring_take_hurry(takt_ring *ring)
{
    return atomic_exchange(&ring->is_hurried, false);
}

bool takt_ring_is_ended(const takt_ring *ring)
{
    return atomic_load(&ring->is_ended);
}

void takt_ring_abandon(takt_ring *ring)
{
    atomic_store(&ring->is_abandoned, true);
    wake(ring, &ring->room);
}

bool takt_ring_is_abandoned(const takt_ring *ring)
{
    return atomic_load(&ring->is_abandoned);
}
