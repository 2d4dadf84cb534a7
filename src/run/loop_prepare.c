// SPDX-License-Identifier: MIT
// Finds what a loop problem is made of; see loop_prepare.h.
#include "run/loop_prepare.h"

// ---- connections -------------------------------------------------------------------------------------

// Indices in y of the connected outputs of the members.
static bool list_outputs(takt_run *run, takt_loop *loop)
{
    for (int kind = 0; kind < TAKT_N_KINDS; kind++) {
        int n = 0;
        for (int i = 0; i < loop->block->plan->n_members; i++)
            n += run->plan->instances[loop->block->plan->members[i]].outputs.n_values[kind];
        int *own = takt_arena_array(&run->arena, (size_t)n, sizeof *own);
        if (!own) return false;
        int k = 0;
        for (int i = 0; i < loop->block->plan->n_members; i++) {
            const takt_plan_instance *member = &run->plan->instances[loop->block->plan->members[i]];
            for (int j = 0; j < member->outputs.n_values[kind]; j++)
                own[k++] = member->first_output[kind] + j;
        }
        loop->own[kind] = own;
        loop->n_own[kind] = n;
    }
    return true;
}

// Real outputs of members that are discrete.
static bool list_switches(takt_run *run, takt_loop *loop)
{
    int *switches =
        takt_arena_array(&run->arena, (size_t)loop->n_own[TAKT_KIND_REAL], sizeof *switches);
    if (!switches) return false;
    for (int i = 0; i < loop->block->plan->n_members; i++) {
        int member = loop->block->plan->members[i];
        const takt_plan_instance *plan = &run->plan->instances[member];
        const takt_model *model = run->work.instances[member].instance->model;
        for (int k = 0; k < plan->outputs.n_values[TAKT_KIND_REAL]; k++)
            if (takt_access_variable(&plan->outputs, model, TAKT_KIND_REAL, k)->variability !=
                TAKT_CONTINUOUS)
                switches[loop->n_switches++] = plan->first_output[TAKT_KIND_REAL] + k;
    }
    loop->switches = switches;
    return true;
}

// Does a member read a discrete value of a member? Those are marked, kind by kind.
static bool reads_marked(const takt_run *run, const takt_plan_instance *member,
                         bool *const marks[TAKT_N_KINDS])
{
    for (int kind = 0; kind < TAKT_N_KINDS; kind++) {
        const int *from = run->plan->sources[kind] + member->first_input[kind];
        for (int k = 0; k < member->inputs.n_values[kind]; k++)
            if (marks[kind][from[k]]) return true;
    }
    for (int k = 0; k < member->n_adapters; k++)
        if (marks[TAKT_KIND_INTEGER][member->adapters[k].from.index]) return true;
    return false;
}

static bool has_discrete_outputs(const takt_loop *loop)
{
    return loop->n_switches || loop->n_own[TAKT_KIND_INTEGER] || loop->n_own[TAKT_KIND_BYTES];
}

static bool find_discrete(takt_run *run, takt_loop *loop)
{
    takt_arena scratch = {0};
    bool *marks[TAKT_N_KINDS], ok = list_switches(run, loop);
    if (!ok || !has_discrete_outputs(loop)) return ok;
    for (int kind = 0; kind < TAKT_N_KINDS && ok; kind++) {
        // One more: the place of inputs that nothing is connected to.
        size_t n = (size_t)run->plan->n_outputs[kind] + 1;
        marks[kind] = takt_arena_array(&scratch, n, sizeof(bool));
        ok = marks[kind] != NULL;
        const int *own = kind == TAKT_KIND_REAL ? loop->switches : loop->own[kind];
        int n_own = kind == TAKT_KIND_REAL ? loop->n_switches : loop->n_own[kind];
        for (int i = 0; i < n_own && ok; i++) marks[kind][own[i]] = true;
    }
    for (int i = 0; i < loop->block->plan->n_members && ok && !loop->has_discrete; i++)
        loop->has_discrete =
            reads_marked(run, &run->plan->instances[loop->block->plan->members[i]], marks);
    takt_arena_clear(&scratch);
    if (ok && loop->has_discrete) ok = takt_values_init(&loop->delivered, run->plan->n_outputs);
    return ok;
}

// Sources of the members' real inputs that are members' outputs themselves, which are marked.
static bool list_connections(takt_run *run, takt_loop *loop)
{
    int n = 0;
    for (int i = 0; i < loop->block->plan->n_members; i++)
        n += run->plan->instances[loop->block->plan->members[i]].inputs.n_values[TAKT_KIND_REAL];
    int *sources = takt_arena_array(&run->arena, (size_t)n, sizeof *sources);
    if (!sources) return false;
    for (int i = 0; i < loop->block->plan->n_members; i++) {
        const takt_plan_instance *member = &run->plan->instances[loop->block->plan->members[i]];
        const int *from = run->plan->sources[TAKT_KIND_REAL] + member->first_input[TAKT_KIND_REAL];
        for (int j = 0; j < member->inputs.n_values[TAKT_KIND_REAL]; j++)
            if (run->work.marks[from[j]]) sources[loop->n_connections++] = from[j];
    }
    loop->sources = sources;
    return true;
}

static bool find_connections(takt_run *run, takt_loop *loop)
{
    if (!list_outputs(run, loop)) return false;
    const int *own = loop->own[TAKT_KIND_REAL];
    int n = loop->n_own[TAKT_KIND_REAL];
    for (int i = 0; i < n; i++) run->work.marks[own[i]] = true;
    bool ok = list_connections(run, loop);
    for (int i = 0; i < n; i++) run->work.marks[own[i]] = false;
    return ok;
}

takt_status takt_loop_create(takt_run *run, takt_run_block *block, takt_error *err)
{
    takt_loop *loop = takt_arena_alloc(&run->arena, sizeof *loop);
    if (!loop) return takt_fail_memory(err);
    *loop = (takt_loop){.run = run, .block = block, .n = -1};
    block->loop = loop;
    return find_connections(run, loop) && find_discrete(run, loop) ? TAKT_OK
                                                                   : takt_fail_memory(err);
}

void takt_loop_destroy(takt_loop *loop)
{
    if (loop) takt_values_clear(&loop->delivered, loop->run->plan->n_outputs);
}

// ---- unknowns ----------------------------------------------------------------------------------------

typedef struct builder {
    takt_loop *loop;
    int n; // unknowns
    int *unknown_of; // per real value of y: which unknown it is; -1: none
} builder;

static void *array(builder *at, size_t n, size_t size)
{
    return takt_arena_array(&at->loop->run->arena, n, size);
}

static const takt_plan_instance *member(const builder *at, int i)
{
    return &at->loop->run->plan->instances[at->loop->block->plan->members[i]];
}

// The unknowns in the order in which the members deliver them; each once, however many read it.
static bool find_unknowns(builder *at)
{
    takt_loop *loop = at->loop;
    int *unknowns = array(at, (size_t)loop->n_connections, sizeof *unknowns);
    int n_y = at->loop->run->plan->n_outputs[TAKT_KIND_REAL];
    at->unknown_of = array(at, (size_t)n_y, sizeof *at->unknown_of);
    if (!unknowns || !at->unknown_of) return false;
    for (int i = 0; i < n_y; i++) at->unknown_of[i] = -1;
    for (int i = 0; i < loop->n_connections; i++) at->unknown_of[loop->sources[i]] = 0;
    for (int i = 0; i < loop->n_switches; i++) at->unknown_of[loop->switches[i]] = -1;
    int n = 0;
    for (int i = 0; i < loop->n_own[TAKT_KIND_REAL]; i++) {
        int k = loop->own[TAKT_KIND_REAL][i];
        if (at->unknown_of[k] < 0) continue;
        at->unknown_of[k] = n;
        unknowns[n++] = k;
    }
    at->loop->unknowns = unknowns;
    at->n = n;
    return true;
}

static bool make_member(builder *at, int i)
{
    const takt_plan_instance *plan = member(at, i);
    const takt_model *model =
        at->loop->run->work.instances[at->loop->block->plan->members[i]].instance->model;
    int n = plan->outputs.n_values[TAKT_KIND_REAL];
    int *rows = array(at, (size_t)n, sizeof *rows);
    int *variables = array(at, (size_t)n, sizeof *variables);
    takt_loop_member *out = &at->loop->members[i];
    if (!rows || !variables) return false;
    for (int k = 0; k < n; k++) {
        int unknown = at->unknown_of[plan->first_output[TAKT_KIND_REAL] + k];
        if (unknown < 0) continue;
        variables[out->n_rows] = takt_access_index(&plan->outputs, TAKT_KIND_REAL, k);
        rows[out->n_rows++] = unknown;
    }
    out->rows = rows;
    return takt_access_create(&at->loop->run->arena, model, variables, out->n_rows, &out->outputs,
                              NULL);
}

// Calls `visit` for every input inside the loop: unknown, component, index of the input's variable.
static bool for_each_input(builder *at, bool (*visit)(builder *, int, int, int, int *), int *data)
{
    for (int i = 0; i < at->loop->block->plan->n_members; i++) {
        const takt_plan_instance *plan = member(at, i);
        const int *from =
            at->loop->run->plan->sources[TAKT_KIND_REAL] + plan->first_input[TAKT_KIND_REAL];
        for (int k = 0; k < plan->inputs.n_values[TAKT_KIND_REAL]; k++) {
            int unknown = at->unknown_of[from[k]];
            int variable = takt_access_index(&plan->inputs, TAKT_KIND_REAL, k);
            if (unknown >= 0 &&
                !visit(at, unknown, at->loop->block->plan->members[i], variable, data))
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
    takt_loop_reader *reader = &at->loop->readers[next[unknown]++];
    reader->i_instance = i_instance;
    const takt_model *model = at->loop->run->work.instances[i_instance].instance->model;
    return takt_access_create(&at->loop->run->arena, model, &variable, 1, &reader->input, NULL);
}

static bool find_readers(builder *at)
{
    size_t n = (size_t)at->n;
    int *first = array(at, n + 1, sizeof *first);
    int *next = array(at, n, sizeof *next);
    at->loop->readers = array(at, (size_t)at->loop->n_connections, sizeof *at->loop->readers);
    if (!first || !next || !at->loop->readers) return false;
    for_each_input(at, count_reader, first);
    for (size_t j = 0; j < n; j++) first[j + 1] += first[j];
    for (size_t j = 0; j < n; j++) next[j] = first[j];
    at->loop->first_reader = first;
    return for_each_input(at, add_reader, next);
}

static bool find_members(builder *at)
{
    int n = at->loop->block->plan->n_members;
    int n_components = at->loop->run->work.n_instances;
    int *place = array(at, (size_t)n_components, sizeof *place);
    at->loop->members = array(at, (size_t)n, sizeof *at->loop->members);
    if (!place || !at->loop->members) return false;
    for (int i = 0; i < n; i++) {
        place[at->loop->block->plan->members[i]] = i;
        if (!make_member(at, i)) return false;
    }
    at->loop->place = place;
    return true;
}

// Which unknowns the plan says are torn, in ascending order.
static bool find_torn(builder *at)
{
    const takt_block *block = at->loop->block->plan;
    bool *is_torn = array(at, (size_t)at->n, sizeof *is_torn);
    int *torn = array(at, (size_t)at->n, sizeof *torn);
    if (!is_torn || !torn) return false;
    for (int i = 0; i < block->n_torn; i++)
        if (at->unknown_of[block->torn[i]] >= 0) is_torn[at->unknown_of[block->torn[i]]] = true;
    at->loop->n_torn = 0;
    for (int j = 0; j < at->n; j++)
        if (is_torn[j]) torn[at->loop->n_torn++] = j;
    at->loop->torn = torn;
    return true;
}

takt_status takt_loop_find_unknowns(takt_loop *loop, takt_error *err)
{
    if (loop->n >= 0) return TAKT_OK;
    builder at = {.loop = loop};
    if (!find_unknowns(&at) || !find_members(&at) || !find_readers(&at) || !find_torn(&at))
        return takt_fail_memory(err);
    loop->scratch = array(&at, (size_t)at.n, sizeof *loop->scratch);
    loop->flags = array(&at, (size_t)at.n, sizeof *loop->flags);
    loop->scratch_values = array(&at, (size_t)at.n, sizeof *loop->scratch_values);
    if (!loop->scratch || !loop->flags || !loop->scratch_values) return takt_fail_memory(err);
    loop->n = at.n; // from here on it is complete
    return TAKT_OK;
}
