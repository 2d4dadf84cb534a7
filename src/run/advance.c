// SPDX-License-Identifier: MIT
// Segments of instances and how they are advanced; see advance.h.
#include "run/advance.h"

#include <math.h>

#include "base/compiler.h"

#include "run/algorithm.h"
#include "run/calls.h"
#include "run/derivatives.h"

// After the first steps one out of this many is timed; but all are that take this long (in ticks: less than
// a nanosecond each on most machines).
enum { INTERVAL = 64, LONG = 100000 };

// ---- preparation -----------------------------------------------------------------------------------

void takt_run_prepare_instance(takt_run *run, int i_instance)
{
    takt_run_instance *at = &run->instances[i_instance];
    const takt_plan_instance *plan = at->plan;
    const takt_instance_type *type = at->instance->type;
    const int *n = plan->inputs.n_values;
    int first = plan->first_input[TAKT_KIND_REAL];
    at->is_function = at->instance->model->is_function;
    at->gathers_more =
        run->plan->factors || n[TAKT_KIND_INTEGER] || n[TAKT_KIND_BYTES] || plan->n_adapters;
    at->exchange = (takt_exchange){.instance = at->instance,
                                   .owner = i_instance,
                                   .y = run->y.real,
                                   .sources = run->plan->sources[TAKT_KIND_REAL] + first,
                                   .n_sources = n[TAKT_KIND_REAL],
                                   .is_private = plan->n_copies == 0,
                                   .inputs = &plan->inputs,
                                   .outputs = &plan->outputs,
                                   .input_values = &at->inputs,
                                   .output_values = &at->outputs};
    takt_exchange_prepare(&at->exchange);
    bool is_fast = type->can_advance && type->can_advance(at->instance, &at->exchange);
    at->advance = is_fast ? type->advance : takt_instance_advance;
}

// Adds an instance to the last segment of a block, or begins another one.
static void add_to_segments(takt_run_block *block, takt_run_instance *at, takt_exchange **room)
{
    takt_segment *last = block->n_segments ? &block->segments[block->n_segments - 1] : NULL;
    if (!last || last->advance != at->advance || last->gathers_more != at->gathers_more) {
        last = &block->segments[block->n_segments++];
        *last = (takt_segment){
            .advance = at->advance, .members = room, .gathers_more = at->gathers_more};
    }
    last->members[last->n_members++] = &at->exchange;
}

// Blocks of one pass each are as good as one. Sweeps are counted of loops only, which stay alone.
static bool can_join(const takt_run_block *block)
{
    return block->algorithm == TAKT_ALGORITHM_SEIDEL && !block->plan->is_loop;
}

// Is all work one segment whose inputs are copied, so that most steps are one call?
static takt_segment *find_whole(const takt_run *run)
{
    const takt_run_block *first = run->blocks;
    bool is_one = run->plan->n_blocks > 0 && first->n_joined == run->plan->n_blocks &&
                  first->algorithm == TAKT_ALGORITHM_SEIDEL && first->n_segments == 1;
    return is_one && !first->segments->gathers_more ? first->segments : NULL;
}

void takt_run_divide_blocks(takt_run *run)
{
    int n = 0; // members so far; there are no more segments than members
    for (int i = 0; i < run->plan->n_blocks; i += run->blocks[i].n_joined) {
        takt_run_block *block = &run->blocks[i];
        block->segments = run->segments + n;
        block->n_segments = block->n_joined = 0;
        do {
            const takt_block *plan = block[block->n_joined++].plan;
            for (int k = 0; k < plan->n_members; k++) {
                takt_run_instance *at = &run->instances[plan->members[k]];
                if (at->is_function && block->algorithm == TAKT_ALGORITHM_JACOBI) continue;
                add_to_segments(block, at, run->exchanges + n++);
            }
        } while (can_join(block) && i + block->n_joined < run->plan->n_blocks &&
                 can_join(block + block->n_joined));
    }
    run->whole = find_whole(run);
}

// ---- counts ----------------------------------------------------------------------------------------

static void add_untimed(takt_counter *counter, int n)
{
    counter->count += n;
    counter->ticks += (uint64_t)n * counter->typical;
}

void takt_run_count_untimed(takt_run_instance *at)
{
    int n = at->exchange.n_advances;
    if (at->plan->inputs.n_groups) add_untimed(&at->set, n);
    add_untimed(&at->do_step, n);
    if (at->plan->outputs.n_groups) add_untimed(&at->get, n);
    at->exchange.n_advances = 0;
}

// Counts the calls of an untimed advance that did not go through, up to `last`.
static void count_parts(takt_run_instance *at, takt_part last)
{
    if (at->plan->inputs.n_groups) add_untimed(&at->set, 1);
    if (last >= TAKT_PART_STEP) add_untimed(&at->do_step, 1);
    if (last >= TAKT_PART_GET) add_untimed(&at->get, 1);
}

// ---- one instance ----------------------------------------------------------------------------------

// An instance wants the simulation to end. Where its step ends anyway, the step is done. Within a step
// that can be repeated, it counts as discarded: the next attempt leads up to that time.
static void judge_end(takt_run *run, takt_run_instance *at, const takt_step_plan *step,
                      takt_step_result *result)
{
    at->end_time = INFINITY;
    if (result->end != TAKT_STEP_TERMINATED) return;
    double step_min = run->plan->system->settings.step_min;
    if (takt_times_equal(result->time, step->t + step->h, step->h)) {
        at->end_time = step->t + step->h;
        result->end = TAKT_STEP_DONE;
    } else if (run->adaptive && result->time - step->t > step_min) {
        result->end = TAKT_STEP_DISCARDED;
    }
}

// After a call that steps and did not fail: goes on where the instance stopped early, and reads the
// outputs if the step is done.
static takt_status end_step(takt_run *run, int i_instance, const takt_step_plan *step,
                            takt_step_result *result, takt_outcome *outcome, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    double t_end = step->t + step->h;
    bool is_early = result->end == TAKT_STEP_EARLY;
    takt_status st = TAKT_OK;
    if (is_early) st = takt_run_go_on(run, i_instance, t_end, step->is_final, result, err);
    at->has_event = !st && result->has_event;
    if (st) return st;
    judge_end(run, at, step, result);
    outcome->has_wishes |= is_early || at->has_event || at->end_time < INFINITY;
    if (result->end == TAKT_STEP_DONE) return takt_run_get_outputs(run, i_instance, t_end, err);
    *outcome = (takt_outcome){result->end, i_instance, result->time, .has_wishes = true};
    return TAKT_OK;
}

takt_status takt_run_advance_instance(takt_run *run, int i_instance, const takt_step_plan *step,
                                      takt_outcome *outcome, takt_error *err)
{
    takt_step_result result = {.end = TAKT_STEP_DONE};
    takt_status st = takt_run_set_inputs(run, i_instance, step->t, err);
    if (!st && run->derivatives) st = takt_derivatives_set(run, i_instance, step->t, err);
    if (!st) st = takt_run_do_step(run, i_instance, step->t, step->h, step->is_final, &result, err);
    if (!st) st = end_step(run, i_instance, step, &result, outcome, err);
    if (!st && run->derivatives) takt_derivatives_mark(run, i_instance);
    return st;
}

// The rest of an advance that failed, or that did not end as most do.
static takt_status end_advance(takt_run *run, int i_instance, const takt_step_plan *step,
                               takt_step_result *result, takt_status st, takt_outcome *outcome,
                               takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    double t_end = step->t + step->h;
    if (st) {
        count_parts(at, result->part);
        at->has_failed = true;
        return takt_within(err, st, "instance '%s' at t=%.15g s", at->instance->name,
                           result->part == TAKT_PART_GET ? t_end : step->t);
    }
    if (result->end != TAKT_STEP_DONE) {
        count_parts(at, TAKT_PART_STEP);
        return end_step(run, i_instance, step, result, outcome, err);
    }
    at->exchange.n_advances++;
    at->end_time = INFINITY;
    at->has_event = result->has_event;
    outcome->has_wishes |= at->has_event;
    return takt_run_check_outputs(at, t_end, err);
}

// ---- segments --------------------------------------------------------------------------------------

takt_status takt_run_advance_rest(takt_run *run, const takt_segment *segment, int i, int last,
                                  const takt_advance *advance, takt_step_result *result,
                                  takt_status st, takt_outcome *outcome, takt_error *err)
{
    const takt_step_plan step = {advance->t, advance->h, advance->is_final};
    for (; i < last; i++) {
        st = end_advance(run, segment->members[i]->owner, &step, result, st, outcome, err);
        if (st || outcome->end != TAKT_STEP_DONE || i + 1 == last) return st;
        int n_done;
        st =
            segment->advance(segment->members + i + 1, last - i - 1, advance, &n_done, result, err);
        i += n_done;
    }
    return st;
}

// One by one: the inputs of the next may depend on the outputs of the one before.
TAKT_APART static takt_status advance_one_by_one(takt_run *run, const takt_segment *segment,
                                                 const takt_step_plan *step, takt_outcome *outcome,
                                                 takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < segment->n_members && !st && outcome->end == TAKT_STEP_DONE; i++) {
        st = takt_run_gather(run, segment->members[i]->owner, err);
        if (!st) st = takt_run_advance_members(run, segment, i, 1, false, step, outcome, err);
    }
    return st;
}

// Derivatives of inputs, traces and timeouts are a matter of single calls.
static bool may_be_untimed(const takt_run *run, const takt_run_instance *at)
{
    return !run->derivatives && !run->tracer && !run->watch &&
           at->do_step.count >= run->n_first_timed && at->do_step.typical < LONG;
}

TAKT_APART static takt_status advance_timed(takt_run *run, takt_segment *segment, bool gathers,
                                            const takt_step_plan *step, takt_outcome *outcome,
                                            takt_error *err)
{
    takt_status st = TAKT_OK;
    segment->n_untimed = 0;
    segment->max_untimed = INTERVAL - 1;
    for (int i = 0; i < segment->n_members && !st && outcome->end == TAKT_STEP_DONE; i++) {
        int i_instance = segment->members[i]->owner;
        takt_run_instance *at = &run->instances[i_instance];
        takt_run_count_untimed(at);
        if (gathers) st = takt_run_gather_for_step(run, i_instance, step, err);
        if (!st) st = takt_run_advance_instance(run, i_instance, step, outcome, err);
        if (!may_be_untimed(run, at)) segment->max_untimed = 0;
    }
    return st;
}

// What instances wished after an earlier step or sweep is over.
TAKT_APART static void forget_wishes(takt_run *run, const takt_segment *segment)
{
    for (int i = 0; i < segment->n_members; i++) {
        takt_run_instance *at = &run->instances[segment->members[i]->owner];
        at->end_time = INFINITY;
        at->has_event = false;
    }
}

static takt_status advance_segment(takt_run *run, takt_segment *segment, bool gathers,
                                   const takt_step_plan *step, takt_outcome *outcome,
                                   takt_error *err)
{
    if (segment->n_untimed >= segment->max_untimed)
        return advance_timed(run, segment, gathers, step, outcome, err);
    segment->n_untimed++;
    if (run->has_wishes || outcome->has_wishes) forget_wishes(run, segment);
    if (gathers && segment->gathers_more)
        return advance_one_by_one(run, segment, step, outcome, err);
    return takt_run_advance_members(run, segment, 0, segment->n_members, gathers, step, outcome,
                                    err);
}

takt_status takt_run_advance_segments(takt_run *run, takt_run_block *block, bool gathers,
                                      const takt_step_plan *step, takt_outcome *outcome,
                                      takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < block->n_segments && !st && outcome->end == TAKT_STEP_DONE; i++)
        st = advance_segment(run, &block->segments[i], gathers, step, outcome, err);
    block->sweeps++;
    return st;
}
