// SPDX-License-Identifier: MIT
// The threads of a pool; see pool.h.
//
// Why no wake-up is lost: a thread that goes to sleep says so and then looks at the counter again; a thread
// that changes the counter looks afterwards whether another one sleeps. All these accesses are sequentially consistent, so at
// least one side sees the other; the lock is held from the last look until the sleep begins.
#define _GNU_SOURCE // CPU_COUNT
#include "base/pool.h"

#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

static const double PATIENCE = 100e-6; // s; how long a thread spins before it sleeps

enum { TURNS_PER_LOOK = 64 }; // at the clock

typedef struct worker {
    takt_pool *pool;
    int i_thread;
    takt_thread thread;
} worker;

struct takt_pool {
    takt_mutex lock;
    takt_condition is_begun, is_done;
    double patience; // s
    takt_pool_task *task; // NULL: the threads end
    void *context;
    _Atomic unsigned round; // number of the task
    _Atomic unsigned n_busy; // workers that have not yet finished it
    atomic_int n_asleep; // workers
    atomic_bool caller_sleeps;
    int n_workers, n_wanted; // the caller is none
    worker workers[];
};

int takt_pool_processors(void)
{
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set)) return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN); // there are more than the set can hold
    return n > 1 && n <= INT_MAX ? (int)n : 1;
}

// ---- waiting ---------------------------------------------------------------------------------------

// Spins until a counter has a value or patience ends; true if it has.
static bool turn_until(const takt_pool *pool, const _Atomic unsigned *counter, unsigned value)
{
    double end = 0;
    for (int n = 1; atomic_load(counter) != value; n++) {
        if (pool->patience == 0) return false;
        takt_thread_relax();
        if (n % TURNS_PER_LOOK) continue;
        double now = takt_clock();
        if (end == 0) end = now + pool->patience;
        if (now >= end) return false;
    }
    return true;
}

static void wait_for_round(takt_pool *pool, unsigned round)
{
    if (turn_until(pool, &pool->round, round)) return;
    takt_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->n_asleep, 1);
    while (atomic_load(&pool->round) != round) takt_condition_wait(&pool->is_begun, &pool->lock);
    atomic_fetch_sub(&pool->n_asleep, 1);
    takt_mutex_unlock(&pool->lock);
}

static void wait_for_workers(takt_pool *pool)
{
    if (turn_until(pool, &pool->n_busy, 0)) return;
    takt_mutex_lock(&pool->lock);
    atomic_store(&pool->caller_sleeps, true);
    while (atomic_load(&pool->n_busy) > 0) takt_condition_wait(&pool->is_done, &pool->lock);
    atomic_store(&pool->caller_sleeps, false);
    takt_mutex_unlock(&pool->lock);
}

static void wake(takt_pool *pool, takt_condition *condition)
{
    takt_mutex_lock(&pool->lock);
    takt_condition_broadcast(condition);
    takt_mutex_unlock(&pool->lock);
}

// ---- tasks -----------------------------------------------------------------------------------------

static void work(void *argument)
{
    const worker *self = argument;
    takt_pool *pool = self->pool;
    for (unsigned round = 1;; round++) {
        wait_for_round(pool, round);
        takt_pool_task *task = pool->task;
        if (task) task(pool->context, self->i_thread);
        bool is_last = atomic_fetch_sub(&pool->n_busy, 1) == 1;
        if (is_last && atomic_load(&pool->caller_sleeps)) wake(pool, &pool->is_done);
        if (!task) return;
    }
}

static void begin(takt_pool *pool, takt_pool_task *task, void *context)
{
    pool->task = task;
    pool->context = context;
    atomic_store(&pool->n_busy, (unsigned)pool->n_workers);
    atomic_fetch_add(&pool->round, 1);
    if (atomic_load(&pool->n_asleep) > 0) wake(pool, &pool->is_begun);
}

void takt_pool_run(takt_pool *pool, takt_pool_task *task, void *context)
{
    begin(pool, task, context);
    task(context, 0);
    wait_for_workers(pool);
}

// ---- life ------------------------------------------------------------------------------------------

void takt_pool_destroy(takt_pool *pool)
{
    if (!pool) return;
    begin(pool, NULL, NULL);
    for (int i = 0; i < pool->n_workers; i++) takt_thread_join(&pool->workers[i].thread);
    takt_condition_clear(&pool->is_begun);
    takt_condition_clear(&pool->is_done);
    takt_mutex_clear(&pool->lock);
    free(pool);
}

static bool init_waiting(takt_pool *pool)
{
    if (!takt_mutex_init(&pool->lock)) return false;
    if (takt_condition_init(&pool->is_begun)) {
        if (takt_condition_init(&pool->is_done)) return true;
        takt_condition_clear(&pool->is_begun);
    }
    takt_mutex_clear(&pool->lock);
    return false;
}

takt_pool *takt_pool_create(int n_threads)
{
    size_t n_workers = n_threads > 1 ? (size_t)n_threads - 1 : 0;
    takt_pool *pool = calloc(1, sizeof *pool + n_workers * sizeof pool->workers[0]);
    if (!pool) return NULL;
    pool->n_wanted = (int)n_workers;
    pool->patience = n_threads <= takt_pool_processors() ? PATIENCE : 0;
    if (init_waiting(pool)) return pool;
    free(pool);
    return NULL;
}

takt_status takt_pool_start(takt_pool *pool, takt_error *err)
{
    for (; pool->n_workers < pool->n_wanted; pool->n_workers++) {
        worker *next = &pool->workers[pool->n_workers];
        *next = (worker){.pool = pool, .i_thread = pool->n_workers + 1};
        if (!takt_thread_start(&next->thread, work, next))
            return takt_fail(err, TAKT_ERR_SIMULATION,
                             "the system allows no more threads, or has no memory for them (there "
                             "are %d of %d); try a "
                             "smaller --jobs",
                             pool->n_workers + 1, pool->n_wanted + 1);
    }
    return TAKT_OK;
}
