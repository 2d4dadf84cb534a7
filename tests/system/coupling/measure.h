// SPDX-License-Identifier: MIT
// Runs a coupling example with an algorithm and judges the result, as the paper does by letters:
//   Y  right: at most 3 % from the reference, at most 2 % from fully converged steps of the same
//      size, at most 10 % of the steps not converged
//   w  wrong: more than 50 % from the reference, or values became infinite
//   d  differs: all else
//   e  error: an FMU or the initialization failed
// All percentages are of the range of the reference, over all communication points after the start.
#ifndef TAKT_TESTS_SYSTEM_COUPLING_MEASURE_H
#define TAKT_TESTS_SYSTEM_COUPLING_MEASURE_H

#include "support/results.h"
#include "system/coupling/examples.h"

typedef struct coupling_outcome {
    char letter; ///< Y, w, d or e
    bool is_complete; ///< the run came to its end; only then the rest has a meaning
    double error; ///< distance from the reference, as a part of its range
    double coupling_error; ///< the same from fully converged steps
    double unconverged; ///< part of the steps
    double calls; ///< of doStep per step and member of a loop (of the system, if it has no loop)
} coupling_outcome;

/// What all outcomes of an example are compared with. Made by coupling_standard_init().
typedef struct coupling_standard {
    const coupling_example *example;
    test_results converged; ///< of Newton's method with very small tolerances
    double *reference; ///< row by row, for the same times
    double scale[REFERENCE_COLUMNS_MOST];
} coupling_standard;

/// Copies the project of the example into the sandbox as system.ssd.
void coupling_prepare(test_sandbox *box, const coupling_example *example);

/// The name of the algorithm for --algorithm.
const char *coupling_algorithm_name(coupling_algorithm algorithm);

/// Runs the example fully converged and computes the reference solution.
void coupling_standard_init(coupling_standard *standard, test_sandbox *box,
                            const coupling_example *example);
void coupling_standard_clear(coupling_standard *standard);

/// Runs the example with an algorithm; results go to <algorithm>.csv. `standard` may be NULL for an
/// example that cannot be initialized.
coupling_outcome coupling_measure(const coupling_standard *standard, test_sandbox *box,
                                  coupling_algorithm algorithm);

#endif
