// SPDX-License-Identifier: MIT
// An instance of a group: its members, and one integrator for the equations of all of them.
#ifndef TAKT_GROUP_GROUP_INSTANCE_H
#define TAKT_GROUP_GROUP_INSTANCE_H

#include "group/transfer.h"
#include "group/flow.h"
#include "group/split.h"

typedef struct takt_group {
    takt_instance base; ///< first
    const takt_group_model *model;
    takt_me me; ///< integrates all; its functions are those of equations.c
    int n_members;
    takt_instance **members; ///< owned
    takt_me **equations; ///< of each member, borrowed from it
    int *first_state; ///< those of member m in me.x: first_state[m] .. first_state[m+1]-1
    int *first_indicator; ///< likewise
    takt_arena arena; ///< of these arrays
    takt_splitter splitter;
    takt_flow flow;
    takt_group_transfer transfer;
    takt_trouble trouble;
    double t; ///< s; where all members are
    double *x; ///< their states
    bool is_flown; ///< the flow has run there, with these inputs
    double *u_before; ///< of the flow, before an update
    bool *active; ///< per member: has to do with the present event
    bool *changed; ///< per member: its inputs change
    double *indicators; ///< after the last event
    int n_updates; ///< at the present event
    bool is_stepping; ///< after initialization
} takt_group;

/// Puts the name of member m in front of an error.
static inline takt_status takt_group_fail(const takt_group *group, int m, takt_status st,
                                          takt_error *err)
{
    return takt_within(err, st, "member '%s'", group->members[m]->name);
}

/// The equations of all members as those of one instance.
extern const takt_me_interface takt_group_calls;

/// Sets variables of members; for takt_group_calls.
takt_status takt_group_set(takt_instance *instance, const takt_access *access,
                           const takt_values *values, takt_error *err);

/// Runs the flow unless that has been done for this point.
takt_status takt_group_flow(takt_group *group, takt_ode_answer *answer, takt_error *err);

/// The same, but fails where the point is impossible.
takt_status takt_group_flow_surely(takt_group *group, takt_error *err);

#endif
