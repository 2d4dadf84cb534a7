// SPDX-License-Identifier: MIT
// Help texts of commands.
#ifndef TAKT_APP_HELP_H
#define TAKT_APP_HELP_H

#include <stdio.h>

#include "command.h"

/// Prints the help text of a command.
void cli_help(const cli_command *command, FILE *file);

#endif
