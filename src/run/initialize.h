// SPDX-License-Identifier: MIT
// Initializing all instances together.
#ifndef TAKT_RUN_INITIALIZE_H
#define TAKT_RUN_INITIALIZE_H

#include "run/run.h"

/// Sets start values, enters initialization, carries initial values along the connections in the
/// order of the plan (loops are solved), leaves initialization, and reads all connected outputs.
takt_status takt_run_initialize_instances(takt_run *run, takt_error *err);

#endif
