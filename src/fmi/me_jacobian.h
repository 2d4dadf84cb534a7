// SPDX-License-Identifier: MIT
// The matrix of the derivatives of x' by x of an FMU for model exchange, with few calls: what depends on what
// is known from its description. Only for src/fmi.
#ifndef TAKT_FMI_ME_JACOBIAN_H
#define TAKT_FMI_ME_JACOBIAN_H

#include "fmi/description.h"
#include "fmi/me.h"

typedef struct takt_me_jacobian takt_me_jacobian;

/// Where the matrix is wanted.
typedef struct takt_me_point {
    double t; ///< s
    const double *x, *dx; ///< states and their derivatives
} takt_me_point;

/// Sets me->jacobian, in its arena, unless there is nothing to gain: the FMU has no directional derivatives and
/// says nothing useful about dependencies.
takt_status takt_me_jacobian_prepare(takt_me *me, const takt_me_description *described,
                                     takt_error *err);

/// The whole matrix, column by column. The FMU is at the point.
takt_status takt_me_jacobian_fill(takt_me_jacobian *jacobian, takt_me *me,
                                  const takt_me_point *point, double *matrix,
                                  takt_ode_answer *answer, takt_error *err);

#endif
