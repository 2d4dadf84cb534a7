// SPDX-License-Identifier: MIT
// What a step of each component costs, as far as that is known: for placing them on ranks.
#ifndef TAKT_APP_COSTS_H
#define TAKT_APP_COSTS_H

#include "command.h"

/// Does the pattern, with * and ?, match the whole name?
bool cli_glob_matches(const char *glob, const char *name);

/// Finds the cost of every component, as --cost says: "GLOB=SECONDS", or a file with the statistics of a run. FMUs that are not mentioned cost
/// what the others do on average; without any --cost, all FMUs cost 1. Tables and functions cost nothing.
takt_status cli_costs_find(const takt_system *system, const cli_arguments *arguments, double *out,
                           takt_error *err);

/// Are there any?
bool cli_costs_are_given(const cli_arguments *arguments);

#endif
