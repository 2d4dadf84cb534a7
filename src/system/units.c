// SPDX-License-Identifier: MIT
// The units of variables. FMUs give them; projects may declare them at connectors, and must not contradict
// the FMUs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/builder.h"

static int compare(const void *a, const void *b)
{
    const takt_reference *x = a, *y = b; // first in takt_declared_unit
    if (x->component != y->component) return x->component < y->component ? -1 : 1;
    return (x->variable > y->variable) - (x->variable < y->variable);
}

// The connector of an array, found by its first element, is that of all elements.
static const takt_unit *declared_unit(const takt_builder *builder, takt_reference variable)
{
    if (builder->n_declared_units == 0) return NULL;
    const takt_model *model = builder->system->components[variable.component].model;
    const takt_array *array = model->variables[variable.variable].array;
    if (array) variable.variable = array->first;
    const takt_declared_unit *found =
        bsearch(&variable, builder->declared_units, (size_t)builder->n_declared_units,
                sizeof *builder->declared_units, compare);
    return found ? found->unit : NULL;
}

const takt_unit *takt_builder_unit(takt_builder *builder, takt_reference variable)
{
    const takt_model *model = builder->system->components[variable.component].model;
    const char *name = model->variables[variable.variable].unit;
    const takt_unit *own = name ? takt_model_unit(model, name) : NULL;
    const takt_unit *declared = declared_unit(builder, variable);
    if (own && own->has_base) return own;
    if (declared && (!name || strcmp(name, declared->name) == 0)) return declared;
    if (own || !name) return own;
    takt_unit *bare = takt_arena_alloc(&builder->system->arena, sizeof *bare);
    if (!bare) builder->is_out_of_memory = true;
    if (bare) *bare = (takt_unit){.name = name};
    return bare;
}

// Does the unit at a connector mean the same as that of the FMU?
static void check_declared(takt_builder *builder, const takt_project_connector *given,
                           const char *owner, const takt_unit *own)
{
    double factor, offset;
    takt_unit_relation relation = takt_unit_convert(given->unit, own, false, &factor, &offset);
    bool is_same =
        relation == TAKT_UNITS_CONVERT && fabs(factor - 1) <= 1e-9 && fabs(offset) <= 1e-9;
    if (is_same) return;
    static const char format[] =
        "connector %s.%s is declared with the unit '%s', but the FMU's variable has '%s'%s";
    if (relation == TAKT_UNITS_UNKNOWN)
        takt_problem_doubt(&builder->problems, given->place, format, owner, given->name,
                           given->unit->name, own->name,
                           "; how they are related is not known; declare the unit of the FMU");
    else
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place, format, owner, given->name,
                     given->unit->name, own->name, "");
}

bool takt_builder_units(takt_builder *builder)
{
    const takt_project *project = builder->project;
    takt_declared_unit *list =
        takt_arena_array(&builder->system->arena, (size_t)project->n_connectors, sizeof *list);
    if (!list) return false;
    int n = 0;
    for (int i = 0; i < project->n_connectors; i++) {
        const takt_project_connector *given = &project->connectors[i];
        const takt_component *owner = &builder->system->components[given->component];
        int v = given->unit && owner->model ? takt_model_find(owner->model, given->name) : -1;
        if (v < 0) continue; // reported by the next phase
        list[n++] = (takt_declared_unit){{given->component, v}, given->unit};
        const char *name = owner->model->variables[v].unit;
        const takt_unit *own = name ? takt_model_unit(owner->model, name) : NULL;
        takt_unit bare = {.name = name};
        if (name) check_declared(builder, given, owner->name, own ? own : &bare);
    }
    if (n) qsort(list, (size_t)n, sizeof *list, compare);
    builder->declared_units = list;
    builder->n_declared_units = n;
    return true;
}
