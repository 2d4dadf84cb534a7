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

// Checks the declared type of a connector. A model may be able to deliver that type as well.
static void check_type(takt_builder *builder, const takt_project_connector *given, int variable)
{
    const takt_component *owner = &builder->system->components[given->component];
    takt_model *model = owner->model;
    const takt_variable *about = &model->variables[variable];
    int type = 0;
    while (type < TAKT_N_TYPES && strcmp(given->type, takt_type_name((takt_type)type)) != 0) type++;
    takt_error why = {0};
    bool is_type = type < TAKT_N_TYPES;
    if (is_type && takt_builder_types_agree((takt_type)type, about->type)) return;
    bool has_names = model->type->retype && about->type == TAKT_STRING;
    if (type == TAKT_ENUMERATION && has_names) return; // the target of its connection knows them
    if (is_type && model->type->retype &&
        model->type->retype(model, variable, (takt_type)type, NULL, &why))
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place, "connector %s.%s: %s",
                     owner->name, given->name, why.message);
    else if (!is_type || !takt_builder_types_agree((takt_type)type, about->type))
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "connector %s.%s is declared as %s, but the FMU's variable is %s", owner->name,
                     given->name, given->type, takt_type_name(about->type));
}

static void check_shape(takt_builder *builder, const takt_project_connector *given,
                        const takt_variable *variable)
{
    char found[80];
    if (takt_builder_has_shape(takt_builder_is_element(given->name) ? NULL : variable->array,
                               given->shape, found))
        return;
    takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                 "connector %s.%s is declared with the dimensions %s, but the FMU's variable is %s",
                 builder->system->components[given->component].name, given->name, given->shape,
                 found);
}

takt_status takt_builder_connectors(takt_builder *builder, takt_error *err)
{
    if (!takt_builder_units(builder)) return takt_fail_memory(err);
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
        if (given->type) check_type(builder, given, v);
        if (given->shape) check_shape(builder, given, variable);
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

// Can a variable get its value from another one? Parameters only from what is known as early.
static bool takes(const takt_variable *variable)
{
    return variable->causality == TAKT_INPUT || variable->causality == TAKT_PARAMETER;
}

static bool is_early(const takt_variable *variable)
{
    return variable->causality == TAKT_CALCULATED_PARAMETER ||
           variable->variability == TAKT_CONSTANT;
}

// Does a parameter follow an output during the run?
static bool is_tuned_by(const takt_variable *to, const takt_variable *from)
{
    return takt_variable_is_tuned(to) && from->causality == TAKT_OUTPUT && !is_early(from);
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
    if (to->about->causality == TAKT_STRUCTURAL_PARAMETER ||
        from->about->causality == TAKT_STRUCTURAL_PARAMETER) {
        const end *structural = to->about->causality == TAKT_STRUCTURAL_PARAMETER ? to : from;
        takt_problem(problems, TAKT_LEVEL_ERROR, place,
                     "%s.%s is a structural parameter, which is needed before anything is "
                     "computed; it cannot be connected: give it a value by a parameter binding or "
                     "--set",
                     structural->owner, structural->about->name);
        return false;
    }
    bool is_initial = to->about->causality == TAKT_PARAMETER && is_early(from->about);
    bool is_target =
        to->about->causality == TAKT_INPUT || is_initial || is_tuned_by(to->about, from->about);
    if (!is_target || from->about->causality == TAKT_INDEPENDENT) {
        takt_problem(problems, TAKT_LEVEL_ERROR, place,
                     "%s.%s (%s) cannot be connected with %s.%s (%s); a connection leads from an "
                     "output to an input or a tunable parameter",
                     from->owner, from->about->name, takt_causality_name(from->about->causality),
                     to->owner, to->about->name, takt_causality_name(to->about->causality));
        return false;
    }
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

// The variables that a name stands for: one, or the elements of an array. Where a model has no array
// of that name but variables "name[1]" and so on (FMI 1.0 and 2.0), these are taken, as many as `pattern`,
// the array at the other end, has.
typedef struct variables {
    int component;
    int n; // 0: not found, and reported
    int first; // of an array, or the only one
    const takt_array *pattern; // not NULL: find by the names of its elements
    const char *name;
} variables;

static const takt_array *find_array(const takt_system *system, int component, const char *name)
{
    const takt_model *model = component < 0 ? NULL : system->components[component].model;
    int i = model ? takt_map_find(&model->array_names, name) : -1;
    return i < 0 ? NULL : &model->arrays[i];
}

// "y[1,2]" for the element "x[1,2]" of the array at the other end; -1: not there, or out of memory, which is
// noted.
static int find_like(takt_builder *builder, const variables *set, const variables *other, int i)
{
    const takt_component *components = builder->system->components;
    const takt_model *pattern = components[other->component].model;
    const char *index = strrchr(pattern->variables[set->pattern->first + i].name, '[');
    if (!index) return -1;
    const char *name = takt_arena_print(&builder->system->arena, "%s%s", set->name, index);
    if (!name) builder->is_out_of_memory = true;
    return name ? takt_map_find(&components[set->component].model->names, name) : -1;
}

static void find_variables(takt_builder *builder, int component, const char *name,
                           const takt_array *other, takt_place place, variables *out)
{
    const takt_system *system = builder->system;
    const takt_array *array = find_array(system, component, name);
    *out = (variables){.component = component, .name = name};
    if (component < 0 || !system->components[component].model) return;
    const takt_model *model = system->components[component].model;
    bool is_scalar = takt_map_find(&model->names, name) >= 0;
    if (array) {
        out->n = array->n_elements;
        out->first = array->first;
    } else if (!is_scalar && other) {
        out->n = other->n_elements;
        out->pattern = other;
    } else {
        out->first = takt_builder_variable(builder, component, name, place);
        out->n = out->first >= 0;
    }
}

// Lets the source deliver the type of the target, if its model can do that.
static bool adapt(takt_builder *builder, const end *from, const end *to, takt_place place)
{
    takt_model *model = builder->system->components[from->component].model;
    takt_error why = {0};
    takt_status st = TAKT_OK;
    const takt_type_definition *definition =
        takt_model_type(builder->system->components[to->component].model, to->about->declared_type);
    if (model->type->retype)
        st = model->type->retype(model, from->variable, to->about->type, definition, &why);
    if (st == TAKT_ERR_MEMORY)
        builder->is_out_of_memory = true;
    else if (st)
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, place,
                     "%s.%s cannot be connected with %s.%s: %s", from->owner, from->about->name,
                     to->owner, to->about->name, why.message);
    bool is_held = to->about->variability == TAKT_DISCRETE || takt_variable_is_tuned(to->about);
    if (!st && model->type->hold && is_held) model->type->hold(model, from->variable);
    return !st;
}

static bool add_connection(takt_builder *builder, end from, end to,
                           const takt_project_connection *given)
{
    takt_system *system = builder->system;
    bool is_backward = from.about->causality == TAKT_INPUT
                           ? to.about->causality != TAKT_INPUT
                           : takes(from.about) && !takes(to.about) &&
                                 (is_early(to.about) || is_tuned_by(from.about, to.about));
    if (is_backward) {
        end start = from;
        from = to;
        to = start;
    }
    takt_connection connection = {.from = from.component,
                                  .from_variable = from.variable,
                                  .to = to.component,
                                  .to_variable = to.variable,
                                  .is_initial = to.about->causality == TAKT_PARAMETER &&
                                                !is_tuned_by(to.about, from.about),
                                  .place = given->place};
    if (!can_be_connected(builder, &from, &to, given->place) ||
        !adapt(builder, &from, &to, given->place) ||
        !takt_builder_convert(builder, given, &connection))
        return !builder->is_out_of_memory;
    if (!takt_grow(&builder->connections, system->n_connections, &builder->connection_capacity,
                   sizeof *builder->connections))
        return false;
    builder->connections[system->n_connections++] = connection;
    return true;
}

static end end_of(takt_builder *builder, const variables *set, const variables *other, int i)
{
    const takt_component *owner = &builder->system->components[set->component];
    int v = set->pattern ? find_like(builder, set, other, i) : set->first + i;
    return (end){set->component, v, owner->name, v < 0 ? NULL : &owner->model->variables[v]};
}

// Connects all elements of two arrays, or two single variables.
static bool connect(takt_builder *builder, const takt_project_connection *given)
{
    int a = takt_builder_component(builder, given->start_component, given->place);
    int b = takt_builder_component(builder, given->end_component, given->place);
    variables start, finish;
    find_variables(builder, a, given->start_variable,
                   find_array(builder->system, b, given->end_variable), given->place, &start);
    find_variables(builder, b, given->end_variable,
                   find_array(builder->system, a, given->start_variable), given->place, &finish);
    if (start.n == 0 || finish.n == 0) return true;
    if (start.n != finish.n) {
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "%s.%s has %d elements, but %s.%s has %d", given->start_component,
                     given->start_variable, start.n, given->end_component, given->end_variable,
                     finish.n);
        return true;
    }
    for (int i = 0; i < start.n; i++) {
        end from = end_of(builder, &start, &finish, i), to = end_of(builder, &finish, &start, i);
        if (builder->is_out_of_memory) return false;
        if (!from.about || !to.about) {
            const variables *missing = from.about ? &finish : &start;
            takt_builder_variable(builder, missing->component, missing->name, given->place);
            return true;
        }
        if (!add_connection(builder, from, to, given)) return false;
    }
    return true;
}

takt_status takt_builder_connections(takt_builder *builder, takt_error *err)
{
    const takt_project *project = builder->project;
    takt_system *system = builder->system;
    takt_project_connection *driven = NULL;
    int n_driven = 0;
    bool ok = takt_builder_drive_inputs(builder, &driven, &n_driven);
    for (int i = 0; i < project->n_connections && ok; i++)
        ok = connect(builder, &project->connections[i]);
    for (int i = 0; i < n_driven && ok; i++) ok = connect(builder, &driven[i]);
    size_t n = (size_t)system->n_connections;
    system->connections = takt_arena_array(&system->arena, n, sizeof *system->connections);
    ok = ok && system->connections;
    if (ok && n)
        memcpy(system->connections, builder->connections, n * sizeof *builder->connections);
    free(builder->connections);
    builder->connections = NULL;
    return ok ? check_single_sources(builder, err) : takt_fail_memory(err);
}
