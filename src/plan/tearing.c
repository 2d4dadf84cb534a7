// SPDX-License-Identifier: MIT
// Tearing of loops: which outputs must be guessed so that all other values of a sweep follow.
#include "plan/compile.h"

#include <stdlib.h>

// ---- loops between actions -----------------------------------------------------------------------

// Marks all real values that the stage reads, or takes the marks away.
static void mark_outputs(const takt_init_stage *stage, bool *marks, bool mark)
{
    for (int i = 0; i < stage->n_actions; i++) {
        const takt_init_action *action = &stage->actions[i];
        if (action->is_set) continue;
        for (int k = 0; k < action->access.n_values[TAKT_KIND_REAL]; k++)
            marks[action->index[TAKT_KIND_REAL][k]] = mark;
    }
}

int takt_stage_n_read(const takt_init_stage *stage)
{
    int n = 0;
    for (int i = 0; i < stage->n_actions; i++)
        if (!stage->actions[i].is_set) n += stage->actions[i].access.n_values[TAKT_KIND_REAL];
    return n;
}

// What the inputs of an action need before it is read. A mark is taken away when the value is read, or is
// known to be torn: one output that feeds many inputs is one unknown.
static int tear_inputs(const takt_plan *plan, const takt_init_action *action, bool *marks,
                       int *torn)
{
    int n_torn = 0;
    for (int k = 0; k < action->access.n_values[TAKT_KIND_REAL]; k++) {
        int source = plan->sources[TAKT_KIND_REAL][action->index[TAKT_KIND_REAL][k]];
        if (!marks[source]) continue;
        marks[source] = false;
        torn[n_torn++] = source;
    }
    return n_torn;
}

int takt_stage_tear(const takt_plan *plan, const takt_init_stage *stage, bool in_turn, bool *marks,
                    int *torn)
{
    int n_torn = 0;
    mark_outputs(stage, marks, true);
    for (int i = 0; i < stage->n_actions; i++) {
        const takt_init_action *action = &stage->actions[i];
        if (action->is_set) n_torn += tear_inputs(plan, action, marks, torn + n_torn);
        for (int k = 0; k < action->access.n_values[TAKT_KIND_REAL] && in_turn && !action->is_set;
             k++)
            marks[action->index[TAKT_KIND_REAL][k]] = false;
    }
    mark_outputs(stage, marks, false);
    return n_torn;
}

// ---- loops of blocks -----------------------------------------------------------------------------

static void mark_delivered(const takt_plan *plan, int component, bool *marks, bool mark)
{
    const takt_plan_instance *instance = &plan->instances[component];
    for (int k = 0; k < instance->outputs.n_values[TAKT_KIND_REAL]; k++)
        marks[instance->first_output[TAKT_KIND_REAL] + k] = mark;
}

// What a member reads that is still marked, as nobody has delivered it, is torn; each value once.
static int tear_member(const takt_plan *plan, int component, bool *marks, int *torn)
{
    const takt_plan_instance *instance = &plan->instances[component];
    const int *from = plan->sources[TAKT_KIND_REAL] + instance->first_input[TAKT_KIND_REAL];
    int n_torn = 0;
    for (int k = 0; k < instance->inputs.n_values[TAKT_KIND_REAL]; k++) {
        if (!marks[from[k]]) continue;
        marks[from[k]] = false;
        torn[n_torn++] = from[k];
    }
    return n_torn;
}

static int compare_indices(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static bool tear_block(takt_plan *plan, takt_block *block, bool *marks)
{
    size_t room = 0;
    for (int i = 0; i < block->n_members; i++) {
        mark_delivered(plan, block->members[i], marks, true);
        room += (size_t)plan->instances[block->members[i]].outputs.n_values[TAKT_KIND_REAL];
    }
    int *torn = takt_arena_array(&plan->arena, room, sizeof *torn);
    if (!torn) return false;
    for (int i = 0; i < block->n_members; i++) {
        block->n_torn += tear_member(plan, block->members[i], marks, torn + block->n_torn);
        mark_delivered(plan, block->members[i], marks, false);
    }
    if (block->n_torn) qsort(torn, (size_t)block->n_torn, sizeof *torn, compare_indices);
    block->torn = torn;
    return true;
}

bool takt_plan_tear_blocks(takt_plan *plan)
{
    bool *marks = calloc((size_t)plan->n_outputs[TAKT_KIND_REAL] + 1, sizeof *marks);
    bool ok = marks != NULL;
    for (int i = 0; i < plan->n_blocks && ok; i++)
        if (plan->blocks[i].is_loop) ok = tear_block(plan, &plan->blocks[i], marks);
    free(marks);
    return ok;
}
