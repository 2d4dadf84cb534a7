// SPDX-License-Identifier: MIT
// The third section of the circuit with varying resistors: a capacitor behind 10 kohm at the node. It
// gets the currents into the cells and delivers the voltage of the node (Petridis and Clauss 2015,
// table 3):
//     0.01 x3' + 0.0001 (x3 - vi) = 0,  ii1 + ii2 - 0.0001 (x3 - vi) = 0
#include "common.h"

typedef struct model {
    double ii1, ii2, vi, x3;
    int substeps;
} model;

static const fmukit_variable variables[] = {
    INPUT(ii1, "Current into cell 1"),
    INPUT(ii2, "Current into cell 2"),
    OUTPUT(vi, FMUKIT_INPUTS("ii1", "ii2"), "Voltage of the node"),
    STATE(x3, "Voltage of the capacitor"),
    SUBSTEPS(40),
};

static double slope(const void *data, double t, double x)
{
    (void)t, (void)x;
    const model *m = data;
    return -100 * (m->ii1 + m->ii2);
}

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->vi = m->x3 - 1e4 * (m->ii1 + m->ii2);
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *data, double t, double t_end)
{
    model *m = data;
    return integrate(fmu, m, slope, t, t_end, m->substeps, &m->x3);
}

const fmukit_model fmukit_this_model = {
    MODEL("NodeVoltage", "Node with a capacitor: currents in, voltage out"),
    .functions = {.evaluate = evaluate, .step = step},
};
