// SPDX-License-Identifier: MIT
// The step log: what the algorithms decided and why, sweep by sweep, as messages of level debug and
// as a table (takt_run_log_steps()). Costs a test of two pointers per entry when nobody wants it.
#ifndef TAKT_RUN_STEP_LOG_H
#define TAKT_RUN_STEP_LOG_H

#include "run/run.h"

/// Completes the table, once; takt_run::finishing is held. Fails when it could not be written whole.
takt_status takt_step_log_close(takt_run *run, takt_error *err);

/// After a sweep over a loop: norm of the change or of the residual; for Newton's method also the
/// norm of the step that would follow, else NaN.
void takt_step_log_sweep(takt_run *run, const takt_run_block *block, const takt_step *step,
                         double norm, double step_norm);

/// What an error test found.
typedef struct takt_tried {
    double error; ///< the estimate, in units of the tolerance; NaN: not known
    double h_next; ///< s; the size that follows; NaN: not known
    takt_slot worst; ///< in y: the value with the largest error; index -1: not known
    takt_cause cause; ///< of the size that was tried
    const char *decision; ///< NULL: follows from the error
} takt_tried;

/// After an error test.
void takt_step_log_error(takt_run *run, const takt_step *step, const takt_tried *tried);

/// A decision in plain words, such as "not converged, rejected".
void takt_step_log_decision(takt_run *run, const takt_step *step, const char *decision);

#endif
