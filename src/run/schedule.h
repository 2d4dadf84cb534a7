// SPDX-License-Identifier: MIT
// Changing algorithms while the run goes on.
#ifndef TAKT_RUN_SCHEDULE_H
#define TAKT_RUN_SCHEDULE_H

#include "run/run.h"

/// Reads the project's schedule of changes, in the order of time, and makes sure that they will be
/// possible. Without any, run->schedule stays NULL.
takt_status takt_schedule_create(takt_run *run, takt_error *err);

/// Carries out the changes that the schedule demands at the present time. There must be a schedule.
takt_status takt_schedule_follow(takt_run *run, takt_error *err);

#endif
