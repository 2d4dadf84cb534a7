// SPDX-License-Identifier: MIT
// Advancing instances through a step: the innermost work of all algorithms.
//
// The members of a block are called in segments: as many as follow each other and are called in the same
// way share one call that sets, steps and reads them all, without a clock. Every now and then a segment is
// made call by call and timed; what the others took is concluded from it. Segments with a member that
// takes long are always timed, because there the clock costs nothing in comparison.
#ifndef TAKT_RUN_ADVANCE_H
#define TAKT_RUN_ADVANCE_H

#include "run/run.h"

/// How the attempt to advance ended. None of these ends is an error.
typedef struct takt_outcome {
    takt_step_end end; ///< of the first instance that did not reach t + h, else TAKT_STEP_DONE
    int i_instance; ///< which one that was
    double time; ///< s; how far it came
    bool is_unconverged; ///< an iteration reached its limit
    bool has_wishes; ///< an instance had an event, or wants to end
} takt_outcome;

typedef struct takt_step_plan {
    double t, h;
    bool is_final; ///< nothing will be rewound to a time before t
} takt_step_plan;

/// Decides how an instance is called, once it exists.
void takt_run_prepare_instance(takt_run *run, int i_instance);

/// Divides the members of all blocks into segments. To be called again when an algorithm changes.
void takt_run_divide_blocks(takt_run *run);

/// After a call that came only to member i of those up to `last`: ends its advance, and goes on with those
/// behind it.
takt_status takt_run_advance_rest(takt_run *run, const takt_segment *segment, int i, int last,
                                  const takt_advance *advance, takt_step_result *result,
                                  takt_status st, takt_outcome *outcome, takt_error *err);

/// Advances members of a segment whose inputs are ready, or need only be copied.
static inline takt_status takt_run_advance_members(takt_run *run, const takt_segment *segment,
                                                   int first, int n, bool gathers,
                                                   const takt_step_plan *step,
                                                   takt_outcome *outcome, takt_error *err)
{
    takt_advance advance = {step->t, step->h, step->is_final, gathers};
    takt_step_result result;
    int n_done;
    takt_status st = segment->advance(segment->members + first, n, &advance, &n_done, &result, err);
    if (n_done == n) return TAKT_OK;
    return takt_run_advance_rest(run, segment, first + n_done, first + n, &advance, &result, st,
                                 outcome, err);
}

/// Advances the segments of a block, whose inputs are gathered before, or each before its step. Counts a
/// sweep.
takt_status takt_run_advance_segments(takt_run *run, takt_run_block *block, bool gathers,
                                      const takt_step_plan *step, takt_outcome *outcome,
                                      takt_error *err);

/// Sets the inputs of one instance from u, steps it and reads its outputs into y, call by call. A step at
/// whose very end the instance wants to end the simulation is done.
takt_status takt_run_advance_instance(takt_run *run, int i_instance, const takt_step_plan *step,
                                      takt_outcome *outcome, takt_error *err);

/// Adds the advances that were not timed to the counters of an instance.
void takt_run_count_untimed(takt_run_instance *at);

#endif
