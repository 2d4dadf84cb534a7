// SPDX-License-Identifier: MIT
// Blocks and their algorithms; see blocks.h.
#include "run/blocks.h"

#include "run/algorithms.h"
#include "run/loop_prepare.h"
#include "run/opening.h"
#include "run/pass.h"

// ---- algorithms ----------------------------------------------------------------------------------

static takt_algorithm_use *find_use(const takt_run_block *block, const takt_algorithm_type *type)
{
    takt_algorithm_use *use = block->uses;
    while (use && use->type != type) use = use->next;
    return use;
}

// All members must be able to go back.
static takt_status check_rewind(const takt_run *run, const takt_block *block,
                                const takt_algorithm_type *type, takt_error *err)
{
    for (int k = 0; k < block->n_members; k++) {
        const takt_instance *member = run->work.instances[block->members[k]].instance;
        if (!takt_model_can_rewind(member->model))
            return takt_fail(
                err, TAKT_ERR_USAGE,
                "the loop of '%s' cannot use %s: instance '%s' cannot save and restore "
                "its state; jacobi and seidel are possible",
                run->work.instances[block->members[0]].instance->name, type->facts->name,
                member->name);
    }
    return TAKT_OK;
}

takt_status takt_block_prepare(takt_run *run, takt_run_block *block,
                               const takt_algorithm_type *type, takt_error *err)
{
    if (find_use(block, type)) return TAKT_OK;
    takt_status st = type->facts->iterates ? check_rewind(run, block->plan, type, err) : TAKT_OK;
    if (st) return st;
    takt_algorithm_use *use = takt_arena_alloc(&run->arena, sizeof *use);
    if (!use) return takt_fail_memory(err);
    *use = (takt_algorithm_use){.type = type, .next = block->uses};
    if (type->prepare) st = type->prepare(run, block, &use->data, err);
    if (st) return st;
    takt_memory carried = takt_algorithm_memory(use);
    use->saved = takt_arena_alloc(&run->arena, carried.size);
    use->saved_version = -1; // none is kept
    if (!use->saved) {
        if (type->destroy) type->destroy(use->data);
        return takt_fail_memory(err);
    }
    block->uses = use;
    return TAKT_OK;
}

void takt_block_use(takt_run_block *block, const takt_algorithm_type *type)
{
    takt_algorithm_use *use = find_use(block, type);
    if (use == block->use) return;
    if (type->forget) type->forget(use->data);
    block->use = use;
}

void takt_blocks_arrange(takt_run *run)
{
    takt_run_work *work = &run->work;
    work->has_simultaneous = false;
    work->saves_states = run->way_back != NULL;
    work->unsolved = NULL;
    work->carries = work->has_openings = false;
    for (int i = 0; i < run->plan->n_blocks; i++) {
        const takt_run_block *block = &work->blocks[i];
        work->has_simultaneous |= takt_block_is_simultaneous(block);
        work->saves_states |= takt_block_iterates(block);
        work->carries |= block->use->type->memory != NULL;
        if (block->plan->is_algebraic && !takt_block_iterates(block) && !work->unsolved)
            work->unsolved = work->instances[block->plan->members[0]].instance->name;
        work->has_openings |= block->n_openings > 0 && !takt_block_iterates(block);
        for (int k = 0; k < block->plan->n_members; k++)
            work->instances[block->plan->members[k]].saves_state = takt_block_iterates(block);
    }
    takt_pass_divide(run);
}

// ---- life ----------------------------------------------------------------------------------------

static takt_status make_block(takt_run *run, int i, takt_error *err)
{
    takt_run_block *block = &run->work.blocks[i];
    block->plan = &run->plan->blocks[i];
    const takt_algorithm_type *type = takt_algorithm_type_of(block->plan->algorithm);
    takt_status st = block->plan->is_loop ? takt_loop_create(run, block, err) : TAKT_OK;
    if (!st && block->plan->is_loop) st = takt_openings_create(run, block, err);
    if (!st) st = takt_block_prepare(run, block, type, err);
    if (!st) takt_block_use(block, type);
    return st;
}

takt_status takt_blocks_create(takt_run *run, takt_error *err)
{
    const takt_plan *plan = run->plan;
    takt_run_work *work = &run->work;
    work->blocks = takt_arena_array(&run->arena, (size_t)plan->n_blocks, sizeof *work->blocks);
    work->marks =
        takt_arena_array(&run->arena, (size_t)plan->n_outputs[TAKT_KIND_REAL], sizeof *work->marks);
    size_t n = (size_t)work->n_instances; // every member is in one block
    work->segments = takt_arena_array(&run->arena, n, sizeof *work->segments);
    work->couplings = takt_arena_array(&run->arena, n, sizeof *work->couplings);
    for (int i = 0; i < work->n_instances; i++)
        work->n_step_inputs += plan->instances[i].inputs.n_values[TAKT_KIND_REAL];
    work->whole_inputs =
        takt_arena_array(&run->arena, (size_t)work->n_step_inputs, sizeof *work->whole_inputs);
    if (!work->blocks || !work->marks || !work->segments || !work->couplings || !work->whole_inputs)
        return takt_fail_memory(err);
    takt_status st = TAKT_OK;
    for (int i = 0; i < plan->n_blocks && !st; i++) st = make_block(run, i, err);
    if (!st) takt_blocks_arrange(run);
    return st;
}

void takt_blocks_destroy(takt_run *run)
{
    for (int i = 0; run->work.blocks && i < run->plan->n_blocks; i++)
        for (takt_algorithm_use *use = run->work.blocks[i].uses; use; use = use->next)
            if (use->type->destroy) use->type->destroy(use->data);
    for (int i = 0; run->work.blocks && i < run->plan->n_blocks; i++)
        takt_loop_destroy(run->work.blocks[i].loop);
}
