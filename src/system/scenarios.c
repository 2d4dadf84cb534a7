// SPDX-License-Identifier: MIT
// Scenarios (setting scenario): resolves the changes that files ask for, checks them all, and puts a model around that of each
// component concerned whose instances follow them (instance/scripted.h). Comes last: all else sees the models as they are.
#include <math.h>
#include <stdlib.h>

#include "instance/scripted.h"
#include "project/scenario.h"
#include "system/start_check.h"

// A change of one variable.
typedef struct resolved {
    takt_reference target;
    takt_script_change change; // its target is not known yet
    takt_place place;
    int order;
} resolved;

typedef struct collection {
    takt_builder *builder;
    resolved *list; // malloc'ed
    int n, capacity;
} collection;

static void add(collection *c, takt_reference target, takt_script_change change, takt_place place)
{
    takt_system *system = c->builder->system;
    if (change.time <= system->settings.stop_time)
        system->last_change = fmax(system->last_change, change.time);
    if (!takt_grow(&c->list, c->n, &c->capacity, sizeof *c->list)) {
        c->builder->is_out_of_memory = true;
        return;
    }
    c->list[c->n] = (resolved){target, change, place, c->n};
    c->n++;
}

// ---- checks ------------------------------------------------------------------------------------

static bool is_changeable(const takt_variable *variable)
{
    if (variable->type == TAKT_CLOCK || variable->variability == TAKT_CONSTANT) return false;
    return variable->causality == TAKT_INPUT || variable->causality == TAKT_OUTPUT ||
           takt_variable_is_tuned(variable);
}

static bool is_number(takt_type type)
{
    return takt_type_kind(type) != TAKT_KIND_BYTES && type != TAKT_BOOLEAN &&
           type != TAKT_ENUMERATION;
}

static bool check_target(collection *c, const takt_scenario_event *event, const char *component,
                         const takt_variable *variable)
{
    takt_place place = event->change.place;
    if (!is_changeable(variable)) {
        bool is_fixed = variable->causality == TAKT_PARAMETER;
        takt_problem(&c->builder->problems, TAKT_LEVEL_ERROR, place,
                     "%s.%s cannot be changed by a scenario: it is %s (causality %s, variability "
                     "%s); inputs, outputs and tunable parameters can",
                     component, variable->name,
                     variable->type == TAKT_CLOCK ? "a clock"
                     : is_fixed                   ? "fixed during the simulation"
                                                  : "computed by the FMU",
                     takt_causality_name(variable->causality),
                     takt_variability_name(variable->variability));
        return false;
    }
    if (event->action != TAKT_SCENARIO_BIAS || is_number(variable->type)) return true;
    takt_problem(&c->builder->problems, TAKT_LEVEL_ERROR, place,
                 "%s.%s is of type %s, to which nothing can be added; choose the action override",
                 component, variable->name, takt_type_name(variable->type));
    return false;
}

static void check_time(collection *c, const takt_scenario *file, const takt_scenario_event *event)
{
    const takt_settings *settings = &c->builder->system->settings;
    takt_place place = event->change.place;
    if (event->time < settings->start_time)
        takt_problem(&c->builder->problems, TAKT_LEVEL_WARN, place,
                     "t=%.15g s lies before the start time %.15g s: the change holds from there on",
                     event->time, settings->start_time);
    else if (event->time > file->end)
        takt_problem(&c->builder->problems, TAKT_LEVEL_WARN, place,
                     "t=%.15g s lies behind the end of the scenario, %.15g s: the change never "
                     "happens",
                     event->time, file->end);
    else if (event->time > settings->stop_time)
        takt_problem(&c->builder->problems, TAKT_LEVEL_INFO, place,
                     "t=%.15g s lies behind the stop time %.15g s", event->time,
                     settings->stop_time);
}

// ---- resolving ---------------------------------------------------------------------------------

static const takt_change_kind kinds[TAKT_N_SCENARIO_ACTIONS] = {
    [TAKT_SCENARIO_OVERRIDE] = TAKT_CHANGE_OVERRIDE,
    [TAKT_SCENARIO_BIAS] = TAKT_CHANGE_BIAS,
    [TAKT_SCENARIO_RESET] = TAKT_CHANGE_RESET,
};

// One variable; an array gets the value in each of its elements.
static void add_goal(collection *c, const takt_scenario_event *event, takt_start_goal to)
{
    const takt_component *owner = &c->builder->system->components[to.variable.component];
    const takt_variable *variable = &owner->model->variables[to.variable.variable];
    int n = variable->array && !to.is_element ? variable->array->n_elements : 1;
    takt_script_change change = {.time = event->time, .kind = kinds[event->action]};
    if (!check_target(c, event, owner->name, variable)) return;
    if (event->action != TAKT_SCENARIO_RESET &&
        !takt_start_read_value(c->builder, &event->change, &to, event->change.value, &change.value))
        return;
    for (int i = 0; i < n; i++, to.variable.variable++)
        add(c, to.variable, change, event->change.place);
}

// The variables behind a connector of a system.
static void add_aliases(collection *c, const takt_scenario_event *event, char *buffer)
{
    const takt_project *project = c->builder->project;
    const char *index;
    int i = takt_start_find_alias(c->builder, event->change.variable, buffer, &index);
    for (; i >= 0; i = project->aliases[i].next) {
        const takt_project_alias *alias = &project->aliases[i];
        int component = takt_map_find(&c->builder->system->names, alias->component);
        const takt_model *model =
            component < 0 ? NULL : c->builder->system->components[component].model;
        int v = model ? takt_model_find(model, alias->variable) : -1;
        if (v < 0) continue; // reported with the connection
        if (*index || *alias->index || (alias->n_hops && event->action == TAKT_SCENARIO_BIAS))
            takt_problem(&c->builder->problems, TAKT_LEVEL_ERROR, event->change.place,
                         "'%s' is a connector of a system; name the variable %s.%s behind it",
                         event->change.variable, alias->component, alias->variable);
        else
            add_goal(c, event, (takt_start_goal){{component, v}, alias, false});
    }
}

static void add_event(collection *c, const takt_scenario *file, const takt_scenario_event *event)
{
    takt_start_goals found = {.component = -1};
    char *buffer = malloc(strlen(event->change.variable) + 1);
    if (!buffer) {
        c->builder->is_out_of_memory = true;
        return;
    }
    if (event->change.component)
        takt_start_find_in_component(c->builder, &event->change, &found);
    else
        takt_start_find_dotted(c->builder, &event->change, buffer, &found);
    if (found.n_items) check_time(c, file, event);
    for (int i = 0; i < found.n_items && event->time <= file->end; i++)
        add_goal(c, event, found.items[i]);
    if (!event->change.component) add_aliases(c, event, buffer);
    free(buffer);
}

// At its end a scenario releases all that it has changed.
static void add_end(collection *c, const takt_scenario *file, int first)
{
    int n = c->n;
    takt_script_change change = {.time = file->end, .kind = TAKT_CHANGE_RESET};
    for (int i = first; i < n && isfinite(file->end) && !c->builder->is_out_of_memory; i++)
        if (c->list[i].change.kind != TAKT_CHANGE_RESET)
            add(c, c->list[i].target, change, (takt_place){file->file, file->end_line});
}

static takt_status read_files(collection *c, takt_error *err)
{
    takt_builder *builder = c->builder;
    const takt_text_list *files = &builder->project->settings.scenarios;
    takt_place place = takt_project_place_of(builder->project, files);
    takt_system *system = builder->system;
    system->scenario_files =
        takt_arena_array(&system->arena, (size_t)files->n_items, sizeof *system->scenario_files);
    if (!system->scenario_files) return takt_fail_memory(err);
    for (int i = 0; i < files->n_items; i++) {
        const char *path = takt_builder_path_of(builder, files, files->items[i]);
        takt_scenario scenario;
        if (!path) return takt_fail_memory(err);
        system->scenario_files[system->n_scenario_files++] = path;
        takt_status st =
            takt_scenario_read(path, place, &system->arena, &builder->problems, &scenario, err);
        if (st) return st;
        int first = c->n;
        for (int k = 0; k < scenario.n_events && !builder->is_out_of_memory; k++)
            add_event(c, &scenario, &scenario.events[k]);
        add_end(c, &scenario, first);
        if (builder->is_out_of_memory) return takt_fail_memory(err);
    }
    return TAKT_OK;
}

// ---- scripts -----------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const resolved *x = a, *y = b;
    if (x->target.component != y->target.component)
        return x->target.component < y->target.component ? -1 : 1;
    if (x->change.time != y->change.time) return x->change.time < y->change.time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool is_driven(const takt_system *system, takt_reference target)
{
    for (int i = 0; i < system->n_connections; i++) {
        const takt_connection *connection = &system->connections[i];
        if (connection->to == target.component && connection->to_variable == target.variable &&
            !connection->is_initial)
            return true;
    }
    return false;
}

static void report_twice(takt_builder *builder, const resolved *at, const takt_variable *variable)
{
    takt_problem(&builder->problems, TAKT_LEVEL_WARN, at->place,
                 "%s.%s is changed twice at t=%.15g s; the later line counts",
                 builder->system->components[at->target.component].name, variable->name,
                 at->change.time);
}

// The script of one component, from the `n` changes of its variables. Returns false when memory is exhausted.
static bool make_script(takt_builder *builder, resolved *list, int n)
{
    takt_system *system = builder->system;
    takt_component *owner = &system->components[list[0].target.component];
    takt_script *script = takt_arena_alloc(&system->arena, sizeof *script);
    takt_script_target *targets = takt_arena_array(&system->arena, (size_t)n, sizeof *targets);
    takt_script_change *changes = takt_arena_array(&system->arena, (size_t)n, sizeof *changes);
    int *latest = malloc((size_t)owner->model->n_variables * sizeof *latest); // change per variable
    bool ok = script && targets && changes && latest;
    for (int i = 0; ok && i < owner->model->n_variables; i++) latest[i] = -1;
    int n_targets = 0, n_changes = 0;
    for (int i = 0; ok && i < n; i++) {
        int variable = list[i].target.variable, before = latest[variable];
        takt_script_change *next = &changes[n_changes];
        bool releases = list[i].change.kind == TAKT_CHANGE_RESET;
        bool is_free = before < 0 || changes[before].kind == TAKT_CHANGE_RESET;
        if (releases && is_free && before >= 0) continue; // once is enough
        *next = list[i].change;
        if (before < 0)
            targets[n_targets] = (takt_script_target){variable, is_driven(system, list[i].target)};
        else if (changes[before].time == next->time && !releases)
            report_twice(builder, &list[i], &owner->model->variables[variable]);
        next->target = before < 0 ? n_targets++ : changes[before].target;
        latest[variable] = n_changes++;
    }
    free(latest);
    if (!ok) return false;
    *script = (takt_script){targets, n_targets, changes, n_changes};
    owner->model = takt_scripted_model(owner->model, script, &system->arena);
    return owner->model != NULL;
}

takt_status takt_builder_scenarios(takt_builder *builder, takt_error *err)
{
    collection c = {.builder = builder};
    builder->system->last_change = -INFINITY;
    takt_status st = read_files(&c, err);
    if (!st && c.n) qsort(c.list, (size_t)c.n, sizeof *c.list, compare);
    for (int i = 0, n; i < c.n && !st; i += n) {
        for (n = 1; i + n < c.n; n++)
            if (c.list[i + n].target.component != c.list[i].target.component) break;
        if (!make_script(builder, &c.list[i], n)) st = takt_fail_memory(err);
    }
    free(c.list);
    return st;
}
