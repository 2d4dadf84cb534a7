// SPDX-License-Identifier: MIT
// The connected variables of a system in a fixed order, as planning needs them. Exists only
// while a plan is made or described.
#ifndef TAKT_PLAN_WIRING_H
#define TAKT_PLAN_WIRING_H

#include "graph/graph.h"
#include "plan/plan.h"

typedef struct takt_wiring {
    const takt_system *system;
    const takt_plan_dependencies
        *dependencies; ///< per component; the described ones, or the plan's
    takt_reference *outputs; ///< connected ones, by component, then variable, each once
    int n_outputs;
    takt_reference *inputs; ///< likewise
    int n_inputs;
    int *first_output; ///< those of component c: first_output[c] .. first_output[c+1]-1
    int *first_input;
    int *source; ///< for each input the index of its output
    int *connection; ///< for each input the index of its connection in the system
    const int *order; ///< the components, see takt_system_sort()
    takt_components loops; ///< of components; by takt_wiring_find_loops()
    const int
        *place; ///< of each component: where in the calling order it is; by takt_wiring_sort()
    int *y; ///< for each output its index in y; filled by takt_plan_lay_out()
    int *u; ///< for each input its index in u
} takt_wiring;

/// Returns false when memory is exhausted.
bool takt_wiring_create(takt_arena *arena, const takt_system *system, takt_wiring *out);

/// The index of a variable in outputs[first] .. outputs[end-1] (or inputs), or -1.
int takt_wiring_find(const takt_reference *list, int first, int end, int variable);

/// Who depends on whom, variable by variable: an input on its output through the connection, an
/// output on inputs of the same instance as `dependencies` say; during initialization
/// (`is_initial`) or later. Node i is output i, then come the inputs, then one node per component
/// through which outputs depend on all inputs: that keeps the number of edges small.
bool takt_wiring_graph(takt_arena *arena, const takt_wiring *wiring, bool is_initial,
                       takt_graph *out);

/// Finds the loops of components; then, when dependencies are final, the calling order, in which the members of each are
/// listed from then on; see order.c. Both return false when memory is exhausted.
bool takt_wiring_find_loops(takt_arena *arena, takt_wiring *wiring);
bool takt_wiring_sort(takt_arena *arena, takt_wiring *wiring);

/// The component that a node of this graph belongs to.
int takt_wiring_component(const takt_wiring *wiring, int node);

#endif
