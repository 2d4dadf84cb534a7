// SPDX-License-Identifier: MIT
// The model of a group: its members, the connections between them, and how values travel along these.
#ifndef TAKT_GROUP_GROUP_MODEL_H
#define TAKT_GROUP_GROUP_MODEL_H

#include "me/me.h"
#include "graph/graph.h"
#include "num/colouring.h"
#include "plan/plan.h"

/// Members are components of two small systems that differ in their connections.
typedef struct takt_group_model {
    takt_model model; ///< first
    takt_system continuous; ///< real values that change at any time: they enter the equations
    takt_system discrete; ///< all others: they are transferred at events
    takt_plan *flow, *transfer; ///< of these systems
    int n_members;
    takt_graph influences; ///< from each member to those whose states its derivatives depend on
    const int *first_variable; ///< those of member m: first_variable[m] .. first_variable[m+1]-1
} takt_group_model;

/// Which components a group is made of.
typedef struct takt_membership {
    const takt_system *system;
    takt_watch *watch; ///< watches members that are asked for their dependencies; may be NULL
    const int *members; ///< components, in the order of takt_system_sort()
    int n_members;
    const int *member_of; ///< per component: its number in the group it is in; -1: in none
} takt_membership;

/// The number of a component in the group; -1: it is no member.
static inline int takt_group_member(const takt_membership *membership, int component)
{
    int m = membership->member_of[component];
    return m >= 0 && m < membership->n_members && membership->members[m] == component ? m : -1;
}

/// Owned by the caller; see takt_model_close().
takt_status takt_group_model_create(const takt_membership *membership, takt_model **out,
                                    takt_error *err);
void takt_group_model_close(takt_model *model); ///< for takt_group_type

/// On which inputs from outside the outputs of a group depend; and, for the initialization, each member's
/// outputs on its own inputs. Returns false when memory is exhausted.
bool takt_group_add_dependencies(takt_group_model *group, const takt_membership *membership);

/// Fills `influences`. Returns false when memory is exhausted.
bool takt_group_add_influences(takt_group_model *group);

/// Where the matrix of the derivatives by the states may differ from 0, in `arena`; without rows if that is too
/// much to list. The states of member m are first_state[m] .. first_state[m+1]-1. Returns false when memory
/// is exhausted.
bool takt_group_pattern(const takt_group_model *group, const int *first_state, takt_arena *arena,
                        takt_pattern *out);

extern const takt_instance_type takt_group_type;

#endif
