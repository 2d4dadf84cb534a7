// SPDX-License-Identifier: MIT
// The life of a run, besides the public functions of takt/run.h.
#ifndef TAKT_RUN_MASTER_H
#define TAKT_RUN_MASTER_H

#include "run/control.h"

/// What a run is made with, besides its plan.
typedef struct takt_run_setup {
    const takt_control *control; ///< NULL: as the settings say
    takt_surroundings
        *surroundings; ///< owned by the run from then on, also when it fails; may be NULL
    takt_watch *watch; ///< NULL: calls may take for ever; must outlive the run
    const char
        *results; ///< file that takt_run_record() will write, if it is known already; or NULL
} takt_run_setup;

/// Makes a run with instances of all models. `plan` must outlive it. `setup` may be NULL.
takt_status takt_run_make(const takt_plan *plan, const takt_run_setup *setup, takt_run **out,
                          takt_error *err);

/// The same as takt_run_initialize(), but without the first row.
takt_status takt_run_initialize_silently(takt_run *run, takt_error *err);

/// Adds an observer, which the run owns from then on, also when this fails.
takt_status takt_run_add_observer(takt_run *run, takt_observer *observer, takt_error *err);

#endif
