// SPDX-License-Identifier: MIT
// The threads of a pool; see pool.h.
//
// Why no wake-up is lost: a thread that goes to sleep says so and then looks at the counter again; a thread
// that changes the counter looks afterwards whether another one sleeps. All these accesses are sequentially consistent, so at
// least one side sees the other; the lock is held from the last look until the sleep begins.
#define _GNU_SOURCE // CPU_COUNT
#include "base/pool.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

static const double PATIENCE = 100e-6; // s; how long a thread spins before it sleeps

enum { TURNS_PER_LOOK = 64 }; // at the clock

typedef struct worker {
    takt_pool *pool;
    int i_thread;
    pthread_t thread;
} worker;

struct takt_pool {
    pthread_mutex_t lock;
    pthread_cond_t is_begun, is_done;
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

static void relax(void)
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

// Spins until a counter has a value or patience ends; true if it has.
static bool turn_until(const takt_pool *pool, const _Atomic unsigned *counter, unsigned value)
{
    double end = 0;
    for (int n = 1; atomic_load(counter) != value; n++) {
        if (pool->patience == 0) return false;
        relax();
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
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->n_asleep, 1);
    while (atomic_load(&pool->round) != round) pthread_cond_wait(&pool->is_begun, &pool->lock);
    atomic_fetch_sub(&pool->n_asleep, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void wait_for_workers(takt_pool *pool)
{
    if (turn_until(pool, &pool->n_busy, 0)) return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->caller_sleeps, true);
    while (atomic_load(&pool->n_busy) > 0) pthread_cond_wait(&pool->is_done, &pool->lock);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->lock);
}

static void wake(takt_pool *pool, pthread_cond_t *condition)
{
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(condition);
    pthread_mutex_unlock(&pool->lock);
}

// ---- tasks -----------------------------------------------------------------------------------------

static void *work(void *argument)
{
    const worker *self = argument;
    takt_pool *pool = self->pool;
    for (unsigned round = 1;; round++) {
        wait_for_round(pool, round);
        takt_pool_task *task = pool->task;
        if (task) task(pool->context, self->i_thread);
        bool is_last = atomic_fetch_sub(&pool->n_busy, 1) == 1;
        if (is_last && atomic_load(&pool->caller_sleeps)) wake(pool, &pool->is_done);
        if (!task) return NULL;
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
    for (int i = 0; i < pool->n_workers; i++) pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->is_begun);
    pthread_cond_destroy(&pool->is_done);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

takt_pool *takt_pool_create(int n_threads)
{
    size_t n_workers = n_threads > 1 ? (size_t)n_threads - 1 : 0;
    takt_pool *pool = calloc(1, sizeof *pool + n_workers * sizeof pool->workers[0]);
    if (!pool) return NULL;
    pool->n_wanted = (int)n_workers;
    pool->patience = n_threads <= takt_pool_processors() ? PATIENCE : 0;
    pthread_mutex_init(&pool->lock, NULL); // these three cannot fail on Linux
    pthread_cond_init(&pool->is_begun, NULL);
    pthread_cond_init(&pool->is_done, NULL);
    return pool;
}

// Signals are left to the threads of the program, except those that report a fault of this thread.
static int start_thread(worker *which)
{
    sigset_t all, before;
    sigfillset(&all);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int problem = pthread_create(&which->thread, NULL, work, which);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return problem;
}

takt_status takt_pool_start(takt_pool *pool, takt_error *err)
{
    for (; pool->n_workers < pool->n_wanted; pool->n_workers++) {
        worker *next = &pool->workers[pool->n_workers];
        *next = (worker){.pool = pool, .i_thread = pool->n_workers + 1};
        if (start_thread(next))
            return takt_fail(err, TAKT_ERR_SIMULATION,
                             "the system allows no more threads (there are %d of %d); try a "
                             "smaller --jobs",
                             pool->n_workers + 1, pool->n_wanted + 1);
    }
    return TAKT_OK;
}
