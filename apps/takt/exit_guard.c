// SPDX-License-Identifier: MIT
// The program's own _exit(); see exit_guard.h.
#include "exit_guard.h"

#include <stdlib.h>
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
