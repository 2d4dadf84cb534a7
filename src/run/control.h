// SPDX-License-Identifier: MIT
// The contract for step control: how a run gets from one communication point to the next. One kind
// of control per file.
#ifndef TAKT_RUN_CONTROL_H
#define TAKT_RUN_CONTROL_H

#include "run/outcome.h"

typedef struct takt_control_type {
    bool is_fixed; ///< the user chose the size of all steps

    /// Required. Takes one step and goes to the next communication point, or sets the progress to
    /// TAKT_TERMINATED and stays where it is.
    takt_status (*step)(takt_run *run, takt_error *err);

    /// Optional, both or none: what it keeps for the run. `destroy` accepts a run for which `create` failed, or
    /// was never called.
    takt_status (*create)(takt_run *run, takt_error *err);
    void (*destroy)(takt_run *run);

    /// Optional: all that is carried from step to step besides takt_run_state::control, for snapshots.
    takt_memory (*memory)(takt_run *run);

    /// Required with memory: may it be used, after it has come from a file? See takt_algorithm_type::is_sound.
    bool (*is_sound)(const takt_run *run);
} takt_control_type;

extern const takt_control_type takt_fixed_control, takt_adaptive_control, takt_auto_control,
    takt_auto_fixed_control;

/// A kind of control and what it works with.
typedef struct takt_control {
    const takt_control_type *type;
    const struct takt_estimator_type
        *estimator; ///< of adaptive control; NULL: only convergence counts
    const struct takt_controller_type *controller; ///< of adaptive control
} takt_control;

/// Is a step that does not succeed repeated with a smaller size?
static inline bool takt_control_reduces_steps(const takt_run *run)
{
    return run->way_back && !run->control->type->is_fixed;
}

/// Are steps made by prediction, so that inputs move along polynomials?
static inline bool takt_control_predicts(const takt_run *run)
{
    return run->control && run->control->type->memory != NULL; // none: the run was not made
}

/// The end of the simulation at the request of an instance.
void takt_control_terminate(takt_run *run, const takt_outcome *outcome);

#endif
