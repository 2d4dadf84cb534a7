// SPDX-License-Identifier: MIT
// Initialization of all instances together; see initialize.h. FMI 2.0.5, section 4.2.4.
#include "run/initialize.h"

#include <string.h>

#include "base/file.h"
#include "run/calls.h"
#include "run/events.h"
#include "run/initial_loop.h"
#include "run/steer.h"

static bool is_results_folder(const char *name, bool is_of_member)
{
    static const char own[] = "ResultsRootDir";
    size_t length = strlen(name), wanted = strlen(own);
    if (!is_of_member) return strcmp(name, own) == 0;
    return length > wanted && name[length - wanted - 1] == '.' &&
           strcmp(name + length - wanted, own) == 0;
}

// FMUs of several tools write files of their own into the folder that this parameter names, and expect
// it to be there.
static takt_status make_results_folder(takt_run *run, int i_instance, takt_error *err)
{
    const takt_system *system = run->plan->system;
    const takt_model *model = run->work.instances[i_instance].instance->model;
    takt_status st = TAKT_OK;
    for (int i = 0; i < system->n_starts[i_instance] && !st; i++) {
        const takt_start *start = &system->starts[i_instance][i];
        const takt_variable *variable = &model->variables[start->variable];
        if (variable->type == TAKT_STRING && start->value.size > 0 &&
            is_results_folder(variable->name, system->components[i_instance].is_group))
            st = takt_folder_create(start->value.text, err);
    }
    return st;
}

static takt_status set_parameters(takt_run *run, int i_instance, takt_error *err)
{
    takt_status st = make_results_folder(run, i_instance, err);
    takt_instance *instance = run->work.instances[i_instance].instance;
    if (!st) st = takt_system_set_starts(run->plan->system, i_instance, instance, false, err);
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
