// SPDX-License-Identifier: MIT
// Sizes of arrays that the project chooses: structural parameters with other values than the FMU's. A
// model has fixed sizes, so its components get a model of their own; those with equal sizes share it.
// All later phases see only the arrays as they will be.
#include "base/text.h"
#include "system/builder.h"

static bool has_structural(const takt_model *model)
{
    for (int i = 0; model && model->type->resize && i < model->n_variables; i++)
        if (model->variables[i].causality == TAKT_STRUCTURAL_PARAMETER) return true;
    return false;
}

// What makes models equal: where they come from and their sizes. NULL: out of memory.
static const char *key_of(takt_builder *builder, int component, const takt_structural_value *values,
                          int n)
{
    takt_text text = {0};
    const takt_model_source *source = &builder->sources[component];
    takt_text_print(&text, "%d%d%s", (int)source->interface, source->is_isolated, source->path);
    for (int i = 0; i < n; i++)
        takt_text_print(&text, "\n%d=%llu", values[i].variable,
                        (unsigned long long)values[i].value);
    const char *key = text.failed ? NULL : takt_arena_copy(&builder->system->arena, text.data);
    takt_text_clear(&text);
    return key;
}

// Opens the model with other sizes. What cannot be is reported, and the component has no model then.
static takt_status open_resized(takt_builder *builder, const takt_given_size *last,
                                const takt_structural_value *values, int n, takt_error *err)
{
    takt_system *system = builder->system;
    const takt_component *owner = &system->components[last->variable.component];
    takt_model *model = NULL;
    takt_error why = {0};
    takt_status st = owner->model->type->resize(owner->model, values, n, &model, &why);
    if (st == TAKT_ERR_MEMORY) return takt_fail_memory(err);
    if (st)
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, last->place, "%s.%s = %llu: %s",
                     owner->name, owner->model->variables[last->variable.variable].name,
                     (unsigned long long)last->value, why.message);
    system->models[system->n_models++] = model;
    return TAKT_OK;
}

// Gives a component the model with the sizes that are given for it.
static takt_status resize(takt_builder *builder, takt_map *by_key, const takt_given_size *given,
                          int n_given, takt_error *err)
{
    takt_system *system = builder->system;
    takt_component *owner = &system->components[given->variable.component];
    takt_structural_value *values =
        takt_arena_array(&system->arena, (size_t)n_given, sizeof *values);
    if (!values) return takt_fail_memory(err);
    const takt_given_size *last = NULL;
    int n = 0;
    for (int i = 0; i < n_given; i++) {
        int v = given[i].variable.variable;
        if (given[i].value == owner->model->variables[v].start.integer) continue;
        values[n++] = (takt_structural_value){v, given[i].value};
        last = &given[i];
    }
    if (n == 0 || !owner->model->type->resize) return TAKT_OK;
    const char *key = key_of(builder, last->variable.component, values, n);
    int known = key ? takt_map_find(by_key, key) : -1;
    if (!key) return takt_fail_memory(err);
    if (known < 0) {
        known = system->n_models;
        if (!takt_map_add(by_key, key, known)) return takt_fail_memory(err);
        takt_status st = open_resized(builder, last, values, n, err);
        if (st) return st;
    }
    owner->model = system->models[known];
    return TAKT_OK;
}

takt_status takt_builder_sizes(takt_builder *builder, takt_error *err)
{
    const takt_system *system = builder->system;
    bool is_needed = false;
    for (int i = 0; i < system->n_models && !is_needed; i++)
        is_needed = has_structural(system->models[i]);
    if (!is_needed || builder->project->n_assignments == 0) return TAKT_OK;

    takt_given_size *given = NULL;
    int n_given = 0;
    if (!takt_builder_given_sizes(builder, &given, &n_given)) return takt_fail_memory(err);
    takt_map by_key = {0};
    takt_status st = TAKT_OK;
    for (int i = 0, end; i < n_given && !st; i = end) {
        for (end = i; end < n_given; end++)
            if (given[end].variable.component != given[i].variable.component) break;
        st = resize(builder, &by_key, &given[i], end - i, err);
    }
    takt_map_clear(&by_key);
    return st;
}
