// SPDX-License-Identifier: MIT
// The program's own _exit(), pthread_exit(), signal() and sigaction(); see exit_guard.h.
#define _GNU_SOURCE // RTLD_NEXT
#include "exit_guard.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <takt/guard.h>

_Noreturn void cli_exit_now(int status)
{
    for (;;) syscall(SYS_exit_group, status);
}

// Seen by libraries that are loaded later.
#define EXPORTED __attribute__((visibility("default")))

EXPORTED _Noreturn void _exit(int status)
{
    takt_guard_note_exit("_exit", status);
    cli_exit_now(status);
}

EXPORTED _Noreturn void _Exit(int status)
{
    takt_guard_note_exit("_Exit", status);
    cli_exit_now(status);
}

// Sanitizers replace the following themselves.
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__

typedef void handler(int);
typedef void exit_fn(void *);
typedef handler *signal_fn(int, handler *);
typedef int sigaction_fn(int, const struct sigaction *, struct sigaction *);

// Those of the C library. Found before main(), because a handler may ask for them while the loader is at work.
static exit_fn *next_pthread_exit;
static signal_fn *next_signal;
static sigaction_fn *next_sigaction;

static void find_next(const char *name, void *out)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort(); // it is there
    memcpy(out, &found, sizeof found);
}

__attribute__((constructor)) static void find_all(void)
{
    if (next_sigaction) return;
    find_next("pthread_exit", &next_pthread_exit);
    find_next("signal", &next_signal);
    find_next("sigaction", &next_sigaction);
}

EXPORTED _Noreturn void pthread_exit(void *value)
{
    find_all();
    takt_guard_note_thread_exit();
    for (;;) next_pthread_exit(value);
}

EXPORTED handler *signal(int number, handler *action)
{
    find_all();
    if (action == SIG_DFL && takt_guard_keeps_signal(number)) return SIG_DFL;
    return next_signal(number, action);
}

EXPORTED int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    find_all();
    bool is_default = action && !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
    if (!is_default) return next_sigaction(number, action, before);
    if (before && next_sigaction(number, NULL, before)) return -1;
    return takt_guard_keeps_signal(number) ? 0 : next_sigaction(number, action, NULL);
}

#endif
