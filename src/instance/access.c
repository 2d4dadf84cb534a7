// SPDX-License-Identifier: MIT
// Sorts variables by type with a stable counting sort; see access.h.
#include "instance/access.h"

// Joins the elements of arrays: one value reference for each run of elements of the same array.
static void add_refs(const takt_model *model, takt_access_batch *batch, uint32_t *refs)
{
    batch->is_whole = true;
    for (int i = 0; i < batch->n_values;) {
        const takt_variable *variable = &model->variables[batch->variables[i]];
        const takt_array *array = variable->array;
        int n = 1, wanted = array ? array->n_elements : 1;
        if (array && batch->variables[i] == array->first)
            while (n < wanted && i + n < batch->n_values &&
                   batch->variables[i + n] == array->first + n)
                n++;
        if (n < wanted) batch->is_whole = false;
        refs[batch->n_refs++] = variable->reference;
        i += n;
    }
    batch->refs = refs;
}

static bool create_batch(takt_arena *arena, const takt_model *model, const int *variables, int n,
                         takt_access_batch *batch, takt_slot *slots)
{
    uint32_t *refs = takt_arena_array(arena, (size_t)batch->n_values, sizeof *refs);
    int *own = takt_arena_array(arena, (size_t)batch->n_values, sizeof *own);
    if (!refs || !own) return false;
    int k = 0;
    for (int i = 0; i < n; i++) {
        const takt_variable *variable = &model->variables[variables[i]];
        if (variable->type != batch->type) continue;
        if (slots) slots[i] = (takt_slot){takt_type_kind(batch->type), batch->first + k};
        own[k++] = variables[i];
    }
    batch->variables = own;
    add_refs(model, batch, refs);
    return true;
}

bool takt_access_create(takt_arena *arena, const takt_model *model, const int *variables, int n,
                        takt_access *out, takt_slot *slots)
{
    int n_of_type[TAKT_N_TYPES] = {0};
    int n_batches = 0;
    for (int i = 0; i < n; i++) n_batches += n_of_type[model->variables[variables[i]].type]++ == 0;

    takt_access_batch *batches = takt_arena_array(arena, (size_t)n_batches, sizeof *batches);
    if (!batches) return false;
    takt_access access = {.batches = batches};
    for (int type = 0; type < TAKT_N_TYPES; type++) {
        if (n_of_type[type] == 0) continue;
        takt_access_batch *batch = &batches[access.n_batches++];
        int *n_values = &access.n_values[takt_type_kind((takt_type)type)];
        *batch = (takt_access_batch){
            .type = (takt_type)type, .first = *n_values, .n_values = n_of_type[type]};
        *n_values += batch->n_values;
        if (!create_batch(arena, model, variables, n, batch, slots)) return false;
    }
    *out = access;
    return true;
}

int takt_access_index(const takt_access *access, takt_kind kind, int index)
{
    for (int i = 0; i < access->n_batches; i++) {
        const takt_access_batch *batch = &access->batches[i];
        if (takt_type_kind(batch->type) == kind && index >= batch->first &&
            index < batch->first + batch->n_values)
            return batch->variables[index - batch->first];
    }
    return -1;
}

const takt_variable *takt_access_variable(const takt_access *access, const takt_model *model,
                                          takt_kind kind, int index)
{
    int variable = takt_access_index(access, kind, index);
    return variable < 0 ? NULL : &model->variables[variable];
}
