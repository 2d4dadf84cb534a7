// SPDX-License-Identifier: MIT
// What the algorithms need to know of each block, prepared before the first step.
#ifndef TAKT_RUN_BLOCKS_H
#define TAKT_RUN_BLOCKS_H

#include "run/run.h"

takt_status takt_run_make_blocks(takt_run *run, takt_error *err);

#endif
