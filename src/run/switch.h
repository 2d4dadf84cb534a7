// SPDX-License-Identifier: MIT
// Which algorithm each block uses, and changing it while the run goes on.
#ifndef TAKT_RUN_SWITCH_H
#define TAKT_RUN_SWITCH_H

#include "run/run.h"

/// Prepares every block for its algorithm and decides whose states are saved.
takt_status takt_run_prepare_algorithms(takt_run *run, takt_error *err);

/// Reads the project's schedule of changes, in the order of time, and makes sure that they will be
/// possible.
takt_status takt_run_make_schedule(takt_run *run, takt_error *err);

/// Carries out the changes that the project's schedule demands at the present time.
takt_status takt_run_follow_schedule(takt_run *run, takt_error *err);

#endif
