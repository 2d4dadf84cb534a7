// SPDX-License-Identifier: MIT
// Results that instances write by themselves, as building simulations do: they go into the folder that a parameter
// ResultsRootDir, a string, names (Nicolai and Paepcke, BauSIM 2016). Where the user has not named one, each instance gets
// its own beside the results of the run, so that instances, runs and branches of a run do not write into the same files.
#ifndef TAKT_RUN_OWN_RESULTS_H
#define TAKT_RUN_OWN_RESULTS_H

#include "run/run.h"

/// `results` is the file of the run: "r.csv" makes the folder "r.files/INSTANCE". What is no place for files, as a device,
/// makes none.
takt_status takt_own_results_choose(takt_run *run, const char *results, takt_error *err);

/// Before the instantiation: where an instance may only write what it is allowed to, that is its folder, if it is
/// known already.
takt_status takt_own_results_allow(takt_run *run, int i_instance, takt_error *err);

/// Before the initialization, after the start values: the folders of this instance are there, and set.
takt_status takt_own_results_place(takt_run *run, int i_instance, takt_error *err);

/// At the end: folders that were made here and are empty go.
void takt_own_results_tidy(takt_run *run);

#endif
