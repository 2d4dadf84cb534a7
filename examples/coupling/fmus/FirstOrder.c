// SPDX-License-Identifier: MIT
// x' = a x + b1 u1 + b2 u2 + amplitude sin(frequency t + phase), x(t0) = x0. The output is the state,
// so inputs act only through time. x0 is an input that matters during initialization only: another
// FMU may compute it.
#include <math.h>

#include "common.h"

typedef struct model {
    double u1, u2, x0, x;
    double a, b1, b2, amplitude, frequency, phase;
    int substeps;
} model;

static const fmukit_variable variables[] = {
    INPUT(u1, NULL),
    INPUT(u2, NULL),
    INPUT(x0, "x at the start; ignored afterwards"),
    {.name = "x",
     .description = "The state",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(model, x),
     .depends_on = FMUKIT_NO_INPUTS,
     .depends_on_initially = FMUKIT_INPUTS("x0")},
    PARAMETER(a, 0, "Factor of x, 1/s"),
    PARAMETER(b1, 1, "Factor of u1, 1/s"),
    PARAMETER(b2, 0, "Factor of u2, 1/s"),
    PARAMETER(amplitude, 0, "1/s"),
    PARAMETER(frequency, 1, "rad/s"),
    PARAMETER(phase, 0, "rad"),
    SUBSTEPS(20),
};

static fmukit_status initialize(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->x = m->x0;
    return FMUKIT_OK;
}

static double slope(const void *data, double t, double x)
{
    const model *m = data;
    return m->a * x + m->b1 * m->u1 + m->b2 * m->u2 +
           m->amplitude * sin(m->frequency * t + m->phase);
}

static fmukit_status step(fmukit_instance *fmu, void *data, double t, double t_end)
{
    model *m = data;
    return integrate(fmu, m, slope, t, t_end, m->substeps, &m->x);
}

const fmukit_model fmukit_this_model = {
    MODEL("FirstOrder", "Linear differential equation of first order"),
    .functions = {.initialize = initialize, .step = step},
};
