// SPDX-License-Identifier: MIT
// Inputs that move along polynomials within a step; for instances that evaluate the polynomials by
// themselves. See takt_instance_type::set_motion.
#ifndef TAKT_INSTANCE_MOTION_H
#define TAKT_INSTANCE_MOTION_H

#include "instance/access.h"

enum { TAKT_MAX_MOTION_ORDER = 6 }; ///< highest degree of the polynomials

/// The polynomials of one step.
typedef struct takt_motion {
    const takt_access *inputs; ///< NULL: none move; borrowed until the step is over
    double t; ///< s; where the step begins
    int order; ///< degree
    double *room; ///< the derivatives of order 0, 1, ..., n values each; then room for n values
    int n_room; ///< inputs that there is room for
} takt_motion;

/// Keeps the polynomials of a step; arguments as for takt_instance_type::set_motion. Allocates only when
/// there are more inputs than ever before; returns false when memory is exhausted.
bool takt_motion_begin(takt_motion *motion, double t, const takt_access *inputs, int order,
                       const double *derivatives);

/// The values of all inputs at a time, in the order of `inputs`; they live until the next call.
double *takt_motion_at(takt_motion *motion, double time);

/// After a step: nothing moves any more.
static inline void takt_motion_end(takt_motion *motion)
{
    motion->inputs = NULL;
}

void takt_motion_clear(takt_motion *motion); ///< accepts one that is all zero

#endif
