// SPDX-License-Identifier: MIT
// Counts the slots of a ring between one producer and one consumer thread. The ring deals only
// with numbers of slots; their content belongs to its user, who keeps an array of `n_slots` items.
//
// On the usual path neither side takes a lock: the producer publishes `head`, the consumer `tail`.
// The consumer sleeps with a time limit and is woken early only when a quarter of the ring is full,
// so that a slow producer never pays for a wake-up. The producer sleeps only when the ring is full.
#ifndef TAKT_RECORD_RING_H
#define TAKT_RECORD_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/thread.h"

enum { TAKT_CACHE_LINE = 64 };

/// What the two threads write lies on different cache lines.
typedef struct takt_ring {
    uint64_t n_slots; ///< a power of two
    takt_mutex lock;
    takt_condition room, items;
    atomic_bool is_ended, is_abandoned;
    atomic_bool producer_sleeps, consumer_sleeps;
    atomic_bool is_hurried; ///< the producer wants all items to be taken now
    char line_of_producer[TAKT_CACHE_LINE];
    _Atomic uint64_t head; ///< slots filled so far
    uint64_t known_tail; ///< the producer's latest view of `tail`
    char line_of_consumer[TAKT_CACHE_LINE];
    _Atomic uint64_t tail; ///< slots emptied so far
} takt_ring;

/// Prepares a ring of at least `n_slots` slots (rounded up to a power of two). Returns false when
/// the system has no more locks; then there is nothing to clear.
bool takt_ring_init(takt_ring *ring, uint64_t n_slots);
void takt_ring_clear(takt_ring *ring);

/// The rare cases of the next two functions.
void takt_ring_sleep_until_room(takt_ring *ring, uint64_t head);
void takt_ring_look_for_room(takt_ring *ring, uint64_t head);

/// Producer: waits until a slot is free and writes its number to `slot`. Returns false when the
/// consumer has given up.
static inline bool takt_ring_wait_for_room(takt_ring *ring, uint64_t *slot)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head - ring->known_tail == ring->n_slots) takt_ring_sleep_until_room(ring, head);
    if (atomic_load_explicit(&ring->is_abandoned, memory_order_acquire)) return false;
    *slot = head & (ring->n_slots - 1);
    return true;
}

/// Producer: hands over the slot that takt_ring_wait_for_room() gave.
static inline void takt_ring_push(takt_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed) + 1;
    atomic_store_explicit(&ring->head, head, memory_order_release);
    if (head - ring->known_tail >= ring->n_slots / 4) takt_ring_look_for_room(ring, head);
}

/// Producer: there will be no more items.
void takt_ring_end(takt_ring *ring);

/// Producer: wakes the consumer, and consumer: has it been? Items pushed before are seen after that.
void takt_ring_hurry(takt_ring *ring);
bool takt_ring_take_hurry(takt_ring *ring);

/// Consumer: how many items wait; the number of the first one's slot goes to `slot`. The next items
/// follow in slots (slot + i) % n_slots.
uint64_t takt_ring_items(takt_ring *ring, uint64_t *slot);

/// Consumer: gives back the first `n` slots.
void takt_ring_pop(takt_ring *ring, uint64_t n);

/// Consumer: sleeps until a quarter of the ring is full, the producer ends or waits, or the time is
/// over.
void takt_ring_sleep(takt_ring *ring, double seconds);

/// Consumer: has takt_ring_end() been called? Items may still wait.
bool takt_ring_is_ended(const takt_ring *ring);

/// Consumer: it will take no more items; a waiting producer is woken.
void takt_ring_abandon(takt_ring *ring);

/// Producer: has the consumer given up?
bool takt_ring_is_abandoned(const takt_ring *ring);

#endif
