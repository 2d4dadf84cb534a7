// SPDX-License-Identifier: MIT
// Initialization of all instances together; see initialize.h. FMI 2.0.5, section 4.2.4.
#include "run/initialize.h"

#include <string.h>

#include "base/file.h"
#include "run/calls.h"
#include "run/events.h"
#include "run/initial_loop.h"

// Puts the start values into the buffers in the order of the access.
static bool fill(const takt_start *starts, const takt_slot *slots, int n, takt_values *values)
{
    for (int i = 0; i < n; i++) {
        const takt_value *value = &starts[i].value;
        switch (slots[i].kind) {
        case TAKT_KIND_REAL: values->real[slots[i].index] = value->real; break;
        case TAKT_KIND_INTEGER: values->integer[slots[i].index] = value->integer; break;
        case TAKT_KIND_BYTES:
            if (!takt_bytes_assign(&values->bytes[slots[i].index], value->text, value->size))
                return false;
            break;
        }
    }
    return true;
}

static takt_status set_values(takt_instance *instance, const takt_start *starts,
                              const int *variables, int n, takt_arena *arena, takt_error *err)
{
    takt_access access;
    takt_values values;
    takt_slot *slots = takt_arena_array(arena, (size_t)n, sizeof *slots);
    if (!slots || !takt_access_create(arena, instance->model, variables, n, &access, slots) ||
        !takt_values_init(&values, access.n_values))
        return takt_fail_memory(err);
    takt_status st = fill(starts, slots, n, &values)
                         ? instance->type->set(instance, &access, &values, err)
                         : takt_fail_memory(err);
    takt_values_clear(&values, access.n_values);
    return st;
}

// Sets the start values that the project gives, either of inputs or of all other variables; the rest
// the instance knows by itself.
static takt_status set_starts(takt_run *run, int i_instance, bool of_inputs, takt_error *err)
{
    const takt_system *system = run->plan->system;
    takt_instance *instance = run->instances[i_instance].instance;
    size_t n_all = (size_t)system->n_starts[i_instance];
    takt_arena arena = {0};
    takt_start *starts = takt_arena_array(&arena, n_all, sizeof *starts);
    int *variables = takt_arena_array(&arena, n_all, sizeof *variables);
    takt_status st = starts && variables ? TAKT_OK : takt_fail_memory(err);
    int n = 0;
    for (size_t i = 0; i < n_all && !st; i++) {
        const takt_start *start = &system->starts[i_instance][i];
        bool is_input = instance->model->variables[start->variable].causality == TAKT_INPUT;
        if (is_input != of_inputs) continue;
        starts[n] = *start;
        variables[n++] = start->variable;
    }
    if (!st && n > 0) st = set_values(instance, starts, variables, n, &arena, err);
    takt_arena_clear(&arena);
    return st;
}

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
    const takt_model *model = run->instances[i_instance].instance->model;
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
    return st ? st : set_starts(run, i_instance, false, err);
}

// Inputs may be set only in initialization mode (FMI 2.0.5, section 4.2.4).
static takt_status set_inputs(takt_run *run, int i_instance, takt_error *err)
{
    return set_starts(run, i_instance, true, err);
}

static takt_status for_each(takt_run *run, takt_status (*act)(takt_run *, int, takt_error *),
                            const char *what, takt_error *err)
{
    for (int i = 0; i < run->n_instances; i++) {
        takt_status st = act(run, i, err);
        if (!st) continue;
        run->instances[i].has_failed = true;
        return takt_within(err, st, "instance '%s' %s", run->instances[i].instance->name, what);
    }
    return TAKT_OK;
}

static takt_status enter(takt_run *run, int i_instance, takt_error *err)
{
    takt_instance *instance = run->instances[i_instance].instance;
    const takt_settings *settings = &run->plan->system->settings;
    takt_interval interval = {
        .start = settings->start_time,
        .stop = settings->stop_time,
        .has_stop = !settings->overstep_end, // an FMU must not refuse the step that goes beyond
        .has_tolerance = takt_settings_has(settings, &settings->tolerance),
        .tolerance = settings->tolerance,
    };
    return instance->type->enter_initialization(instance, &interval, err);
}

static takt_status leave(takt_run *run, int i_instance, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    takt_status st = at->instance->type->exit_initialization(at->instance, err);
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
    for (int i = 0; i < run->n_instances && !st; i++)
        st = takt_run_get_outputs(run, i, run->grid.time, err);
    if (!st) st = takt_run_handle_events(run, true, err);
    return st;
}
