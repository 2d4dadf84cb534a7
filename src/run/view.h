// SPDX-License-Identifier: MIT
// Views of a run's variables; see takt/view.h.
#ifndef TAKT_RUN_VIEW_H
#define TAKT_RUN_VIEW_H

#include "run/run.h"
#include "takt/view.h"

/// The run ends: its views remain as empty shells for their owners.
void takt_views_leave(takt_run *run);

#endif
