// SPDX-License-Identifier: MIT
// Chooses the variables of the results: all outputs, or those that patterns name; of some components only
// what is connected.
#include <string.h>

#include "base/text.h"
#include "system/builder.h"

// Patterns and whether each has matched something. Those without wildcards are found by name: there
// may be as many as variables.
typedef struct patterns {
    const takt_text_list *list;
    bool *is_used;
    takt_map names; // patterns without wildcards -> index of the first
    int *wild; // indices of the others
    int n_wild;
} patterns;

static bool matches_name(const patterns *given, const char *name)
{
    int i = takt_map_find(&given->names, name);
    if (i >= 0) given->is_used[i] = true;
    return i >= 0;
}

// `bare` is the name without its component, where that suffices; else NULL.
static bool matches(const patterns *given, const char *name, const char *bare)
{
    bool is_match = matches_name(given, name);
    if (bare && matches_name(given, bare)) is_match = true;
    for (int k = 0; k < given->n_wild; k++) {
        // Ask also after the first match: every pattern that fits counts as used.
        int i = given->wild[k];
        if (is_match && given->is_used[i]) continue;
        const char *pattern = given->list->items[i];
        if (!takt_glob_matches(pattern, name) && !(bare && takt_glob_matches(pattern, bare)))
            continue;
        is_match = given->is_used[i] = true;
    }
    return is_match;
}

static bool prepare(patterns *given, const takt_text_list *list, takt_arena *scratch)
{
    size_t n = (size_t)list->n_items;
    *given = (patterns){.list = list};
    given->is_used = takt_arena_array(scratch, n, sizeof *given->is_used);
    given->wild = takt_arena_array(scratch, n, sizeof *given->wild);
    if (!given->is_used || !given->wild) return false;
    for (int i = 0; i < list->n_items; i++) {
        const char *pattern = list->items[i];
        if (strpbrk(pattern, "*?"))
            given->wild[given->n_wild++] = i;
        else if (takt_map_find(&given->names, pattern) >= 0)
            given->is_used[i] = true; // the first is reported if nothing matches
        else if (!takt_map_add(&given->names, pattern, i))
            return false;
    }
    return true;
}

// The component whose name is most like a pattern up to its dot; -1: none is.
static int nearest_component(const takt_builder *builder, const char *pattern, const char *point)
{
    takt_system *system = builder->system;
    const char *name =
        point ? takt_arena_copy_n(&system->arena, pattern, (size_t)(point - pattern)) : NULL;
    const char *nearest = name ? takt_builder_nearest_component(builder, name) : NULL;
    return nearest ? takt_map_find(&system->names, nearest) : -1;
}

// The variable that a pattern without wildcards may mean; NULL: none is known.
static const char *suggest(const takt_builder *builder, const char *pattern)
{
    takt_system *system = builder->system;
    int component, variable, only = takt_builder_only_component(builder);
    char *buffer = strpbrk(pattern, "*?") ? NULL : takt_arena_copy(&system->arena, pattern);
    if (!buffer) return NULL;
    takt_builder_split(system, pattern, buffer, &component, &variable);
    const char *point = strchr(pattern, '.'), *name = point ? point + 1 : pattern;
    if (component >= 0)
        name = pattern + strlen(system->components[component].name) + 1;
    else
        component = only >= 0 ? only : nearest_component(builder, pattern, point);
    if (component < 0) return NULL;
    const takt_component *owner = &system->components[component];
    bool is_name = takt_model_find(owner->model, name) >= 0;
    const char *nearest = is_name ? name : takt_builder_nearest(builder, component, name);
    return nearest ? takt_arena_print(&system->arena, "%s.%s", owner->name, nearest) : NULL;
}

static void report_unused(takt_builder *builder, const patterns *given, const char *setting,
                          const void *field)
{
    takt_place place = takt_project_place_of(builder->project, field);
    for (int i = 0; i < given->list->n_items; i++) {
        if (given->is_used[i]) continue;
        const char *meant = suggest(builder, given->list->items[i]);
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, place,
                     "%s: '%s' matches no variable; %s%s%s", setting, given->list->items[i],
                     meant ? "did you mean '" : "names are COMPONENT.VARIABLE", meant ? meant : "",
                     meant ? "'?" : "");
    }
}

static void report_unused_components(takt_builder *builder, const patterns *given)
{
    const takt_text_list *list = &builder->project->settings.record_connected;
    takt_place place = takt_project_place_of(builder->project, list);
    for (int i = 0; i < list->n_items; i++)
        if (!given->is_used[i])
            takt_problem(&builder->problems, TAKT_LEVEL_WARN, place,
                         "record-connected: '%s' matches no component", list->items[i]);
}

typedef struct selection {
    takt_system *system;
    patterns include, exclude;
    patterns connected; // names of components
    int only; // the only component, whose name may be left out; -1: there are several
    bool **is_taken; // per component: is a variable the source of a connection? NULL: all count
    takt_text name; // "component.variable" of the variable in question
    takt_reference *items; // NULL: only count
    int n_items;
    int n_locals; // local variables that were found instead of outputs, also those that are too many
} selection;

// Finds out which variables of components are connected, where that matters.
static bool find_connected(selection *s, takt_arena *scratch)
{
    const takt_system *system = s->system;
    s->is_taken = takt_arena_array(scratch, (size_t)system->n_components, sizeof *s->is_taken);
    if (!s->is_taken) return false;
    for (int i = 0; i < system->n_components; i++) {
        const takt_component *component = &system->components[i];
        if (!component->model || !matches(&s->connected, component->name, NULL)) continue;
        s->is_taken[i] =
            takt_arena_array(scratch, (size_t)component->model->n_variables, sizeof(bool));
        if (!s->is_taken[i]) return false;
    }
    for (int i = 0; i < system->n_connections; i++) {
        const takt_connection *connection = &system->connections[i];
        if (s->is_taken[connection->from])
            s->is_taken[connection->from][connection->from_variable] = true;
    }
    return true;
}

static void select_of(selection *s, int component)
{
    const takt_component *owner = &s->system->components[component];
    bool by_name = s->include.list->n_items || s->exclude.list->n_items;
    if (!owner->model) return;
    s->name.length = 0;
    takt_text_add(&s->name, owner->name);
    takt_text_add(&s->name, ".");
    size_t start = s->name.length;
    for (int v = 0; v < owner->model->n_variables; v++) {
        const takt_variable *variable = &owner->model->variables[v];
        bool is_wanted = variable->causality == TAKT_OUTPUT && !owner->is_input_file;
        if (by_name) {
            s->name.length = start;
            takt_text_add(&s->name, variable->name);
            if (s->name.failed) return;
            const char *bare = component == s->only ? variable->name : NULL;
            if (s->include.list->n_items) is_wanted = matches(&s->include, s->name.data, bare);
            if (matches(&s->exclude, s->name.data, bare)) is_wanted = false;
        }
        if (!is_wanted || (s->is_taken[component] && !s->is_taken[component][v])) continue;
        if (s->items) s->items[s->n_items] = (takt_reference){component, v};
        s->n_items++;
    }
}

// A system without any outputs: the local variables that change are what there is to see.
enum { MOST_LOCALS = 100 };

static void select_locals(selection *s, int component)
{
    const takt_component *owner = &s->system->components[component];
    if (!owner->model || owner->is_input_file) return;
    for (int v = 0; v < owner->model->n_variables; v++) {
        const takt_variable *variable = &owner->model->variables[v];
        bool changes = variable->variability >= TAKT_DISCRETE;
        if (variable->causality != TAKT_LOCAL || !changes) continue;
        if (takt_type_kind(variable->type) == TAKT_KIND_BYTES || variable->type == TAKT_CLOCK)
            continue;
        s->n_locals++;
        if (s->n_items >= MOST_LOCALS) continue;
        if (s->items) s->items[s->n_items] = (takt_reference){component, v};
        s->n_items++;
    }
}

static void select_all(selection *s)
{
    s->n_items = s->n_locals = 0;
    for (int i = 0; i < s->system->n_components; i++) select_of(s, i);
    bool is_chosen =
        s->include.list->n_items || s->exclude.list->n_items || s->connected.list->n_items;
    if (s->n_items || is_chosen) return;
    for (int i = 0; i < s->system->n_components; i++) select_locals(s, i);
}

static void report_locals(takt_builder *builder, const selection *s)
{
    takt_place place = {builder->project->path, 0};
    const takt_text_list *record = &builder->project->settings.record;
    if (s->n_locals == 1)
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, place,
                     "there are no outputs to record: the only local variable that changes is "
                     "recorded; choose with --record 'COMPONENT.VARIABLE', takt info lists them");
    else if (s->n_locals)
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, place,
                     "there are no outputs to record: %s %d local variables that change are "
                     "recorded; choose with --record 'COMPONENT.VARIABLE', takt info lists them",
                     s->n_locals > s->n_items ? "the first 100 of" : "the", s->n_locals);
    else if (s->n_items == 0 && record->n_items == 0)
        takt_problem(
            &builder->problems, TAKT_LEVEL_WARN, place,
            "there is nothing to record but the time: no outputs, and no local variables "
            "that change; choose with --record 'COMPONENT.VARIABLE', takt info lists them");
}

static void report_all_unused(takt_builder *builder, const selection *s)
{
    const takt_settings *settings = &builder->project->settings;
    report_unused(builder, &s->include, "record", &settings->record);
    report_unused(builder, &s->exclude, "record-exclude", &settings->record_exclude);
    report_unused_components(builder, &s->connected);
}

takt_status takt_builder_record(takt_builder *builder, takt_error *err)
{
    takt_system *system = builder->system;
    const takt_settings *settings = &builder->project->settings;
    takt_arena scratch = {0};
    selection s = {.system = system, .only = takt_builder_only_component(builder)};
    bool ok = prepare(&s.include, &settings->record, &scratch) &&
              prepare(&s.exclude, &settings->record_exclude, &scratch) &&
              prepare(&s.connected, &settings->record_connected, &scratch) &&
              find_connected(&s, &scratch);
    if (ok) {
        select_all(&s);
        s.items = takt_arena_array(&system->arena, (size_t)s.n_items, sizeof *s.items);
        ok = s.items && !s.name.failed;
    }
    if (ok) {
        select_all(&s);
        system->recorded = s.items;
        system->n_recorded = s.n_items;
        if (builder->problems.n_errors == 0) { // else perhaps a model is missing
            report_all_unused(builder, &s);
            if (system->n_components) report_locals(builder, &s);
        }
    }
    takt_text_clear(&s.name);
    takt_map_clear(&s.include.names);
    takt_map_clear(&s.exclude.names);
    takt_map_clear(&s.connected.names);
    takt_arena_clear(&scratch);
    return ok ? TAKT_OK : takt_fail_memory(err);
}
