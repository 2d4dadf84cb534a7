// SPDX-License-Identifier: MIT
// Reading the command line by the table of a command.
#ifndef TAKT_APP_OPTIONS_H
#define TAKT_APP_OPTIONS_H

#include "command.h"

/// Reads the arguments behind the command's name. Clear the result in any case.
takt_status cli_arguments_read(const cli_command *command, int n_words, char **words,
                               cli_arguments *out, takt_error *err);
void cli_arguments_clear(cli_arguments *arguments);

#endif
