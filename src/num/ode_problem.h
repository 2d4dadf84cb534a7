// SPDX-License-Identifier: MIT
// What integrators solve, and by which method; see ode.h.
#ifndef TAKT_NUM_ODE_PROBLEM_H
#define TAKT_NUM_ODE_PROBLEM_H

#include <stdbool.h>

#include "base/error.h"

/// Every method: constant, name for users.
#define TAKT_ODE_METHOD_LIST(X)                                                                    \
    X(TAKT_CVODE_BDF, "cvode-bdf")                                                                 \
    X(TAKT_CVODE_ADAMS, "cvode-adams")                                                             \
    X(TAKT_EULER, "euler")                                                                         \
    X(TAKT_RK4, "rk4")

typedef enum takt_ode_method {
#define TAKT_ODE_METHOD_ENUM(name, text) name,
    TAKT_ODE_METHOD_LIST(TAKT_ODE_METHOD_ENUM)
#undef TAKT_ODE_METHOD_ENUM
        TAKT_N_ODE_METHODS
} takt_ode_method;

const char *takt_ode_method_name(takt_ode_method method);

/// What a function of the problem may answer, besides failing with an error.
typedef enum takt_ode_answer {
    TAKT_ODE_FINE,
    TAKT_ODE_TOO_FAR, ///< not possible at this point; a smaller step may work
} takt_ode_answer;

/// What is to be integrated.
typedef struct takt_ode_problem {
    int n; ///< states; may be 0
    int n_roots;
    double relative; ///< tolerance
    const double *absolute; ///< tolerance per state
    double h_fixed; ///< s; largest step of the methods with fixed steps
    void *context;

    takt_status (*derivatives)(void *context, double t, const double *x, double *dx,
                               takt_ode_answer *answer, takt_error *err);
    takt_status (*roots)(void *context, double t, const double *x, double *g,
                         takt_ode_answer *answer, takt_error *err);

    /// Optional: the matrix df/dx, column by column (element i of column j at j*n + i), all of it. `dx` are the
    /// derivatives at this point. Without it CVODE uses difference quotients, one per column.
    takt_status (*jacobian)(void *context, double t, const double *x, const double *dx,
                            double *matrix, takt_ode_answer *answer, takt_error *err);

    /// After every internal step. `*stops` ends the integration here.
    takt_status (*step_done)(void *context, double t, const double *x, bool *stops,
                             takt_error *err);
} takt_ode_problem;

#endif
