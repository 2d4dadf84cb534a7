// SPDX-License-Identifier: MIT
// Ctrl-C, SIGTERM and SIGHUP (unless it is ignored, as by nohup): the first one asks the program to stop
// at the next opportunity, the second one ends it at once (SIGTERM and SIGHUP only if a second has passed).
#ifndef TAKT_APP_INTERRUPT_H
#define TAKT_APP_INTERRUPT_H

#include <stdbool.h>

enum { CLI_EXIT_INTERRUPTED = 130 };

/// Starts watching. A closed pipe becomes an error of writing and does not kill the program.
void cli_interrupt_watch(void);

/// Is standard output a pipe that nobody reads any more?
bool cli_output_is_broken(void);

/// Ends the program as a broken pipe would: silently, by SIGPIPE.
void cli_end_by_pipe(void);

/// Has the user asked to stop?
bool cli_interrupt_seen(void);

#endif
