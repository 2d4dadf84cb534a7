// SPDX-License-Identifier: MIT
// All commands of the program.
#ifndef TAKT_APP_COMMANDS_H
#define TAKT_APP_COMMANDS_H

#include "command.h"

/// In the order of the help, ended by NULL.
extern const cli_command *const cli_commands[];

/// The command of that name, or NULL.
const cli_command *cli_command_find(const char *name);

#endif
