// SPDX-License-Identifier: MIT
// The contract for step control: how a run gets from one communication point to the next. One kind
// of control per file.
#ifndef TAKT_RUN_STEP_H
#define TAKT_RUN_STEP_H

#include "run/algorithm.h"

/// Takes one step and goes to the next communication point, or sets run->progress to
/// TAKT_TERMINATED and stays where it is.
typedef takt_status takt_step_fn(takt_run *run, takt_error *err);

takt_step_fn takt_step_fixed, takt_step_adaptive;

/// The end of the simulation by the wish of an instance; shared by the kinds of control.
void takt_step_terminate(takt_run *run, const takt_outcome *outcome);

#endif
