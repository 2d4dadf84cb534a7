// SPDX-License-Identifier: MIT
// Ctrl-C and SIGTERM: the first one asks the program to stop at the next opportunity, the second
// one ends it at once.
#ifndef TAKT_APP_INTERRUPT_H
#define TAKT_APP_INTERRUPT_H

#include <stdbool.h>

enum { CLI_EXIT_INTERRUPTED = 130 };

/// Starts watching. A closed pipe becomes an error of writing and does not kill the program.
void cli_interrupt_watch(void);

/// Has the user asked to stop?
bool cli_interrupt_seen(void);

#endif
