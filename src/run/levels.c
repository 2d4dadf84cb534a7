// SPDX-License-Identifier: MIT
// Blocks level by level; see levels.h.
#include "run/levels.h"

#include "run/advance.h"
#include "run/waves.h"

// ---- life ------------------------------------------------------------------------------------------

// Sorts the blocks by level; those of a level stay in the order of the plan.
static void sort_blocks(takt_levels *levels, const takt_plan *plan)
{
    for (int b = 0; b < plan->n_blocks; b++) levels->first[plan->blocks[b].level + 1]++;
    for (int i = 0; i < levels->n; i++) levels->first[i + 1] += levels->first[i];
    for (int b = 0; b < plan->n_blocks; b++)
        levels->blocks[levels->first[plan->blocks[b].level]++] = b;
    for (int i = levels->n; i > 0; i--) levels->first[i] = levels->first[i - 1];
    levels->first[0] = 0;
}

// The instance that is all of a level, and no loop; -1: there are others.
static int find_alone(const takt_levels *levels, const takt_plan *plan, int level)
{
    const takt_block *block = &plan->blocks[levels->blocks[levels->first[level]]];
    bool is_one = levels->first[level + 1] - levels->first[level] == 1;
    return is_one && !block->is_loop && block->n_members == 1 ? block->members[0] : -1;
}

// Does a block write what others write as well? Algebraic loops share room, and events within steps are counted.
static bool is_tied(const takt_couple *couple, int i_block)
{
    const takt_run *run = couple->run;
    const takt_block *block = &run->plan->blocks[i_block];
    for (int m = 0; m < block->n_members; m++)
        if (run->work.instances[block->members[m]].instance->model->can.events) return true;
    return couple->loops[i_block].algebraic != NULL;
}

static bool is_split(const takt_run *run, int i_block)
{
    const takt_block *block = &run->plan->blocks[i_block];
    bool is_one = !block->is_loop && block->n_members == 1;
    return is_one && takt_run_has_two_phases(run, block->members[0]);
}

takt_status takt_levels_create(takt_couple *couple, takt_levels *out, takt_error *err)
{
    takt_run *run = couple->run;
    const takt_plan *plan = run->plan;
    size_t n_blocks = (size_t)plan->n_blocks;
    *out = (takt_levels){.n = plan->n_levels};
    if (!takt_mutex_init(&out->lock)) return takt_fail_memory(err);
    out->couple = couple;
    out->first = takt_arena_array(&run->arena, (size_t)plan->n_levels + 1, sizeof *out->first);
    out->blocks = takt_arena_array(&run->arena, n_blocks, sizeof *out->blocks);
    out->is_tied = takt_arena_array(&run->arena, n_blocks, sizeof *out->is_tied);
    out->is_split = takt_arena_array(&run->arena, n_blocks, sizeof *out->is_split);
    out->ends = takt_arena_array(&run->arena, n_blocks, sizeof *out->ends);
    out->alone = takt_arena_array(&run->arena, (size_t)plan->n_levels + 1, sizeof *out->alone);
    if (!out->first || !out->alone || !out->blocks || !out->is_tied || !out->is_split || !out->ends)
        return takt_fail_memory(err);
    sort_blocks(out, plan);
    for (int b = 0; b < plan->n_blocks; b++) {
        out->is_tied[b] = is_tied(couple, b);
        out->is_split[b] = is_split(run, b);
    }
    for (int i = 0; i < out->n; i++) out->alone[i] = find_alone(out, plan, i);
    return TAKT_OK;
}

void takt_levels_clear(takt_levels *levels)
{
    if (levels->couple) takt_mutex_clear(&levels->lock);
    levels->couple = NULL;
}

// ---- by threads ------------------------------------------------------------------------------------

static bool is_done(const takt_outcome *outcome)
{
    return outcome->end == TAKT_STEP_DONE && !outcome->is_unconverged;
}

static void keep_error(takt_levels *levels, int i_block, const takt_error *err)
{
    takt_mutex_lock(&levels->lock);
    if (levels->i_failed < 0 || i_block < levels->i_failed) {
        levels->i_failed = i_block;
        levels->err = *err;
    }
    takt_mutex_unlock(&levels->lock);
}

// What a thread does with a block. How it ended is kept, so that the thread goes on.
static void advance_block(void *context, int i_block)
{
    takt_levels *levels = context;
    takt_level_end *end = &levels->ends[i_block];
    takt_attempt own = *levels->at;
    takt_error err;
    own.outcome = (takt_outcome){.end = TAKT_STEP_DONE};
    end->status = takt_couple_advance(levels->couple, i_block, &own, &err);
    end->outcome = own.outcome;
    end->is_unsolved = own.is_unsolved;
    end->is_singular = own.is_singular;
    if (end->status) keep_error(levels, i_block, &err);
}

// The first phase of a block, and the others; see phases.h. They return whether it is still under way.
typedef takt_status phase_fn(takt_couple *all, int i_instance, takt_attempt *at,
                             takt_phases *phases, takt_outcome *outcome, takt_error *err);

static bool make_phase(takt_levels *levels, int i_block, phase_fn *make)
{
    takt_level_end *end = &levels->ends[i_block];
    int member = levels->couple->run->plan->blocks[i_block].members[0];
    takt_error err;
    end->status = make(levels->couple, member, levels->at, &end->phases, &end->outcome, &err);
    if (end->status) keep_error(levels, i_block, &err);
    return end->phases.is_under_way;
}

static bool begin_block(void *context, int i_block)
{
    takt_levels *levels = context;
    levels->ends[i_block] = (takt_level_end){.outcome = {.end = TAKT_STEP_DONE}};
    return make_phase(levels, i_block, takt_couple_begin_alone);
}

static bool go_on_with_block(void *context, int i_block)
{
    return make_phase(context, i_block, takt_couple_go_on_alone);
}

static takt_status advance_in_waves(takt_levels *levels, int level, takt_error *err)
{
    takt_attempt *at = levels->at;
    takt_outcome unusual = {.end = TAKT_STEP_DONE};
    bool has_requests = at->outcome.has_requests;
    levels->i_failed = -1;
    takt_waves_advance_level(levels->couple->run, level);
    for (int k = levels->first[level]; k < levels->first[level + 1]; k++) {
        const takt_level_end *end = &levels->ends[levels->blocks[k]];
        has_requests |= end->outcome.has_requests;
        at->is_unsolved |= end->is_unsolved;
        at->is_singular |= end->is_singular;
        if (is_done(&unusual)) unusual = end->outcome;
    }
    at->outcome = unusual;
    at->outcome.has_requests = has_requests;
    if (levels->i_failed < 0) return TAKT_OK;
    if (err) *err = levels->err;
    return levels->ends[levels->i_failed].status;
}

// ---- one after the other -----------------------------------------------------------------------------

static takt_status advance_in_order(takt_levels *levels, int level, takt_error *err)
{
    takt_attempt *at = levels->at;
    takt_outcome unusual = {.end = TAKT_STEP_DONE};
    takt_error other;
    takt_status st = TAKT_OK;
    for (int k = levels->first[level]; k < levels->first[level + 1]; k++) {
        takt_status own =
            takt_couple_advance(levels->couple, levels->blocks[k], at, st ? &other : err);
        if (TAKT_LIKELY(!own && is_done(&at->outcome))) continue;
        if (!st) st = own;
        if (is_done(&unusual)) unusual = at->outcome;
        at->outcome =
            (takt_outcome){.end = TAKT_STEP_DONE, .has_requests = at->outcome.has_requests};
    }
    if (TAKT_LIKELY(is_done(&unusual))) return st;
    unusual.has_requests |= at->outcome.has_requests;
    at->outcome = unusual;
    return st;
}

// ---- both ------------------------------------------------------------------------------------------

void takt_levels_begin(takt_levels *levels, takt_attempt *at)
{
    takt_run *run = levels->couple->run;
    levels->at = at;
    if (!levels->has_waves) {
        const takt_waves_work work = {.advance = advance_block,
                                      .begin = begin_block,
                                      .go_on = go_on_with_block,
                                      .context = levels,
                                      .is_tied = levels->is_tied,
                                      .is_split = levels->is_split};
        takt_waves_use(run, &work);
        levels->has_waves = true;
    }
    // An instance that is ahead is looked for by all.
    bool may = levels->couple->i_ahead < 0;
    levels->in_waves = may && takt_waves_are_due(run) && takt_waves_choose(run);
    if (!levels->in_waves) takt_waves_count_plain(run);
}

takt_status takt_levels_advance(takt_levels *levels, int level, takt_error *err)
{
    const int *first = &levels->first[level];
    if (first[1] - first[0] == 1)
        return takt_couple_advance(levels->couple, levels->blocks[*first], levels->at, err);
    return (levels->in_waves ? advance_in_waves : advance_in_order)(levels, level, err);
}
