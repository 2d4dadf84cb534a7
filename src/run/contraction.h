// SPDX-License-Identifier: MIT
// How much repeated sweeps over a loop contract: the factor by which each of them reduces the error in the long
// run. The changes from sweep to sweep do not show it: an error that shrinks slowly moves little, and is hidden
// by others that shrink fast.
//
// It is found by the power method: a sweep with torn values that are changed a little, compared with a sweep without
// the change, shows what becomes of the change; that, in the size of the first one, is the next change. The
// slowest part wins. The method goes on from step to step, with one such sweep in each.
#ifndef TAKT_RUN_CONTRACTION_H
#define TAKT_RUN_CONTRACTION_H

#include "run/loop.h"

typedef struct takt_contraction takt_contraction;

/// Makes it for a loop, with the lifetime of the run.
takt_status takt_contraction_create(takt_loop *loop, takt_contraction **out, takt_error *err);

/// The size of the change of the torn values since takt_loop_remember(), in units of the tolerances. All else follows
/// from them; in the first sweep of a step other values also change because time goes on.
double takt_contraction_change(const takt_contraction *at);

/// Is there anything to find? With one torn value its changes in two sweeps show all.
bool takt_contraction_is_needed(const takt_contraction *at);

/// A step begins.
void takt_contraction_begin_step(takt_contraction *at);

/// Makes a sweep with changed values. Afterwards values are those of takt_loop_remember() again; a sweep
/// without the change must follow, then takt_contraction_compare().
takt_status takt_contraction_probe(takt_contraction *at, takt_error *err);
void takt_contraction_compare(takt_contraction *at);

/// The factor that was found.
double takt_contraction_rate(const takt_contraction *at);

/// Does it hardly change any more from probe to probe?
bool takt_contraction_is_settled(const takt_contraction *at);

/// What is carried from step to step, and dropping it.
takt_memory takt_contraction_memory(takt_contraction *at);
bool takt_contraction_is_sound(const takt_contraction *at); ///< after it has come from a file
void takt_contraction_forget(takt_contraction *at);

#endif
