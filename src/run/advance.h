// SPDX-License-Identifier: MIT
// One instance through a step, call by call: every call is counted and timed. pass.h is the fast way for
// many instances.
#ifndef TAKT_RUN_ADVANCE_H
#define TAKT_RUN_ADVANCE_H

#include "run/outcome.h"

/// Sets the inputs of one instance from u, steps it and reads its outputs into y. A step at whose very end
/// the instance asks to end the simulation is done.
takt_status takt_run_advance_instance(takt_run *run, int i_instance, const takt_step *step,
                                      takt_outcome *outcome, takt_error *err);

/// Can the instance be advanced in two phases, so that others are called in between?
bool takt_run_has_two_phases(const takt_run *run, int i_instance);

/// The same as takt_run_advance_instance() in two phases. `begin` receives the tick at which the step began.
takt_status takt_run_advance_begin(takt_run *run, int i_instance, const takt_step *step,
                                   uint64_t *begin, takt_error *err);
takt_status takt_run_advance_end(takt_run *run, int i_instance, const takt_step *step,
                                 uint64_t begin, takt_outcome *outcome, takt_error *err);

/// After a call that stepped the instance and did not fail: goes on where it stopped early, and reads the
/// outputs if the step is done.
takt_status takt_run_after_step(takt_run *run, int i_instance, const takt_step *step,
                                takt_step_result *result, takt_outcome *outcome, takt_error *err);

#endif
