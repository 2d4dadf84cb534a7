// SPDX-License-Identifier: MIT
// The coupling examples (examples/coupling) and what is expected of them.
#ifndef TAKT_TESTS_SYSTEM_COUPLING_EXAMPLES_H
#define TAKT_TESTS_SYSTEM_COUPLING_EXAMPLES_H

#include "system/coupling/reference.h"

/// GS1, GSM and NRM of the paper, then those that must do as well as NRM.
typedef enum coupling_algorithm {
    SEIDEL,
    FIXED_POINT,
    NEWTON,
    N_OF_PAPER,
    QUASI_NEWTON = N_OF_PAPER,
    ANDERSON,
    N_ALGORITHMS
} coupling_algorithm;

typedef struct coupling_example {
    const char *folder;
    const char *title;
    const char *of_paper; ///< classes of Petridis and Clauss, table 1; NULL: not in the table
    const char *expected; ///< classes that we get with the algorithms of the paper
    const coupling_reference *reference; ///< NULL: the example cannot be initialized
    const char *columns[REFERENCE_COLUMNS_MOST]; ///< that the reference describes
    double scale; ///< errors are divided by it; 0: by the range of the reference
    const char *message; ///< part of the error message of an example that cannot be initialized
} coupling_example;

extern const coupling_example coupling_examples[];
extern const int n_coupling_examples;

/// "20b" of "20b_initial_loop" without leading zeros; `out` has room for 8 characters.
void coupling_key(const coupling_example *example, char *out);

#endif
