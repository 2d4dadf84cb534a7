// SPDX-License-Identifier: MIT
// Feedthrough that opens later; see opening.h.
#include "run/opening.h"

#include <math.h>

#include "run/algorithm.h"
#include "run/calls.h"
#include "run/control.h"
#include "run/doubts.h"
#include "run/gather.h"
#include "run/loop.h"
#include "run/scale.h"

typedef struct takt_opening {
    int i_instance;
    takt_access outputs; // that were seen to react only through states
    int *places; // of these in y
    double *values; // room for them
} takt_opening;

// ---- preparation -------------------------------------------------------------------------------------

static bool is_tried(const takt_plan_dependencies *all, int variable)
{
    for (int i = 0; i < all->n_outputs; i++)
        if (all->outputs[i].variable == variable) return all->outputs[i].is_tried;
    return false;
}

static bool reads_marked(const takt_run *run, int i_instance)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    const int *from = run->plan->sources[TAKT_KIND_REAL] + plan->first_input[TAKT_KIND_REAL];
    for (int k = 0; k < plan->inputs.n_values[TAKT_KIND_REAL]; k++)
        if (run->work.marks[from[k]]) return true;
    return false;
}

static void mark_outputs(takt_run *run, int i_instance, bool mark)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    bool *marks = run->work.marks + plan->first_output[TAKT_KIND_REAL];
    for (int k = 0; k < plan->outputs.n_values[TAKT_KIND_REAL]; k++) marks[k] = mark;
}

static bool is_listed(const takt_run_block *block, int i_instance)
{
    for (int k = 0; k < block->n_openings; k++)
        if (block->openings[k].i_instance == i_instance) return true;
    return false;
}

// Adds a member, if it has outputs that were tried.
static bool add_member(takt_run *run, takt_run_block *block, int i_instance)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    takt_opening *own = &block->openings[block->n_openings];
    int n = plan->outputs.n_values[TAKT_KIND_REAL], n_tried = 0;
    int *variables = takt_arena_array(&run->arena, (size_t)n, sizeof *variables);
    own->i_instance = i_instance;
    own->places = takt_arena_array(&run->arena, (size_t)n, sizeof *own->places);
    own->values = takt_arena_array(&run->arena, (size_t)n, sizeof *own->values);
    if (!variables || !own->places || !own->values) return false;
    for (int k = 0; k < n; k++) {
        int variable = takt_access_index(&plan->outputs, TAKT_KIND_REAL, k);
        if (!is_tried(&run->plan->dependencies[i_instance], variable)) continue;
        variables[n_tried] = variable;
        own->places[n_tried++] = plan->first_output[TAKT_KIND_REAL] + k;
    }
    if (n_tried == 0) return true;
    block->n_openings++;
    return takt_access_create(&run->arena, run->work.instances[i_instance].instance->model,
                              variables, n_tried, &own->outputs, NULL);
}

// Adds the members that read a value of a member; `is_late`: one that has not been called before.
static bool add_members(takt_run *run, takt_run_block *block, bool is_late)
{
    const takt_block *plan = block->plan;
    bool ok = true;
    for (int m = 0; m < plan->n_members; m++) mark_outputs(run, plan->members[m], true);
    for (int m = 0; m < plan->n_members && ok; m++) {
        int i = plan->members[m];
        if (!is_listed(block, i) && reads_marked(run, i)) ok = add_member(run, block, i);
        if (is_late) mark_outputs(run, i, false);
    }
    for (int m = 0; m < plan->n_members; m++) mark_outputs(run, plan->members[m], false);
    return ok;
}

takt_status takt_openings_create(takt_run *run, takt_run_block *block, takt_error *err)
{
    // Other programs do not look.
    bool is_wanted = run->plan->system->settings.norm != TAKT_NORM_PAPERS;
    if (!is_wanted || block->plan->is_algebraic) return TAKT_OK;
    block->openings =
        takt_arena_array(&run->arena, (size_t)block->plan->n_members, sizeof *block->openings);
    if (!block->openings || !add_members(run, block, true)) return takt_fail_memory(err);
    block->n_late_openings = block->n_openings;
    return add_members(run, block, false) ? TAKT_OK : takt_fail_memory(err);
}

// ---- looking -----------------------------------------------------------------------------------------

static double tolerance_of(const takt_run *run, const takt_error_unit *unit, int i_value, double y)
{
    if (!unit) return takt_scale_tolerance(run, i_value, y, TAKT_SCALE_LEAST);
    return unit->tolerance * fmax(unit->scale[i_value], fabs(y));
}

static takt_status measure(takt_run *run, const takt_opening *own, double t,
                           const takt_error_unit *unit, double *largest, takt_error *err)
{
    const double *y = run->state.y.real;
    takt_values values = {.real = own->values};
    takt_status st = takt_run_gather(run, own->i_instance, err);
    if (!st) st = takt_run_set_inputs(run, own->i_instance, t, err);
    if (!st) st = takt_run_get_values(run, own->i_instance, &own->outputs, &values, t, err);
    for (int k = 0; k < own->outputs.n_values[TAKT_KIND_REAL] && !st; k++) {
        int i = own->places[k];
        double change = fabs(own->values[k] - y[i]);
        *largest = fmax(*largest, change / tolerance_of(run, unit, i, y[i]));
    }
    return st;
}

takt_status takt_openings_measure(takt_run *run, const takt_run_block *block, double t,
                                  const takt_error_unit *unit, double *out, takt_error *err)
{
    int n = takt_block_is_simultaneous(block) ? block->n_openings : block->n_late_openings;
    double largest = 0;
    takt_status st = TAKT_OK;
    for (int i = 0; i < n && !st; i++)
        if (!takt_run_is_behind(run, block->openings[i].i_instance))
            st = measure(run, &block->openings[i], t, unit, &largest, err);
    *out = largest;
    return st;
}

takt_status takt_openings_look(takt_run *run, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (takt_control_predicts(run)) return TAKT_OK; // looks by itself
    for (int b = 0; b < run->plan->n_blocks && !st; b++) {
        const takt_run_block *block = &run->work.blocks[b];
        double reaction;
        if (block->n_openings == 0 || takt_block_iterates(block)) continue;
        st = takt_openings_measure(run, block, run->state.grid.time, NULL, &reaction, err);
        if (!st && reaction > 1)
            st = takt_doubt_note(run, TAKT_DOUBT_NOT_ITERATED, takt_loop_name(block->loop),
                                 reaction, err);
    }
    return st;
}
