// SPDX-License-Identifier: MIT
// Instances of which some values follow a script: at given times an input, a parameter or an output is held at a value,
// gets something added, or is released (scenarios). To the run each change is an event that the instance announces, so that
// every algorithm and step control treats it as such.
#ifndef TAKT_INSTANCE_SCRIPTED_H
#define TAKT_INSTANCE_SCRIPTED_H

#include "instance/instance.h"

typedef enum takt_change_kind {
    TAKT_CHANGE_OVERRIDE, ///< the value takes the place of its own one
    TAKT_CHANGE_BIAS, ///< the value is added to it; only of numbers
    TAKT_CHANGE_RESET, ///< it has its own value again
} takt_change_kind;

/// A variable that the script changes.
typedef struct takt_script_target {
    int variable;
    bool is_driven; ///< a connection sets it in every step
} takt_script_target;

typedef struct takt_script_change {
    double time; ///< s
    int target; ///< index in the list of targets
    takt_change_kind kind;
    takt_value value;
} takt_script_change;

/// Must outlive the models made with it.
typedef struct takt_script {
    const takt_script_target *targets; ///< each variable once
    int n_targets;
    const takt_script_change *changes; ///< by ascending time
    int n_changes;
} takt_script;

/// The same model with instances that follow a script. Changes up to the start time hold from the beginning. `inner` must
/// outlive the result, which lies in `arena` and need not be closed. NULL: memory is exhausted.
takt_model *takt_scripted_model(const takt_model *inner, const takt_script *script,
                                takt_arena *arena);

#endif
