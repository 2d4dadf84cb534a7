// SPDX-License-Identifier: MIT
// Instances with longer steps than the run: they take one step where the run takes several.
#ifndef TAKT_INSTANCE_SLOW_H
#define TAKT_INSTANCE_SLOW_H

#include "instance/instance.h"

/// The same model with instances that take one step for every `n_steps` of the run. A long step has the inputs
/// of its beginning; until it is over, outputs stay what they were. At the stop time it is over
/// anyhow. `inner` must have no events (can.events)
/// and outlive the result, which lies in `arena` and need not be closed. NULL: memory is exhausted.
takt_model *takt_slow_model(const takt_model *inner, int n_steps, takt_arena *arena);

#endif
