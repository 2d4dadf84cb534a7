// SPDX-License-Identifier: MIT
// Events at communication points: instances with an event mode exchange values until nothing changes.
#ifndef TAKT_RUN_EVENTS_H
#define TAKT_RUN_EVENTS_H

#include <math.h>

#include "run/run.h"

/// Must events be handled at the present communication point?
bool takt_run_has_events(const takt_run *run);

/// False: no need to ask.
static inline bool takt_run_may_have_events(const takt_run *run)
{
    return run->has_wishes || run->next_event < INFINITY;
}

/// Finds takt_run::next_event, after instances have announced theirs.
void takt_run_note_next_event(takt_run *run);

/// Handles events at the present communication point: all instances that have an event mode enter it
/// together (after initialization they are in it already), values travel and discrete states are
/// updated until nothing changes, then they leave it. Fails naming those that do not come to rest. May
/// set run->progress to TAKT_TERMINATED.
takt_status takt_run_handle_events(takt_run *run, bool is_after_initialization, takt_error *err);

/// Handles an event of one instance alone at time t, in the middle of a step; says whether the instance wants
/// to end the simulation.
takt_status takt_run_handle_own_event(takt_run *run, int i_instance, double t, bool *terminates,
                                      takt_error *err);

#endif
