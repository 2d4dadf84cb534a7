// SPDX-License-Identifier: MIT
// Futexes between processes; see wake.h and futex(2).
//
// Why no wake-up is lost: who goes to sleep says so and then has the system look at the counter; who counts looks afterwards
// whether somebody sleeps. These accesses are sequentially consistent, so at least one side sees the other.
#define _GNU_SOURCE // syscall()
#include "remote/wake.h"

#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

// About what it costs that both sides sleep and are woken, on a machine with nothing else to do.
static const double LIMIT = 50e-6; // s

enum {
    TURNS_PER_LOOK = 32, // at the clock
    MAX_PENALTY = (1 << 14) - 1,
};

static void wake_up(takt_wake *wake)
{
    syscall(SYS_futex, &wake->count, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void takt_wake_post(takt_wake *wake)
{
    atomic_fetch_add(&wake->count, 1);
    if (atomic_load(&wake->is_asleep)) wake_up(wake);
}

void takt_wake_post_surely(takt_wake *wake)
{
    atomic_fetch_add(&wake->count, 1);
    wake_up(wake);
}

static bool has_changed(takt_wake *wake, unsigned seen)
{
    return atomic_load_explicit(&wake->count, memory_order_acquire) != seen;
}

// Returns whether the counter has changed soon enough. Others that want this processor get it: among them may be the one that is waited for,
// else the wait becomes long, and spinning does not pay here.
static bool spin(takt_wake *wake, unsigned seen)
{
    double end = 0;
    for (int n = 1; !has_changed(wake, seen); n++) {
        takt_thread_relax();
        if (n % TURNS_PER_LOOK) continue;
        double now = takt_clock();
        if (end == 0) end = now + LIMIT;
        if (now >= end) return false;
        sched_yield();
    }
    return end == 0 || takt_clock() < end;
}

static void learn(takt_patience *patience, bool has_paid)
{
    patience->penalty = has_paid ? patience->penalty / 2 : 2 * patience->penalty + 1;
    if (patience->penalty > MAX_PENALTY) patience->penalty = MAX_PENALTY;
    if (!has_paid) patience->n_sleeps = patience->penalty;
}

// Spins unless that has been in vain lately.
static void try_to_spin(takt_wake *wake, unsigned seen, takt_patience *patience)
{
    if (patience->n_sleeps > 0)
        patience->n_sleeps--;
    else
        learn(patience, spin(wake, seen));
}

// Waking for no reason is allowed for callers: they ask again, with the time that is left.
bool takt_wake_wait(takt_wake *wake, unsigned seen, double seconds, takt_patience *patience)
{
    if (has_changed(wake, seen)) return true;
    if (patience && patience->may_spin) try_to_spin(wake, seen, patience);
    if (has_changed(wake, seen)) return true;
    struct timespec limit = {.tv_sec = (time_t)seconds,
                             .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    atomic_store(&wake->is_asleep, 1);
    if (!has_changed(wake, seen))
        syscall(SYS_futex, &wake->count, FUTEX_WAIT, seen, &limit, NULL, 0);
    atomic_store_explicit(&wake->is_asleep, 0, memory_order_relaxed);
    return has_changed(wake, seen);
}
