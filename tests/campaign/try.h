// SPDX-License-Identifier: MIT
// Simulates a random system with one algorithm and looks at every row.
#ifndef TAKT_TESTS_CAMPAIGN_TRY_H
#define TAKT_TESTS_CAMPAIGN_TRY_H

#include "campaign/reference.h"
#include "project/algorithms.h"

typedef enum verdict {
    VERDICT_RIGHT, ///< and nothing was said
    VERDICT_RIGHT_WARNED,
    VERDICT_WRONG_WARNED,
    VERDICT_FAILED, ///< with a message
    VERDICT_CUT_OFF, ///< too many steps
    VERDICT_SILENTLY_WRONG,
    N_VERDICTS
} verdict;

/// What came of a run.
typedef struct outcome {
    verdict verdict;
    int64_t n_steps;
    double error; ///< the largest one, in units of what is allowed: up to 1 it is right
    double t; ///< s; where it was
    int i_node;
    const char *what; ///< was wrong
    char message[400]; ///< the failure, or the first warning
} outcome;

/// `expected` is needed with CONTROL_RICHARDSON only.
void try_system(const random_system *system, takt_algorithm algorithm, const course *expected,
                outcome *out);

#endif
