// SPDX-License-Identifier: MIT
// Ordinary differential equations with events: x' = f(t, x), and functions g(t, x) whose changes of sign
// are found. Methods: CVODE of SUNDIALS (stiff or not), and two simple ones with fixed steps.
#ifndef TAKT_NUM_ODE_H
#define TAKT_NUM_ODE_H

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

/// What a function of the problem may say, besides failing with an error.
typedef enum takt_ode_answer {
    TAKT_ODE_FINE,
    TAKT_ODE_TOO_FAR, ///< not possible at this point; a smaller step may be
} takt_ode_answer;

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

    /// After every internal step. `*stops` lets the integration end here.
    takt_status (*step_done)(void *context, double t, const double *x, bool *stops,
                             takt_error *err);
} takt_ode_problem;

typedef enum takt_ode_end {
    TAKT_ODE_REACHED, ///< t_end
    TAKT_ODE_ROOT, ///< just behind a change of sign
    TAKT_ODE_STOPPED, ///< step_done asked for it
} takt_ode_end;

typedef struct takt_ode takt_ode;

/// Owned by the caller. `problem` is copied; what it points at must outlive the result.
takt_status takt_ode_create(takt_ode_method method, const takt_ode_problem *problem, takt_ode **out,
                            takt_error *err);
void takt_ode_destroy(takt_ode *ode);

/// Begins anew at (t, x): after initialization, an event or a rewind.
takt_status takt_ode_restart(takt_ode *ode, double t, const double *x, takt_error *err);

/// Integrates up to t_end at most; `x` and `*t` receive the point that was reached. In the case of
/// TAKT_ODE_ROOT a change of sign lies between the last two points, which are as near to each other as
/// the method can tell.
takt_status takt_ode_integrate(takt_ode *ode, double t_end, double *t, double *x, takt_ode_end *end,
                               takt_error *err);

#endif
