// SPDX-License-Identifier: MIT
// Makes the model of a group; see group_model.h. Its variables are those of the members one after the other.
#include "group/group_model.h"

#include <stdlib.h>

static const takt_model *member_model(const takt_membership *membership, int member)
{
    return membership->system->components[membership->members[member]].model;
}

// ---- variables -----------------------------------------------------------------------------------

static bool add_variables(takt_group_model *group, const takt_membership *membership)
{
    takt_model *model = &group->model;
    int *first = takt_arena_array(&model->arena, (size_t)membership->n_members + 1,
                                  sizeof *group->first_variable);
    if (!first) return false;
    group->first_variable = first;
    for (int m = 0; m < membership->n_members; m++)
        first[m + 1] = first[m] + member_model(membership, m)->n_variables;
    model->n_variables = first[membership->n_members];
    model->variables =
        takt_arena_array(&model->arena, (size_t)model->n_variables, sizeof *model->variables);
    if (!model->variables) return false;
    for (int m = 0; m < membership->n_members; m++) {
        const char *name = membership->system->components[membership->members[m]].name;
        for (int i = 0; i < first[m + 1] - first[m]; i++) {
            takt_variable *variable = &model->variables[first[m] + i];
            *variable = member_model(membership, m)->variables[i];
            variable->name = takt_arena_print(&model->arena, "%s.%s", name, variable->name);
            variable->array = NULL; // the members handle arrays
            if (!variable->name) return false;
        }
    }
    return true;
}

static bool describe(takt_group_model *group, const takt_membership *membership)
{
    takt_model *model = &group->model;
    const char *path = member_model(membership, 0)->path;
    model->version = member_model(membership, 0)->version;
    model->can = (takt_capabilities){.rewind = true,
                                     .serialize = true,
                                     .save_restarts = true,
                                     .variable_step = true,
                                     .interpolate_inputs = true};
    for (int m = 0; m < membership->n_members && path; m++) {
        const takt_model *member = member_model(membership, m);
        model->can.rewind &= takt_model_can_rewind(member);
        model->can.serialize &= takt_model_can_serialize(member);
        if (m > 0) path = takt_arena_print(&model->arena, "%s, %s", path, member->path);
    }
    model->name = "group";
    model->path = path;
    model->description_file = path;
    return path != NULL;
}

// ---- connections ---------------------------------------------------------------------------------

static bool is_continuous(const takt_variable *variable)
{
    return takt_type_kind(variable->type) == TAKT_KIND_REAL &&
           variable->variability == TAKT_CONTINUOUS;
}

// Writes a connection to `out` with its ends among the members. False: it is not one between members, or
// not of the kind asked for.
static bool choose(const takt_membership *membership, int i_connection, bool continuous,
                   takt_connection *out)
{
    const takt_system *system = membership->system;
    takt_connection c = system->connections[i_connection];
    int from = takt_group_member(membership, c.from), to = takt_group_member(membership, c.to);
    if (c.is_initial || from < 0 || to < 0) return false;
    bool is = is_continuous(&system->components[c.from].model->variables[c.from_variable]) &&
              is_continuous(&system->components[c.to].model->variables[c.to_variable]);
    c.from = from;
    c.to = to;
    *out = c;
    return is == continuous;
}

// A system of the members alone, with the connections between them that are continuous, or the others.
static bool make_inner(takt_group_model *group, const takt_membership *membership, bool continuous,
                       takt_system *inner)
{
    const takt_system *system = membership->system;
    takt_arena *arena = &group->model.arena;
    takt_connection c;
    size_t n = 0;
    for (int i = 0; i < system->n_connections; i++) n += choose(membership, i, continuous, &c);
    *inner =
        (takt_system){.project = system->project, .log = system->log, .settings = system->settings};
    inner->components =
        takt_arena_array(arena, (size_t)membership->n_members, sizeof *inner->components);
    inner->connections = takt_arena_array(arena, n, sizeof *inner->connections);
    if (!inner->components || !inner->connections) return false;
    for (int m = 0; m < membership->n_members; m++)
        inner->components[inner->n_components++] = system->components[membership->members[m]];
    for (int i = 0; i < system->n_connections; i++)
        if (choose(membership, i, continuous, &c)) inner->connections[inner->n_connections++] = c;
    return true;
}

// ---- model ---------------------------------------------------------------------------------------

static takt_status fill(takt_group_model *group, const takt_membership *membership, takt_error *err)
{
    group->n_members = membership->n_members;
    bool ok = add_variables(group, membership) && describe(group, membership) &&
              make_inner(group, membership, true, &group->continuous) &&
              make_inner(group, membership, false, &group->discrete) &&
              takt_group_add_dependencies(group, membership) && takt_group_add_influences(group);
    takt_status st = ok ? TAKT_OK : takt_fail_memory(err);
    if (!st) st = takt_plan_create_flow(&group->continuous, membership->watch, &group->flow, err);
    if (!st) st = takt_plan_create_flow(&group->discrete, membership->watch, &group->transfer, err);
    return st;
}

takt_status takt_group_model_create(const takt_membership *membership, takt_model **out,
                                    takt_error *err)
{
    takt_group_model *group = calloc(1, sizeof *group);
    if (!group) return takt_fail_memory(err);
    group->model.type = &takt_group_type;
    takt_status st = fill(group, membership, err);
    if (st)
        takt_model_close(&group->model);
    else
        *out = &group->model;
    return st;
}

void takt_group_model_close(takt_model *model)
{
    takt_group_model *group = (takt_group_model *)model;
    takt_plan_destroy(group->flow);
    takt_plan_destroy(group->transfer);
    free(group);
}
