// SPDX-License-Identifier: MIT
// The dependencies of a group, for the plan of the system it is in. After the initialization an output depends
// on those inputs from outside from which feedthrough and inner connections lead to it. During the
// initialization the inner connections are still seen from outside, so that each member has its own.
#include "group/group_model.h"
#include "plan/wiring.h"

typedef struct finder {
    takt_group_model *group;
    const takt_membership *membership;
    takt_arena scratch;
    takt_wiring wiring; // of the whole system
    takt_graph graph;
    int *seen; // per node: 1 + number of the input from which it was reached last
    int *stack;
    takt_dependency *of_output; // per connected output of the system
    int *capacity; // of its list
} finder;

static int member_of_node(const finder *f, int node)
{
    return takt_group_member(f->membership, takt_wiring_component(&f->wiring, node));
}

// The index in the group of a variable of the system.
static int in_group(const finder *f, takt_reference at)
{
    int m = takt_group_member(f->membership, at.component);
    return m < 0 ? -1 : f->group->first_variable[m] + at.variable;
}

// ---- after the initialization --------------------------------------------------------------------

static bool add_known(finder *f, takt_dependency *d, int *capacity, int variable)
{
    if (d->n_known == *capacity) { // doubled in the arena: short lists, and few of them
        int wanted = *capacity ? 2 * *capacity : 4;
        int *known = takt_arena_array(&f->group->model.arena, (size_t)wanted, sizeof *known);
        if (!known) return false;
        for (int i = 0; i < d->n_known; i++) known[i] = d->known[i];
        d->known = known;
        *capacity = wanted;
    }
    ((int *)d->known)[d->n_known++] = variable; // it lies in the group's arena
    return true;
}

// Follows an input from outside to all outputs that it has an influence on.
static bool follow(finder *f, int input)
{
    const takt_wiring *w = &f->wiring;
    int n = 0;
    f->stack[n++] = w->n_outputs + input;
    while (n > 0) {
        int node = f->stack[--n];
        if (node < w->n_outputs &&
            !add_known(f, &f->of_output[node], &f->capacity[node], in_group(f, w->inputs[input])))
            return false;
        for (int i = f->graph.first[node]; i < f->graph.first[node + 1]; i++) {
            int next = f->graph.targets[i];
            if (f->seen[next] == input + 1 || member_of_node(f, next) < 0) continue;
            f->seen[next] = input + 1;
            f->stack[n++] = next;
        }
    }
    return true;
}

static bool find_feedthrough(finder *f)
{
    takt_model *model = &f->group->model;
    const takt_wiring *w = &f->wiring;
    size_t n_nodes = (size_t)f->graph.n_nodes, n_outputs = (size_t)w->n_outputs;
    f->seen = takt_arena_array(&f->scratch, n_nodes, sizeof *f->seen);
    f->stack = takt_arena_array(&f->scratch, n_nodes + 1, sizeof *f->stack);
    f->of_output = takt_arena_array(&f->scratch, n_outputs, sizeof *f->of_output);
    f->capacity = takt_arena_array(&f->scratch, n_outputs, sizeof *f->capacity);
    model->outputs = takt_arena_array(&model->arena, n_outputs, sizeof *model->outputs);
    if (!f->seen || !f->stack || !f->of_output || !f->capacity || !model->outputs) return false;
    for (int i = 0; i < w->n_inputs; i++) {
        bool is_inside = takt_group_member(f->membership, w->outputs[w->source[i]].component) >= 0;
        if (in_group(f, w->inputs[i]) < 0 || is_inside) continue;
        if (!follow(f, i)) return false;
    }
    for (int i = 0; i < w->n_outputs; i++) {
        int variable = in_group(f, w->outputs[i]);
        if (variable < 0) continue;
        takt_dependency *d = &model->outputs[model->n_outputs++];
        *d = f->of_output[i];
        d->variable = variable;
        d->is_known = true;
    }
    return true;
}

// ---- during the initialization -------------------------------------------------------------------

static bool is_listed(const takt_model *member, int variable)
{
    for (int i = 0; i < member->n_initial_unknowns; i++)
        if (member->initial_unknowns[i].variable == variable)
            return member->initial_unknowns[i].is_known;
    return false;
}

static bool add_listed(finder *f, int member, const takt_dependency *from)
{
    takt_model *model = &f->group->model;
    int first = f->group->first_variable[member];
    int *known = takt_arena_array(&model->arena, (size_t)from->n_known, sizeof *known);
    if (!known) return false;
    for (int i = 0; i < from->n_known; i++) known[i] = first + from->known[i];
    model->initial_unknowns[model->n_initial_unknowns++] =
        (takt_dependency){.variable = first + from->variable,
                          .is_known = true,
                          .n_known = from->n_known,
                          .known = known};
    return true;
}

// An output of which nothing is known depends on all inputs of its member, but not of others.
static bool add_unlisted(finder *f, int member, int variable)
{
    takt_model *model = &f->group->model;
    int first = f->group->first_variable[member], end = f->group->first_variable[member + 1];
    const takt_variable *about = &model->variables[first + variable];
    if (about->initial == TAKT_EXACT || about->variability == TAKT_CONSTANT) return true;
    takt_dependency d = {.variable = first + variable, .is_known = true};
    int capacity = 0;
    for (int i = first; i < end; i++)
        if (model->variables[i].causality == TAKT_INPUT && !add_known(f, &d, &capacity, i))
            return false;
    model->initial_unknowns[model->n_initial_unknowns++] = d;
    return true;
}

static bool find_initial(finder *f)
{
    takt_model *model = &f->group->model;
    const takt_wiring *w = &f->wiring;
    size_t n = (size_t)w->n_outputs;
    for (int m = 0; m < f->membership->n_members; m++)
        n += (size_t)f->group->continuous.components[m].model->n_initial_unknowns;
    model->initial_unknowns = takt_arena_array(&model->arena, n, sizeof *model->initial_unknowns);
    if (!model->initial_unknowns) return false;
    for (int m = 0; m < f->membership->n_members; m++) {
        const takt_model *member = f->group->continuous.components[m].model;
        for (int i = 0; i < member->n_initial_unknowns; i++)
            if (member->initial_unknowns[i].is_known &&
                !add_listed(f, m, &member->initial_unknowns[i]))
                return false;
    }
    for (int i = 0; i < w->n_outputs; i++) {
        int m = takt_group_member(f->membership, w->outputs[i].component);
        if (m < 0 || is_listed(f->group->continuous.components[m].model, w->outputs[i].variable))
            continue;
        if (!add_unlisted(f, m, w->outputs[i].variable)) return false;
    }
    return true;
}

bool takt_group_add_dependencies(takt_group_model *group, const takt_membership *membership)
{
    finder f = {.group = group, .membership = membership};
    bool ok = takt_wiring_create(&f.scratch, membership->system, &f.wiring) &&
              takt_wiring_graph(&f.scratch, &f.wiring, false, &f.graph) && find_feedthrough(&f) &&
              find_initial(&f);
    takt_arena_clear(&f.scratch);
    return ok;
}
