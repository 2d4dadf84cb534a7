// SPDX-License-Identifier: MIT
// Changes of projects that need to look into FMUs: connecting what fits together, and checking.
//
// Outputs are listed by name, once by that of the variable and once by those of its terminal and of itself within it. An open input
// gets the one output of another component that has its name and can be converted.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "system/open_inputs.h"
#include "system/system.h"
#include "takt/takt.h"

takt_status takt_project_check(const takt_project *project, takt_error *err)
{
    takt_system *system = NULL;
    if (!project) return takt_fail(err, TAKT_ERR_USAGE, "the project must not be NULL");
    takt_status st = takt_system_create(project, &system, err);
    if (!st) st = takt_system_check(system, err);
    takt_system_destroy(system);
    return st;
}

// ---- candidates ------------------------------------------------------------------------------------

/// An output under one of its names.
typedef struct candidate {
    takt_reference output;
    int next; // of the same name; -1: none
} candidate;

typedef struct finder {
    const takt_project *project;
    const takt_system *system;
    takt_arena arena;
    takt_map names; // name -> the first candidate
    candidate *candidates; // malloc'ed
    int n_candidates, capacity;
} finder;

static const takt_variable *variable_at(const finder *f, takt_reference at)
{
    return &f->system->components[at.component].model->variables[at.variable];
}

// The elements of arrays are connected together: the first one stands for all.
static bool is_follower(const takt_model *model, int variable)
{
    const takt_array *array = model->variables[variable].array;
    return array && variable != array->first;
}

static const char *own_name(const takt_variable *variable)
{
    return variable->array ? variable->array->name : variable->name;
}

static bool add_candidate(finder *f, const char *name, takt_reference output)
{
    int first = takt_map_find(&f->names, name);
    if (!takt_grow(&f->candidates, f->n_candidates, &f->capacity, sizeof *f->candidates) ||
        (first < 0 && !takt_map_add(&f->names, name, f->n_candidates)))
        return false;
    f->candidates[f->n_candidates] =
        (candidate){output, first < 0 ? -1 : f->candidates[first].next};
    if (first >= 0) f->candidates[first].next = f->n_candidates;
    f->n_candidates++;
    return true;
}

// The name of a member of a terminal, which no variable has: "terminal\nkind\nmember". NULL: out of memory.
static const char *member_name(finder *f, const takt_terminal *terminal,
                               const takt_terminal_member *member)
{
    return takt_arena_print(&f->arena, "%s\n%s\n%s", terminal->name,
                            terminal->kind ? terminal->kind : "", member->name);
}

static bool list_terminals(finder *f, int component)
{
    const takt_model *model = f->system->components[component].model;
    for (int i = 0; i < model->n_terminals; i++) {
        const takt_terminal *terminal = &model->terminals[i];
        for (int k = 0; k < terminal->n_members; k++) {
            const takt_terminal_member *member =
                &model->terminal_members[terminal->first_member + k];
            bool is_output = member->name && member->variable >= 0 &&
                             model->variables[member->variable].causality == TAKT_OUTPUT;
            const char *name = is_output ? member_name(f, terminal, member) : "";
            if (!name) return false;
            if (is_output && !add_candidate(f, name, (takt_reference){component, member->variable}))
                return false;
        }
    }
    return true;
}

static bool list_outputs(finder *f)
{
    for (int i = 0; i < f->system->n_components; i++) {
        const takt_model *model = f->system->components[i].model;
        for (int v = 0; v < model->n_variables; v++)
            if (model->variables[v].causality == TAKT_OUTPUT && !is_follower(model, v) &&
                !add_candidate(f, own_name(&model->variables[v]), (takt_reference){i, v}))
                return false;
        if (!list_terminals(f, i)) return false;
    }
    return true;
}

// ---- choice ----------------------------------------------------------------------------------------

static const takt_unit *unit_at(const finder *f, takt_reference at)
{
    const char *name = variable_at(f, at)->unit;
    return name ? takt_model_unit(f->system->components[at.component].model, name) : NULL;
}

// Only connectors of systems connect what is in different ones; and systems of other files are not changed.
static bool is_same_system(const finder *f, int from, int to)
{
    if (from >= f->project->n_components || to >= f->project->n_components) return false;
    const takt_project_component *a = &f->project->components[from];
    const takt_project_component *b = &f->project->components[to];
    return !a->is_elsewhere && !b->is_elsewhere && a->n_system == b->n_system &&
           strncmp(a->name, b->name, (size_t)a->n_system) == 0;
}

static bool fits(const finder *f, takt_reference from, takt_reference to)
{
    if (!is_same_system(f, from.component, to.component)) return false;
    const takt_variable *a = variable_at(f, from), *b = variable_at(f, to);
    int n_a = a->array ? a->array->n_elements : 1, n_b = b->array ? b->array->n_elements : 1;
    if (from.component == to.component || n_a != n_b) return false;
    if (a->type != b->type && (takt_type_kind(a->type) == TAKT_KIND_BYTES ||
                               takt_type_kind(a->type) != takt_type_kind(b->type)))
        return false;
    double factor, offset;
    const takt_unit *unit = unit_at(f, from), *wanted = unit_at(f, to);
    return !unit || !wanted ||
           takt_unit_convert(unit, wanted, false, &factor, &offset) != TAKT_UNITS_DIFFER;
}

/// What was found for an input.
typedef struct choice {
    takt_reference output;
    int n; // candidates that fit
} choice;

static choice choose(const finder *f, const char *name, takt_reference input)
{
    choice found = {.n = 0};
    for (int i = takt_map_find(&f->names, name); i >= 0; i = f->candidates[i].next) {
        if (!fits(f, f->candidates[i].output, input)) continue;
        found.output = f->candidates[i].output;
        found.n++;
    }
    return found;
}

// By terminals first: who made the FMUs said what belongs together. false: out of memory.
static bool find_source(finder *f, takt_reference input, choice *out)
{
    const takt_model *model = f->system->components[input.component].model;
    *out = (choice){.n = 0};
    for (int i = 0; i < model->n_terminals && !out->n; i++)
        for (int k = 0; k < model->terminals[i].n_members && !out->n; k++) {
            const takt_terminal *terminal = &model->terminals[i];
            const takt_terminal_member *member =
                &model->terminal_members[terminal->first_member + k];
            if (member->variable != input.variable || !member->name) continue;
            const char *name = member_name(f, terminal, member);
            if (!name) return false;
            *out = choose(f, name, input);
        }
    if (!out->n) *out = choose(f, own_name(variable_at(f, input)), input);
    return true;
}

static takt_status connect(takt_project *project, finder *f, takt_reference input, int *n,
                           takt_error *err)
{
    const takt_component *components = f->system->components;
    const char *owner = components[input.component].name;
    const char *name = own_name(variable_at(f, input));
    choice source;
    if (!find_source(f, input, &source)) return takt_fail_memory(err);
    if (source.n > 1)
        takt_log_write(project->log, TAKT_LEVEL_WARN,
                       "input %s.%s stays open: %d outputs fit; connect the one that is meant",
                       owner, name, source.n);
    if (source.n != 1) return TAKT_OK;
    const takt_project_connection connection = {
        .start_component = components[source.output.component].name,
        .start_variable = own_name(variable_at(f, source.output)),
        .end_component = owner,
        .end_variable = name,
        .is_new = true};
    ++*n;
    return takt_project_add_connection(project, &connection) ? TAKT_OK : takt_fail_memory(err);
}

static takt_status connect_all(takt_project *project, finder *f, int *n_added, takt_error *err)
{
    takt_open_input *inputs = NULL;
    int n_inputs = 0;
    if (!list_outputs(f) || !takt_system_find_open_inputs(f->system, &f->arena, &inputs, &n_inputs))
        return takt_fail_memory(err);
    takt_status st = TAKT_OK;
    for (int i = 0; i < n_inputs && !st; i++) {
        takt_reference input = inputs[i].reference;
        bool is_own = input.component < project->n_components;
        const takt_model *model = f->system->components[input.component].model;
        if (is_own && !is_follower(model, input.variable))
            st = connect(project, f, input, n_added, err);
    }
    return st;
}

// The system as it is before. What there is to say about it is only said where it fails: with the new connections
// it may be wrong ("no components are connected"), and whoever uses the project hears the rest.
static takt_status create_quietly(takt_project *project, takt_system **out, takt_error *err)
{
    takt_log *log = project->log;
    project->log = project->problems.log = NULL;
    takt_status st = takt_system_create(project, out, NULL);
    project->log = project->problems.log = log;
    return st ? takt_system_create(project, out, err) : TAKT_OK;
}

takt_status takt_project_auto_connect(takt_project *project, int *n_added, takt_error *err)
{
    takt_system *system = NULL;
    int n = 0;
    if (!project) return takt_fail(err, TAKT_ERR_USAGE, "the project must not be NULL");
    takt_status st = create_quietly(project, &system, err);
    if (st) return st;
    finder f = {.project = project, .system = system};
    st = connect_all(project, &f, &n, err);
    if (!st && n_added) *n_added = n;
    takt_map_clear(&f.names);
    free(f.candidates);
    takt_arena_clear(&f.arena);
    takt_system_destroy(system);
    return st;
}
