// SPDX-License-Identifier: MIT
// Events that an instance finds within a step (FMI 3.0: early return): all others must have a communication point
// there, too, as its outputs may jump. So the attempt is taken back, and all step to the time of the event.
#ifndef TAKT_RUN_EARLY_H
#define TAKT_RUN_EARLY_H

#include "run/outcome.h"

/// So often a step is repeated because of such events, the last time without stopping at them: an instance that
/// has an event in every step, however short, would let the run stand still.
enum { TAKT_MAX_EARLY = 20 };

/// Lists the instances that may stop within a step.
takt_status takt_early_create(takt_run *run, takt_error *err);

/// May that happen, and can all instances go back and step to any time? For fixed steps, which otherwise need no
/// way back.
bool takt_early_is_possible(const takt_run *run);

/// An instance stopped early in `step`: keeps when, if others are concerned.
void takt_early_note(takt_run *run, int i_instance, const takt_step *step,
                     const takt_step_result *result);

/// Writes the first such event of the latest attempt to the outcome (takt_outcome::is_early) and forgets them.
void takt_early_take(takt_run *run, takt_outcome *outcome);

/// The size of a step from t that reaches `event`, whatever roundings say.
double takt_early_size(double t, double event);

/// A step has ended at `time` because of an event that an attempt found there.
void takt_early_aim(takt_run *run, const takt_outcome *attempt, double time);

/// Is the event where all instances are already, but for a rounding that hid it in the step before? All have
/// been taken back. Then the instance goes to its event alone, which has no length, and events must be handled
/// before the next step.
takt_status takt_early_stay(takt_run *run, const takt_step *step, const takt_outcome *attempt,
                            bool *stays, takt_error *err);

#endif
