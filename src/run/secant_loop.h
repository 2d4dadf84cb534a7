// SPDX-License-Identifier: MIT
// Solving a loop by secants of its torn sweep: what `quasi-newton` and `anderson` share. Each says by a rule
// what it keeps.
#ifndef TAKT_RUN_SECANT_LOOP_H
#define TAKT_RUN_SECANT_LOOP_H

#include "num/secant_solver.h"
#include "run/algorithm.h"
#include "run/loop.h"

typedef struct takt_secant_rule {
    int room; ///< secants at most
    int n_steps; ///< earlier steps whose secants are used
    bool predicts; ///< begins with values that are extrapolated from earlier steps
} takt_secant_rule;

/// `rule` must outlive the run. The other functions are those of takt_algorithm_type.
takt_status takt_secant_loop_prepare(takt_run *run, takt_run_block *block,
                                     const takt_secant_rule *rule, void **data, takt_error *err);
takt_status takt_secant_loop_advance(takt_run *run, takt_run_block *block, const takt_step *step,
                                     takt_outcome *outcome, takt_error *err);
void takt_secant_loop_forget(void *data);
takt_memory takt_secant_loop_memory(void *data);
bool takt_secant_loop_is_sound(const void *data);

/// What is wrong with a loop whose solver found it singular.
void takt_secant_loop_explain(takt_loop *loop, takt_secant_solver *solver, char *text, size_t size);
int takt_secant_loop_count(const void *data, takt_algorithm_count *out, int room);

#endif
