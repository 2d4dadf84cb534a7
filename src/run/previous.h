// SPDX-License-Identifier: MIT
// The values that a loop delivered in the sweep before, kept for comparison.
#ifndef TAKT_RUN_PREVIOUS_H
#define TAKT_RUN_PREVIOUS_H

#include "run/run.h"

/// Keeps all values that the members of a block deliver now.
takt_status takt_previous_remember(takt_run *run, const takt_run_block *block, takt_error *err);

/// Are the values that are not real the same as the ones kept?
bool takt_previous_discrete_agree(const takt_run *run, const takt_run_block *block);

/// Gives the values that are not real back to y.
takt_status takt_previous_recall_discrete(takt_run *run, const takt_run_block *block,
                                          takt_error *err);

#endif
