// SPDX-License-Identifier: MIT
// A capacitor behind the resistance R: i R = x - y, x' = -i. One step of the implicit Euler method
// per communication step, as simulators do with a stiff model (Petridis and Clauss 2015, section 5.4:
// the smaller R, the closer the index comes to two).
#include "common.h"

typedef struct model {
    double y, i, x;
    double R, x0;
} model;

static const fmukit_variable variables[] = {
    INPUT(y, "Voltage before the resistor"),
    OUTPUT(i, FMUKIT_INPUTS("y"), "Current, (x - y) / R"),
    OUTPUT(x, FMUKIT_NO_INPUTS, "Voltage of the capacitor"),
    {.name = "R",
     .description = "Resistance",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(model, R),
     .start = {.real = 0.001},
     .range = FMUKIT_MIN(1e-12)},
    PARAMETER(x0, 2, "x at the start"),
};

static fmukit_status initialize(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->x = m->x0;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->i = (m->x - m->y) / m->R;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *data, double t, double t_end)
{
    model *m = data;
    double h = t_end - t;
    m->x = (m->x * m->R + h * m->y) / (m->R + h);
    return check_inputs(fmu, m, t);
}

const fmukit_model fmukit_this_model = {
    MODEL("RcImplicit", "Capacitor behind a resistor, implicit Euler method"),
    .functions = {.initialize = initialize, .evaluate = evaluate, .step = step},
};
