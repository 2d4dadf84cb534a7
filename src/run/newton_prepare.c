// SPDX-License-Identifier: MIT
// Finds the unknowns of a loop and who reads them; see newton.h. Cost is linear in the connections of
// the loop.
#include "run/newton.h"

// A full matrix of more unknowns than this needs too much memory and time.
enum { MAX_UNKNOWNS = 4000 };

typedef struct builder {
    takt_run *run;
    takt_run_block *block;
    takt_newton_block *newton;
    int *unknown_of; // per real value of y: which unknown it is; -1: none
} builder;

static void *array(builder *at, size_t n, size_t size)
{
    return takt_arena_array(&at->run->arena, n, size);
}

static const takt_plan_instance *member(const builder *at, int i)
{
    return &at->run->plan->instances[at->block->plan->members[i]];
}

// The unknowns in the order in which the members deliver them; each once, however many read it.
static bool find_unknowns(builder *at)
{
    takt_run_block *block = at->block;
    int *unknowns = array(at, (size_t)block->n_connections, sizeof *unknowns);
    int n_y = at->run->plan->n_outputs[TAKT_KIND_REAL];
    at->unknown_of = array(at, (size_t)n_y, sizeof *at->unknown_of);
    if (!unknowns || !at->unknown_of) return false;
    for (int i = 0; i < n_y; i++) at->unknown_of[i] = -1;
    for (int i = 0; i < block->n_connections; i++) at->unknown_of[block->sources[i]] = 0;
    int n = 0;
    for (int i = 0; i < block->n_own[TAKT_KIND_REAL]; i++) {
        int k = block->own[TAKT_KIND_REAL][i];
        if (at->unknown_of[k] < 0) continue;
        at->unknown_of[k] = n;
        unknowns[n++] = k;
    }
    at->newton->unknowns = unknowns;
    at->newton->n = n;
    return true;
}

static bool make_member(builder *at, int i)
{
    const takt_plan_instance *plan = member(at, i);
    const takt_model *model = at->run->instances[at->block->plan->members[i]].instance->model;
    int n = plan->outputs.n_values[TAKT_KIND_REAL];
    int *rows = array(at, (size_t)n, sizeof *rows);
    int *variables = array(at, (size_t)n, sizeof *variables);
    takt_newton_member *out = &at->newton->members[i];
    if (!rows || !variables) return false;
    for (int k = 0; k < n; k++) {
        int unknown = at->unknown_of[plan->first_output[TAKT_KIND_REAL] + k];
        if (unknown < 0) continue;
        variables[out->n_rows] = takt_access_index(&plan->outputs, TAKT_KIND_REAL, k);
        rows[out->n_rows++] = unknown;
    }
    out->rows = rows;
    return takt_access_create(&at->run->arena, model, variables, out->n_rows, &out->outputs, NULL);
}

// Calls `visit` for every input inside the loop: unknown, component, index of the input's variable.
static bool for_each_input(builder *at, bool (*visit)(builder *, int, int, int, int *), int *data)
{
    for (int i = 0; i < at->block->plan->n_members; i++) {
        const takt_plan_instance *plan = member(at, i);
        const int *from =
            at->run->plan->sources[TAKT_KIND_REAL] + plan->first_input[TAKT_KIND_REAL];
        for (int k = 0; k < plan->inputs.n_values[TAKT_KIND_REAL]; k++) {
            int unknown = at->unknown_of[from[k]];
            int variable = takt_access_index(&plan->inputs, TAKT_KIND_REAL, k);
            if (unknown >= 0 && !visit(at, unknown, at->block->plan->members[i], variable, data))
                return false;
        }
    }
    return true;
}

static bool count_reader(builder *at, int unknown, int i_instance, int variable, int *count)
{
    (void)at, (void)i_instance, (void)variable;
    count[unknown + 1]++;
    return true;
}

static bool add_reader(builder *at, int unknown, int i_instance, int variable, int *next)
{
    takt_newton_reader *reader = &at->newton->readers[next[unknown]++];
    reader->i_instance = i_instance;
    const takt_model *model = at->run->instances[i_instance].instance->model;
    return takt_access_create(&at->run->arena, model, &variable, 1, &reader->input, NULL);
}

static bool find_readers(builder *at)
{
    size_t n = (size_t)at->newton->n;
    int *first = array(at, n + 1, sizeof *first);
    int *next = array(at, n, sizeof *next);
    at->newton->readers = array(at, (size_t)at->block->n_connections, sizeof *at->newton->readers);
    if (!first || !next || !at->newton->readers) return false;
    for_each_input(at, count_reader, first);
    for (size_t j = 0; j < n; j++) first[j + 1] += first[j];
    for (size_t j = 0; j < n; j++) next[j] = first[j];
    at->newton->first_reader = first;
    return for_each_input(at, add_reader, next);
}

static bool find_members(builder *at)
{
    int n = at->block->plan->n_members;
    int n_components = at->run->n_instances;
    int *place = array(at, (size_t)n_components, sizeof *place);
    at->newton->members = array(at, (size_t)n, sizeof *at->newton->members);
    if (!place || !at->newton->members) return false;
    for (int i = 0; i < n; i++) {
        place[at->block->plan->members[i]] = i;
        if (!make_member(at, i)) return false;
    }
    at->newton->place = place;
    return true;
}

static bool make_vectors(builder *at)
{
    takt_newton_block *newton = at->newton;
    size_t n = (size_t)newton->n;
    double *vectors = array(at, 7 * n, sizeof *vectors);
    newton->matrix = array(at, n * n, sizeof *newton->matrix);
    newton->pivots = array(at, n, sizeof *newton->pivots);
    if (!vectors || !newton->matrix || !newton->pivots) return false;
    newton->x = vectors;
    newton->x_try = vectors + n;
    newton->s = vectors + 2 * n;
    newton->residual = vectors + 3 * n;
    newton->step = vectors + 4 * n;
    newton->scales = vectors + 5 * n;
    return true;
}

takt_status takt_newton_prepare(takt_run *run, takt_run_block *block, takt_error *err)
{
    if (block->newton) return TAKT_OK;
    takt_newton_block *newton = takt_arena_alloc(&run->arena, sizeof *newton);
    builder at = {.run = run, .block = block, .newton = newton};
    if (!newton || !find_unknowns(&at)) return takt_fail_memory(err);
    if (newton->n > MAX_UNKNOWNS)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "the loop of '%s' has %d unknowns, too many for Newton's method (at most "
                         "%d); choose another --algorithm for it",
                         run->instances[block->plan->members[0]].instance->name, newton->n,
                         MAX_UNKNOWNS);
    if (!find_members(&at) || !find_readers(&at) || !make_vectors(&at))
        return takt_fail_memory(err);
    block->newton = newton;
    return TAKT_OK;
}
