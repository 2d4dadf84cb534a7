// SPDX-License-Identifier: MIT
// Carrying out the initialization stages of the plan, and solving those that are loops.
#ifndef TAKT_RUN_INITIAL_LOOP_H
#define TAKT_RUN_INITIAL_LOOP_H

#include "run/run.h"

/// Carries out one stage: each action once, or, in a loop, until all values agree. Fails naming the
/// loop when they do not.
takt_status takt_run_do_init_stage(takt_run *run, const takt_init_stage *stage, takt_error *err);

#endif
