// SPDX-License-Identifier: MIT
// Signals; see interrupt.h. The counter is the program's only variable with global lifetime: a
// signal handler has no other way to reach anything.
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t n_seen;

static void count(int number)
{
    (void)number;
    if (n_seen) _exit(CLI_EXIT_INTERRUPTED);
    n_seen = 1;
}

void cli_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    // Both signals wait while one is handled: the counter is never changed twice at once.
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); // a file that may not grow is reported like a full disk
}

bool cli_interrupt_seen(void)
{
    return n_seen != 0;
}
