// SPDX-License-Identifier: MIT
// Changes of sign of event functions just behind a start, which a step of the integrator would not show because
// they are undone before its end.
#ifndef TAKT_NUM_ODE_WATCH_H
#define TAKT_NUM_ODE_WATCH_H

#include "num/ode_type.h"

/// Before the first step since a restart: looks for a change of sign near by, as after the bounce of a ball that
/// flies for less than a step. If there is one, `*found`, and the point behind it is reached; else nothing
/// changes. Fails if changes follow each other faster than time can resolve.
takt_status takt_ode_watch_start(takt_ode *ode, double t_end, bool *found, takt_error *err);

#endif
