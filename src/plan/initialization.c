// SPDX-License-Identifier: MIT
// The order of reading outputs and setting inputs during initialization, from the dependencies of
// single variables (FMI 2.0, section 2.2.8: InitialUnknowns). Variables of the same level do not
// depend on each other, so those of one instance are read or set with one call.
//
// With the dependencies of ModelStructure/Outputs the same gives the flow of values at any later time.
//
// Variables that depend on each other form a loop; a sweep of it sets and reads one instance after
// the other, in the order in which they are called.
#include "plan/compile.h"

#include <stdlib.h>

// One variable to be read or set.
typedef struct item {
    int level;
    int loop; // 1 + number of its loop; 0: it is in none
    int place; // of its instance in the calling order
    bool is_set;
    int node;
} item;

static int compare(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    if (x->loop != y->loop) return x->loop < y->loop ? -1 : 1;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    // In a loop an instance is set before it is read. Elsewhere variables of one level are
    // independent, and any order will do.
    if (x->is_set != y->is_set) return x->is_set ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static bool is_together(const item *a, const item *b)
{
    return a->loop == b->loop && a->place == b->place && a->is_set == b->is_set;
}

// All connected variables in the order in which they are handled.
static item *sort_items(takt_arena *scratch, const takt_wiring *w, bool is_initial, int *out_n)
{
    takt_graph graph;
    takt_components order;
    int n_nodes = w->n_outputs + w->n_inputs;
    item *items = takt_arena_array(scratch, (size_t)n_nodes, sizeof *items);
    if (!items || !takt_wiring_graph(scratch, w, is_initial, &graph) ||
        !takt_graph_components(scratch, &graph, &order))
        return NULL;
    for (int i = 0; i < n_nodes; i++) {
        int c = order.component_of[i];
        bool is_loop = order.first[c + 1] - order.first[c] > 1;
        items[i] = (item){order.level[c], is_loop ? c + 1 : 0,
                          w->place[takt_wiring_component(w, i)], i >= w->n_outputs, i};
    }
    if (n_nodes) qsort(items, (size_t)n_nodes, sizeof *items, compare);
    *out_n = n_nodes;
    return items;
}

// The action that handles items[0] .. items[n-1], all of one instance and direction.
static bool create_action(takt_plan *plan, takt_arena *scratch, const takt_wiring *w,
                          const item *items, int n, takt_init_action *out)
{
    int instance = takt_wiring_component(w, items->node);
    takt_init_action action = {.is_set = items->is_set, .instance = instance};
    int *variables = takt_arena_array(scratch, (size_t)n, sizeof *variables);
    takt_slot *slots = takt_arena_array(scratch, (size_t)n, sizeof *slots);
    if (!variables || !slots) return false;
    for (int i = 0; i < n; i++)
        variables[i] = items->is_set ? w->inputs[items[i].node - w->n_outputs].variable
                                     : w->outputs[items[i].node].variable;
    if (!takt_access_create(&plan->arena, plan->system->components[instance].model, variables, n,
                            &action.access, slots))
        return false;
    int *index[TAKT_N_KINDS];
    for (int k = 0; k < TAKT_N_KINDS; k++) {
        index[k] = takt_arena_array(&plan->arena, (size_t)action.access.n_values[k], sizeof(int));
        if (!index[k]) return false;
        action.index[k] = index[k];
    }
    for (int i = 0; i < n; i++)
        index[slots[i].kind][slots[i].index] =
            items->is_set ? w->u[items[i].node - w->n_outputs] : w->y[items[i].node];
    *out = action;
    return true;
}

// Items that are handled by one action.
typedef struct group {
    int loop;
    takt_init_action action;
} group;

static group *create_groups(takt_plan *plan, takt_arena *scratch, const takt_wiring *w,
                            bool is_initial, int *out_n)
{
    int n_items = 0, n = 0;
    item *items = sort_items(scratch, w, is_initial, &n_items);
    group *groups = items ? takt_arena_array(scratch, (size_t)n_items, sizeof *groups) : NULL;
    if (!groups) return NULL;
    for (int i = 0, end; i < n_items; i = end) {
        for (end = i + 1; end < n_items && is_together(&items[i], &items[end]);) end++;
        groups[n].loop = items[i].loop;
        if (!create_action(plan, scratch, w, &items[i], end - i, &groups[n++].action)) return NULL;
    }
    *out_n = n;
    return groups;
}

static bool add_stages(takt_plan *plan, takt_arena *scratch, const takt_wiring *w, bool is_initial)
{
    int n = 0, n_stages = 0;
    const group *groups = create_groups(plan, scratch, w, is_initial, &n);
    if (!groups) return false;
    for (int i = 0; i < n; i++) n_stages += i == 0 || groups[i].loop != groups[i - 1].loop;
    takt_init_action *actions = takt_arena_array(&plan->arena, (size_t)n, sizeof *actions);
    plan->init_stages = takt_arena_array(&plan->arena, (size_t)n_stages, sizeof *plan->init_stages);
    if (!actions || !plan->init_stages) return false;
    for (int i = 0; i < n; i++) {
        if (i == 0 || groups[i].loop != groups[i - 1].loop)
            plan->init_stages[plan->n_init_stages++] =
                (takt_init_stage){.is_loop = groups[i].loop, .actions = &actions[i]};
        plan->init_stages[plan->n_init_stages - 1].n_actions++;
        actions[i] = groups[i].action;
    }
    return true;
}

bool takt_plan_add_stages(takt_plan *plan, const takt_wiring *wiring, bool is_initial)
{
    takt_arena scratch = {0};
    bool ok = add_stages(plan, &scratch, wiring, is_initial);
    takt_arena_clear(&scratch);
    return ok;
}
