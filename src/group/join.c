// SPDX-License-Identifier: MIT
// Rewrites a system: each set of components for model exchange that are connected directly becomes one
// component. Connections inside it stay for the initialization only, which uses the dependencies of single
// variables; from then on they belong to the group's equations.
#include "group/group.h"

#include <stdlib.h>

#include "group/group_model.h"

typedef struct joiner {
    const takt_system *system; // as it is
    const int *order; // of its components; members are listed in it
    takt_watch *watch; // may be NULL
    takt_system *out; // as it becomes
    takt_arena scratch;
    int *leader; // per component: the first component of its group; itself if it is in none
    int *member_of; // per component: its number in its group; -1: it is in none
    int *joined; // per component: its component in `out`
    int *first_variable; // per component: what is added to indices of its variables
    int n_groups;
} joiner;

// ---- finding groups ------------------------------------------------------------------------------

static int find_leader(joiner *j, int component)
{
    while (j->leader[component] != component) {
        j->leader[component] = j->leader[j->leader[component]];
        component = j->leader[component];
    }
    return component;
}

static bool has_equations(const joiner *j, int component)
{
    return j->system->components[component].model->type->equations != NULL;
}

static bool find_groups(joiner *j)
{
    const takt_system *system = j->system;
    size_t n = (size_t)system->n_components;
    j->leader = takt_arena_array(&j->scratch, n, sizeof *j->leader);
    j->member_of = takt_arena_array(&j->scratch, n, sizeof *j->member_of);
    j->joined = takt_arena_array(&j->scratch, n, sizeof *j->joined);
    j->first_variable = takt_arena_array(&j->scratch, n, sizeof *j->first_variable);
    j->order = takt_system_sort(system, &j->scratch);
    if (!j->leader || !j->member_of || !j->joined || !j->first_variable || !j->order) return false;
    for (int i = 0; i < system->n_components; i++) j->leader[i] = i;
    for (int i = 0; i < system->n_connections; i++) {
        const takt_connection *c = &system->connections[i];
        if (c->is_initial || !has_equations(j, c->from) || !has_equations(j, c->to)) continue;
        int a = find_leader(j, c->from), b = find_leader(j, c->to);
        if (a < b) j->leader[b] = a;
        if (b < a) j->leader[a] = b;
    }
    for (int i = 0; i < system->n_components; i++) j->member_of[i] = -1;
    for (int i = 0; i < system->n_components; i++) {
        int leader = find_leader(j, i);
        if (leader == i) continue;
        j->n_groups += j->member_of[leader] < 0;
        j->member_of[leader] = 0;
        j->member_of[i] = 1; // numbered when the group is made
    }
    return true;
}

// ---- components ----------------------------------------------------------------------------------

// "a+b+c"; long lists are cut. NULL: out of memory.
static const char *join_names(joiner *j, const int *members, int n)
{
    enum { SHOWN = 4 };
    takt_arena *arena = &j->out->arena;
    const char *text = j->system->components[members[0]].name;
    for (int i = 1; i < n && i < SHOWN && text; i++)
        text = takt_arena_print(arena, "%s+%s", text, j->system->components[members[i]].name);
    if (text && n > SHOWN) text = takt_arena_print(arena, "%s+%d others", text, n - SHOWN);
    return text;
}

static takt_status add_group(joiner *j, int leader, takt_error *err)
{
    const takt_system *system = j->system;
    takt_system *out = j->out;
    int *members = takt_arena_array(&j->scratch, (size_t)system->n_components, sizeof *members);
    int n = 0, n_variables = 0;
    bool in_one_thread = false;
    double step_size = 0; // the smallest that is given
    if (!members) return takt_fail_memory(err);
    for (int k = 0; k < system->n_components; k++) {
        int i = j->order[k];
        if (j->member_of[i] < 0 || find_leader(j, i) != leader) continue;
        j->joined[i] = out->n_components;
        j->first_variable[i] = n_variables;
        j->member_of[i] = n;
        n_variables += system->components[i].model->n_variables;
        members[n++] = i;
        in_one_thread |= system->components[i].in_one_thread;
        double own = system->components[i].step_size;
        if (own > 0 && (step_size == 0 || own < step_size)) step_size = own;
    }
    const char *name = join_names(j, members, n);
    const takt_membership membership = {system, j->watch, members, n, j->member_of};
    takt_model *model = NULL;
    takt_status st =
        name ? takt_group_model_create(&membership, &model, err) : takt_fail_memory(err);
    if (st) return st;
    out->models[out->n_models++] = model;
    out->components[out->n_components++] =
        (takt_component){.name = name,
                         .model = model,
                         .in_one_thread = in_one_thread,
                         .step_size = step_size,
                         .is_group = true,
                         .place = system->components[leader].place};
    takt_log_write(system->log, TAKT_LEVEL_INFO, "integrated together: %s", name);
    return TAKT_OK;
}

static takt_status add_components(joiner *j, takt_error *err)
{
    const takt_system *system = j->system;
    takt_system *out = j->out;
    size_t n = (size_t)system->n_components;
    out->components = takt_arena_array(&out->arena, n, sizeof *out->components);
    out->models = takt_arena_array(&out->arena, (size_t)j->n_groups, sizeof *out->models);
    if (!out->components || !out->models) return takt_fail_memory(err);
    for (int i = 0; i < system->n_components; i++) {
        takt_status st = TAKT_OK;
        if (j->member_of[i] < 0) {
            j->joined[i] = out->n_components;
            out->components[out->n_components++] = system->components[i];
        } else if (find_leader(j, i) == i) {
            st = add_group(j, i, err);
        }
        if (st) return st;
        // A member's name stands for its group where settings name components.
        if (!takt_map_add(&out->names, system->components[i].name, j->joined[i]))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

// ---- all that refers to components -----------------------------------------------------------------

static bool rewrite_connections(joiner *j)
{
    const takt_system *system = j->system;
    takt_system *out = j->out;
    out->connections =
        takt_arena_array(&out->arena, (size_t)system->n_connections, sizeof *out->connections);
    if (!out->connections) return false;
    for (int i = 0; i < system->n_connections; i++) {
        takt_connection c = system->connections[i];
        bool is_inside = j->joined[c.from] == j->joined[c.to] && j->member_of[c.from] >= 0;
        c.from_variable += j->first_variable[c.from];
        c.to_variable += j->first_variable[c.to];
        c.from = j->joined[c.from];
        c.to = j->joined[c.to];
        c.is_initial |= is_inside;
        out->connections[out->n_connections++] = c;
    }
    return true;
}

static bool rewrite_starts(joiner *j)
{
    const takt_system *system = j->system;
    takt_system *out = j->out;
    size_t n = (size_t)out->n_components;
    out->starts = takt_arena_array(&out->arena, n, sizeof *out->starts);
    out->n_starts = takt_arena_array(&out->arena, n, sizeof *out->n_starts);
    int *room = takt_arena_array(&j->scratch, n, sizeof *room);
    if (!out->starts || !out->n_starts || !room) return false;
    for (int i = 0; i < system->n_components; i++) room[j->joined[i]] += system->n_starts[i];
    for (int i = 0; i < out->n_components; i++) {
        out->starts[i] = takt_arena_array(&out->arena, (size_t)room[i], sizeof **out->starts);
        if (!out->starts[i]) return false;
    }
    for (int i = 0; i < system->n_components; i++)
        for (int k = 0; k < system->n_starts[i]; k++) {
            takt_start start = system->starts[i][k];
            start.variable += j->first_variable[i];
            out->starts[j->joined[i]][out->n_starts[j->joined[i]]++] = start;
        }
    return true;
}

static bool rewrite_recorded(joiner *j)
{
    takt_system *out = j->out;
    int n = j->system->n_recorded;
    out->recorded = takt_arena_array(&out->arena, (size_t)n, sizeof *out->recorded);
    if (!out->recorded) return false;
    out->n_recorded = n;
    for (int i = 0; i < n; i++) {
        takt_reference at = j->system->recorded[i];
        out->recorded[i] = (takt_reference){j->joined[at.component],
                                            at.variable + j->first_variable[at.component]};
    }
    return true;
}

// ---- system --------------------------------------------------------------------------------------

static takt_status join(joiner *j, takt_error *err)
{
    takt_system *out = calloc(1, sizeof *out);
    j->out = out;
    if (!out) return takt_fail_memory(err);
    out->project = j->system->project;
    out->log = j->system->log;
    out->settings = j->system->settings;
    takt_status st = add_components(j, err);
    if (st) return st;
    bool ok = rewrite_connections(j) && rewrite_starts(j) && rewrite_recorded(j);
    return ok ? TAKT_OK : takt_fail_memory(err);
}

takt_status takt_group_system(const takt_system *system, takt_watch *watch, takt_system **out,
                              takt_error *err)
{
    joiner j = {.system = system, .watch = watch};
    takt_status st = find_groups(&j) ? TAKT_OK : takt_fail_memory(err);
    if (!st && j.n_groups > 0) st = join(&j, err);
    takt_arena_clear(&j.scratch);
    if (st) {
        takt_system_destroy(j.out);
        return st;
    }
    if (j.n_groups == 0)
        takt_log_write(system->log, TAKT_LEVEL_WARN,
                       "me central: no FMUs for model exchange are connected directly, so there is "
                       "nothing to integrate together; --interface me chooses model exchange where "
                       "FMUs offer both");
    *out = j.out;
    return TAKT_OK;
}
