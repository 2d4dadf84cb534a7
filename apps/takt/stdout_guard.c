// SPDX-License-Identifier: MIT
// Hiding standard output; see stdout_guard.h. FMUs share the buffer of the C library with the
// program, so it is emptied before every change.
#include "stdout_guard.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void cli_stdout_hide(cli_stdout_guard *guard)
{
    if (!guard->is_needed || guard->hidden) return;
    fflush(stdout);
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0) return; // nothing better is possible
    guard->hidden = copy;
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

void cli_stdout_show(cli_stdout_guard *guard)
{
    if (!guard->hidden) return;
    fflush(stdout);
    dup2(guard->hidden, STDOUT_FILENO);
    close(guard->hidden);
    guard->hidden = 0;
}
