// SPDX-License-Identifier: MIT
// Algebraic loops in event mode: real values of a block whose members depend on each other are solved for, while
// discrete values stay as they are.
#ifndef TAKT_RUN_EVENT_LOOP_H
#define TAKT_RUN_EVENT_LOOP_H

#include "run/instant.h"

typedef struct takt_event_loop {
    takt_run *run;
    int *members; ///< those that have an event mode, in calling order
    int n_members;
    takt_instant instant;
    bool has_discrete; ///< members have discrete inputs
    bool is_frozen; ///< discrete values do not travel
    bool has_warned; ///< about noise
    double t; ///< s; of the solution under way
} takt_event_loop;

/// Does an instance take part in events?
bool takt_run_has_event_mode(const takt_run *run, int i_instance);

/// Finds the members of a block that have an event mode. Without real values that travel back among them it is
/// no loop, and `instant` has no unknowns. Fails if memory is exhausted.
bool takt_event_loop_init(takt_event_loop *loop, takt_run *run, const takt_block *block);

/// Lets discrete values travel once, then solves for the real values, at time t. Without a solution `is_solved` is
/// false, and the members have the values where repetition ended.
takt_status takt_event_loop_solve(takt_event_loop *loop, double t, bool *is_solved,
                                  takt_error *err);

/// Fails saying why the loop is not solved.
takt_status takt_event_loop_fail(takt_event_loop *loop, takt_error *err);

#endif
