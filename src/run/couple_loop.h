// SPDX-License-Identifier: MIT
// Algebraic loops along polynomials: the torn values at the end of a step are solved for by the same method as other loops
// (num/secant_solver.h), with a sweep of couple.h as the evaluation. Discrete values are held meanwhile, then updated.
#ifndef TAKT_RUN_COUPLE_LOOP_H
#define TAKT_RUN_COUPLE_LOOP_H

#include "run/couple.h"

/// Makes what loop number i_block needs.
takt_status takt_couple_loop_create(takt_couple *all, int i_block, takt_error *err);

/// How many bytes it carries from step to step; and where they lie, all 0 at the beginning.
size_t takt_couple_loop_memory(const takt_couple_loop *loop);
bool takt_couple_loop_is_sound(const takt_couple_loop *loop); ///< after it has come from a file
void takt_couple_loop_attach(takt_couple_loop *loop, void *memory);

/// How much the loop makes of an error of a member; at least 1.
double takt_couple_loop_gain(takt_couple_loop *loop);

#endif
