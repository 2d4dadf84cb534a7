// SPDX-License-Identifier: MIT
// Times that are known before a run and at which steps end for all instances: knots of tables
// (takt_instance_type::find_knots) and what the user lists (setting `event-time`). What instances announce while
// they run are events, see events.h.
#ifndef TAKT_RUN_STOPS_H
#define TAKT_RUN_STOPS_H

#include "run/run.h"

/// After initialization: collects these times in run->stops, which stays NULL if there are none. Warns of those
/// at which steps cannot end, and of knots that are too many for fixed steps.
takt_status takt_stops_create(takt_run *run, takt_error *err);

/// The first one after the present communication point, s; infinite: none. Only if there are any.
double takt_stops_next(const takt_run *run);

#endif
