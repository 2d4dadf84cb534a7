// SPDX-License-Identifier: MIT
// Advancing all blocks; see system_step.h. A step goes one of three ways, with the same result:
//   whole        all instances by one call, where one pass over them is all there is to do   pass.h
//   in waves     blocks that do not depend on each other in several threads                  waves.h
//   in order     one block after the other
#include "run/system_step.h"

#include <math.h>

#include "base/compiler.h"
#include "base/times.h"
#include "run/algorithm.h"
#include "run/control.h"
#include "run/derivatives.h"
#include "run/early.h"
#include "run/events.h"
#include "run/pass.h"
#include "run/waves.h"

int takt_system_find_ending(const takt_run *run)
{
    for (int i = 0; i < run->work.n_instances; i++)
        if (run->state.instances[i].end_time < INFINITY) return i;
    return -1;
}

// Half a step may end where an instance asks to end the simulation: it cannot go on from there.
TAKT_APART static bool has_ended(const takt_run *run, const takt_step *step, takt_outcome *outcome)
{
    for (int i = 0; takt_control_reduces_steps(run) && i < run->work.n_instances; i++) {
        if (!takt_times_equal(run->state.instances[i].end_time, step->t, step->h)) continue;
        *outcome = (takt_outcome){.end = TAKT_STEP_TERMINATED, .i_instance = i, .time = step->t};
        return true;
    }
    return false;
}

// Members of simultaneous blocks get their inputs before anything is stepped.
TAKT_APART static takt_status gather_simultaneous(takt_run *run, const takt_step *step,
                                                  takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->plan->n_blocks && !st; i++) {
        const takt_run_block *block = &run->work.blocks[i];
        if (!takt_block_is_simultaneous(block)) continue;
        for (int k = 0; k < block->plan->n_members && !st; k++)
            st = takt_run_gather_for_step(run, block->plan->members[k], step, err);
    }
    return st;
}

static takt_status advance_in_order(takt_run *run, const takt_step *step, takt_outcome *outcome,
                                    takt_error *err)
{
    takt_status st = TAKT_OK;
    takt_run_block *block = run->work.blocks, *end = block + run->plan->n_blocks;
    for (; block < end && !st && outcome->end == TAKT_STEP_DONE; block += block->n_joined) {
        block->n_sweeps_before = block->n_sweeps;
        st = block->use->type->advance(run, block, step, outcome, err);
    }
    return st;
}

void takt_system_note_requests(takt_run *run, takt_outcome *outcome)
{
    run->state.has_requests = outcome->has_requests;
    if (!outcome->has_requests) return;
    takt_run_note_next_event(run);
    takt_early_take(run, outcome);
}

takt_status takt_system_step_blocks(takt_run *run, const takt_step *step, takt_outcome *outcome,
                                    takt_error *err)
{
    if (run->state.has_requests && has_ended(run, step, outcome)) return TAKT_OK;
    if (run->derivatives) takt_derivatives_begin(run, step->t);
    takt_status st = run->work.has_simultaneous ? gather_simultaneous(run, step, err) : TAKT_OK;
    bool in_waves = !st && takt_waves_are_due(run) && takt_waves_choose(run);
    if (in_waves)
        st = takt_waves_advance(run, step, outcome, err);
    else if (!st)
        st = advance_in_order(run, step, outcome, err);
    if (!in_waves) takt_waves_count_plain(run);
    takt_system_note_requests(run, outcome);
    return st;
}
