// SPDX-License-Identifier: MIT
// The algorithms by name; see algorithms.h.
#include "project/algorithms.h"

#include <string.h>

// Value, name, facts.
#define ALGORITHMS(X)                                                                              \
    X(AUTO, "auto", .iterates = false)                                                             \
    X(JACOBI, "jacobi", .is_simultaneous = true)                                                   \
    X(SEIDEL, "seidel", .iterates = false)                                                         \
    X(FIXED_POINT, "fixed-point", .iterates = true)                                                \
    X(NEWTON, "newton", .iterates = true)                                                          \
    X(QUASI_NEWTON, "quasi-newton", .iterates = true)                                              \
    X(ANDERSON, "anderson", .iterates = true)

#define FACTS(value, name, ...) [TAKT_ALGORITHM_##value] = {name, __VA_ARGS__},
#define NAME(value, name, ...) [TAKT_ALGORITHM_##value] = name,

const takt_algorithm_facts takt_algorithms[] = {ALGORITHMS(FACTS)};
const char *const takt_algorithm_names[] = {ALGORITHMS(NAME)[TAKT_N_ALGORITHMS] = NULL};

const char *takt_algorithm_name(takt_algorithm algorithm)
{
    return takt_algorithms[algorithm].name;
}

bool takt_algorithm_find(const char *name, takt_algorithm *out)
{
    int i = 0;
    while (i < TAKT_N_ALGORITHMS && strcmp(takt_algorithms[i].name, name) != 0) i++;
    if (i < TAKT_N_ALGORITHMS) *out = (takt_algorithm)i;
    return i < TAKT_N_ALGORITHMS;
}

takt_algorithm takt_algorithm_for_block(takt_algorithm wanted, bool is_loop, bool is_algebraic,
                                        bool can_rewind)
{
    if (wanted == TAKT_ALGORITHM_AUTO) {
        if (!is_loop || !can_rewind) return TAKT_ALGORITHM_SEIDEL;
        return is_algebraic ? TAKT_ALGORITHM_QUASI_NEWTON : TAKT_ALGORITHM_FIXED_POINT;
    }
    return takt_algorithms[wanted].iterates && !is_loop ? TAKT_ALGORITHM_SEIDEL : wanted;
}
