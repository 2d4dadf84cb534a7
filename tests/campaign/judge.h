// SPDX-License-Identifier: MIT
// Judges what a run delivers. docs/accuracy.md has the rule; what follows from it for a row:
//
// - Algorithms that iterate, and all at the start: values satisfy the equations of the instant and of the last
//   step. The largest error, not residual, may be LOOP_FACTOR tolerances.
// - Boolean values are what their inputs ask for, unless a comparison is within the tolerance.
// - Others pass values of the last or of this communication point, and nothing else.
// - With the error test the end must be near the course in time: every step was allowed an error of one tolerance.
//   These errors add up, and grow as the system lets them grow (course.growth). The estimate is right to first order
//   in the step, therefore twice that is allowed.
#ifndef TAKT_TESTS_CAMPAIGN_JUDGE_H
#define TAKT_TESTS_CAMPAIGN_JUDGE_H

#include "campaign/try.h"

/// All that can be seen at a communication point.
typedef struct sight {
    moment moment; ///< with the states before the last step
    long double v[MAX_NODES]; ///< outputs
    long double u[MAX_NODES][MAX_INPUTS]; ///< inputs as they were set last; plain, as all others
} sight;

typedef struct judge {
    const random_system *system;
    const course *expected;
    bool iterates; ///< loops are solved
    bool is_partly_iterated; ///< there may be loops that are, and others
    bool is_algebraic; ///< there is an algebraic loop
    double breaks[MAX_BREAKS];
    int n_breaks;
    int n_rows, next_row; ///< seen, and the next one to be solved
    bool is_first; ///< row
    sight before; ///< the row before
    long double largest[MAX_NODES]; ///< absolute values so far
    outcome *outcome;
} judge;

void judge_init(judge *j, const random_system *system, takt_algorithm algorithm,
                const course *expected, outcome *out);
void judge_row(judge *j, const sight *now);

/// After a run that came to its end in so many steps.
void judge_end(judge *j, int64_t n_steps);

#endif
