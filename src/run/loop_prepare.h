// SPDX-License-Identifier: MIT
// Making the loop problem of a block. Cost is linear in members and connections.
#ifndef TAKT_RUN_LOOP_PREPARE_H
#define TAKT_RUN_LOOP_PREPARE_H

#include "run/loop.h"

/// Makes block->loop: what the members deliver, and the connections inside.
takt_status takt_loop_create(takt_run *run, takt_run_block *block, takt_error *err);

/// Ends what lies outside of the run's arena.
void takt_loop_destroy(takt_loop *loop);

/// Finds the unknowns, for those who use them, once; later calls do nothing.
takt_status takt_loop_find_unknowns(takt_loop *loop, takt_error *err);

#endif
