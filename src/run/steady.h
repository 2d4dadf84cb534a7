// SPDX-License-Identifier: MIT
// Does anything still change? The functions of takt/pacing.h.
#ifndef TAKT_RUN_STEADY_H
#define TAKT_RUN_STEADY_H

#include "instance/pack.h"
#include "run/run.h"
#include "takt/pacing.h"

/// Accepts a run that is not watched.
void takt_steady_destroy(takt_run *run);

/// What is known at this time, if anything; behind the state of the run. A run that is not watched yet knows it afterwards.
void takt_steady_pack(const takt_run *run, takt_packer *packer);
void takt_steady_unpack(takt_run *run, takt_unpacker *unpacker);

#endif
