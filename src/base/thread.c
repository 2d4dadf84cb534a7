// SPDX-License-Identifier: MIT
// Threads of POSIX; see thread.h.
#define _GNU_SOURCE // sem_clockwait()
#include "base/thread.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "base/crash.h"

bool takt_mutex_init(takt_mutex *mutex)
{
    return pthread_mutex_init(&mutex->native, NULL) == 0;
}

void takt_mutex_clear(takt_mutex *mutex)
{
    pthread_mutex_destroy(&mutex->native);
}

// ---- conditions ----------------------------------------------------------------------------------

bool takt_condition_init(takt_condition *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes)) return false;
    bool ok = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&condition->native, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return ok;
}

void takt_condition_clear(takt_condition *condition)
{
    pthread_cond_destroy(&condition->native);
}

void takt_condition_wait(takt_condition *condition, takt_mutex *mutex)
{
    pthread_cond_wait(&condition->native, &mutex->native);
}

static struct timespec time_of(double time)
{
    const double latest = 1e12; // s; later than any machine runs, and every time_t can hold it
    time = fmin(fmax(time, 0), latest);
    double seconds = floor(time);
    return (struct timespec){(time_t)seconds, (long)((time - seconds) * 1e9)};
}

bool takt_condition_wait_until(takt_condition *condition, takt_mutex *mutex, double time)
{
    struct timespec end = time_of(time);
    return pthread_cond_timedwait(&condition->native, &mutex->native, &end) == 0;
}

void takt_condition_signal(takt_condition *condition)
{
    pthread_cond_signal(&condition->native);
}

void takt_condition_broadcast(takt_condition *condition)
{
    pthread_cond_broadcast(&condition->native);
}

// ---- semaphores ----------------------------------------------------------------------------------

bool takt_semaphore_init(takt_semaphore *semaphore)
{
    return sem_init(&semaphore->native, 0, 0) == 0;
}

void takt_semaphore_clear(takt_semaphore *semaphore)
{
    sem_destroy(&semaphore->native);
}

void takt_semaphore_post(takt_semaphore *semaphore)
{
    sem_post(&semaphore->native);
}

void takt_semaphore_wait(takt_semaphore *semaphore)
{
    while (sem_wait(&semaphore->native) && errno == EINTR) {}
}

bool takt_semaphore_wait_until(takt_semaphore *semaphore, double time)
{
    struct timespec end = time_of(time);
    int problem;
    do problem = sem_clockwait(&semaphore->native, CLOCK_MONOTONIC, &end) ? errno : 0;
    while (problem == EINTR);
    return problem == 0;
}

// ---- threads -------------------------------------------------------------------------------------

static void *run_task(void *argument)
{
    takt_thread *thread = argument;
    void *stack = takt_crash_enter_thread();
    thread->task(thread->context);
    takt_crash_leave_thread(stack);
    return NULL;
}

// A thread inherits the signals that are blocked where it is started.
bool takt_thread_start(takt_thread *thread, takt_thread_task *task, void *context)
{
    thread->task = task;
    thread->context = context;
    sigset_t blocked, before;
    sigfillset(&blocked);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int problem = pthread_create(&thread->native, NULL, run_task, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return problem == 0;
}

void takt_thread_join(takt_thread *thread)
{
    pthread_join(thread->native, NULL);
}
