// SPDX-License-Identifier: MIT
// The end of reading a description; see finish.h.
#include "description/finish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef takt_description_reader reader_type;

// ---- model structure -----------------------------------------------------------------------------

void takt_description_take_known(reader_type *reader, takt_dependency *dependency)
{
    size_t n = (size_t)reader->indices.n;
    int *known = takt_arena_array(&reader->model->arena, n, sizeof *known);
    if (!known) reader->out_of_memory = true;
    if (!known) return;
    if (n) memcpy(known, reader->indices.items, n * sizeof *known);
    dependency->is_known = true;
    dependency->n_known = reader->indices.n;
    dependency->known = known;
}

void takt_description_check_outputs(reader_type *reader, const char *list)
{
    const takt_variable *variables = reader->variables.items;
    const takt_dependency *outputs = reader->outputs.items;
    bool *is_listed = calloc((size_t)reader->variables.n + 1, sizeof *is_listed);
    if (!is_listed) reader->out_of_memory = true;
    if (!is_listed) return;
    for (int i = 0; i < reader->outputs.n; i++) {
        const takt_variable *variable = &variables[outputs[i].variable];
        if (variable->causality != TAKT_OUTPUT)
            takt_description_note(reader, variable->line,
                                  "variable '%s' is listed in %s, but has causality %s",
                                  variable->name, list, takt_causality_name(variable->causality));
        if (is_listed[outputs[i].variable])
            takt_description_note(reader, variable->line, "variable '%s' is listed twice in %s",
                                  variable->name, list);
        is_listed[outputs[i].variable] = true;
    }
    for (int i = 0; i < reader->variables.n; i++)
        if (variables[i].causality == TAKT_OUTPUT && !is_listed[i])
            takt_description_note(reader, variables[i].line, "output '%s' is not listed in %s",
                                  variables[i].name, list);
    free(is_listed);
}

// ---- after reading -------------------------------------------------------------------------------

static double either(double own, double inherited, double fallback)
{
    return !isnan(own) ? own : !isnan(inherited) ? inherited : fallback;
}

void takt_description_inherit(reader_type *reader, takt_variable *variable)
{
    static const takt_type_definition none = {.min = NAN, .max = NAN, .nominal = NAN};
    const takt_type_definition *type = &none;
    if (variable->declared_type) {
        int index = takt_map_find(&reader->type_names, variable->declared_type);
        if (index >= 0) type = (takt_type_definition *)reader->types.items + index;
        if (index < 0)
            takt_description_note(reader, variable->line,
                                  "variable '%s': declaredType '%.100s' is not defined",
                                  variable->name, variable->declared_type);
        else if (type->type != variable->type)
            takt_description_note(
                reader, variable->line,
                "variable '%s' has type %s, but its declaredType '%.100s' has %s", variable->name,
                takt_description_type_name(reader, variable->type), variable->declared_type,
                takt_description_type_name(reader, type->type));
    }
    if (!variable->unit) variable->unit = type->unit;
    variable->min = either(variable->min, type->min, -INFINITY);
    variable->max = either(variable->max, type->max, INFINITY);
    variable->has_nominal = !isnan(variable->nominal) || !isnan(type->nominal);
    variable->nominal = either(variable->nominal, type->nominal, 1);
}

// May an input act on a state? Where the dependencies of a derivative are not known, it may.
static bool has_driven_states(const reader_type *reader)
{
    const takt_me_description *me = &reader->out->me;
    const takt_model *model = reader->model;
    if (!me->derivatives) return me->n_states > 0;
    for (int i = 0; i < me->n_states; i++) {
        const takt_dependency *derivative = &me->derivatives[i];
        if (!derivative->is_known) return true;
        for (int k = 0; k < derivative->n_known; k++) {
            int i_known = derivative->known[k];
            bool is_there = i_known >= 0 && i_known < model->n_variables;
            if (is_there && model->variables[i_known].causality == TAKT_INPUT) return true;
        }
    }
    return false;
}

takt_status takt_description_finish(reader_type *reader, takt_error *err)
{
    takt_model *model = reader->model;
    for (int i = 0; i < reader->types.n; i++) {
        takt_type_definition *type = (takt_type_definition *)reader->types.items + i;
        type->min = either(type->min, NAN, -INFINITY);
        type->max = either(type->max, NAN, INFINITY);
        type->nominal = either(type->nominal, NAN, 1);
    }
    model->n_variables = reader->variables.n;
    model->variables = takt_list_take(reader, &reader->variables, sizeof *model->variables);
    model->n_units = reader->units.n;
    model->units = takt_list_take(reader, &reader->units, sizeof *model->units);
    model->n_display_units = reader->shown_units.n;
    model->display_units =
        takt_list_take(reader, &reader->shown_units, sizeof *model->display_units);
    model->n_types = reader->types.n;
    model->types = takt_list_take(reader, &reader->types, sizeof *model->types);
    model->n_outputs = reader->outputs.n;
    model->outputs = takt_list_take(reader, &reader->outputs, sizeof *model->outputs);
    model->n_initial_unknowns = reader->initial_unknowns.n;
    model->initial_unknowns =
        takt_list_take(reader, &reader->initial_unknowns, sizeof *model->initial_unknowns);
    reader->out->n_categories = reader->categories.n;
    reader->out->categories =
        takt_list_take(reader, &reader->categories, sizeof *reader->out->categories);
    if (reader->out_of_memory) return takt_fail_memory(err);
    model->has_states = has_driven_states(reader);
    return TAKT_OK;
}
