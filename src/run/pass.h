// SPDX-License-Identifier: MIT
// One pass over the members of a block: every member is set, stepped and read once. All algorithms that call
// members one after the other do it here, and nothing else is fast.
//
// Members are called in segments: as many as follow each other and are called in the same way share one
// call that sets, steps and reads them all, without a clock. Every now and then a segment is done call by
// call and timed (advance.h); what the others took is concluded from it. Segments with a member that takes
// long are always timed, because there the clock costs nothing in comparison.
#ifndef TAKT_RUN_PASS_H
#define TAKT_RUN_PASS_H

#include <math.h>

#include "base/compiler.h"
#include "run/outcome.h"

/// Decides how an instance is called, once it exists.
void takt_pass_prepare(takt_run *run, int i_instance);

/// The same again, for those that may have got or lost their first held input.
void takt_pass_prepare_held(takt_run *run);

/// Divides the members of all blocks into segments. To be called again when an algorithm changes.
void takt_pass_divide(takt_run *run);

/// Makes one pass over a block, and over those joined with it. Members get the inputs that lie in u if the
/// block is simultaneous, else each its own from y, just before its step. Counts a sweep.
takt_status takt_pass(takt_run *run, takt_run_block *block, const takt_step *step,
                      takt_outcome *outcome, takt_error *err);

/// The same for the members of one block alone, which is not simultaneous, call by call; for several threads.
takt_status takt_pass_alone(takt_run *run, takt_run_block *block, const takt_step *step,
                            takt_outcome *outcome, takt_error *err);

/// The end of a pass over a simultaneous block: its functions follow its other members.
takt_status takt_pass_functions(takt_run *run, const takt_block *block, const takt_step *step,
                                takt_outcome *outcome, takt_error *err);

/// After a call that came only to member i of a segment: ends its step, and goes on with those behind it. `result` and `st` are those of the call.
takt_status takt_pass_rest(takt_run *run, const takt_segment *segment, int i, const takt_step *step,
                           takt_step_result *result, takt_status st, takt_outcome *outcome,
                           takt_error *err);

/// Advances all members of a segment whose inputs are ready, or need only be copied
/// (takt_coupling::gathers).
static inline takt_status takt_pass_members(takt_run *run, const takt_segment *segment,
                                            const takt_step *step, takt_outcome *outcome,
                                            takt_error *err)
{
    takt_step_result result;
    int n_done;
    takt_status st =
        segment->advance(segment->members, segment->n_members, step, &n_done, &result, err);
    if (n_done == segment->n_members) return TAKT_OK;
    return takt_pass_rest(run, segment, n_done, step, &result, st, outcome, err);
}

/// The next step of an instance is timed, if it must: decides about those after it.
void takt_pass_begin_timed(const takt_run *run, takt_run_instance *at);

/// Must the next step of an instance be made call by call, to be timed?
static inline bool takt_pass_is_timed(const takt_run *run, takt_run_instance *at)
{
    if (TAKT_LIKELY(at->n_untimed++ < at->max_untimed)) return false;
    takt_pass_begin_timed(run, at);
    return true;
}

/// The end of a fast step of one instance that failed, or that did not end as most do.
takt_status takt_pass_end(takt_run *run, int i_instance, const takt_step *step,
                          takt_step_result *result, takt_status st, takt_outcome *outcome,
                          takt_error *err);

/// Sets the inputs of one instance from u, which move as `motion` says, steps it and reads its outputs into y, in one
/// call, after takt_pass_is_timed(). How the step ended is noted as by takt_run_after_step().
static inline takt_status takt_pass_one(takt_run *run, int i_instance,
                                        const takt_coupling_motion *motion, const takt_step *step,
                                        takt_outcome *outcome, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    takt_instance_state *now = &run->state.instances[i_instance];
    takt_coupling *coupling = &at->coupling;
    takt_step_result result;
    int n_done;
    coupling->gathers = false;
    coupling->motion = *motion;
    takt_status st = at->advance(&coupling, 1, step, &n_done, &result, err);
    now->end_time = now->early_time = INFINITY;
    now->has_event = false;
    if (!TAKT_LIKELY(n_done)) st = takt_pass_end(run, i_instance, step, &result, st, outcome, err);
    coupling->motion.inputs = NULL;
    return st;
}

/// May the whole system be advanced by one call in the next step?
static inline bool takt_pass_is_whole(const takt_run *run)
{
    const takt_segment *whole = run->work.whole;
    return whole && whole->n_untimed < whole->max_untimed && !run->state.has_requests;
}

/// Advances the whole system by one call, after takt_pass_is_whole().
static inline takt_status takt_pass_whole(takt_run *run, const takt_step *step,
                                          takt_outcome *outcome, takt_error *err)
{
    run->work.whole->n_untimed++;
    run->work.blocks->n_sweeps++;
    const takt_copy *input = run->work.whole_inputs;
    for (int i = 0; i < run->work.n_whole_inputs; i++)
        run->state.u.real[input[i].to] = run->state.y.real[input[i].from];
    return takt_pass_members(run, run->work.whole, step, outcome, err);
}

/// Adds the steps that were not timed to the counters of an instance.
void takt_pass_count_untimed(takt_run_instance *at);

/// A step of the system has taken long, in the mean of its instances: the next one of every instance is timed, and those behind it while they are long.
void takt_pass_expect_long(takt_run *run);

#endif
