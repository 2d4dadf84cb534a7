// SPDX-License-Identifier: MIT
// What goes wrong inside of a Windows FMU: exceptions that nobody handles, ExitProcess(), message boxes that nobody sees.
// The first two are written down in the region, as the keeper of other workers does it (remote/keeper.h).
#ifndef TAKT_WORKER_WIN64_FAULTS_H
#define TAKT_WORKER_WIN64_FAULTS_H

#include "instance/instance.h"
#include "remote/region.h"

/// Begins to watch the process; before any code of the FMU runs.
void takt_faults_watch(takt_region *region);

/// Which instance there is; NULL: none any more.
void takt_faults_watch_instance(void *unused, const takt_instance *instance);

/// From here on the end of the process is meant.
void takt_faults_unwatch(void);

#endif
