// SPDX-License-Identifier: MIT
// The plan of a system as structs; see takt/sequence.h. All names are collected once.
#include "takt/sequence.h"

#include <stdlib.h>

#include "api/plans.h"
#include "base/sized.h"

struct takt_sequence {
    takt_arena arena;
    takt_block_info *blocks;
    int n_blocks, n_levels;
    takt_feedthrough_info *feedthroughs;
    int n_feedthroughs;
};

// ---- making ------------------------------------------------------------------------------------------

static bool add_block(takt_sequence *sequence, const takt_plan *plan, const takt_block *block)
{
    const char **members =
        takt_arena_array(&sequence->arena, (size_t)block->n_members, sizeof *members);
    const char **torn = takt_arena_array(&sequence->arena, (size_t)block->n_torn, sizeof *torn);
    if (!members || !torn) return false;
    for (int i = 0; i < block->n_members; i++) {
        members[i] =
            takt_arena_copy(&sequence->arena, plan->system->components[block->members[i]].name);
        if (!members[i]) return false;
    }
    for (int i = 0; i < block->n_torn; i++) {
        const char *name = takt_plan_torn(plan, block, block->torn[i], &sequence->arena);
        torn[i] = name ? takt_arena_copy(&sequence->arena, name) : NULL;
        if (!torn[i]) return false;
    }
    sequence->blocks[sequence->n_blocks++] =
        (takt_block_info){.members = members,
                          .n_members = block->n_members,
                          .algorithm = takt_plan_algorithm(plan, block),
                          .torn = torn,
                          .n_torn = block->n_torn,
                          .level = block->level,
                          .is_loop = block->is_loop,
                          .is_algebraic = block->is_algebraic};
    return true;
}

static bool add_feedthrough(takt_sequence *sequence, const takt_plan *plan, int component,
                            const takt_dependency *given)
{
    const takt_component *owner = &plan->system->components[component];
    const takt_variable *variables = owner->model->variables;
    takt_feedthrough_info *info = &sequence->feedthroughs[sequence->n_feedthroughs++];
    const char **inputs =
        takt_arena_array(&sequence->arena, (size_t)given->n_known, sizeof *inputs);
    *info = (takt_feedthrough_info){
        .component = takt_arena_copy(&sequence->arena, owner->name),
        .output = takt_arena_copy(&sequence->arena, variables[given->variable].name),
        .inputs = inputs,
        .is_known = given->is_known};
    for (int i = 0; inputs && i < given->n_known; i++) {
        const takt_variable *input = &variables[given->known[i]];
        if (input->causality != TAKT_INPUT) continue;
        inputs[info->n_inputs] = takt_arena_copy(&sequence->arena, input->name);
        if (!inputs[info->n_inputs++]) return false;
    }
    return info->component && info->output && inputs;
}

static bool fill(takt_sequence *sequence, const takt_plan *plan)
{
    size_t n = 0;
    for (int i = 0; i < plan->system->n_components; i++)
        n += (size_t)plan->dependencies[i].n_outputs;
    sequence->n_levels = plan->n_levels;
    sequence->blocks =
        takt_arena_array(&sequence->arena, (size_t)plan->n_blocks, sizeof *sequence->blocks);
    sequence->feedthroughs = takt_arena_array(&sequence->arena, n, sizeof *sequence->feedthroughs);
    if (!sequence->blocks || !sequence->feedthroughs) return false;
    for (int i = 0; i < plan->n_blocks; i++)
        if (!add_block(sequence, plan, &plan->blocks[i])) return false;
    for (int i = 0; i < plan->system->n_components; i++)
        for (int k = 0; k < plan->dependencies[i].n_outputs; k++)
            if (!add_feedthrough(sequence, plan, i, &plan->dependencies[i].outputs[k]))
                return false;
    return true;
}

takt_status takt_sequence_create(const takt_system *system, int is_static, takt_sequence **out,
                                 takt_error *err)
{
    if (!system || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_sequence_create: no argument may be NULL");
    takt_plan *plan = NULL;
    takt_system *own = NULL;
    takt_watch *watch = NULL; // code of FMUs may be run
    takt_sequence *sequence = calloc(1, sizeof *sequence);
    if (!sequence) return takt_fail_memory(err);
    takt_status st = takt_watch_create(0, system->log, NULL, &watch, err);
    if (!st) st = takt_make_plan(system, is_static, watch, &own, &plan, err);
    if (!st && !fill(sequence, plan)) st = takt_fail_memory(err);
    takt_plan_destroy(plan);
    takt_system_destroy(own);
    takt_watch_destroy(watch);
    if (st)
        takt_sequence_destroy(sequence);
    else
        *out = sequence;
    return st;
}

void takt_sequence_destroy(takt_sequence *sequence)
{
    if (!sequence) return;
    takt_arena_clear(&sequence->arena);
    free(sequence);
}

// ---- questions ---------------------------------------------------------------------------------------

int takt_sequence_count_levels(const takt_sequence *sequence)
{
    return sequence ? sequence->n_levels : 0;
}

int takt_sequence_count_blocks(const takt_sequence *sequence)
{
    return sequence ? sequence->n_blocks : 0;
}

int takt_sequence_count_feedthroughs(const takt_sequence *sequence)
{
    return sequence ? sequence->n_feedthroughs : 0;
}

takt_status takt_sequence_get_block(const takt_sequence *sequence, int index, takt_block_info *out,
                                    takt_error *err)
{
    if (index < 0 || index >= takt_sequence_count_blocks(sequence))
        return takt_fail(err, TAKT_ERR_USAGE, "there is no block number %d", index);
    return takt_sized_fill(out, &sequence->blocks[index], sizeof *out, err);
}

takt_status takt_sequence_get_feedthrough(const takt_sequence *sequence, int index,
                                          takt_feedthrough_info *out, takt_error *err)
{
    if (index < 0 || index >= takt_sequence_count_feedthroughs(sequence))
        return takt_fail(err, TAKT_ERR_USAGE, "there is no output number %d", index);
    return takt_sized_fill(out, &sequence->feedthroughs[index], sizeof *out, err);
}
