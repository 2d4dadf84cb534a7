// SPDX-License-Identifier: MIT
// Events at communication points: instances with an event mode pass values on until nothing changes.
#ifndef TAKT_RUN_EVENTS_H
#define TAKT_RUN_EVENTS_H

#include <math.h>

#include "run/run.h"

/// Makes room for what handling events needs. Blocks must have been made.
takt_status takt_events_create(takt_run *run, takt_error *err);

/// Must events be handled at the present communication point?
bool takt_run_has_events(const takt_run *run);

/// False: no need to ask.
static inline bool takt_run_may_have_events(const takt_run *run)
{
    return run->state.has_requests || run->state.next_event < INFINITY;
}

/// Finds takt_run_state::next_event, after instances have announced theirs.
void takt_run_note_next_event(takt_run *run);

/// Handles events at the present communication point: all instances that have an event mode enter it
/// together (after initialization they are in it already), values travel and discrete states are
/// updated until nothing changes, then they leave it. Fails naming those that do not come to rest. May
/// set the progress to TAKT_TERMINATED.
takt_status takt_run_handle_events(takt_run *run, bool is_after_initialization, takt_error *err);

/// After a step that stopped early: the instance handles its event alone and goes on to the end of the step.
takt_status takt_run_go_on(takt_run *run, int i_instance, const takt_step *step,
                           takt_step_result *result, takt_error *err);

#endif
