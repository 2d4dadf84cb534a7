// SPDX-License-Identifier: MIT
// The blocks of a run and their algorithms.
#ifndef TAKT_RUN_BLOCKS_H
#define TAKT_RUN_BLOCKS_H

#include "run/algorithm.h"

/// Makes the blocks, prepared for the algorithms of the plan.
takt_status takt_blocks_create(takt_run *run, takt_error *err);
void takt_blocks_destroy(takt_run *run);

/// Makes sure that a block can use an algorithm; the one in use stays.
takt_status takt_block_prepare(takt_run *run, takt_run_block *block,
                               const takt_algorithm_type *type, takt_error *err);

/// Gives a block another algorithm, for which it has been prepared. takt_blocks_arrange() must follow.
void takt_block_use(takt_run_block *block, const takt_algorithm_type *type);

/// Notes what follows from the algorithms of the blocks: whose states are saved, who is called together.
void takt_blocks_arrange(takt_run *run);

#endif
