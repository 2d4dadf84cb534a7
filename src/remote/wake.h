// SPDX-License-Identifier: MIT
// Waiting for a counter in memory that several processes share: a futex. See region.h.
#ifndef TAKT_REMOTE_WAKE_H
#define TAKT_REMOTE_WAKE_H

#include <stdatomic.h>
#include <stdbool.h>

/// Counts up and wakes who waits.
void takt_wake_post(atomic_uint *counter);

/// Waits until the counter is no longer `seen`, for so many seconds at most (from 0 to 1e6). Returns whether it has changed.
bool takt_wake_wait(atomic_uint *counter, unsigned seen, double seconds);

#endif
