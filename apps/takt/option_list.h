// SPDX-License-Identifier: MIT
// Walking through all options of a command: those of its table, the settings, the common ones.
#ifndef TAKT_APP_OPTION_LIST_H
#define TAKT_APP_OPTION_LIST_H

#include "command.h"

/// Calls `visit` for every option in the order of the help text until it returns true, and returns
/// that option, or NULL. An option made from a setting lies in `room`.
const cli_option *cli_option_each(const cli_command *command,
                                  bool (*visit)(void *, const cli_option *), void *context,
                                  cli_option *room);

#endif
