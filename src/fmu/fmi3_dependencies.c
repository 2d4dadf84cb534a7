// SPDX-License-Identifier: MIT
// Which elements of arrays depend on which (FMI 3.0.2, section 2.2.10), as a running FMU says. Nothing in
// its answer is trusted: numbers of entries, references and indices are checked.
#include "fmu/fmi3_dependencies.h"

#include <stdlib.h>
#include <string.h>

// An FMU may say more than this about one variable; then it is too much for us.
enum { MAX_ENTRIES = 20000000 };

/// The answer of fmi3GetVariableDependencies.
typedef struct answer {
    size_t n;
    size_t *of, *on; ///< numbers of elements, from 1 on; 0: all of them
    uint32_t *references;
    fmi3DependencyKind *kinds;
} answer;

static void clear(answer *a)
{
    free(a->of);
    free(a->on);
    free(a->references);
    free(a->kinds);
}

static takt_status ask_number(takt_fmi3_instance *self, const takt_access_batch *batch, size_t *n,
                              takt_error *err)
{
    *n = 0;
    takt_status st =
        TAKT_FMU_ACCESS(self, fmi3GetNumberOfVariableDependencies, batch, err, batch->refs[0], n);
    if (!st && *n > MAX_ENTRIES)
        st = takt_fail(err, TAKT_ERR_SIMULATION,
                       "fmi3GetNumberOfVariableDependencies: %zu dependencies are more than %d", *n,
                       MAX_ENTRIES);
    return st;
}

static takt_status ask(takt_fmi3_instance *self, const takt_access_batch *batch, answer *a,
                       takt_error *err)
{
    takt_status st = ask_number(self, batch, &a->n, err);
    if (st) return st;
    a->of = calloc(a->n + 1, sizeof *a->of);
    a->on = calloc(a->n + 1, sizeof *a->on);
    a->references = calloc(a->n + 1, sizeof *a->references);
    a->kinds = calloc(a->n + 1, sizeof *a->kinds);
    if (!a->of || !a->on || !a->references || !a->kinds) return takt_fail_memory(err);
    return TAKT_FMU_ACCESS(self, fmi3GetVariableDependencies, batch, err, batch->refs[0], a->of,
                           a->references, a->on, a->kinds, a->n);
}

// ---- references ----------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const takt_fmi3_place *x = a, *y = b;
    if (x->reference != y->reference) return x->reference < y->reference ? -1 : 1;
    return (x->variable > y->variable) - (x->variable < y->variable);
}

// Sorts all references when they are needed for the first time.
static takt_status sort_references(takt_fmi3_instance *self, takt_error *err)
{
    const takt_model *model = self->common.base.model;
    size_t n = (size_t)model->n_variables;
    if (self->places) return TAKT_OK;
    takt_fmi3_place *places = takt_arena_array(&self->arena, n, sizeof *places);
    if (!places) return takt_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        places[i] = (takt_fmi3_place){model->variables[i].reference, (int)i};
    if (n) qsort(places, n, sizeof *places, compare);
    self->places = places;
    return TAKT_OK;
}

// The variable or the first element of the array with a reference (aliases come later); -1: none.
static int find(const takt_fmi3_instance *self, uint32_t reference)
{
    int low = 0, n = self->common.base.model->n_variables, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (self->places[middle].reference < reference)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < n && self->places[low].reference == reference;
    return is_found ? self->places[low].variable : -1;
}

// ---- elements ------------------------------------------------------------------------------------

/// Variables that one side of an entry means.
typedef struct range {
    int first, n;
} range;

static takt_status find_range(const takt_fmi3_instance *self, int variable, size_t element,
                              range *out, takt_error *err)
{
    const takt_variable *v = &self->common.base.model->variables[variable];
    int n = v->array ? v->array->n_elements : 1;
    if (element > (size_t)n)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "fmi3GetVariableDependencies names element %zu of '%s', which has %d",
                         element, v->array ? v->array->name : v->name, n);
    *out = element ? (range){variable + (int)element - 1, 1} : (range){variable, n};
    return TAKT_OK;
}

// The two sides of entry i; `of` counts from the first element of the dependent variable on.
static takt_status find_sides(const takt_fmi3_instance *self, int variable, const answer *a,
                              size_t i, range *of, range *on, takt_error *err)
{
    int independent = find(self, a->references[i]);
    if (independent < 0)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "fmi3GetVariableDependencies names value reference %lu, which no "
                         "variable has",
                         (unsigned long)a->references[i]);
    takt_status st = find_range(self, variable, a->of[i], of, err);
    if (!st) st = find_range(self, independent, a->on[i], on, err);
    of->first -= variable;
    return st;
}

// Counts what every element depends on, and makes room for it.
static takt_status make_room(const takt_fmi3_instance *self, int variable, const answer *a,
                             takt_arena *arena, takt_dependency *out, int n_elements,
                             takt_error *err)
{
    int64_t n_total = 0;
    for (size_t i = 0; i < a->n; i++) {
        range of, on;
        takt_status st = find_sides(self, variable, a, i, &of, &on, err);
        if (st) return st;
        n_total += (int64_t)of.n * on.n;
        if (n_total > MAX_ENTRIES)
            return takt_fail(err, TAKT_ERR_SIMULATION, "more than %d elements depend on each other",
                             MAX_ENTRIES);
        for (int k = 0; k < of.n; k++) out[of.first + k].n_known += on.n;
    }
    for (int k = 0; k < n_elements; k++) {
        out[k].known = takt_arena_array(arena, (size_t)out[k].n_known, sizeof *out[k].known);
        if (!out[k].known) return takt_fail_memory(err);
        out[k].n_known = 0;
    }
    return TAKT_OK;
}

static takt_status fill(const takt_fmi3_instance *self, int variable, const answer *a,
                        takt_dependency *out, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (size_t i = 0; i < a->n && !st; i++) {
        range of = {0}, on = {0};
        st = find_sides(self, variable, a, i, &of, &on, err);
        for (int k = of.first; k < of.first + of.n && !st; k++)
            for (int j = 0; j < on.n; j++) ((int *)out[k].known)[out[k].n_known++] = on.first + j;
    }
    return st;
}

takt_status takt_fmi3_depend(takt_instance *instance, int variable, takt_arena *arena,
                             takt_dependency *out, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    const takt_variable *v = &instance->model->variables[variable];
    int n = v->array ? v->array->n_elements : 1;
    const takt_access_batch batch = {
        .n_refs = 1, .n_values = 1, .refs = &v->reference, .variables = &variable};
    for (int i = 0; i < n; i++)
        out[i] = (takt_dependency){.variable = variable + i, .is_known = true};
    answer a = {0};
    takt_status st = sort_references(self, err);
    if (!st) st = ask(self, &batch, &a, err);
    if (!st) st = make_room(self, variable, &a, arena, out, n, err);
    if (!st) st = fill(self, variable, &a, out, err);
    clear(&a);
    return st;
}
