// SPDX-License-Identifier: MIT
// Shared by the FMUs of the coupling examples; see common.h.
#include "common.h"

#include <math.h>

static const double LARGEST = 1e300;

fmukit_status check_inputs(fmukit_instance *fmu, const void *model, double t)
{
    for (size_t i = 0; i < fmukit_this_model.n_variables; i++) {
        const fmukit_variable *v = &fmukit_this_model.variables[i];
        if (v->causality != FMUKIT_INPUT || v->type != FMUKIT_REAL) continue;
        double value = *(const double *)((const char *)model + v->field.offset);
        if (fabs(value) <= LARGEST) continue; // false for NaN
        fmukit_log(fmu, FMUKIT_ERROR, NULL, "input '%s' is %.6g in the step from t=%.15g s",
                   v->name, value, t);
        return FMUKIT_ERROR;
    }
    return FMUKIT_OK;
}

fmukit_status step_without_states(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)t_end;
    return check_inputs(fmu, model, t);
}

static double runge_kutta(slope_fn *slope, const void *model, double t, double h, double x)
{
    double k1 = slope(model, t, x);
    double k2 = slope(model, t + h / 2, x + h / 2 * k1);
    double k3 = slope(model, t + h / 2, x + h / 2 * k2);
    double k4 = slope(model, t + h, x + h * k3);
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

fmukit_status integrate(fmukit_instance *fmu, const void *model, slope_fn *slope, double t,
                        double t_end, int n, double *x)
{
    fmukit_status status = check_inputs(fmu, model, t);
    double h = (t_end - t) / n;
    for (int i = 0; i < n && status == FMUKIT_OK; i++)
        *x = runge_kutta(slope, model, t + i * h, h, *x);
    return status;
}
