// SPDX-License-Identifier: MIT
// All blocks through one step: the work that step control asks for.
#ifndef TAKT_RUN_SYSTEM_STEP_H
#define TAKT_RUN_SYSTEM_STEP_H

#include "run/outcome.h"

/// Advances all blocks in the order of the plan, each with its own algorithm.
takt_status takt_system_step(takt_run *run, const takt_step *step, takt_outcome *outcome,
                             takt_error *err);

/// The first instance that asks to end the simulation where its latest step ended; -1: none.
int takt_system_find_ending(const takt_run *run);

#endif
