// SPDX-License-Identifier: MIT
// The continuous values that go from member to member at one point of time and state.
#ifndef TAKT_GROUP_FLOW_H
#define TAKT_GROUP_FLOW_H

#include "me/me.h"
#include "group/group_model.h"

/// What last prevented an evaluation, for messages; empty: nothing.
typedef struct takt_trouble {
    char text[512];
} takt_trouble;

typedef struct takt_flow_loop takt_flow_loop;

typedef struct takt_flow {
    const takt_plan *plan;
    takt_instance *const *members; ///< borrowed
    takt_trouble *trouble; ///< borrowed
    double *y, *u; ///< as in the plan
    double *buffer; ///< values of one action
    takt_flow_loop *loops; ///< one per stage; used of those that are loops
    takt_arena arena;
    bool has_loops;
    bool has_trouble; ///< it has been described since the solution of a loop began
    double fine, coarse; ///< relative tolerances of loops
} takt_flow;

/// Makes a flow; `members`, `trouble` and the plan must outlive it. End it with takt_flow_clear(), also after
/// a failure. Returns false when memory is exhausted.
bool takt_flow_init(takt_flow *flow, const takt_plan *plan, takt_instance *const *members,
                    takt_trouble *trouble);
void takt_flow_clear(takt_flow *flow); ///< accepts one that is all zero

/// How exactly loops are solved, from the relative tolerance of the integrator.
void takt_flow_set_tolerance(takt_flow *flow, double relative);

/// Forgets the last solutions of loops, so that what follows does not depend on them.
void takt_flow_forget(takt_flow *flow);

/// Forgets them, and guesses again from what the sources show now. Guesses are written to takt_flow_n_guesses() numbers, or
/// taken from there (`is_again`).
int takt_flow_n_guesses(const takt_flow *flow);
takt_status takt_flow_begin(takt_flow *flow, double t, double *guesses, bool is_again,
                            takt_error *err);

/// Passes all values on to where they are needed. A value that is not finite, or a loop for which no solution
/// is found, makes `*answer` TAKT_ODE_TOO_FAR; then `trouble` says why. `t` is for messages.
takt_status takt_flow_run(takt_flow *flow, double t, takt_ode_answer *answer, takt_error *err);

#endif
