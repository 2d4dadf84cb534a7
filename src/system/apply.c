// SPDX-License-Identifier: MIT
// From a system to an instance: its start values and the interval of the run.
#include "system/system.h"

#include <string.h>

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

takt_status takt_system_set_starts(const takt_system *system, int component,
                                   takt_instance *instance, bool of_inputs, takt_error *err)
{
    size_t n_all = (size_t)system->n_starts[component];
    takt_arena arena = {0};
    takt_start *starts = takt_arena_array(&arena, n_all, sizeof *starts);
    int *variables = takt_arena_array(&arena, n_all, sizeof *variables);
    takt_status st = starts && variables ? TAKT_OK : takt_fail_memory(err);
    int n = 0;
    for (size_t i = 0; i < n_all && !st; i++) {
        const takt_start *start = &system->starts[component][i];
        bool is_input = instance->model->variables[start->variable].causality == TAKT_INPUT;
        if (is_input != of_inputs) continue;
        starts[n] = *start;
        variables[n++] = start->variable;
    }
    if (!st && n > 0) st = set_values(instance, starts, variables, n, &arena, err);
    takt_arena_clear(&arena);
    return st;
}

takt_status takt_system_set_start(const takt_system *system, int component, int i_start,
                                  takt_instance *instance, takt_error *err)
{
    const takt_start *start = &system->starts[component][i_start];
    takt_arena arena = {0};
    takt_status st = set_values(instance, start, &start->variable, 1, &arena, err);
    takt_arena_clear(&arena);
    return st;
}

takt_status takt_system_set_text(takt_instance *instance, int i_variable, const char *text,
                                 takt_error *err)
{
    const takt_start start = {.variable = i_variable,
                              .value = {.text = text, .size = strlen(text)}};
    takt_arena arena = {0};
    takt_status st = set_values(instance, &start, &i_variable, 1, &arena, err);
    takt_arena_clear(&arena);
    return st;
}

bool takt_system_is_results_folder(const takt_variable *variable, bool is_of_member)
{
    static const char own[] = "ResultsRootDir";
    size_t length = strlen(variable->name), wanted = strlen(own);
    if (variable->type != TAKT_STRING || variable->causality != TAKT_PARAMETER) return false;
    if (!is_of_member) return strcmp(variable->name, own) == 0;
    return length > wanted + 1 && variable->name[length - wanted - 1] == '.' &&
           strcmp(variable->name + length - wanted, own) == 0;
}

takt_interval takt_system_interval(const takt_system *system)
{
    const takt_settings *settings = &system->settings;
    // The error of the coupling is seen only if what the instances do wrong is much smaller.
    bool is_controlled = settings->step_control == TAKT_STEP_CONTROL_AUTO;
    return (takt_interval){
        .start = settings->start_time,
        .stop = settings->stop_time,
        .has_stop = !settings->overstep_end, // so that no FMU refuses the step that goes beyond
        .has_tolerance = is_controlled || takt_settings_has(settings, &settings->tolerance),
        .tolerance = is_controlled ? 1e-3 * settings->tolerance : settings->tolerance,
    };
}
