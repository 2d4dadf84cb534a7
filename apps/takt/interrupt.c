// SPDX-License-Identifier: MIT
// Signals; see interrupt.h. The counter and its time are the program's only variables with global lifetime: a
// signal handler has no other way to reach anything.
#include "interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <takt/guard.h>

#include "exit_guard.h"

static volatile sig_atomic_t n_seen;
static struct timespec first_seen; // changed and read by the handler only

// What the program waits for, said in a handler: nothing else can while an FMU is busy.
static void tell(void)
{
    char text[700] = "takt: interrupted; ", called[512];
    takt_guard_describe_call(called, sizeof called);
    const char *const pieces[] = {called[0] ? "waiting for " : "ending after the present step",
                                  called, called[0] ? " to return" : "",
                                  "; a second Ctrl-C ends the program at once\n"};
    size_t n = strlen(text);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (const char *p = pieces[i]; *p && n < sizeof text; p++) text[n++] = *p;
    if (write(STDERR_FILENO, text, n) < 0) return; // nobody listens
}

// Schedulers and mpirun both pass SIGTERM on: what comes right after the first signal is the same wish. Only Ctrl-C is always another one.
static bool is_another(int number, const struct timespec *now)
{
    double passed = (double)(now->tv_sec - first_seen.tv_sec) +
                    1e-9 * (double)(now->tv_nsec - first_seen.tv_nsec);
    return number == SIGINT || passed > 1;
}

static void count(int number)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (n_seen && is_another(number, &now)) cli_exit_now(CLI_EXIT_INTERRUPTED);
    if (n_seen) return;
    first_seen = now;
    n_seen = 1;
    int before = errno;
    if (number == SIGINT) tell();
    errno = before;
}

void cli_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    // All of them wait while one is handled: the counter is never changed twice at once.
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaddset(&action.sa_mask, SIGHUP);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    // Who starts a run with nohup wants it to outlive the terminal.
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); // a file that may not grow is reported like a full disk
}

bool cli_output_is_broken(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

void cli_end_by_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

bool cli_interrupt_seen(void)
{
    return n_seen != 0;
}
