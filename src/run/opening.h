// SPDX-License-Identifier: MIT
// Feedthrough that opens later. Where an FMU does not say on which inputs its outputs depend, trials before the run look
// (src/plan/probe.c); they cannot see what a switch opens only later, and then a loop that is not iterated may be
// algebraic. It shows when the inputs of such an FMU get their values at the end of a step, which are its inputs in
// the next step anyway, and its outputs are read once more: that needs no step. FMUs that compute outputs only when
// they step do not show it; steps by prediction measure the strength of their loops (couple.c).
#ifndef TAKT_RUN_OPENING_H
#define TAKT_RUN_OPENING_H

#include "run/run.h"
#include "run/worst.h"

/// Finds the members of a loop whose outputs seemed not to react at once to what other members deliver.
takt_status takt_openings_create(takt_run *run, takt_run_block *block, takt_error *err);

/// How much do outputs of members change when they get the values of y, at t? In units of `unit`; NULL: in those of
/// loops. Values of y stay as they are.
takt_status takt_openings_measure(takt_run *run, const takt_run_block *block, double t,
                                  const takt_error_unit *unit, double *out, takt_error *err);

/// After a step: doubts it where outputs of a loop that is not iterated react.
takt_status takt_openings_look(takt_run *run, takt_error *err);

#endif
