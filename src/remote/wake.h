// SPDX-License-Identifier: MIT
// Waiting for a counter in memory that several processes share: a futex, before which the processor may be kept for
// a moment. See region.h; reasons: docs/decisions/0052-spinning.md.
//
// To sleep and to be woken costs two calls of the system and, where nothing else is running, the time in which a processor
// comes back from its rest. Whoever has been waiting for a shorter time than that looks at the counter instead. Each side learns that from
// its own waits: one that was in vain is followed by one that sleeps at once, the next by three, and so on.
#ifndef TAKT_REMOTE_WAKE_H
#define TAKT_REMOTE_WAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/// In shared memory. One thread waits for it; any may count.
typedef struct takt_wake {
    atomic_uint count;
    atomic_uint is_asleep; ///< who waits for it has to be woken
} takt_wake;

/// What the waiting side has learned, in memory of its own. All zero at the beginning.
typedef struct takt_patience {
    bool may_spin; ///< there is a processor for that, says the caller before each wait
    uint32_t n_sleeps; ///< waits that will begin with sleep
    uint32_t penalty; ///< how many there were after the last one that spun in vain
} takt_patience;

/// Counts up, and wakes who sleeps.
void takt_wake_post(takt_wake *wake);

/// The same, whatever the memory says about who sleeps: for those that cannot trust it.
void takt_wake_post_surely(takt_wake *wake);

/// Waits until the counter is no longer `seen`, for so many seconds at most (from 0 to 1e6). Returns whether it has changed. `patience` NULL:
/// sleeps at once.
bool takt_wake_wait(takt_wake *wake, unsigned seen, double seconds, takt_patience *patience);

#endif
