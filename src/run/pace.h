// SPDX-License-Identifier: MIT
// Pacing with real time: the functions of takt/pacing.h.
#ifndef TAKT_RUN_PACE_H
#define TAKT_RUN_PACE_H

#include "run/run.h"
#include "takt/pacing.h"

#endif
