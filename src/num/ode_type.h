// SPDX-License-Identifier: MIT
// The contract between the integrators' common code (ode.c) and the methods.
#ifndef TAKT_NUM_ODE_TYPE_H
#define TAKT_NUM_ODE_TYPE_H

#include "num/ode_problem.h"

typedef struct takt_ode takt_ode;

/// The functions of a method; all are required.
typedef struct takt_ode_type {
    takt_status (*create)(takt_ode *ode, takt_error *err);
    void (*destroy)(takt_ode *ode);
    takt_status (*restart)(takt_ode *ode, takt_error *err);
    /// One internal step from ode->t and ode->x, to t_end at most.
    takt_status (*step)(takt_ode *ode, double t_end, bool *has_root, takt_error *err);
} takt_ode_type;

/// For looking at what is just behind a start; see ode_watch.h.
typedef struct takt_ode_watch {
    double *start, *at, *before, *slopes, *curvatures; ///< n values each
    double *roots; ///< 2 n_roots values
    int n_unresolved; ///< events in a row that follow each other faster than time can resolve
} takt_ode_watch;

struct takt_ode {
    const takt_ode_type *type;
    takt_ode_method method;
    takt_ode_problem problem;
    double t;
    double *x; ///< n values
    bool is_fresh; ///< no step since it was started
    takt_ode_watch watch;
    double *work; ///< 5 n + 3 n_roots values, for the methods with fixed steps
    void *own; ///< data of the method
};

extern const takt_ode_type takt_ode_cvode, takt_ode_fixed;

/// A step of length h at most, as those of takt_ode_fixed, with any method (explicit, of order 4 but for Euler's).
/// takt_ode_fixed.restart must have been called at ode->t.
takt_status takt_ode_fixed_step(takt_ode *ode, double h, double t_end, bool *has_root,
                                takt_error *err);

#endif
