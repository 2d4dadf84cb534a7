// SPDX-License-Identifier: MIT
// Steps by prediction in two phases: what an instance has to do is begun for all instances of a level, so that those
// that compute elsewhere (remote/) do so side by side, and then ended for all.
//
// An instance that holds its inputs is led through a step of the system by several steps of its own (moving.h), of
// which each begins when the one before has ended. takt_moving_advance() is called until none of them is under way: each call passes over the
// steps that are done, ends the one that is under way, and begins the next one. What it computes in between is the
// same in each call, because nothing that it reads changes meanwhile.
#ifndef TAKT_RUN_PHASES_H
#define TAKT_RUN_PHASES_H

#include "run/outcome.h"

/// Where an instance is.
typedef struct takt_phases {
    int n_done; ///< steps of its own that have ended
    int n_seen; ///< of this call
    bool is_under_way; ///< a step has begun and not ended
    uint64_t begin; ///< its tick
} takt_phases;

/// The next step of an instance with phases (takt_run_instance::phases), whose inputs are in u and move as `motion` says.
/// While it is under way, its outcome is that of a step that ended early, so that nothing is done that needs its end.
takt_status takt_phases_step(takt_run *run, int i_instance, const takt_coupling_motion *motion,
                             const takt_step *step, takt_outcome *outcome, takt_error *err);

#endif
