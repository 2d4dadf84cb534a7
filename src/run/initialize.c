// SPDX-License-Identifier: MIT
// Initialization of all instances together; see initialize.h. FMI 2.0.5, section 4.2.4.
#include "run/initialize.h"

#include "run/calls.h"
#include "run/events.h"
#include "run/initial_loop.h"
#include "run/own_results.h"
#include "run/steer.h"

static takt_status set_parameters(takt_run *run, int i_instance, takt_error *err)
{
    takt_instance *instance = run->work.instances[i_instance].instance;
    takt_status st = takt_system_set_starts(run->plan->system, i_instance, instance, false, err);
    if (!st) st = takt_own_results_place(run, i_instance, err);
    return st || !run->starts ? st : takt_steer_set_starts(run, i_instance, false, err);
}

// Inputs may be set only in initialization mode (FMI 2.0.5, section 4.2.4).
static takt_status set_inputs(takt_run *run, int i_instance, takt_error *err)
{
    takt_instance *instance = run->work.instances[i_instance].instance;
    takt_status st = takt_system_set_starts(run->plan->system, i_instance, instance, true, err);
    return st || !run->starts ? st : takt_steer_set_starts(run, i_instance, true, err);
}

static takt_status for_each(takt_run *run, takt_status (*act)(takt_run *, int, takt_error *),
                            const char *what, takt_error *err)
{
    for (int i = 0; i < run->work.n_instances; i++) {
        takt_status st = act(run, i, err);
        if (!st) continue;
        run->work.instances[i].has_failed = true;
        return takt_within(err, st, "instance '%s' %s", run->work.instances[i].instance->name,
                           what);
    }
    return TAKT_OK;
}

static takt_status enter(takt_run *run, int i_instance, takt_error *err)
{
    takt_instance *instance = run->work.instances[i_instance].instance;
    takt_interval interval = takt_system_interval(run->plan->system);
    takt_status st = instance->type->enter_initialization(instance, &interval, err);
    takt_run_look_around(run, i_instance);
    return st;
}

static takt_status leave(takt_run *run, int i_instance, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    takt_status st = at->instance->type->exit_initialization(at->instance, err);
    takt_run_look_around(run, i_instance);
    at->is_initialized = st == TAKT_OK;
    return st;
}

takt_status takt_run_initialize_instances(takt_run *run, takt_error *err)
{
    const takt_plan *plan = run->plan;
    takt_status st = for_each(run, set_parameters, "while start values were set", err);
    if (!st) st = for_each(run, enter, "while entering initialization", err);
    if (!st) st = for_each(run, set_inputs, "while start values of inputs were set", err);
    for (int i = 0; i < plan->n_init_stages && !st; i++)
        st = takt_run_do_init_stage(run, &plan->init_stages[i], err);
    if (!st) st = for_each(run, leave, "while leaving initialization", err);
    for (int i = 0; i < run->work.n_instances && !st; i++)
        st = takt_run_get_outputs(run, i, run->state.grid.time, err);
    if (!st) st = takt_run_handle_events(run, true, err);
    return st;
}
