// SPDX-License-Identifier: MIT
// Stiff models whose continuous states are variables of the table, integrated by the solver of fmukit/solver.h. The
// states lie in the fields of the author's struct, and the size of the next step in fmukit_instance::inner_step, so that
// the state of the instance is complete without the solver.
#include <fmukit/solver.h>
#include <string.h>

#include "core.h"
#include "solver.h"

static void put(fmukit_instance *fmu, double t, const double *x)
{
    fmu->time = t;
    fmukit_write_states(fmu, x);
}

static fmukit_status rates(fmukit_instance *fmu, void *model, double t, const double *x,
                           double *out)
{
    (void)model;
    put(fmu, t, x);
    return fmukit_read_derivatives(fmu, out);
}

static fmukit_status indicators(fmukit_instance *fmu, void *model, double t, const double *x,
                                double *out)
{
    (void)model;
    put(fmu, t, x);
    return fmukit_read_indicators(fmu, out);
}

static fmukit_status completed(fmukit_instance *fmu, void *model, double t)
{
    (void)model;
    bool asks = false;
    put(fmu, t, fmukit_solver_states(fmu->solver));
    fmukit_status status = fmukit_complete_step(fmu, &asks);
    if (asks) fmukit_solver_stop(fmu->solver);
    return status;
}

static void end(fmukit_instance *fmu)
{
    fmukit_solver_destroy(fmu->solver);
    fmu->solver = NULL;
}

// The solver for as many states as there are; arrays may have got another size.
static fmukit_status prepare(fmukit_instance *fmu)
{
    size_t n = fmukit_n_continuous(fmu), n_indicators = fmukit_n_indicators(fmu);
    if (fmu->solver && fmukit_solver_fits(fmu->solver, n, n_indicators)) return FMUKIT_OK;
    if (fmu->solver) end(fmu);
    double *nominals = fmu->work; // room for more than that
    fmukit_read_nominals(fmu, nominals);
    fmukit_equations e = {.n = n,
                          .rates = rates,
                          .nominals = nominals,
                          .n_indicators = n_indicators,
                          .indicators = n_indicators ? indicators : NULL,
                          // Two changes of sign within one step would not be seen.
                          .max_step = n_indicators ? fmu->model->step_size : 0,
                          .completed = completed};
    fmu->solver = fmukit_solver_create(fmu, fmu->data, &e);
    return fmu->solver ? FMUKIT_OK : FMUKIT_ERROR;
}

// Where the integration has come to, the model is.
static fmukit_status settle(fmukit_instance *fmu, double t)
{
    double *z = fmu->work;
    size_t n = fmukit_n_indicators(fmu);
    put(fmu, t, fmukit_solver_states(fmu->solver));
    fmukit_status status = fmukit_read_indicators(fmu, z);
    for (size_t i = 0; i < n && !fmukit_is_failure(status); i++) fmu->signs[i] = z[i] > 0;
    return status;
}

static fmukit_status advance(fmukit_instance *fmu, double t, double t_end)
{
    if (fmukit_n_continuous(fmu) == 0) return fmukit_integrate(fmu, t, t_end);
    fmukit_status status = prepare(fmu);
    if (status != FMUKIT_OK) return status;
    fmukit_read_states(fmu, fmukit_solver_states(fmu->solver));
    *fmukit_solver_size(fmu->solver) = fmu->inner_step;
    fmu->is_integrating = true;
    status = fmukit_solver_advance(fmu->solver, t, t_end);
    fmu->inner_step = *fmukit_solver_size(fmu->solver);
    bool is_event = status == FMUKIT_EVENT;
    if (is_event || !fmukit_is_failure(status)) {
        if (!is_event) fmukit_stopped_at(fmu, t_end);
        fmukit_status settled = settle(fmu, fmu->last_time);
        status = fmukit_is_failure(settled) ? settled : status;
    }
    fmu->is_integrating = false;
    fmu->is_stale |= fmukit_is_failure(status) && !is_event;
    fmu->time = t; // the step is not over yet
    return status == FMUKIT_DISCARD ? FMUKIT_ERROR : status;
}

const fmukit_integrator fmukit_implicit = {advance, end};
