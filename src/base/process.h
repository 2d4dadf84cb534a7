// SPDX-License-Identifier: MIT
// Running another program and waiting for it.
#ifndef TAKT_BASE_PROCESS_H
#define TAKT_BASE_PROCESS_H

#include "base/error.h"

/// Runs a program that is found like in a shell (no shell is involved) and waits for its end. What it
/// writes goes to the file `output`; it reads nothing. `arguments` begin with the program's name and end
/// with NULL. Fails only where the program cannot be started or waited for; *exit_code is 128 plus the
/// number of the signal where one ended it.
takt_status takt_process_run(const char *const *arguments, const char *output, int *exit_code,
                             takt_error *err);

#endif
