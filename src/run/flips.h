// SPDX-License-Identifier: MIT
// Discrete values that do not come to rest while a loop is solved: which one, and between which values it changes.
#ifndef TAKT_RUN_FLIPS_H
#define TAKT_RUN_FLIPS_H

#include "run/run.h"

enum { TAKT_MAX_ROUNDS = 64 };

/// Patterns of discrete values that have been tried, as hash values.
typedef struct takt_patterns {
    uint64_t seen[TAKT_MAX_ROUNDS];
    int n;
} takt_patterns;

#define TAKT_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/// Adds to a hash value: FNV-1a, by Fowler, Noll and Vo.
uint64_t takt_hash_add(uint64_t hash, const void *data, size_t size);

/// Has the pattern been there? Then it will come back for ever. Else it is kept; without room it counts as known.
bool takt_patterns_meet(takt_patterns *patterns, uint64_t hash);

/// Notes that at time t discrete values, of which value number `index` of y is one, do not rest. The values before and
/// after are those of `before` and of y.
void takt_flip_note(const takt_run *run, takt_flip *flip, takt_kind kind, int index,
                    const takt_values *before, double t);

/// What was noted of the first block, in the order of the plan, that has noted something at time t. Not noted: none has.
takt_flip takt_flip_find(const takt_run *run, double t);

/// What was noted, if it was at time t, as the end of a sentence: " (a.on does not rest: it is 0, then 1, then 0 again)". Empty if there
/// is nothing.
void takt_flip_describe(const takt_run *run, const takt_flip *flip, double t, char *text,
                        size_t size);

#endif
