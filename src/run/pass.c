// SPDX-License-Identifier: MIT
// Passes over the members of blocks, in segments; see pass.h.
#include "run/pass.h"

#include <math.h>

#include "base/compiler.h"
#include "run/advance.h"
#include "run/algorithm.h"
#include "run/calls.h"
#include "run/derivatives.h"

// ---- preparation -----------------------------------------------------------------------------------

void takt_pass_prepare(takt_run *run, int i_instance)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    const takt_plan_instance *plan = at->plan;
    const takt_instance_type *type = at->instance->type;
    const int *n = plan->inputs.n_values;
    int first = plan->first_input[TAKT_KIND_REAL];
    at->is_function = at->instance->model->is_function;
    at->gathers_more =
        run->plan->factors || n[TAKT_KIND_INTEGER] || n[TAKT_KIND_BYTES] || plan->n_adapters;
    at->coupling = (takt_coupling){.instance = at->instance,
                                   .owner = i_instance,
                                   .y = run->state.y.real,
                                   .sources = run->plan->sources[TAKT_KIND_REAL] + first,
                                   .n_sources = n[TAKT_KIND_REAL],
                                   .is_private = plan->n_copies == 0,
                                   .inputs = &plan->inputs,
                                   .outputs = &plan->outputs,
                                   .input_values = &at->inputs,
                                   .output_values = &at->outputs};
    takt_coupling_prepare(&at->coupling);
    bool is_fast = type->can_advance && type->can_advance(at->instance, &at->coupling);
    at->advance = is_fast ? type->advance : takt_instance_advance;
}

void takt_pass_prepare_held(takt_run *run)
{
    for (int i = 0; i < run->work.n_instances; i++) {
        if (!run->work.instances[i].hold) continue;
        takt_pass_count_untimed(&run->work.instances[i]);
        takt_pass_prepare(run, i);
    }
}

// Adds an instance to the last segment of a block, or begins another one.
static void add_to_segments(takt_run_block *block, takt_run_instance *at, takt_coupling **room)
{
    takt_segment *last = block->n_segments ? &block->segments[block->n_segments - 1] : NULL;
    if (!last || last->advance != at->advance || last->gathers_more != at->gathers_more) {
        last = &block->segments[block->n_segments++];
        *last = (takt_segment){
            .advance = at->advance, .members = room, .gathers_more = at->gathers_more};
    }
    at->coupling.gathers = !takt_block_is_simultaneous(block) && !at->gathers_more;
    last->members[last->n_members++] = &at->coupling;
}

static bool has_functions(const takt_run *run, const takt_block *plan)
{
    for (int i = 0; i < plan->n_members; i++)
        if (run->work.instances[plan->members[i]].is_function) return true;
    return false;
}

// May two neighbours be advanced as one block? Loops stay alone: their sweeps are counted. Where members get
// their inputs beforehand, a function must follow the members of its own block.
static bool can_join(const takt_run *run, const takt_run_block *a, const takt_run_block *b)
{
    if (a->use->type != b->use->type || !a->use->type->is_pass) return false;
    if (a->plan->is_loop || b->plan->is_loop) return false;
    bool is_plain = !has_functions(run, a->plan) && !has_functions(run, b->plan);
    return is_plain || !takt_block_is_simultaneous(a);
}

// Is all work one segment whose inputs are only copied, so that most steps are one call?
static takt_segment *find_whole(const takt_run *run)
{
    const takt_run_block *first = run->work.blocks;
    bool is_one = run->plan->n_blocks > 0 && first->n_joined == run->plan->n_blocks &&
                  first->use->type->is_pass && first->n_segments == 1;
    return is_one && !first->segments->gathers_more &&
                   first->segments->n_members == run->work.n_instances
               ? first->segments
               : NULL;
}

// The inputs that are brought before the first member is stepped.
static void list_whole_inputs(takt_run *run)
{
    takt_run_work *work = &run->work;
    for (int i = 0; i < work->n_instances; i++) {
        int first = work->instances[i].plan->first_input[TAKT_KIND_REAL];
        const takt_coupling *coupling = &work->instances[i].coupling;
        for (int k = 0; k < coupling->n_sources; k++)
            work->whole_inputs[work->n_whole_inputs++] =
                (takt_copy){.from = coupling->sources[k], .to = first + k};
    }
}

// Adds the members of a block to the segments of the first block that it is joined with.
static int add_members(takt_run *run, takt_run_block *first, const takt_block *plan, int n)
{
    for (int k = 0; k < plan->n_members; k++) {
        takt_run_instance *at = &run->work.instances[plan->members[k]];
        if (at->is_function && takt_block_is_simultaneous(first)) continue;
        add_to_segments(first, at, run->work.couplings + n++);
    }
    return n;
}

void takt_pass_divide(takt_run *run)
{
    takt_run_block *blocks = run->work.blocks, *first = blocks;
    int n = 0; // members so far; there are no more segments than members
    for (int i = 0; i < run->plan->n_blocks; i++) {
        takt_run_block *block = &blocks[i];
        block->n_joined = block->n_segments = 0;
        if (i == 0 || !can_join(run, &blocks[i - 1], block)) {
            first = block;
            first->segments = run->work.segments + n;
        }
        first->n_joined++;
        n = add_members(run, first, block->plan, n);
    }
    run->work.whole = find_whole(run);
    run->work.n_whole_inputs = 0;
    if (run->work.whole && takt_block_is_simultaneous(blocks)) list_whole_inputs(run);
}

// ---- counts ----------------------------------------------------------------------------------------

static void add_untimed(takt_counter *counter, int n)
{
    counter->count += n;
    counter->ticks += (uint64_t)n * counter->typical;
}

void takt_pass_count_untimed(takt_run_instance *at)
{
    int n = at->coupling.n_advances;
    if (at->plan->inputs.n_batches) add_untimed(&at->counters[TAKT_ACTIVITY_SET], n);
    add_untimed(&at->counters[TAKT_ACTIVITY_SET], at->coupling.n_motions);
    add_untimed(&at->counters[TAKT_ACTIVITY_DO_STEP], n);
    if (at->plan->outputs.n_batches) add_untimed(&at->counters[TAKT_ACTIVITY_GET], n);
    at->coupling.n_advances = at->coupling.n_motions = 0;
}

void takt_pass_expect_long(takt_run *run)
{
    for (int i = 0; i < run->work.n_instances; i++) {
        takt_run_instance *at = &run->work.instances[i];
        takt_counter *counter = &at->counters[TAKT_ACTIVITY_DO_STEP];
        takt_pass_count_untimed(at);
        at->max_untimed = 0;
        if (counter->typical < TAKT_TIMED_LONG)
            counter->typical = counter->latest = TAKT_TIMED_LONG;
    }
    for (int i = 0; i < run->plan->n_blocks; i++)
        for (int k = 0; k < run->work.blocks[i].n_segments; k++)
            run->work.blocks[i].segments[k].max_untimed = 0;
}

// Counts the calls of an untimed step that did not go through, up to `last`.
static void count_calls(takt_run_instance *at, takt_call last)
{
    if (at->plan->inputs.n_batches) add_untimed(&at->counters[TAKT_ACTIVITY_SET], 1);
    if (at->coupling.motion.inputs) add_untimed(&at->counters[TAKT_ACTIVITY_SET], 1);
    if (last >= TAKT_CALL_STEP) add_untimed(&at->counters[TAKT_ACTIVITY_DO_STEP], 1);
    if (last >= TAKT_CALL_GET) add_untimed(&at->counters[TAKT_ACTIVITY_GET], 1);
}

// ---- segments, fast --------------------------------------------------------------------------------

takt_status takt_pass_end(takt_run *run, int i_instance, const takt_step *step,
                          takt_step_result *result, takt_status st, takt_outcome *outcome,
                          takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    takt_instance_state *now = &run->state.instances[i_instance];
    double t_end = step->t + step->h;
    if (st) {
        count_calls(at, result->call);
        at->has_failed = true;
        return takt_within(err, st, "instance '%s' at t=%.15g s", at->instance->name,
                           result->call == TAKT_CALL_GET ? t_end : step->t);
    }
    if (result->end != TAKT_STEP_DONE) {
        count_calls(at, TAKT_CALL_STEP);
        return takt_run_after_step(run, i_instance, step, result, outcome, err);
    }
    takt_coupling_count(&at->coupling);
    now->end_time = now->early_time = INFINITY;
    now->has_event = result->has_event;
    outcome->has_requests |= now->has_event;
    return takt_run_check_outputs(at, t_end, err);
}

takt_status takt_pass_rest(takt_run *run, const takt_segment *segment, int i, const takt_step *step,
                           takt_step_result *result, takt_status st, takt_outcome *outcome,
                           takt_error *err)
{
    int last = segment->n_members;
    for (; i < last; i++) {
        st = takt_pass_end(run, segment->members[i]->owner, step, result, st, outcome, err);
        if (st || outcome->end != TAKT_STEP_DONE || i + 1 == last) return st;
        int n_done;
        st = segment->advance(segment->members + i + 1, last - i - 1, step, &n_done, result, err);
        i += n_done;
    }
    return st;
}

// One by one: the inputs of the next may depend on the outputs of the one before.
TAKT_APART static takt_status advance_one_by_one(takt_run *run, const takt_segment *segment,
                                                 const takt_step *step, takt_outcome *outcome,
                                                 takt_error *err)
{
    takt_status st = TAKT_OK;
    takt_segment one = {.advance = segment->advance, .n_members = 1};
    for (int i = 0; i < segment->n_members && !st && outcome->end == TAKT_STEP_DONE; i++) {
        one.members = segment->members + i;
        st = takt_run_gather(run, segment->members[i]->owner, err);
        if (!st) st = takt_pass_members(run, &one, step, outcome, err);
    }
    return st;
}

// ---- segments, call by call ------------------------------------------------------------------------

// Derivatives of inputs and traces are a matter of single calls.
static bool may_be_untimed(const takt_run *run, const takt_run_instance *at)
{
    const takt_counter *steps = &at->counters[TAKT_ACTIVITY_DO_STEP];
    return !run->derivatives && !run->tracer && steps->count >= run->work.n_first_timed &&
           steps->typical < TAKT_TIMED_LONG;
}

TAKT_APART static takt_status advance_timed(takt_run *run, takt_segment *segment,
                                            bool is_simultaneous, const takt_step *step,
                                            takt_outcome *outcome, takt_error *err)
{
    takt_status st = TAKT_OK;
    segment->n_untimed = 0;
    segment->max_untimed = TAKT_TIMED_INTERVAL - 1;
    for (int i = 0; i < segment->n_members && !st && outcome->end == TAKT_STEP_DONE; i++) {
        int i_instance = segment->members[i]->owner;
        takt_run_instance *at = &run->work.instances[i_instance];
        takt_pass_count_untimed(at);
        if (!is_simultaneous) st = takt_run_gather_for_step(run, i_instance, step, err);
        if (!st) st = takt_run_advance_instance(run, i_instance, step, outcome, err);
        if (!may_be_untimed(run, at)) segment->max_untimed = 0;
    }
    return st;
}

// What instances requested after an earlier step or sweep is over.
TAKT_APART static void forget_requests(takt_run *run, const takt_segment *segment)
{
    for (int i = 0; i < segment->n_members; i++) {
        takt_instance_state *at = &run->state.instances[segment->members[i]->owner];
        at->end_time = at->early_time = INFINITY;
        at->has_event = false;
    }
}

// ---- one instance ----------------------------------------------------------------------------------

void takt_pass_begin_timed(const takt_run *run, takt_run_instance *at)
{
    const takt_counter *steps = &at->counters[TAKT_ACTIVITY_DO_STEP];
    bool is_long = steps->count < run->work.n_first_timed || steps->typical >= TAKT_TIMED_LONG;
    takt_pass_count_untimed(at);
    at->n_untimed = 0;
    at->max_untimed = is_long || run->tracer || at->phases ? 0 : TAKT_TIMED_INTERVAL - 1;
}

// ---- passes ----------------------------------------------------------------------------------------

static takt_status advance_segment(takt_run *run, takt_segment *segment, bool is_simultaneous,
                                   const takt_step *step, takt_outcome *outcome, takt_error *err)
{
    if (segment->n_untimed >= segment->max_untimed)
        return advance_timed(run, segment, is_simultaneous, step, outcome, err);
    segment->n_untimed++;
    if (run->state.has_requests || outcome->has_requests) forget_requests(run, segment);
    if (!is_simultaneous && segment->gathers_more)
        return advance_one_by_one(run, segment, step, outcome, err);
    return takt_pass_members(run, segment, step, outcome, err);
}

takt_status takt_pass_functions(takt_run *run, const takt_block *block, const takt_step *step,
                                takt_outcome *outcome, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < block->n_members && !st && outcome->end == TAKT_STEP_DONE; i++) {
        int i_instance = block->members[i];
        if (!run->work.instances[i_instance].is_function) continue;
        st = takt_run_gather_for_step(run, i_instance, step, err);
        if (!st) st = takt_run_advance_instance(run, i_instance, step, outcome, err);
    }
    return st;
}

takt_status takt_pass(takt_run *run, takt_run_block *block, const takt_step *step,
                      takt_outcome *outcome, takt_error *err)
{
    takt_status st = TAKT_OK;
    bool is_simultaneous = takt_block_is_simultaneous(block);
    for (int i = 0; i < block->n_segments && !st && outcome->end == TAKT_STEP_DONE; i++)
        st = advance_segment(run, &block->segments[i], is_simultaneous, step, outcome, err);
    block->n_sweeps++;
    if (!st && is_simultaneous) st = takt_pass_functions(run, block->plan, step, outcome, err);
    return st;
}

takt_status takt_pass_alone(takt_run *run, takt_run_block *block, const takt_step *step,
                            takt_outcome *outcome, takt_error *err)
{
    const int *members = block->plan->members;
    takt_status st = TAKT_OK;
    for (int i = 0; i < block->plan->n_members && !st && outcome->end == TAKT_STEP_DONE; i++) {
        st = takt_run_gather_for_step(run, members[i], step, err);
        if (!st) st = takt_run_advance_instance(run, members[i], step, outcome, err);
    }
    block->n_sweeps++;
    return st;
}
