// SPDX-License-Identifier: MIT
// What the program needs to know of a terminal, and texts that depend on it.
#ifndef TAKT_APP_TERMINAL_H
#define TAKT_APP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// Is the file a terminal that understands control sequences?
bool cli_terminal_is_able(FILE *file);

/// Should colour be used there? NO_COLOR (https://no-color.org) switches it off.
bool cli_terminal_has_colour(FILE *file);

/// Its present width within the limits; for a file that is no terminal COLUMNS of the environment, or 80.
int cli_terminal_width(FILE *file, int least, int most);

/// Columns that a text takes on a terminal: characters, not bytes.
int cli_columns(const char *text);

enum { CLI_DURATION_SIZE = 32 };

/// A duration with a fitting unit: "16.878 ms", "2.500 min".
void cli_duration(char out[CLI_DURATION_SIZE], double seconds, int decimals);

/// The unit that fits a duration, and its length in seconds.
const char *cli_duration_unit(double seconds, double *out);

#endif
