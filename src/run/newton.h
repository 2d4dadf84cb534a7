// SPDX-License-Identifier: MIT
// What Newton's method needs to know of a loop, prepared before its first step.
#ifndef TAKT_RUN_NEWTON_H
#define TAKT_RUN_NEWTON_H

#include "run/run.h"

/// An input of a member that gets an unknown.
typedef struct takt_newton_reader {
    int i_instance;
    takt_access input; ///< for directional derivatives
} takt_newton_reader;

/// A member that delivers unknowns.
typedef struct takt_newton_member {
    takt_access outputs; ///< the unknowns that it delivers; for directional derivatives
    const int *rows; ///< which unknowns these are, in the same order
    int n_rows;
    bool is_stepped; ///< its state is no longer the saved one
} takt_newton_member;

struct takt_newton_block {
    int n; ///< unknowns
    const int *unknowns; ///< indices in y
    takt_newton_member *members; ///< in the order of the block
    const int *place; ///< per component of the loop: its index in `members`
    takt_newton_reader *readers; ///< by unknown, then by member
    const int *first_reader; ///< the readers of unknown j begin here; one entry more at the end
    double *x, *x_try; ///< accepted values, and those of the attempt
    double *s; ///< S(x)
    double *residual; ///< of the attempt
    double *step;
    double *matrix; ///< decomposed
    double *scales; ///< 2 n numbers, for the decomposition
    int *pivots;
    bool has_matrix;
    bool is_fresh; ///< the matrix was made at x
    bool is_derived; ///< ... from the instances' own derivatives, at least in part
    bool is_at_x; ///< the members have been stepped with x, and y is what they deliver
    bool uses_quotients; ///< the instances' own derivatives turned out too inexact
};

/// Prepares a block for Newton's method, once; later calls do nothing.
takt_status takt_newton_prepare(takt_run *run, takt_run_block *block, takt_error *err);

#endif
