// SPDX-License-Identifier: MIT
// Whose states have an influence on whose derivatives: a member's own, and those of all members from which
// connections and feedthrough lead to its inputs. The matrix of the derivatives is empty elsewhere.
#include <stdlib.h>

#include "group/group_model.h"
#include "plan/wiring.h"

typedef struct finder {
    takt_wiring wiring;
    takt_graph graph;
    int *seen; // per node: 1 + the member from which it was reached last
    int *stack;
} finder;

// Marks in `is_reached` the members that the outputs of a member lead to, and itself.
static void follow(finder *f, int member, bool *is_reached)
{
    const takt_wiring *w = &f->wiring;
    int n = 0;
    is_reached[member] = true;
    for (int i = w->first_output[member]; i < w->first_output[member + 1]; i++) {
        f->seen[i] = member + 1;
        f->stack[n++] = i;
    }
    while (n > 0) {
        int node = f->stack[--n];
        is_reached[takt_wiring_component(w, node)] = true;
        for (int i = f->graph.first[node]; i < f->graph.first[node + 1]; i++) {
            int next = f->graph.targets[i];
            if (f->seen[next] == member + 1) continue;
            f->seen[next] = member + 1;
            f->stack[n++] = next;
        }
    }
}

static bool find(takt_group_model *group, finder *f, takt_arena *scratch)
{
    size_t n = (size_t)group->n_members, n_nodes = (size_t)f->graph.n_nodes;
    takt_edge *edges = NULL; // from a member to those it has an influence on, turned around
    int n_edges = 0, capacity = 0;
    bool *is_reached = takt_arena_array(scratch, n, sizeof *is_reached);
    f->seen = takt_arena_array(scratch, n_nodes, sizeof *f->seen);
    f->stack = takt_arena_array(scratch, n_nodes + 1, sizeof *f->stack);
    bool ok = is_reached && f->seen && f->stack;
    for (int m = 0; m < group->n_members && ok; m++) {
        follow(f, m, is_reached);
        for (int k = 0; k < group->n_members && ok; k++) {
            if (!is_reached[k]) continue;
            is_reached[k] = false;
            ok = takt_grow(&edges, n_edges, &capacity, sizeof *edges);
            if (ok) edges[n_edges++] = (takt_edge){k, m};
        }
    }
    ok = ok && takt_graph_create(&group->model.arena, group->n_members, edges, n_edges,
                                 &group->influences);
    free(edges);
    return ok;
}

bool takt_group_add_influences(takt_group_model *group)
{
    takt_arena scratch = {0};
    finder f = {0};
    bool ok = takt_wiring_create(&scratch, &group->continuous, &f.wiring) &&
              takt_wiring_graph(&scratch, &f.wiring, false, &f.graph) && find(group, &f, &scratch);
    takt_arena_clear(&scratch);
    return ok;
}

// One row of the pattern of a member: the states of all members with an influence on it. Lists them if `columns`
// is given; returns how many they are.
static int list_columns(const takt_group_model *group, const int *first_state, int member,
                        int *columns)
{
    const takt_graph *graph = &group->influences;
    int n = 0;
    for (int i = graph->first[member]; i < graph->first[member + 1]; i++)
        for (int x = first_state[graph->targets[i]]; x < first_state[graph->targets[i] + 1]; x++) {
            if (columns) columns[n] = x;
            n++;
        }
    return n;
}

bool takt_group_pattern(const takt_group_model *group, const int *first_state, takt_arena *arena,
                        takt_pattern *out)
{
    enum { MAX_ENTRIES = 100000000 };
    int n = first_state[group->n_members];
    int64_t n_entries = 0;
    for (int m = 0; m < group->n_members; m++)
        n_entries += (int64_t)(first_state[m + 1] - first_state[m]) *
                     list_columns(group, first_state, m, NULL);
    *out = (takt_pattern){0};
    if (n_entries > MAX_ENTRIES) return true;
    int *first = takt_arena_array(arena, (size_t)n + 1, sizeof *first);
    int *columns = takt_arena_array(arena, (size_t)n_entries, sizeof *columns);
    if (!first || !columns) return false;
    for (int m = 0; m < group->n_members; m++)
        for (int i = first_state[m]; i < first_state[m + 1]; i++)
            first[i + 1] = first[i] + list_columns(group, first_state, m, columns + first[i]);
    *out = (takt_pattern){n, n, first, columns};
    return true;
}
