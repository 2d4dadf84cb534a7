// SPDX-License-Identifier: MIT
// Trying what FMUs do (`takt check --run`): a short run of a system, whose FMUs are isolated, and the same from saved
// states and from the start once more. Knows nothing of how FMUs are isolated.
#ifndef TAKT_APP_TRIAL_H
#define TAKT_APP_TRIAL_H

#include "takt/takt.h"

/// Hears of each part of a trial: TAKT_OK and what was seen, or what is wrong. Parts that are not possible are told, too.
typedef void cli_trial_fn(void *context, const char *part, takt_status st, const char *text);

/// Tries a system. Returns the status of the first part that failed, or TAKT_OK. `log` is that of the system.
takt_status cli_trial(const takt_system *system, const takt_log *log, cli_trial_fn *tell,
                      void *context);

#endif
