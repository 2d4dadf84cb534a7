// SPDX-License-Identifier: MIT
// Tearing of loops: which outputs must be guessed so that all other values of a sweep follow.
#include "plan/plan.h"

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
