// SPDX-License-Identifier: MIT
// What is right, found without the program: Newton's method with matrices of the laws and residuals in extended
// precision for one instant; the method of Runge and Kutta over time, with the equations solved at every
// stage and no step across a jump.
#ifndef TAKT_TESTS_CAMPAIGN_REFERENCE_H
#define TAKT_TESTS_CAMPAIGN_REFERENCE_H

#include "campaign/system.h"

/// Where nodes are at the end of a step: from a state x they have come a time h with their inputs held at what
/// they are at the end. Without a step h is 0.
typedef struct moment {
    double t; ///< s; of the end
    double h[MAX_NODES];
    long double x[MAX_NODES][N_STATES];
} moment;

/// The outputs of all nodes at a moment. Boolean ones stay; real ones begin with what v has and go to the next
/// solution. `uncertainty` is what noise allows to differ. False: there is no solution near.
bool solve_moment(const random_system *system, const moment *at, long double *v,
                  long double *uncertainty);

/// Times of a run at which something jumps, sorted; also those of all rows of a table.
int find_breaks(const random_system *system, double *breaks, int room);

enum { MAX_BREAKS = MAX_NODES + MAX_ROWS + 2 };

/// The course of a system in time.
typedef struct course {
    bool is_known; ///< false: it has none, or its switching depends on values
    long double end[MAX_NODES]; ///< outputs at the stop time
    long double largest[MAX_NODES]; ///< absolute values on the way
    /// How much states that are all wrong by 1 at some time can change outputs at a later one, at most.
    long double growth[MAX_NODES];
} course;

void find_course(const random_system *system, course *out);

#endif
