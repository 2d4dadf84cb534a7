// SPDX-License-Identifier: MIT
// The way back to the last communication point: a rejected step leaves no trace, neither in instances nor in
// values nor in what algorithms have learnt.
#ifndef TAKT_RUN_WAY_BACK_H
#define TAKT_RUN_WAY_BACK_H

#include "run/run.h"

/// Makes run->way_back; all instances must be able to rewind.
takt_status takt_way_back_create(takt_run *run, takt_error *err);
void takt_way_back_destroy(takt_run *run);

/// Saves all instances and values at the present communication point.
takt_status takt_way_back_save(takt_run *run, takt_error *err);

/// Takes all instances and values back to it.
takt_status takt_way_back_take(takt_run *run, takt_error *err);

/// The values at that point.
const takt_values *takt_way_back_start(const takt_run *run);

/// What the instances had announced there.
const takt_instance_state *takt_way_back_announced(const takt_run *run);

/// Did a step fail for its values only (they are not finite, or a loop has no unique solution), so that
/// all instances can go back and try another step? `st` is the status of the step.
bool takt_way_back_is_open(const takt_run *run, takt_status st);

#endif
