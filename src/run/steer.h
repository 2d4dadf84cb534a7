// SPDX-License-Identifier: MIT
// Values that the user sets: start values before the initialization, inputs and tunable parameters at communication points.
#ifndef TAKT_RUN_STEER_H
#define TAKT_RUN_STEER_H

#include "run/run.h"

/// Values of variables of one instance, either of inputs only or of others only.
typedef struct takt_steer_values {
    int i_instance;
    bool are_inputs;
    takt_access access;
    takt_values values;
} takt_steer_values;

/// Does a connection deliver the values of the variable?
bool takt_steer_is_connected(const takt_run *run, int i_instance, int variable);

/// May the user set the variable now? `why` (may be NULL) is what is against it.
bool takt_steer_can_set(const takt_run *run, int i_instance, int variable, const char **why);

/// Keeps a start value for the initialization, after that which the project gives.
takt_status takt_steer_keep_start(takt_run *run, const takt_steer_values *given, takt_error *err);

/// Sets the start values that were kept for an instance: those of inputs, or the others.
takt_status takt_steer_set_starts(takt_run *run, int i_instance, bool of_inputs, takt_error *err);

/// Keeps what rows show before anything is changed at the present communication point. takt_steer_set() does so by itself.
takt_status takt_steer_begin(takt_run *run, takt_error *err);

/// Sets values at the present communication point, as an event. All must be settable.
takt_status takt_steer_set(takt_run *run, const takt_steer_values *given, int n, takt_error *err);

/// Before the next step: writes the row that shows what was set.
takt_status takt_steer_show(takt_run *run, takt_error *err);

#endif
