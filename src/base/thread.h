// SPDX-License-Identifier: MIT
// Threads, locks and conditions: the only place that knows how the system makes them. Thin on purpose:
// a lock costs what the system's lock costs.
#ifndef TAKT_BASE_THREAD_H
#define TAKT_BASE_THREAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

// ---- locks ---------------------------------------------------------------------------------------

typedef struct takt_mutex {
    pthread_mutex_t native;
} takt_mutex;

/// For a static lock, which is neither initialized nor cleared otherwise.
#define TAKT_MUTEX_INIT                                                                            \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER                                                                  \
    }

/// Returns false when the system has no more locks (never on Linux); then there is nothing to clear.
bool takt_mutex_init(takt_mutex *mutex);
void takt_mutex_clear(takt_mutex *mutex);

static inline void takt_mutex_lock(takt_mutex *mutex)
{
    pthread_mutex_lock(&mutex->native);
}

/// Returns false where another thread has it.
static inline bool takt_mutex_try(takt_mutex *mutex)
{
    return pthread_mutex_trylock(&mutex->native) == 0;
}

static inline void takt_mutex_unlock(takt_mutex *mutex)
{
    pthread_mutex_unlock(&mutex->native);
}

// ---- conditions ----------------------------------------------------------------------------------

/// What threads that hold a lock wait for. A waiting thread may wake for no reason: it asks in a loop
/// whether what it waits for has come.
typedef struct takt_condition {
    pthread_cond_t native;
} takt_condition;

/// Returns false when the system has no more conditions (never on Linux); then there is nothing to clear.
bool takt_condition_init(takt_condition *condition);
void takt_condition_clear(takt_condition *condition);

void takt_condition_wait(takt_condition *condition, takt_mutex *mutex);

/// The same, up to a time (s) on the clock of takt_clock(). Returns false once that time has come.
bool takt_condition_wait_until(takt_condition *condition, takt_mutex *mutex, double time);

/// Wakes one of the waiting threads, or all.
void takt_condition_signal(takt_condition *condition);
void takt_condition_broadcast(takt_condition *condition);

// ---- semaphores ----------------------------------------------------------------------------------

/// Counts what one thread has posted and another one takes.
typedef struct takt_semaphore {
    sem_t native;
} takt_semaphore;

/// Starts at 0. Returns false when the system has no more semaphores; then there is nothing to clear.
bool takt_semaphore_init(takt_semaphore *semaphore);
void takt_semaphore_clear(takt_semaphore *semaphore);
void takt_semaphore_post(takt_semaphore *semaphore);
void takt_semaphore_wait(takt_semaphore *semaphore);

/// The same, up to a time (s) on the clock of takt_clock(). Returns false once that time has come.
bool takt_semaphore_wait_until(takt_semaphore *semaphore, double time);

// ---- threads -------------------------------------------------------------------------------------

typedef void takt_thread_task(void *context);

/// Stays where it is from takt_thread_start() to takt_thread_join().
typedef struct takt_thread {
    pthread_t native;
    takt_thread_task *task;
    void *context;
} takt_thread;

/// Starts a thread. It receives no signals but those of faults in its own code: Ctrl-C is for the threads of
/// the program. Returns false when the system gives no thread; then there is nothing to join.
bool takt_thread_start(takt_thread *thread, takt_thread_task *task, void *context);

/// Waits until the task has returned.
void takt_thread_join(takt_thread *thread);

/// The number of a thread that was started, as takt_thread_id() gives it there.
static inline uint64_t takt_thread_number(const takt_thread *thread)
{
    return (uint64_t)thread->native;
}

/// Tells the processor that the thread only looks at memory again and again.
static inline void takt_thread_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/// A number of the calling thread, different for threads that live at the same time.
static inline uint64_t takt_thread_id(void)
{
    return (uint64_t)pthread_self();
}

#endif
