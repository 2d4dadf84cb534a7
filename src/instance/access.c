// SPDX-License-Identifier: MIT
// Sorts variables by type with a stable counting sort; see access.h.
#include "instance/access.h"

// Joins the elements of arrays: one value reference for each run of elements of the same array.
static void add_refs(const takt_model *model, takt_access_group *group, uint32_t *refs)
{
    group->is_whole = true;
    for (int i = 0; i < group->n_values;) {
        const takt_variable *variable = &model->variables[group->variables[i]];
        const takt_array *array = variable->array;
        int n = 1, wanted = array ? array->n_elements : 1;
        if (array && group->variables[i] == array->first)
            while (n < wanted && i + n < group->n_values &&
                   group->variables[i + n] == array->first + n)
                n++;
        if (n < wanted) group->is_whole = false;
        refs[group->n_refs++] = variable->reference;
        i += n;
    }
    group->refs = refs;
}

static bool create_group(takt_arena *arena, const takt_model *model, const int *variables, int n,
                         takt_access_group *group, takt_slot *slots)
{
    uint32_t *refs = takt_arena_array(arena, (size_t)group->n_values, sizeof *refs);
    int *own = takt_arena_array(arena, (size_t)group->n_values, sizeof *own);
    if (!refs || !own) return false;
    int k = 0;
    for (int i = 0; i < n; i++) {
        const takt_variable *variable = &model->variables[variables[i]];
        if (variable->type != group->type) continue;
        if (slots) slots[i] = (takt_slot){takt_type_kind(group->type), group->first + k};
        own[k++] = variables[i];
    }
    group->variables = own;
    add_refs(model, group, refs);
    return true;
}

bool takt_access_create(takt_arena *arena, const takt_model *model, const int *variables, int n,
                        takt_access *out, takt_slot *slots)
{
    int n_of_type[TAKT_N_TYPES] = {0};
    int n_groups = 0;
    for (int i = 0; i < n; i++) n_groups += n_of_type[model->variables[variables[i]].type]++ == 0;

    takt_access_group *groups = takt_arena_array(arena, (size_t)n_groups, sizeof *groups);
    if (!groups) return false;
    takt_access access = {.groups = groups};
    for (int type = 0; type < TAKT_N_TYPES; type++) {
        if (n_of_type[type] == 0) continue;
        takt_access_group *group = &groups[access.n_groups++];
        int *n_values = &access.n_values[takt_type_kind((takt_type)type)];
        *group = (takt_access_group){
            .type = (takt_type)type, .first = *n_values, .n_values = n_of_type[type]};
        *n_values += group->n_values;
        if (!create_group(arena, model, variables, n, group, slots)) return false;
    }
    *out = access;
    return true;
}

int takt_access_index(const takt_access *access, takt_kind kind, int index)
{
    for (int i = 0; i < access->n_groups; i++) {
        const takt_access_group *group = &access->groups[i];
        if (takt_type_kind(group->type) == kind && index >= group->first &&
            index < group->first + group->n_values)
            return group->variables[index - group->first];
    }
    return -1;
}

const takt_variable *takt_access_variable(const takt_access *access, const takt_model *model,
                                          takt_kind kind, int index)
{
    int variable = takt_access_index(access, kind, index);
    return variable < 0 ? NULL : &model->variables[variable];
}
