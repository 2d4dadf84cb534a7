// SPDX-License-Identifier: MIT
// Tearing of loops: which inputs must be guessed so that all other values of a sweep follow.
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

int takt_stage_n_set(const takt_init_stage *stage)
{
    int n = 0;
    for (int i = 0; i < stage->n_actions; i++)
        if (stage->actions[i].is_set) n += stage->actions[i].access.n_values[TAKT_KIND_REAL];
    return n;
}

// An input is torn if its source is still marked when the input is set.
int takt_stage_tear(const takt_plan *plan, const takt_init_stage *stage, bool *marks, int *torn,
                    bool *is_torn)
{
    int n_torn = 0;
    mark_outputs(stage, marks, true);
    for (int i = 0; i < stage->n_actions; i++) {
        const takt_init_action *action = &stage->actions[i];
        for (int k = 0; k < action->access.n_values[TAKT_KIND_REAL]; k++) {
            int index = action->index[TAKT_KIND_REAL][k];
            if (!action->is_set) {
                marks[index] = false;
            } else {
                *is_torn = marks[plan->sources[TAKT_KIND_REAL][index]];
                if (*is_torn++) torn[n_torn++] = index;
            }
        }
    }
    mark_outputs(stage, marks, false);
    return n_torn;
}
