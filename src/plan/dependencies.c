// SPDX-License-Identifier: MIT
// On what outputs depend. Descriptions speak only of whole arrays. Where a model can answer for single elements,
// an instance is made for a moment, initialized with the start values of the project, and asked: then a
// circle through other elements of the same arrays is no loop. If that fails, the description counts.
//
// FMI 3.0.2, section 2.2.10: the answers hold for the present state. They decide only which loops are
// iterated and in which order instances are called.
#include "plan/compile.h"

#include <string.h>

// Is there an array among the connected outputs? Without one the description is as exact.
static bool is_worth_asking(const takt_wiring *w, int component)
{
    const takt_model *model = w->system->components[component].model;
    if (!model->can.element_dependencies || !model->type->depend) return false;
    if (w->first_input[component] == w->first_input[component + 1]) return false;
    for (int i = w->first_output[component]; i < w->first_output[component + 1]; i++)
        if (model->variables[w->outputs[i].variable].array) return true;
    return false;
}

// Replaces the entries of arrays in a list by what the instance says now. Entries of the elements of an
// array lie one after the other.
static takt_status ask_for_arrays(takt_plan *plan, takt_instance *instance,
                                  const takt_dependency *listed, int n, const takt_dependency **out,
                                  takt_error *err)
{
    const takt_model *model = instance->model;
    takt_dependency *list = takt_arena_array(&plan->arena, (size_t)n, sizeof *list);
    if (!list) return takt_fail_memory(err);
    if (n) memcpy(list, listed, (size_t)n * sizeof *list);
    takt_status st = TAKT_OK;
    for (int i = 0; i < n && !st; i++) {
        const takt_array *array = model->variables[list[i].variable].array;
        if (!array || list[i].variable != array->first || i + array->n_elements > n) continue;
        st = instance->type->depend(instance, array->first, &plan->arena, &list[i], err);
        i += array->n_elements - 1;
    }
    if (!st) *out = list;
    return st;
}

// Asks an instance before and after its initialization.
static takt_status ask(takt_plan *plan, int component, takt_instance *instance, takt_error *err)
{
    const takt_instance_type *type = instance->type;
    const takt_system *system = plan->system;
    takt_plan_dependencies found = plan->dependencies[component];
    takt_interval interval = takt_system_interval(system);
    takt_status st = takt_system_set_starts(system, component, instance, false, err);
    if (!st) st = type->enter_initialization(instance, &interval, err);
    if (!st) st = takt_system_set_starts(system, component, instance, true, err);
    if (!st)
        st = ask_for_arrays(plan, instance, found.initial_unknowns, found.n_initial_unknowns,
                            &found.initial_unknowns, err);
    if (!st) st = type->exit_initialization(instance, err);
    if (!st)
        st = ask_for_arrays(plan, instance, found.outputs, found.n_outputs, &found.outputs, err);
    if (!st) plan->dependencies[component] = found;
    return st;
}

static bool refine(takt_plan *plan, int component)
{
    const takt_component *owner = &plan->system->components[component];
    takt_instance *instance = NULL;
    takt_error err = {0};
    takt_watch_enter(plan->watch, owner->model, owner->name, "asking it for its dependencies");
    takt_status st =
        owner->model->type->instantiate(owner->model, owner->name, NULL, &instance, &err);
    if (!st) st = ask(plan, component, instance, &err);
    if (instance) owner->model->type->destroy(instance);
    takt_watch_leave(plan->watch);
    if (st && st != TAKT_ERR_MEMORY)
        takt_log_write(plan->system->log, TAKT_LEVEL_WARN,
                       "component '%s' does not give the dependencies of elements of arrays, so "
                       "those of whole arrays count, which may show loops that are none: %s",
                       owner->name, err.message);
    return st != TAKT_ERR_MEMORY;
}

bool takt_plan_add_dependencies(takt_plan *plan, const takt_wiring *wiring)
{
    int n = plan->system->n_components;
    plan->dependencies = takt_arena_array(&plan->arena, (size_t)n, sizeof *plan->dependencies);
    bool ok = plan->dependencies != NULL;
    for (int c = 0; c < n && ok; c++) {
        plan->dependencies[c] = wiring->dependencies[c];
        if (!plan->is_static && is_worth_asking(wiring, c)) ok = refine(plan, c);
    }
    return ok;
}
