// SPDX-License-Identifier: MIT
// Prepares the blocks: which values a loop delivers to itself, over which its convergence is tested,
// and whose states must be saved. Cost is linear in members and connections.
#include "run/blocks.h"

// Indices in y of the connected outputs of the members.
static bool list_outputs(takt_run *run, takt_run_block *block)
{
    for (int kind = 0; kind < TAKT_N_KINDS; kind++) {
        int n = 0;
        for (int i = 0; i < block->plan->n_members; i++)
            n += run->plan->instances[block->plan->members[i]].outputs.n_values[kind];
        int *own = takt_arena_array(&run->arena, (size_t)n, sizeof *own);
        if (!own) return false;
        int k = 0;
        for (int i = 0; i < block->plan->n_members; i++) {
            const takt_plan_instance *member = &run->plan->instances[block->plan->members[i]];
            for (int j = 0; j < member->outputs.n_values[kind]; j++)
                own[k++] = member->first_output[kind] + j;
        }
        block->own[kind] = own;
        block->n_own[kind] = n;
    }
    return true;
}

// Sources of the members' real inputs that are members' outputs themselves, which are marked.
static bool list_connections(takt_run *run, takt_run_block *block)
{
    int n = 0;
    for (int i = 0; i < block->plan->n_members; i++)
        n += run->plan->instances[block->plan->members[i]].inputs.n_values[TAKT_KIND_REAL];
    int *sources = takt_arena_array(&run->arena, (size_t)n, sizeof *sources);
    if (!sources) return false;
    for (int i = 0; i < block->plan->n_members; i++) {
        const takt_plan_instance *member = &run->plan->instances[block->plan->members[i]];
        const int *from = run->plan->sources[TAKT_KIND_REAL] + member->first_input[TAKT_KIND_REAL];
        for (int j = 0; j < member->inputs.n_values[TAKT_KIND_REAL]; j++)
            if (run->marks[from[j]]) sources[block->n_connections++] = from[j];
    }
    block->sources = sources;
    return true;
}

static bool make_loop(takt_run *run, takt_run_block *block)
{
    if (!list_outputs(run, block)) return false;
    const int *own = block->own[TAKT_KIND_REAL];
    int n = block->n_own[TAKT_KIND_REAL];
    for (int i = 0; i < n; i++) run->marks[own[i]] = true;
    bool ok = list_connections(run, block);
    for (int i = 0; i < n; i++) run->marks[own[i]] = false;
    return ok;
}

takt_status takt_run_make_blocks(takt_run *run, takt_error *err)
{
    const takt_plan *plan = run->plan;
    run->blocks = takt_arena_array(&run->arena, (size_t)plan->n_blocks, sizeof *run->blocks);
    run->marks =
        takt_arena_array(&run->arena, (size_t)plan->n_outputs[TAKT_KIND_REAL], sizeof *run->marks);
    size_t n = (size_t)run->n_instances; // every member is in one block
    run->segments = takt_arena_array(&run->arena, n, sizeof *run->segments);
    run->exchanges = takt_arena_array(&run->arena, n, sizeof *run->exchanges);
    if (!run->blocks || !run->marks || !run->segments || !run->exchanges)
        return takt_fail_memory(err);
    for (int i = 0; i < plan->n_blocks; i++) {
        takt_run_block *block = &run->blocks[i];
        block->plan = &plan->blocks[i];
        block->algorithm = block->plan->algorithm;
        if (!block->plan->is_loop) continue;
        if (!make_loop(run, block)) return takt_fail_memory(err);
    }
    return TAKT_OK;
}
