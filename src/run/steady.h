// SPDX-License-Identifier: MIT
// Does anything still change? The functions of takt/pacing.h.
#ifndef TAKT_RUN_STEADY_H
#define TAKT_RUN_STEADY_H

#include "run/run.h"
#include "takt/pacing.h"

/// Accepts a run that is not watched.
void takt_steady_destroy(takt_run *run);

#endif
