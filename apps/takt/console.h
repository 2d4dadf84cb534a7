// SPDX-License-Identifier: MIT
// What the program writes to standard error: problems with their place, messages of FMUs, the final
// error. A progress bar may stand in the last line; messages erase it first.
#ifndef TAKT_APP_CONSOLE_H
#define TAKT_APP_CONSOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "takt/takt.h"

typedef struct cli_console {
    takt_log *log; ///< passes its messages to this console
    FILE *log_file; ///< gets all messages; standard error then gets errors and warnings only
    takt_message_fn collect; ///< gets the messages instead of standard error; NULL: nobody does
    void *collect_context;
    takt_message_fn listen; ///< gets all messages besides; NULL: nobody does
    void *listen_context;
    bool has_colour;
    bool has_bar; ///< a bar stands in the last line; guarded by the lock of stderr
} cli_console;

/// Starts a console; `log_file` (a path) may be NULL. Close it in any case.
takt_status cli_console_open(cli_console *console, takt_level level, const char *log_file,
                             takt_error *err);

/// Completes the log file. Returns false when it could not be written.
bool cli_console_close(cli_console *console);

/// The final message about a failure: "takt: error: ...".
void cli_console_error(cli_console *console, const takt_error *err);

/// A message that is not a problem: "takt: ...".
void cli_console_note(cli_console *console, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Completes what was printed to standard output (or error); fails if not all of it could be written.
takt_status cli_output_end(FILE *file, takt_error *err);

/// Puts a bar into the last line, or takes it away (NULL). `line` must fit on the terminal.
void cli_console_bar(cli_console *console, const char *line);

#endif
