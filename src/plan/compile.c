// SPDX-License-Identifier: MIT
// Makes a plan: slots of values, blocks and algorithms, order of initialization.
#include "plan/compile.h"

#include <stdlib.h>

// What models do not say matters only in loops.
static bool probe_loops(takt_plan *plan, const takt_wiring *w)
{
    for (int i = 0; i < w->n_inputs; i++) {
        int c = w->inputs[i].component, from = w->outputs[w->source[i]].component;
        bool is_inside = w->loops.component_of[c] == w->loops.component_of[from];
        if (!is_inside || w->system->connections[w->connection[i]].is_initial) continue;
        if (!takt_plan_probe(plan, w, c)) return false;
        i = w->first_input[c + 1] - 1; // once per component
    }
    return true;
}

// Where values lie, which depend on which, and in which order, for all that follows. With `probes` models that
// do not say on what their outputs depend are tried.
static bool prepare(takt_plan *plan, takt_arena *scratch, bool probes, takt_wiring *wiring)
{
    bool ok = takt_wiring_create(scratch, plan->system, wiring) &&
              takt_plan_lay_out(plan, wiring) && takt_wiring_find_loops(scratch, wiring) &&
              takt_plan_add_dependencies(plan, wiring) && (!probes || probe_loops(plan, wiring));
    wiring->dependencies = plan->dependencies;
    return ok && takt_wiring_sort(scratch, wiring);
}

static takt_status compile(takt_plan *plan, takt_arena *scratch, takt_error *err)
{
    takt_wiring wiring;
    takt_problems problems = {.log = plan->system->log};
    if (!prepare(plan, scratch, !plan->is_static, &wiring) ||
        !takt_plan_add_blocks(plan, &wiring, &problems) || !takt_plan_tear_blocks(plan) ||
        !takt_plan_add_stages(plan, &wiring, true))
        return takt_fail_memory(err);
    takt_plan_report_idle(plan, &problems);
    return takt_problems_end(&problems, plan->system->project->path, err);
}

static takt_status compile_flow(takt_plan *plan, takt_arena *scratch, takt_error *err)
{
    takt_wiring wiring;
    // Central integration solves loops at every evaluation; a trial could be wrong about one.
    bool ok = prepare(plan, scratch, false, &wiring) && takt_plan_add_stages(plan, &wiring, false);
    return ok ? TAKT_OK : takt_fail_memory(err);
}

static takt_status create(const takt_system *system, takt_watch *watch, bool is_static,
                          takt_status (*make)(takt_plan *, takt_arena *, takt_error *),
                          takt_plan **out, takt_error *err)
{
    takt_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return takt_fail_memory(err);
    plan->system = system;
    plan->is_static = is_static;
    plan->watch = watch;
    takt_arena scratch = {0};
    takt_status st = make(plan, &scratch, err);
    takt_arena_clear(&scratch);
    if (st) {
        takt_plan_destroy(plan);
        return st;
    }
    *out = plan;
    return TAKT_OK;
}

takt_status takt_plan_create_watched(const takt_system *system, takt_watch *watch, takt_plan **out,
                                     takt_error *err)
{
    return create(system, watch, false, compile, out, err);
}

takt_status takt_plan_create(const takt_system *system, takt_plan **out, takt_error *err)
{
    return create(system, NULL, false, compile, out, err);
}

takt_status takt_plan_create_static(const takt_system *system, takt_plan **out, takt_error *err)
{
    return create(system, NULL, true, compile, out, err);
}

takt_status takt_plan_create_flow(const takt_system *system, takt_watch *watch, takt_plan **out,
                                  takt_error *err)
{
    return create(system, watch, false, compile_flow, out, err);
}

void takt_plan_destroy(takt_plan *plan)
{
    if (!plan) return;
    takt_arena_clear(&plan->arena);
    free(plan);
}
