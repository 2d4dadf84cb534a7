// SPDX-License-Identifier: MIT
// Standard output that carries results must carry nothing else, but code of FMUs may print there.
// While it runs, standard output is hidden: what is printed goes to standard error.
#ifndef TAKT_APP_STDOUT_GUARD_H
#define TAKT_APP_STDOUT_GUARD_H

#include <stdbool.h>

#include "takt/status.h"

typedef struct cli_stdout_guard {
    bool is_needed; ///< false: hide and show do nothing
    int hidden; ///< the real standard output while it is hidden, else 0
} cli_stdout_guard;

/// Both may be called at any time, also twice.
void cli_stdout_hide(cli_stdout_guard *guard);
/// Fails where standard output cannot be had back: what is written to it then goes to standard error.
takt_status cli_stdout_show(cli_stdout_guard *guard, takt_error *err);

#endif
