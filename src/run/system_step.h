// SPDX-License-Identifier: MIT
// All blocks through one step: the work that step control asks for.
#ifndef TAKT_RUN_SYSTEM_STEP_H
#define TAKT_RUN_SYSTEM_STEP_H

#include "run/pass.h"
#include "run/waves.h"

/// Any step, block by block.
takt_status takt_system_step_blocks(takt_run *run, const takt_step *step, takt_outcome *outcome,
                                    takt_error *err);

/// Notes whether instances have requests after a step.
void takt_system_note_requests(takt_run *run, takt_outcome *outcome);

/// Advances all blocks in the order of the plan, each with its own algorithm. Most often one call does it
/// all.
static inline takt_status takt_system_step(takt_run *run, const takt_step *step,
                                           takt_outcome *outcome, takt_error *err)
{
    *outcome = (takt_outcome){.end = TAKT_STEP_DONE};
    if (!takt_pass_is_whole(run) || takt_waves_are_due(run))
        return takt_system_step_blocks(run, step, outcome, err);
    takt_status st = takt_pass_whole(run, step, outcome, err);
    takt_waves_count_plain(run);
    if (outcome->has_requests) takt_system_note_requests(run, outcome);
    return st;
}

/// The first instance that asks to end the simulation where its latest step ended; -1: none.
int takt_system_find_ending(const takt_run *run);

#endif
