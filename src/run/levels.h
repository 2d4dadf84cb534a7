// SPDX-License-Identifier: MIT
// A step by prediction, level by level: the blocks of a level do not depend on each other, so that several threads may
// advance them (waves.h), and instances that compute elsewhere do so at the same time (phases.h). All blocks of a level are advanced, whatever becomes of the others, so that values, and what loops
// learn, are the same bit for bit with any number of threads; the level ends as the first of them in the
// order of the plan that fails, or else that does not reach the end of the step.
#ifndef TAKT_RUN_LEVELS_H
#define TAKT_RUN_LEVELS_H

#include "run/couple.h"

/// How a block came through a level that threads have advanced, or that was advanced in two phases.
typedef struct takt_level_end {
    takt_status status;
    takt_outcome outcome;
    takt_phases phases; ///< on its way
    bool is_unsolved, is_singular; ///< of the attempt
} takt_level_end;

typedef struct takt_levels {
    takt_couple *couple;
    int n;
    int *first; ///< per level: its first block in `blocks`; one more at the end
    int *blocks; ///< by level, each in the order of the plan
    int *alone; ///< per level: the instance that is all of it, and no loop, as in a chain; -1: none
    bool *
        is_tied; ///< per block: what it writes is not its own, so that one thread advances all of them
    bool *is_split; ///< per block: one instance, and no loop, that steps in two phases
    takt_level_end *ends; ///< per block
    bool has_waves; ///< threads know what to do
    bool in_waves; ///< they do it in this attempt
    takt_attempt *at; ///< the present one
    takt_mutex lock; ///< protects what follows
    int i_failed; ///< the first block that has failed
    takt_error err; ///< of that
} takt_levels;

takt_status takt_levels_create(takt_couple *couple, takt_levels *out, takt_error *err);
void takt_levels_clear(takt_levels *levels);

/// An attempt begins: are threads used?
void takt_levels_begin(takt_levels *levels, takt_attempt *at);

/// Advances all blocks of a level.
takt_status takt_levels_advance(takt_levels *levels, int level, takt_error *err);

#endif
