// SPDX-License-Identifier: MIT
// Systems with other settings and values for one run.
#ifndef TAKT_API_VARY_H
#define TAKT_API_VARY_H

#include "system/system.h"
#include "takt/options.h"

/// Opens the models of a takt_project, the context; a takt_model_open_fn.
takt_status takt_open_of_project(void *context, const takt_model_source *source, takt_model **out,
                                 takt_error *err);

/// A variation of a system as the options say; NULL: they say nothing. Owned by the caller; the system must outlive it.
takt_status takt_vary_system(const takt_system *system, const takt_run_options *options,
                             takt_system **out, takt_error *err);

#endif
