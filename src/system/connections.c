// SPDX-License-Identifier: MIT
// Resolves connectors and connections. Which end of a connection is the source follows from the
// variables: exactly one end is an input (SSP 1.0, section 5.3.2: start and end give no direction).
#include <stdlib.h>
#include <string.h>

#include "system/builder.h"

// ---- connectors --------------------------------------------------------------------------------

// The causality that a kind of connector stands for; -1: any.
static int causality_of_kind(const char *kind)
{
    for (int i = TAKT_PARAMETER; i <= TAKT_LOCAL; i++)
        if (strcmp(kind, takt_causality_name((takt_causality)i)) == 0) return i;
    return -1;
}

static bool type_agrees(const char *name, takt_type type)
{
    for (int i = 0; i < TAKT_N_TYPES; i++)
        if (strcmp(name, takt_type_name((takt_type)i)) == 0)
            return takt_builder_types_agree((takt_type)i, type);
    return false;
}

takt_status takt_builder_connectors(takt_builder *builder, takt_error *err)
{
    (void)err;
    const takt_project *project = builder->project;
    for (int i = 0; i < project->n_connectors; i++) {
        const takt_project_connector *given = &project->connectors[i];
        int v = takt_builder_variable(builder, given->component, given->name, given->place);
        if (v < 0) continue;
        const takt_component *owner = &builder->system->components[given->component];
        const takt_variable *variable = &owner->model->variables[v];
        int causality = causality_of_kind(given->kind);
        bool is_other_kind = causality >= 0 && (int)variable->causality != causality;
        if (strcmp(given->kind, "constant") == 0)
            is_other_kind = variable->variability != TAKT_CONSTANT;
        if (is_other_kind)
            takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                         "connector %s.%s is declared as %s, but the FMU's variable is %s",
                         owner->name, given->name, given->kind,
                         takt_causality_name(variable->causality));
        if (given->type && !type_agrees(given->type, variable->type))
            takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                         "connector %s.%s is declared as %s, but the FMU's variable is %s",
                         owner->name, given->name, given->type, takt_type_name(variable->type));
    }
    return TAKT_OK;
}

// ---- connections -------------------------------------------------------------------------------

// One end of a connection with all that is known about it.
typedef struct end {
    int component, variable;
    const char *owner;
    const takt_variable *about;
} end;

static bool find_end(takt_builder *builder, const char *component, const char *variable,
                     takt_place place, end *out)
{
    int c = takt_builder_component(builder, component, place);
    int v = c < 0 ? -1 : takt_builder_variable(builder, c, variable, place);
    if (v < 0) return false;
    const takt_component *owner = &builder->system->components[c];
    *out = (end){c, v, owner->name, &owner->model->variables[v]};
    return true;
}

static bool can_be_connected(takt_builder *builder, const end *from, const end *to,
                             takt_place place)
{
    takt_problems *problems = &builder->problems;
    if (from->about->causality == TAKT_INPUT) {
        takt_problem(problems, TAKT_LEVEL_ERROR, place,
                     "%s.%s and %s.%s are both inputs; one end of a connection must be an output",
                     from->owner, from->about->name, to->owner, to->about->name);
        return false;
    }
    if (to->about->causality != TAKT_INPUT || from->about->causality == TAKT_INDEPENDENT) {
        takt_problem(problems, TAKT_LEVEL_ERROR, place,
                     "%s.%s (%s) cannot be connected with %s.%s (%s); a connection leads from an "
                     "output to an input",
                     from->owner, from->about->name, takt_causality_name(from->about->causality),
                     to->owner, to->about->name, takt_causality_name(to->about->causality));
        return false;
    }
    if (!takt_builder_types_agree(from->about->type, to->about->type)) {
        takt_problem(problems, TAKT_LEVEL_ERROR, place,
                     "%s.%s is %s, but %s.%s is %s; connected variables must have the same type",
                     from->owner, from->about->name, takt_type_name(from->about->type), to->owner,
                     to->about->name, takt_type_name(to->about->type));
        return false;
    }
    const char *unit = from->about->unit, *other_unit = to->about->unit;
    if (unit && other_unit && strcmp(unit, other_unit) != 0)
        takt_problem(problems, TAKT_LEVEL_WARN, place,
                     "%s.%s has the unit '%s' and %s.%s has '%s'; the value is passed on unchanged",
                     from->owner, from->about->name, unit, to->owner, to->about->name, other_unit);
    return true;
}

static int compare_targets(const void *a, const void *b)
{
    const takt_connection *x = *(const takt_connection *const *)a;
    const takt_connection *y = *(const takt_connection *const *)b;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    if (x->to_variable != y->to_variable) return x->to_variable < y->to_variable ? -1 : 1;
    return (x > y) - (x < y); // as given: all lie in one array
}

static void report_second_source(takt_builder *builder, const takt_connection *first,
                                 const takt_connection *second)
{
    const takt_component *components = builder->system->components;
    const takt_component *to = &components[second->to], *from = &components[second->from];
    const takt_component *other = &components[first->from];
    takt_problem(&builder->problems, TAKT_LEVEL_ERROR, second->place,
                 "input %s.%s is driven twice: by %s.%s here and by %s.%s in line %d", to->name,
                 to->model->variables[second->to_variable].name, from->name,
                 from->model->variables[second->from_variable].name, other->name,
                 other->model->variables[first->from_variable].name, first->place.line);
}

static takt_status check_single_sources(takt_builder *builder, takt_error *err)
{
    const takt_system *system = builder->system;
    size_t n = (size_t)system->n_connections;
    if (n == 0) return TAKT_OK;
    const takt_connection **sorted = malloc(n * sizeof *sorted);
    if (!sorted) return takt_fail_memory(err);
    for (size_t i = 0; i < n; i++) sorted[i] = &system->connections[i];
    qsort(sorted, n, sizeof *sorted, compare_targets);
    for (size_t i = 1, first = 0; i < n; i++) {
        if (sorted[i]->to == sorted[first]->to &&
            sorted[i]->to_variable == sorted[first]->to_variable)
            report_second_source(builder, sorted[first], sorted[i]);
        else
            first = i;
    }
    free(sorted);
    return TAKT_OK;
}

takt_status takt_builder_connections(takt_builder *builder, takt_error *err)
{
    const takt_project *project = builder->project;
    takt_system *system = builder->system;
    system->connections = takt_arena_array(&system->arena, (size_t)project->n_connections,
                                           sizeof *system->connections);
    if (!system->connections) return takt_fail_memory(err);
    for (int i = 0; i < project->n_connections; i++) {
        const takt_project_connection *given = &project->connections[i];
        end from, to;
        bool has_start =
            find_end(builder, given->start_component, given->start_variable, given->place, &from);
        if (!find_end(builder, given->end_component, given->end_variable, given->place, &to) ||
            !has_start)
            continue;
        if (from.about->causality == TAKT_INPUT && to.about->causality != TAKT_INPUT) {
            end start = from;
            from = to;
            to = start;
        }
        if (!can_be_connected(builder, &from, &to, given->place)) continue;
        system->connections[system->n_connections++] = (takt_connection){
            from.component, from.variable, to.component, to.variable, given->place};
    }
    return check_single_sources(builder, err);
}
