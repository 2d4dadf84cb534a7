// SPDX-License-Identifier: MIT
// Inputs that no connection drives; see open_inputs.h.
#include "system/open_inputs.h"

#include "system/facts.h"

// Marks the inputs that a connection drives, per component.
static bool **mark_driven(const takt_system *system, takt_arena *arena)
{
    bool **is_driven = takt_arena_array(arena, (size_t)system->n_components, sizeof *is_driven);
    for (int i = 0; is_driven && i < system->n_components; i++) {
        size_t n = (size_t)system->components[i].model->n_variables;
        is_driven[i] = takt_arena_array(arena, n ? n : 1, sizeof **is_driven);
        if (!is_driven[i]) return NULL;
    }
    for (int i = 0; is_driven && i < system->n_connections; i++) {
        const takt_connection *connection = &system->connections[i];
        is_driven[connection->to][connection->to_variable] = true;
    }
    return is_driven;
}

static takt_open_input describe(const takt_system *system, int component, int variable)
{
    const takt_variable *v = &system->components[component].model->variables[variable];
    takt_open_input input = {.reference = {component, variable},
                             .value = v->has_start ? &v->start : NULL};
    for (int i = 0; system->n_starts && i < system->n_starts[component]; i++) {
        const takt_start *start = &system->starts[component][i];
        if (start->variable != variable) continue;
        input.value = &start->value;
        input.is_given = true;
    }
    return input;
}

bool takt_system_find_open_inputs(const takt_system *system, takt_arena *arena,
                                  takt_open_input **out, int *n_out)
{
    bool **is_driven = mark_driven(system, arena);
    if (!is_driven) return false;
    int n = 0, capacity = 0;
    for (int i = 0; i < system->n_components; i++)
        for (int v = 0; v < system->components[i].model->n_variables; v++)
            capacity += system->components[i].model->variables[v].causality == TAKT_INPUT &&
                        !is_driven[i][v];
    takt_open_input *inputs =
        takt_arena_array(arena, (size_t)(capacity ? capacity : 1), sizeof *inputs);
    if (!inputs) return false;
    for (int i = 0; i < system->n_components; i++)
        for (int v = 0; v < system->components[i].model->n_variables; v++)
            if (system->components[i].model->variables[v].causality == TAKT_INPUT &&
                !is_driven[i][v])
                inputs[n++] = describe(system, i, v);
    *out = inputs;
    *n_out = n;
    return true;
}

void takt_system_add_open_inputs(const takt_system *system, takt_text *out)
{
    enum { MAX_LISTED = 200 };
    takt_arena scratch = {0};
    takt_open_input *inputs = NULL;
    int n = 0;
    if (!takt_system_find_open_inputs(system, &scratch, &inputs, &n)) out->failed = true;
    if (n) takt_text_print(out, "Inputs that are not connected and keep their values: %d\n", n);
    for (int i = 0; i < n && i < MAX_LISTED; i++) {
        takt_reference at = inputs[i].reference;
        const takt_component *owner = &system->components[at.component];
        const takt_variable *v = &owner->model->variables[at.variable];
        takt_text_print(out, "  %s.%s = ", owner->name, v->name);
        if (inputs[i].value)
            takt_add_value(out, v->type, inputs[i].value);
        else
            takt_text_add(out, "what the FMU begins with");
        if (v->unit) takt_text_print(out, " %s", v->unit);
        takt_text_add(out, inputs[i].is_given ? " (given)\n" : "\n");
    }
    if (n > MAX_LISTED) takt_text_print(out, "  and %d more\n", n - MAX_LISTED);
    takt_arena_clear(&scratch);
}
