// SPDX-License-Identifier: MIT
// Ending the program at once, and FMUs that do so: the program has its own _exit(), which libraries that are loaded
// later call instead of the system's, so that an FMU that ends the program can be named.
#ifndef TAKT_APP_EXIT_GUARD_H
#define TAKT_APP_EXIT_GUARD_H

/// Ends the program at once, without asking whether an FMU does it. May be called in a handler.
_Noreturn void cli_exit_now(int status);

#endif
