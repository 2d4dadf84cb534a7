// SPDX-License-Identifier: MIT
// Splits accesses to a group by member; see split.h.
#include "group/split.h"

#include <string.h>

// ---- finding ---------------------------------------------------------------------------------------

static bool is_for(const takt_split *split, const takt_access *access)
{
    int k = 0;
    for (int g = 0; g < access->n_batches; g++) {
        const takt_access_batch *batch = &access->batches[g];
        size_t size = (size_t)batch->n_values * sizeof(int);
        if (k + batch->n_values > split->n_variables ||
            memcmp(split->variables + k, batch->variables, size) != 0)
            return false;
        k += batch->n_values;
    }
    return k == split->n_variables;
}

static int member_of(const takt_group_model *model, int variable)
{
    int low = 0, high = model->n_members;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (model->first_variable[middle] <= variable)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// ---- making ----------------------------------------------------------------------------------------

// All variables of an access, batch by batch, and where their values lie.
static bool list_variables(takt_arena *arena, const takt_access *access, takt_split *split,
                           takt_slot **slots)
{
    size_t n = 0;
    for (int g = 0; g < access->n_batches; g++) n += (size_t)access->batches[g].n_values;
    int *variables = takt_arena_array(arena, n, sizeof *variables);
    *slots = takt_arena_array(arena, n, sizeof **slots);
    if (!variables || !*slots) return false;
    for (int g = 0; g < access->n_batches; g++) {
        const takt_access_batch *batch = &access->batches[g];
        for (int i = 0; i < batch->n_values; i++) {
            variables[split->n_variables] = batch->variables[i];
            (*slots)[split->n_variables++] =
                (takt_slot){takt_type_kind(batch->type), batch->first + i};
        }
    }
    split->variables = variables;
    return true;
}

// The portion of an access that concerns member m; false: out of memory.
static bool make_portion(takt_splitter *splitter, const takt_split *split, const takt_slot *from,
                         int m, takt_portion *portion)
{
    const takt_group_model *model = splitter->model;
    takt_arena *arena = &splitter->arena;
    size_t room = (size_t)split->n_variables;
    int *variables = takt_arena_array(arena, room, sizeof *variables);
    int *origin = takt_arena_array(arena, room, sizeof *origin);
    takt_slot *slots = takt_arena_array(arena, room, sizeof *slots);
    int n = 0, *index[TAKT_N_KINDS];
    if (!variables || !origin || !slots) return false;
    for (int i = 0; i < split->n_variables; i++) {
        if (member_of(model, split->variables[i]) != m) continue;
        origin[n] = from[i].index;
        variables[n++] = split->variables[i] - model->first_variable[m];
    }
    portion->member = m;
    if (!takt_access_create(arena, model->continuous.components[m].model, variables, n,
                            &portion->access, slots) ||
        !takt_values_init(&portion->values, portion->access.n_values))
        return false;
    for (int k = 0; k < TAKT_N_KINDS; k++) {
        index[k] = takt_arena_array(arena, (size_t)portion->access.n_values[k], sizeof(int));
        if (!index[k]) return false;
        portion->index[k] = index[k];
    }
    for (int i = 0; i < n; i++) index[slots[i].kind][slots[i].index] = origin[i];
    return true;
}

static bool make_portions(takt_splitter *splitter, const takt_access *access, takt_split *split)
{
    int n_members = splitter->model->n_members;
    takt_slot *slots;
    if (!list_variables(&splitter->arena, access, split, &slots)) return false;
    bool *is_used = takt_arena_array(&splitter->arena, (size_t)n_members, sizeof *is_used);
    split->portions =
        takt_arena_array(&splitter->arena, (size_t)n_members, sizeof *split->portions);
    if (!is_used || !split->portions) return false;
    for (int i = 0; i < split->n_variables; i++)
        is_used[member_of(splitter->model, split->variables[i])] = true;
    for (int m = 0; m < n_members; m++)
        if (is_used[m] &&
            !make_portion(splitter, split, slots, m, &split->portions[split->n_portions++]))
            return false;
    return true;
}

const takt_split *takt_splitter_find(takt_splitter *splitter, const takt_access *access)
{
    for (takt_split *split = splitter->splits; split; split = split->next)
        if (is_for(split, access)) return split;
    takt_split *split = takt_arena_array(&splitter->arena, 1, sizeof *split);
    if (!split) return NULL;
    bool ok = make_portions(splitter, access, split);
    if (!ok) split->n_variables = -1; // fits no access
    split->next = splitter->splits; // also when it is half made: its values are freed at the end
    splitter->splits = split;
    return ok ? split : NULL;
}

void takt_splitter_clear(takt_splitter *splitter)
{
    for (takt_split *split = splitter->splits; split; split = split->next)
        for (int i = 0; i < split->n_portions; i++)
            takt_values_clear(&split->portions[i].values, split->portions[i].access.n_values);
    takt_arena_clear(&splitter->arena);
    *splitter = (takt_splitter){0};
}

// ---- copying ---------------------------------------------------------------------------------------

bool takt_portion_fill(const takt_portion *portion, const takt_values *whole)
{
    const int *n = portion->access.n_values, *const *index = portion->index;
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
        portion->values.real[i] = whole->real[index[TAKT_KIND_REAL][i]];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        portion->values.integer[i] = whole->integer[index[TAKT_KIND_INTEGER][i]];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *from = &whole->bytes[index[TAKT_KIND_BYTES][i]];
        if (!takt_bytes_assign(&portion->values.bytes[i], from->data, from->size)) return false;
    }
    return true;
}

bool takt_portion_return(const takt_portion *portion, takt_values *whole)
{
    const int *n = portion->access.n_values, *const *index = portion->index;
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
        whole->real[index[TAKT_KIND_REAL][i]] = portion->values.real[i];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        whole->integer[index[TAKT_KIND_INTEGER][i]] = portion->values.integer[i];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *from = &portion->values.bytes[i];
        if (!takt_bytes_assign(&whole->bytes[index[TAKT_KIND_BYTES][i]], from->data, from->size))
            return false;
    }
    return true;
}
