// SPDX-License-Identifier: MIT
// Help texts of commands.
#ifndef TAKT_APP_HELP_H
#define TAKT_APP_HELP_H

#include <stdio.h>

#include "command.h"

/// Prints the help text of a command.
void cli_help(const cli_command *command, FILE *file);

/// Prints words with line breaks at `width`; lines after the first start at column `indent`, where the
/// first one is already.
void cli_print_wrapped(FILE *file, const char *text, int indent, int width);

#endif
