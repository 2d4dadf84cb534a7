// SPDX-License-Identifier: MIT
// Futexes between processes; see wake.h and futex(2).
#define _GNU_SOURCE // syscall()
#include "remote/wake.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void takt_wake_post(atomic_uint *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_release);
    syscall(SYS_futex, counter, FUTEX_WAKE, 1, NULL, NULL, 0);
}

// Waking for no reason is allowed for callers: they ask again, with the time that is left.
bool takt_wake_wait(atomic_uint *counter, unsigned seen, double seconds)
{
    if (atomic_load_explicit(counter, memory_order_acquire) != seen) return true;
    struct timespec limit = {.tv_sec = (time_t)seconds,
                             .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    syscall(SYS_futex, counter, FUTEX_WAIT, seen, &limit, NULL, 0);
    return atomic_load_explicit(counter, memory_order_acquire) != seen;
}
