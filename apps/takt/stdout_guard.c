// SPDX-License-Identifier: MIT
// Hiding standard output; see stdout_guard.h. FMUs share the buffer of the C library with the
// program, so it is emptied before every change.
#include "stdout_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

// Lets standard output be what `file` is.
static bool replace_output(int file)
{
    while (dup2(file, STDOUT_FILENO) < 0)
        if (errno != EINTR) return false;
    return true;
}

void cli_stdout_hide(cli_stdout_guard *guard)
{
    if (!guard->is_needed || guard->hidden) return;
    fflush(stdout);
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0) return; // nothing better is possible
    guard->hidden = copy;
    replace_output(STDERR_FILENO); // if not, it is as visible as before
}

takt_status cli_stdout_show(cli_stdout_guard *guard, takt_error *err)
{
    if (!guard->hidden) return TAKT_OK;
    fflush(stdout);
    takt_status st = TAKT_OK;
    if (!replace_output(guard->hidden))
        st = cli_fail(err, TAKT_ERR_OUTPUT, "cannot write to standard output: %s", strerror(errno));
    close(guard->hidden);
    guard->hidden = 0;
    return st;
}
