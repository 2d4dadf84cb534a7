// SPDX-License-Identifier: MIT
/// @file
/// An integrator for stiff and large systems of differential equations, x' = f(t, x, u), inside an FMU
/// of the kit: implicit, with variable steps, ends exactly at communication points, finds events, and
/// its complete state can be saved, restored and turned into bytes.
///
/// It is ARKODE of SUNDIALS with a method of one step (ESDIRK4(3)6L[2]SA of Kennedy and Carpenter, stiffly accurate, of
/// fourth order). Such a method carries nothing from step to step but the states and the size of the next step.
/// A communication step that is repeated from a saved state therefore gives the same bits.
///
/// Link it with `takt_add_fmu(... SOLVER)`. docs/kit.md has an example; examples/building is a large one.
#ifndef FMUKIT_SOLVER_H
#define FMUKIT_SOLVER_H

#include <fmukit/fmukit.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fmukit_solver fmukit_solver;

/// How the linear equations of an implicit step, (I - gamma df/dx) z = r, are solved.
typedef enum fmukit_linear {
    FMUKIT_DENSE, ///< directly; up to some hundred unknowns
    FMUKIT_BAND, ///< directly, df/dx has non-zero elements only near its diagonal: `lower`, `upper`
    FMUKIT_OWN, ///< by the author's `prepare` and `solve`, which do it exactly or nearly so
    FMUKIT_KRYLOV, ///< iteratively (GMRES), with `prepare` and `solve` as preconditioner, if given
} fmukit_linear;

/// The equations. Functions get the author's struct as `model`; continuous inputs in it are those of time t, if the model
/// `interpolates_inputs`. They change nothing but what they are asked for, and return FMUKIT_OK; FMUKIT_DISCARD: not
/// possible for these states, a smaller step may help; or FMUKIT_ERROR.
typedef struct fmukit_equations {
    size_t n; ///< unknowns, at least 1
    /// Required: rates = f(t, x, u).
    fmukit_status (*rates)(fmukit_instance *fmu, void *model, double t, const double *x,
                           double *rates);
    const double *nominals; ///< typical magnitudes of the unknowns; NULL: 1. Copied
    double max_step; ///< s; 0: no limit

    fmukit_linear linear;
    size_t lower, upper; ///< of FMUKIT_BAND: diagonals below and above the main one
    /// `prepare` makes ready for solving M z = r, where M is like I - gamma df/dx at (t, x); `solve` does it, z and r are
    /// different arrays. Required with FMUKIT_OWN, both or none with FMUKIT_KRYLOV. The better M, the fewer iterations. What
    /// `prepare` keeps is not part of the state: it is called before each `solve` where anything has changed.
    fmukit_status (*prepare)(fmukit_instance *fmu, void *model, double t, const double *x,
                             double gamma);
    fmukit_status (*solve)(fmukit_instance *fmu, void *model, const double *r, double *z);

    /// Optional: numbers whose change of sign is an event; see fmukit_solver_advance().
    size_t n_indicators;
    fmukit_status (*indicators)(fmukit_instance *fmu, void *model, double t, const double *x,
                                double *indicators);

    /// Optional: an internal step has ended at time t. Within it, fmukit_solver_at() gives states at any time, e.g. for
    /// rows of results.
    fmukit_status (*completed)(fmukit_instance *fmu, void *model, double t);
} fmukit_equations;

/// Makes a solver, whose unknowns are 0. The tolerance is that of the importing program when a step is made, else
/// fmukit_model::tolerance, else 1e-6; relative, and absolute 0.01 of it times the nominal value. NULL, with a message in
/// the log: the equations are not complete, or there is no memory. Owned by the caller.
fmukit_solver *fmukit_solver_create(fmukit_instance *fmu, void *model,
                                    const fmukit_equations *equations);
/// Accepts NULL.
void fmukit_solver_destroy(fmukit_solver *solver);

/// The n unknowns, where the integration is. May be changed between steps, e.g. for initial values and at events; then
/// fmukit_solver_restart() is good manners: the step size that was good may be too long now.
double *fmukit_solver_states(fmukit_solver *solver);
void fmukit_solver_restart(fmukit_solver *solver);

/// For fmukit_functions::step: from t to t_end, exactly. FMUKIT_EVENT: an indicator has changed its sign; the states are
/// those just behind, and fmukit_stopped_at() has been called.
fmukit_status fmukit_solver_advance(fmukit_solver *solver, double t, double t_end);

/// States at a time within the internal step that has just been completed, into n numbers; for `completed`.
fmukit_status fmukit_solver_at(fmukit_solver *solver, double t, double *x);

/// For fmukit_functions::state: the complete state.
void fmukit_solver_state(fmukit_stream *s, fmukit_solver *solver);

/// For fmukit_model::integrator: the same for models whose states are variables of the table, with a dense matrix of
/// difference quotients. Nothing else changes; events and moving inputs are the kit's.
extern const fmukit_integrator fmukit_implicit;

/// Numbers since creation; not part of the state.
typedef struct fmukit_solver_counts {
    long steps, rejected, rates, setups, linear_iterations;
} fmukit_solver_counts;
fmukit_solver_counts fmukit_solver_count(const fmukit_solver *solver);

#ifdef __cplusplus
}
#endif
#endif
