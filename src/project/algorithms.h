// SPDX-License-Identifier: MIT
// The master algorithms that a user can name, and what a plan must know of them. How they work is in
// src/run, one file each.
#ifndef TAKT_PROJECT_ALGORITHMS_H
#define TAKT_PROJECT_ALGORITHMS_H

#include <stdbool.h>
#include <stddef.h>

#include "takt/options.h"

enum { TAKT_N_ALGORITHMS = TAKT_ALGORITHM_ANDERSON + 1 };

typedef struct takt_algorithm_facts {
    const char *name; ///< as in the setting
    bool iterates; ///< rewinds the members of a loop within a step
    bool is_simultaneous; ///< all members get the values of the last communication point
} takt_algorithm_facts;

/// By takt_algorithm.
extern const takt_algorithm_facts takt_algorithms[TAKT_N_ALGORITHMS];

const char *takt_algorithm_name(takt_algorithm algorithm);
bool takt_algorithm_find(const char *name, takt_algorithm *out);

/// The names in the order of the values, ended by NULL.
extern const char *const takt_algorithm_names[];

/// What a block uses where `wanted` was asked for: only loops iterate, and TAKT_ALGORITHM_AUTO becomes an
/// algorithm that is possible. The result may still need to rewind members that cannot be rewound, if the
/// user named it.
takt_algorithm takt_algorithm_for_block(takt_algorithm wanted, bool is_loop, bool is_algebraic,
                                        bool can_rewind);

#endif
