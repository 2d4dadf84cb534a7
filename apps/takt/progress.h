// SPDX-License-Identifier: MIT
// How far a run has come, on standard error: a bar on a terminal, lines, or JSON objects.
#ifndef TAKT_APP_PROGRESS_H
#define TAKT_APP_PROGRESS_H

#include "console.h"

/// The words of the option --progress, in this order.
#define CLI_PROGRESS_WORDS "auto|bar|plain|json|none"
typedef enum cli_progress_mode {
    CLI_PROGRESS_AUTO, ///< a bar on a terminal, otherwise nothing
    CLI_PROGRESS_BAR,
    CLI_PROGRESS_PLAIN,
    CLI_PROGRESS_JSON,
    CLI_PROGRESS_NONE,
} cli_progress_mode;

typedef struct cli_progress {
    cli_progress_mode mode;
    cli_console *console;
    const takt_run *run;
    const char *name; ///< of the project
    double began; ///< s on the clock
    double looked; ///< s on the clock, when it was read last
    double shown; ///< s on the clock, when something was shown last
    int interval; ///< steps between two looks at the clock
    int countdown;
} cli_progress;

/// Starts showing the progress of an initialized run. console, run and name must outlive it.
void cli_progress_start(cli_progress *progress, cli_progress_mode mode, cli_console *console,
                        const takt_run *run, const char *name);

/// Looks at the clock and shows something when it is time.
void cli_progress_look(cli_progress *progress);

/// Call after every step: costs a subtraction, and now and then a look at the clock.
static inline void cli_progress_step(cli_progress *progress)
{
    if (--progress->countdown <= 0) cli_progress_look(progress);
}

/// Takes the bar away, or writes the last JSON object.
void cli_progress_end(cli_progress *progress);

#endif
