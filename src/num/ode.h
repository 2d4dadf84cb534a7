// SPDX-License-Identifier: MIT
// Ordinary differential equations with events: x' = f(t, x), and functions g(t, x) whose changes of sign
// are found. Methods: CVODE of SUNDIALS (stiff or not), and two simple ones with fixed steps.
#ifndef TAKT_NUM_ODE_H
#define TAKT_NUM_ODE_H

#include "num/ode_problem.h"

typedef enum takt_ode_end {
    TAKT_ODE_REACHED, ///< t_end
    TAKT_ODE_ROOT, ///< just behind a change of sign
    TAKT_ODE_STOPPED, ///< step_done asked for it
} takt_ode_end;

typedef struct takt_ode takt_ode; ///< an integrator at work on a problem

/// Owned by the caller. `problem` is copied; what it points at must outlive the result.
takt_status takt_ode_create(takt_ode_method method, const takt_ode_problem *problem, takt_ode **out,
                            takt_error *err);
void takt_ode_destroy(takt_ode *ode);

/// Starts again at (t, x): after initialization, an event or a rewind.
takt_status takt_ode_restart(takt_ode *ode, double t, const double *x, takt_error *err);

/// Integrates up to t_end at most; `x` and `*t` receive the point that was reached. In the case of
/// TAKT_ODE_ROOT a change of sign lies between the last two points, which are as near to each other as
/// the method allows.
takt_status takt_ode_integrate(takt_ode *ode, double t_end, double *t, double *x, takt_ode_end *end,
                               takt_error *err);

#endif
