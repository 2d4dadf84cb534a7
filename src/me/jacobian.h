// SPDX-License-Identifier: MIT
// The Jacobian of the equations of an instance for model exchange, df/dx of x' = f(t, x), with few calls where
// it is known what depends on what.
#ifndef TAKT_ME_JACOBIAN_H
#define TAKT_ME_JACOBIAN_H

#include "me/equations.h"
#include "num/colouring.h"

typedef struct takt_me_jacobian takt_me_jacobian;

/// What is known about the equations of an instance before they are evaluated.
typedef struct takt_me_structure {
    int n_states;
    const takt_dependency *derivatives; ///< of the states, and what they depend on; NULL: not said
    const int *states; ///< variables, -1: not said; NULL: as above
    bool has_directional_derivatives; ///< of the derivatives by the states
} takt_me_structure;

/// Where the matrix is wanted.
typedef struct takt_me_point {
    double t; ///< s
    const double *x, *dx; ///< states and their derivatives
} takt_me_point;

/// Sets me->jacobian, in its arena, unless there is nothing to gain: the instance has no directional derivatives
/// and nothing useful is known about dependencies.
takt_status takt_me_jacobian_prepare(takt_me *me, const takt_me_structure *described,
                                     takt_error *err);

/// Sets me->jacobian, in its arena, to differences by a pattern, which must outlive it.
takt_status takt_me_jacobian_create(takt_me *me, const takt_pattern *pattern, takt_error *err);

/// The whole matrix, column by column. The instance is at the point.
takt_status takt_me_jacobian_fill(takt_me_jacobian *jacobian, takt_me *me,
                                  const takt_me_point *point, double *matrix,
                                  takt_ode_answer *answer, takt_error *err);

#endif
