// SPDX-License-Identifier: MIT
// Ending the program at once, and FMUs that do so: the program has its own _exit() and pthread_exit(), which libraries that are loaded
// later call instead of the system's, so that an FMU that ends the program, or the thread that calls it, can be named. In its own signal() and
// sigaction() the default for faults is the guard, so that an FMU that wants the default and crashes is named as well.
#ifndef TAKT_APP_EXIT_GUARD_H
#define TAKT_APP_EXIT_GUARD_H

/// Ends the program at once, without asking whether an FMU does it. May be called in a handler.
_Noreturn void cli_exit_now(int status);

#endif
